/** The text inside a block as nodes: one pass over its marks, then one over the runs of `*`, `_` and `~` among them. */

import type { ComponentChildren } from 'preact'
import { addressIn, hrefOf } from './bare-address.ts'
import { withoutUnfinishedLink } from './calm.ts'
import { closeRuns, pairRuns, runAt } from './pair-runs.ts'
import { merged, nodesOf, type Piece } from './piece.ts'
import { readReference, readTarget } from './read-link.ts'
import { renderImage, renderLink } from './render-link.tsx'
import type { BlockOptions } from './render-options.ts'
import { unescape } from './unescape.ts'

export function readInline(source: string, options: BlockOptions): ComponentChildren {
  const text = options.isOpen ? withoutUnfinishedLink(source) : source
  const reader: Reader = { text, options, at: 0, pieces: [], brackets: [], inactive: 0 }
  while (reader.at < text.length) readNext(reader)
  const pieces = pairRuns(reader.pieces)
  if (options.isOpen) closeRuns(pieces)
  return nodesOf(merged(pieces))
}

interface Reader {
  readonly text: string
  readonly options: BlockOptions
  at: number
  readonly pieces: Piece[]
  readonly brackets: Bracket[]
  /** A link may not hold a link: once one is made, the brackets open around it are words, all below this one. */
  inactive: number
}

interface Bracket {
  /** Where it stands in `pieces`. */
  readonly place: number
  /** Where the text after it starts. */
  readonly at: number
  readonly isImage: boolean
}

/** Each begins where nothing of its kind stands before it: a search from every letter would take the square. */
const marks = new RegExp(
  [
    /\\[!-/:-@[-`{-~]/,
    /(?:\\|(?<! ) *)\n */,
    /`+|\*+|_+|(?<!~)~~?(?!~)|!?\[|\]/,
    /<(?:[a-z][\w.+-]{1,31}:[^\s<>]*|[^\s<>@:\\]+@[\w.-]+)>/,
    /(?<=^|[\s*_~([])(?:https?:\/\/|www\.)[^\s<]+/,
    /(?<![\w.+/:@-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+(?<![-_])(?!\.?[\w-])/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gi',
)

function readNext(reader: Reader): void {
  const { text, at, pieces } = reader
  marks.lastIndex = at
  const { 0: mark = '', index = text.length } = marks.exec(text) ?? {}
  if (index > at) addWords(reader, text.slice(at, index))
  reader.at = index + mark.length
  if (mark.includes('\n')) pieces.push(/^(?:\\| {2})/.test(mark) ? { text: '\n', node: <br /> } : { text: '\n' })
  else if (mark.startsWith('\\')) addWords(reader, mark)
  else if (mark.startsWith('`')) readCode(reader, mark)
  else if (/^[*_~]/.test(mark)) readRun(reader, index, mark)
  else if (mark.endsWith('[')) openBracket(reader, mark)
  else if (mark === ']') closeBracket(reader)
  else if (mark) readAddress(reader, index, mark)
}

function addWords({ pieces }: Reader, text: string): void {
  pieces.push({ text: unescape(text) })
}

function readCode(reader: Reader, ticks: string): void {
  const { text, at, options, pieces } = reader
  const end = closingTicks(text, at, ticks) ?? (options.isOpen ? text.length : at)
  if (end === at) return addWords(reader, options.isOpen ? '' : ticks)
  const inside = text.slice(at, end).replaceAll('\n', ' ')
  const code = inside.replace(/^ (?=.*[^ ])(.*) $/s, '$1')
  pieces.push({ text: code, node: <code>{code}</code> })
  reader.at = end + ticks.length
}

function closingTicks(text: string, from: number, ticks: string): number | undefined {
  const pattern = /`+/g
  pattern.lastIndex = from
  for (let found; (found = pattern.exec(text));) if (found[0] === ticks) return found.index
  return undefined
}

function readRun({ text, at, options, pieces }: Reader, index: number, mark: string): void {
  // What a run at the very end closes is closed without it, and what it opens is not there yet.
  if (!options.isOpen || at < text.length) pieces.push(runAt(text, index, mark))
}

function openBracket(reader: Reader, mark: string): void {
  const { at, pieces, brackets } = reader
  brackets.push({ place: pieces.length, at, isImage: mark !== '[' })
  pieces.push({ text: mark })
}

function closeBracket(reader: Reader): void {
  const { text, at, options, pieces, brackets } = reader
  const open = brackets.pop()
  const isActive = open && (open.isImage || brackets.length >= reader.inactive)
  reader.inactive = Math.min(reader.inactive, brackets.length)
  const found =
    isActive && (readTarget(text, at) ?? readReference(text, text.slice(open.at, at - 1), at, options.links))
  if (!found) return addWords(reader, ']')
  const inside = merged(pairRuns(pieces.splice(open.place).slice(1)))
  pieces.push(...(open.isImage ? renderImage : renderLink)(inside, found, options))
  reader.at = found.end
  if (!open.isImage) reader.inactive = brackets.length
}

function readAddress(reader: Reader, index: number, mark: string): void {
  const { text, options, brackets, inactive, pieces } = reader
  const isPointed = mark.startsWith('<')
  const address = isPointed ? mark.slice(1, -1) : addressIn(mark)
  const end = index + (isPointed ? mark.length : (address?.length ?? 0))
  // In the brackets of a link it would be a link in a link; at the end it may be half of one, and lead to another host.
  const isWords = !isPointed && (brackets.length > inactive || (options.isOpen && /^[*_~]*$/.test(text.slice(end))))
  if (!address || isWords) {
    reader.at = index + 1
    return addWords(reader, mark.charAt(0))
  }
  pieces.push(...renderLink([{ text: address }], { href: hrefOf(address), title: undefined }, options))
  reader.at = end
}
