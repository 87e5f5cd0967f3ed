/** The parts of a link: its label, its address, its title; and the definitions that give an address to a label. */

import { unescape } from './unescape.ts'

export interface Target {
  readonly href: string
  readonly title: string | undefined
}

/** Link definitions by their label, as `labelOf` writes it. */
export type Links = Map<string, Target>

/** What the brackets of a link lead to, and where its text goes on. */
export interface FoundTarget extends Target {
  readonly end: number
}

/** `(address "title")` at `at`. */
export function readTarget(text: string, at: number): FoundTarget | undefined {
  const found = matchAt(targetPattern, text, at)
  return found && { ...targetOf(found[1], found[2]), end: targetPattern.lastIndex }
}

/** `[words][label]`, `[label][]` or `[label]`, whose first bracket holds `words` and ends before `at`. */
export function readReference(text: string, words: string, at: number, links: Links): FoundTarget | undefined {
  const label = matchAt(labelPattern, text, at)
  const end = label ? labelPattern.lastIndex : at
  const target = links.get(labelOf(label?.[1] || words))
  return target && { ...target, end }
}

/** Takes the definitions a paragraph begins with into `links`; the first of a label counts. */
export function withoutDefinitions(text: string, links: Links): string {
  let at = 0
  for (let found; (found = matchAt(definition, text, at)); at = definition.lastIndex) {
    const label = labelOf(found[1]!)
    if (!links.has(label)) links.set(label, targetOf(found[2], found[3]))
  }
  return text.slice(at)
}

/** Case and white space mean nothing. A longer text is no label: a text of brackets would be read again at each. */
function labelOf(text: string): string {
  return text.length > 999 ? '' : text.trim().replace(/\s+/g, ' ').toLowerCase().toUpperCase()
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at
  return pattern.exec(text) ?? undefined
}

function targetOf(address = '', title?: string): Target {
  return { href: unescape(address.replace(/^<(.*)>$/, '$1')), title: title && unescape(title.slice(1, -1)) }
}

const label = String.raw`\[((?:[^\\[\]]|\\[^]){0,999})\]`
const letter = String.raw`[^\\()\0- \x7f]|\\[\\()]|\\(?![\\()])`
const withBrackets = (inside: string) => String.raw`(?:${letter}|\(${inside}*\))`
/** Brackets in it are closed, three deep: an address that nests them without end would be read again at each. */
const address = String.raw`(<(?:[^\\<>\n]|\\.)*>|(?!<)${withBrackets(withBrackets(withBrackets(`(?:${letter})`)))}+)`
const title = String.raw`(?:\s+("(?:[^\\"]|\\[^])*"|'(?:[^\\']|\\[^])*'|\((?:[^\\()]|\\[^])*\)))?`
const labelPattern = new RegExp(label, 'y')
const targetPattern = new RegExp(String.raw`\(\s*${address}?${title}\s*\)`, 'y')
/** It ends its line, with its title or, when that does not fit, without. */
const definition = new RegExp(String.raw`(?!\[\s*\])${label}:\s*${address}${title}[ \t]*(?:\n|$)`, 'y')
