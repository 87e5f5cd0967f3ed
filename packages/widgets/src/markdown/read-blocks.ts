/** The blocks of a markdown text, line by line: each line first goes on with what is open, then opens what it starts. */

import { type Links, withoutDefinitions } from './read-link.ts'
import { type Align, cellsOf, delimiters } from './read-table.ts'

/** A block whose text has not been read for marks yet. */
export type RawBlock = Paragraph | Heading | Code | Quote | List | Table | { kind: 'hr' }

interface Paragraph {
  kind: 'paragraph'
  lines: string[]
}
interface Heading {
  kind: 'heading'
  depth: number
  text: string
}
export interface Code {
  kind: 'code'
  lines: string[]
  info: string
  /** What opened it; empty for indented code. */
  fence: string
  indent: number
}
interface Quote {
  kind: 'blockquote'
  blocks: RawBlock[]
}
export interface List {
  kind: 'list'
  marker: string
  start: number | undefined
  isLoose: boolean
  items: Item[]
}
export interface Table {
  kind: 'table'
  align: Align[]
  /** The first is its head. */
  rows: string[][]
}

export interface Item {
  kind: 'item'
  list: List
  /** How far a line must be indented to go on with it. */
  indent: number
  blocks: RawBlock[]
}

export interface Placed {
  readonly block: RawBlock
  readonly start: number
  readonly end: number
}

/** Containers nested deeper are shown as they are written. */
const depthLimit = 24

/** The blocks of `source` from `from` on, which must be the start of a block. Definitions found go into `links`. */
export function readBlocks(source: string, from: number, links: Links): Placed[] {
  const reader = new BlockReader(links)
  const { blocks } = reader.document
  const starts: number[] = []
  let above = from
  for (let start = from; start < source.length;) {
    const newline = source.indexOf('\n', start)
    const end = newline < 0 ? source.length : newline
    reader.readLine(source.slice(start, end))
    starts.length = Math.min(starts.length, blocks.length)
    // A table begins with the line above the one that shows it to be one.
    if (starts.length < blocks.length) starts.push(blocks.at(-1)?.kind === 'table' ? above : start)
    above = start
    start = end + 1
  }
  reader.close()
  return blocks.map((block, index) => ({
    block,
    start: starts[index]!,
    end: index < blocks.length - 1 ? starts[index + 1]! : source.length,
  }))
}

class BlockReader {
  readonly document: Quote = { kind: 'blockquote', blocks: [] }
  #stack: (Quote | Item)[] = [this.document]
  #leaf: RawBlock | undefined
  /** How many containers the line goes on with. */
  #matched = 1
  /** The line before was blank in the containers above this one: outside a quote, a blank line in it is not one. */
  #blankFrom = Infinity
  readonly #links: Links

  constructor(links: Links) {
    this.#links = links
  }

  readLine(raw: string): void {
    const isBlank = this.#read(raw)
    this.#blankFrom = isBlank ? this.#stack.findLastIndex(({ kind }) => kind === 'blockquote') : Infinity
  }

  /** Ends what is open and the line does not go on with. */
  close(): void {
    const leaf = this.#leaf
    this.#leaf = undefined
    if (leaf?.kind === 'paragraph') {
      const left = withoutDefinitions(leaf.lines.join('\n'), this.#links).trimEnd()
      leaf.lines = [left]
      if (!left) this.#inside.blocks.pop()
    }
    this.#stack.length = this.#matched
  }

  get #inside() {
    return this.#stack.at(-1)!
  }

