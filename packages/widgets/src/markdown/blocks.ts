/** A text's blocks. While an answer streams, all blocks but those of the last part are kept as they are. */

import { withoutUndecided } from './calm.ts'
import { type Placed, type RawBlock, readBlocks } from './read-blocks.ts'
import type { Links } from './read-link.ts'

export interface Block {
  /** Index and kind: a block keeps its DOM node until it becomes another kind of block. */
  readonly key: string
  readonly block: RawBlock
  /** The source it was read from. */
  readonly raw: string
  /** Where the block stands in the text, line ends counted as one character. */
  readonly start: number
  readonly end: number
  /** Still being written: marks that are open may be shown closed. */
  readonly isOpen: boolean
}

export interface Blocks {
  readonly source: string
  readonly all: readonly Block[]
  /** How many blocks nothing that follows can change, but for references defined later. */
  readonly settled: number
  readonly settledEnd: number
  /** The definitions of settled text: one half written must not win over the whole one. */
  readonly settledLinks: Links
  readonly links: Links
}

export interface ToBlocksOptions {
  readonly streaming?: boolean
  /** What this function returned for the text before it grew. */
  readonly previous?: Blocks
}

export function toBlocks(text: string, { streaming = false, previous }: ToBlocksOptions = {}): Blocks {
  const source = unifyLineEnds(text)
  const before = previous && source.startsWith(previous.source) ? previous : nothing
  return streaming ? grow(source, before) : finish(source, before)
}

/** Marks are counted in the text as it came; blocks in the text with unified line ends. */
export function unifyLineEnds(text: string): string {
  return text.replace(/\r\n?/g, '\n')
}

function grow(source: string, before: Blocks): Blocks {
  const { settledEnd: from, settled, settledLinks } = before
  const links: Links = new Map(settledLinks)
  const placed = readBlocks(source.slice(0, from) + withoutUndecided(source.slice(from)), from, links)
  const all = [
    ...before.all.slice(0, settled),
    ...placed.map((each, index) => keep(before, settled + index, each, source, index === placed.length - 1)),
  ]
  // The last block whose first line has ended: what stands before it can no longer change.
  const open = placed.findLastIndex(({ start }) => source.indexOf('\n', start) >= 0)
  if (open < 1) return { ...before, source, all, links }
  const settledEnd = placed[open]!.start
  const known: Links = new Map(settledLinks)
  if (links.size > known.size) readBlocks(source.slice(0, settledEnd), from, known)
  return { source, all, settled: settled + open, settledEnd, settledLinks: known, links }
}

/** One reading of the whole, so that references meet definitions on either side. Blocks that stayed the same are kept. */
function finish(source: string, before: Blocks): Blocks {
  const links: Links = new Map()
  const all = readBlocks(source, 0, links).map((each, index) => keep(before, index, each, source, false))
  return { ...nothing, source, all, links }
}

/** The block known before, when nothing that could change it has: a text without brackets holds no reference. */
function keep(before: Blocks, index: number, placed: Placed, source: string, isOpen: boolean): Block {
  const { block, start } = placed
  const known = before.all[index]
  const key = `${index}-${block.kind}`
  const raw = source.slice(start, placed.end).trimEnd()
  const isSame = known?.key === key && known.start === start && known.raw === raw
  if (isSame && !known.isOpen && !isOpen && !raw.includes('[')) return known
  return { key, block, raw, start, end: start + raw.length, isOpen }
}

const nothing: Blocks = { source: '', all: [], settled: 0, settledEnd: 0, settledLinks: new Map(), links: new Map() }
