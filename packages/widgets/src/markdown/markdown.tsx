/** A model's text as Preact nodes: no HTML string is made, and nothing is fetched. */

import { Component, type ComponentChildren, Fragment, type VNode } from 'preact'
import { type Block, type Blocks, toBlocks, unifyLineEnds } from './blocks.ts'
import { markdownEnglish, type MarkdownStrings } from './markdown-strings.ts'
import type { Links } from './read-link.ts'
import { renderBlock } from './render-block.tsx'
import type { RenderOptions } from './render-options.ts'

export interface MarkdownProps {
  readonly text: string
  /** The text still grows: only its last part is read again, and open marks are shown closed. */
  readonly streaming?: boolean
  readonly strings?: MarkdownStrings
  /** A link was followed; `preventDefault()` on the event keeps the browser from opening it. */
  readonly onLink?: (url: string, event: MouseEvent) => void
  /** May the visitor be offered to load this image? By default none is offered, and none is ever loaded unasked. */
  readonly allowImage?: (url: URL) => boolean
  /** Rising offsets in the text where something happened; each is shown before the word, or the block, that holds it. */
  readonly marks?: readonly number[]
  readonly renderMark?: (offset: number) => ComponentChildren
}

export class Markdown extends Component<MarkdownProps> {
  #blocks: Blocks | undefined
  /** Until then the text is not read again. */
  #restUntil = 0
  #options: RenderOptions | undefined
  /** What is shown of each block: Preact leaves alone what it is given again. */
  #rows = new WeakMap<Block, VNode>()

  /** A text made to be slow to read must not freeze the page at every word: it is read less often instead. */
  override render({ text, streaming = false }: MarkdownProps) {
    const start = performance.now()
    const previous = this.#blocks
    const rests = previous && streaming && start < this.#restUntil && text.startsWith(previous.source)
    const blocks = rests ? previous : toBlocks(text, { streaming, previous })
    const node = <div class="markdown">{this.#renderRows(blocks)}</div>
    const end = performance.now()
    if (!rests) this.#restUntil = end - start > frame ? end + 4 * (end - start) : 0
    this.#blocks = blocks
    return node
  }

  /** The blocks, and each mark before the word or the block that holds it. */
  #renderRows({ all, links }: Blocks): ComponentChildren {
    const { text, streaming, marks = [], renderMark } = this.props
    const rows: ComponentChildren[] = []
    const waiting = marks.map((offset) => ({
      at: offset && unifyLineEnds(text.slice(0, offset)).length,
      mark: <Fragment key={`mark-${offset}`}>{renderMark?.(offset)}</Fragment>,
    }))
    for (const block of all) {
      let rest = block
      for (let next = waiting[0]; next && (next.at === 0 || next.at < rest.end); next = waiting[0]) {
        const [before, after] = splitAt(rest, next.at)
        if (before) rows.push(this.#renderRow(before, links))
        rows.push(next.mark)
        waiting.shift()
        rest = after
      }
      rows.push(this.#renderRow(rest, links))
    }
    // At the end of what is written so far the next words may still belong to the last block: wait for them.
    return [...rows, ...waiting.filter(({ at }) => at === 0 || !streaming).map(({ mark }) => mark)]
  }

  #renderRow(block: Block, links: Links): VNode {
    const options = this.#currentOptions()
    const row = this.#rows.get(block) ?? (
      <Fragment key={block.key}>{renderBlock(block.block, { ...options, links, isOpen: block.isOpen })}</Fragment>
    )
    this.#rows.set(block, row)
    return row
  }

  /** Other words are other options, and every block is rendered again. */
  #currentOptions(): RenderOptions {
    const { strings = markdownEnglish } = this.props
    if (this.#options?.strings === strings) return this.#options
    this.#rows = new WeakMap()
    return (this.#options = {
      strings,
      base: globalThis.document?.baseURI,
      allowImage: (url) => this.props.allowImage?.(url) ?? false,
      onLink: (url, event) => this.props.onLink?.(url, event),
    })
  }
}

const frame = 16

/** A paragraph is shown in two where a mark falls inside it, so that the mark stands at its word and not above them all. */
function splitAt({ key, raw, start, end, isOpen, block }: Block, at: number): [Block | undefined, Block] {
  // The space before the word, or the one the words so far ended at.
  const cut = block.kind === 'paragraph' ? raw.slice(0, Math.max(at - start + 1, 0)).search(/\s\S*$/) : -1
  if (cut <= 0) return [undefined, { key, raw, start, end, isOpen, block }]
  const part = (from: number, to: number, isLast: boolean): Block => {
    const words = raw.slice(from, to)
    const place = { raw: words, start: start + from, end: start + to, isOpen: isOpen && isLast }
    return { key: `${key}-${from}`, block: { kind: 'paragraph', lines: [words.trim()] }, ...place }
  }
  return [part(0, cut, false), part(cut, raw.length, true)]
}