  /** The open paragraph, when the line goes on with all that holds it. */
  get #paragraph() {
    return this.#leaf?.kind === 'paragraph' && this.#matched === this.#stack.length ? this.#leaf : undefined
  }

  /** True when the line is blank. */
  #read(raw: string): boolean {
    const rest = this.#goOn(expandTabs(raw))
    const isBlank = rest.trim() === ''
    const leaf = this.#matched === this.#stack.length ? this.#leaf : undefined
    if (leaf?.kind === 'code' && this.#addCode(leaf, rest, raw)) return isBlank && !leaf.fence
    const text = this.#open(rest).trimStart()
    if (text) this.#addText(text)
    else if (isBlank) this.close()
    return isBlank
  }

  /** Takes the marks of the open containers off the line. */
  #goOn(line: string): string {
    let rest = line
    for (this.#matched = 1; this.#matched < this.#stack.length; this.#matched++) {
      const container = this.#stack[this.#matched]!
      if (container.kind === 'blockquote') {
        const mark = /^ {0,3}> ?/.exec(rest)
        if (!mark) break
        rest = rest.slice(mark[0].length)
      } else {
        const goesOn = rest.trim() === '' ? container.blocks.length > 0 : indentOf(rest) >= container.indent
        if (!goesOn) break
        rest = rest.slice(container.indent)
      }
    }
    return rest
  }

  /** Opens the blocks the line starts. Returns what is left of it as text. */
  #open(line: string): string {
    for (let rest: string | undefined = line; ;) {
      const indent = indentOf(rest)
      const body: string = rest.slice(indent)
      if (!body) return ''
      if (indent >= 4) {
        if (this.#leaf?.kind === 'paragraph') return body
        return this.#start({ kind: 'code', lines: [rest.slice(4)], info: '', fence: '', indent })
      }
      if (this.#openLeaf(body, indent)) return ''
      rest = this.#stack.length > depthLimit ? undefined : (this.#openQuote(body) ?? this.#openItem(body, indent))
      if (rest === undefined) return body
    }
  }

  #openLeaf(body: string, indent: number): boolean {
    const [, hashes, text = ''] = /^(#{1,6})(?:\s+(.*?))??(?:\s+#+)?\s*$/.exec(body) ?? []
    const [, fence, info = ''] = /^(`{3,}(?!`)(?!.*`)|~{3,})(.*)/.exec(body) ?? []
    if (hashes) this.#start({ kind: 'heading', depth: hashes.length, text })
    else if (fence) this.#start({ kind: 'code', lines: [], info, fence, indent })
    else if (this.#underline(body) || this.#openTable(body)) return true
    else if (rule.test(body)) this.#start({ kind: 'hr' })
    else return false
    return true
  }

  /** A paragraph with a line of `=` or `-` under it is a heading. */
  #underline(body: string): boolean {
    const paragraph = this.#paragraph
    if (!paragraph || !/^(?:=+|-+)\s*$/.test(body)) return false
    const text = withoutDefinitions(paragraph.lines.join('\n'), this.#links).trimEnd()
    if (!text) return false
    this.#inside.blocks.splice(-1, 1, { kind: 'heading', depth: body.startsWith('=') ? 1 : 2, text })
    this.#leaf = undefined
    return true
  }

  #openTable(body: string): boolean {
    const paragraph = this.#paragraph
    const align = paragraph && delimiters(body)
    if (!align) return false
    const head = cellsOf(paragraph.lines.at(-1)!)
    if (head.length !== align.length) return false
    paragraph.lines.pop()
    this.#start({ kind: 'table', align, rows: [head] })
    return true
  }

  #openQuote(body: string): string | undefined {
    if (!body.startsWith('>')) return undefined
    const quote: Quote = { kind: 'blockquote', blocks: [] }
    this.#start(quote)
    this.#enter(quote)
    return body.replace(/^> ?/, '')
  }

  #openItem(body: string, indent: number): string | undefined {
    const [whole = '', mark = '', number, space = ''] = /^([*+-]|(\d{1,9})[.)])( +|$)/.exec(body) ?? []
    const content = body.slice(whole.length)
    const cannotInterrupt = !content || Number(number ?? 1) !== 1
    if (!whole || (cannotInterrupt && this.#paragraph)) return undefined
    this.close()
    const list = this.#listOf(mark.slice(-1), number)
    // More than four spaces are one, and indented code after it.
    const width = mark.length + (!content || space.length > 4 ? 1 : space.length)
    const item: Item = { kind: 'item', list, indent: indent + width, blocks: [] }
    list.items.push(item)
    this.#enter(item)
    return body.slice(width)
  }

  /** The list that ends here, when its marker is the same, or a new one. */
  #listOf(marker: string, number: string | undefined): List {
    const last = this.#inside.blocks.at(-1)
    if (last?.kind === 'list' && last.marker === marker) {
      if (this.#blankFrom < this.#stack.length) last.isLoose = true
      return last
    }
    const list: List = {
      kind: 'list',
      marker,
      start: number === undefined ? undefined : Number(number),
      isLoose: false,
      items: [],
    }
    this.#start(list)
    return list
  }

  #enter(container: Quote | Item): void {
    this.#matched = this.#stack.push(container)
  }

  #start(block: RawBlock): '' {
    this.close()
    const inside = this.#inside
    const isAfterBlank = this.#blankFrom < this.#stack.length - 1
    if (inside.kind === 'item' && inside.blocks.length > 0 && isAfterBlank) inside.list.isLoose = true
    inside.blocks.push(block)
    this.#leaf = block
    return ''
  }

  /** True when the line belongs to the code, or ends it. */
  #addCode(code: Code, rest: string, raw: string): boolean {
    if (!code.fence) {
      const goesOn = indentOf(rest) >= 4 || rest.trim() === ''
      if (goesOn) code.lines.push(rest.slice(4))
      return goesOn
    }
    // Outside containers as it is written: a tab in a Makefile must stay one.
    const line = this.#stack.length === 1 ? raw : rest
    if (/^ {0,3}(`+|~+) *$/.exec(rest)?.[1]?.startsWith(code.fence)) this.#leaf = undefined
    else code.lines.push(line.slice(Math.min(code.indent, indentOf(line))))
    return true
  }

  #addText(text: string): void {
    const leaf = this.#leaf
    if (leaf?.kind === 'paragraph') leaf.lines.push(text)
    else if (leaf?.kind === 'table' && this.#matched === this.#stack.length) leaf.rows.push(cellsOf(text))
    else this.#start({ kind: 'paragraph', lines: [text] })
  }
}

const rule = /^([-_*])\s*(?:\1\s*){2,}$/

const indentOf = (line: string) => line.length - line.trimStart().length

/** Tabs before the text of a line, and between its marks, as the columns they reach. */
function expandTabs(line: string): string {
  return line.replace(/^[ \t>*+\-\d.)]+/, (start) => {
    let expanded = ''
    for (const each of start) expanded += each === '\t' ? ' '.repeat(4 - (expanded.length % 4)) : each
    return expanded
  })
}
