/** A block and the blocks inside it as nodes, from a fixed list of tags. */

import { type ComponentChildren, h } from 'preact'
import { CodeBlock } from './code-block.tsx'
import type { Code, Item, List, RawBlock, Table } from './read-blocks.ts'
import { readInline } from './read-inline.tsx'
import type { BlockOptions } from './render-options.ts'
import { unescape } from './unescape.ts'

export function renderBlock(block: RawBlock, options: BlockOptions): ComponentChildren {
  switch (block.kind) {
    case 'paragraph':
      return <p dir="auto">{readInline(block.lines.join('\n'), options)}</p>
    case 'heading':
      return renderHeading(block.depth, block.text, options)
    case 'list':
      return renderList(block, options)
    case 'code':
      return renderCode(block, options)
    case 'blockquote':
      return <blockquote>{renderEach(block.blocks, options, renderBlock)}</blockquote>
    case 'table':
      return renderTable(block, options)
    case 'hr':
      return <hr />
  }
}

/** Below the chat's own h2. Most models begin with ##, and a level left out would be a hole in the outline. */
function renderHeading(depth: number, text: string, options: BlockOptions): ComponentChildren {
  return h(`h${Math.min(Math.max(depth + 1, 3), 6)}`, { class: `h${depth}`, dir: 'auto' }, readInline(text, options))
}

function renderCode({ lines, info, fence }: Code, { strings }: BlockOptions): ComponentChildren {
  // Indented code ends with its last line that is not blank.
  const end = fence ? lines.length : lines.findLastIndex((line) => line.trim()) + 1
  const [language = ''] = unescape(info.trim()).split(/\s/, 1)
  return <CodeBlock text={lines.slice(0, end).join('\n')} language={language} strings={strings} />
}

/** Only the last one is still being written. */
function renderEach<T>(
  all: readonly T[],
  options: BlockOptions,
  render: (each: T, options: BlockOptions, index: number) => ComponentChildren,
): ComponentChildren[] {
  const closed = { ...options, isOpen: false }
  return all.map((each, index) => render(each, index < all.length - 1 ? closed : options, index))
}

function renderList(list: List, options: BlockOptions): ComponentChildren {
  const rows = renderEach(list.items, options, (item, inside) => renderItem(item, list.isLoose, inside))
  if (list.start === undefined) return <ul>{rows}</ul>
  return <ol start={list.start === 1 ? undefined : list.start}>{rows}</ol>
}

function renderItem({ blocks }: Item, isLoose: boolean, options: BlockOptions): ComponentChildren {
  const [first] = blocks
  const task = first?.kind === 'paragraph' && /^\[([ x])\]\s+/i.exec(first.lines[0] ?? '')
  const children = renderEach(blocks, options, (block, inside, index) => {
    if (block.kind !== 'paragraph') return renderBlock(block, inside)
    const text = block.lines.join('\n').slice(task && index === 0 ? task[0].length : 0)
    return isLoose ? renderBlock({ ...block, lines: [text] }, inside) : readInline(text, inside)
  })
  if (!task) return <li dir="auto">{children}</li>
  const isDone = task[1] !== ' '
  const label = isDone ? options.strings.taskDone : options.strings.taskOpen
  return (
    <li class="task-item" dir="auto">
      <span class={isDone ? 'task done' : 'task'} role="img" aria-label={label} />
      {children}
    </li>
  )
}

function renderTable({ align, rows }: Table, options: BlockOptions): ComponentChildren {
  const [head, ...body] = renderEach(rows, options, (cells, inside, index) => (
    <tr>
      {align.map((side, column) =>
        h(index > 0 ? 'td' : 'th', { class: side, dir: 'auto' }, readInline(cells[column] ?? '', inside)),
      )}
    </tr>
  ))
  return (
    <div class="table" role="region" aria-label={options.strings.table} tabIndex={0}>
      <table>
        <thead>{head}</thead>
        {body.length > 0 && <tbody>{body}</tbody>}
      </table>
    </div>
  )
}
