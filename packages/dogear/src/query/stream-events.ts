/** An answer as it streams, in the events of a messages stream: what one partial has that the one before it had not. */
import { textOf, type Message, type Partial } from '@dogear/core'
import type { BlockDelta, ContentBlock, StreamEvent } from './sdk-message.ts'

interface Block {
  readonly opening: ContentBlock
  /** All of it so far. */
  readonly text: string
  readonly delta: (more: string) => BlockDelta
}

/** What a stream shows of an answer. */
export type Shown = Pick<Partial, 'stepId' | 'reasoning' | 'text' | 'calls'>

export function shownOf(message: Message): Shown {
  const calls = (message.tool_calls ?? []).map(({ id, providerId, function: called }, index) => ({
    index,
    id: providerId ?? id,
    name: called.name,
    args: called.arguments,
  }))
  // A message's id is its step's, with a suffix.
  const stepId = message.id.replace(/\.m$/, '')
  return { stepId, reasoning: (message.meta.reasoning ?? []).join(''), text: textOf(message), calls }
}

/** Give it each partial of an answer in turn, and null when the answer is over. */
export function createStreamEvents(): (partial: Shown | null) => StreamEvent[] {
  let before: { readonly stepId: string; readonly blocks: readonly Block[] } | undefined

  function end(): StreamEvent[] {
    if (!before) return []
    const { blocks } = before
    before = undefined
    return [...stopOf(blocks.length - 1), { type: 'message_stop' }]
  }

  return (partial) => {
    if (!partial) return end()
    const events: StreamEvent[] = before && before.stepId !== partial.stepId ? end() : []
    if (!before) events.push({ type: 'message_start', message: { id: `${partial.stepId}.m`, role: 'assistant' } })
    const known = before?.blocks ?? []
    const blocks = blocksOf(partial)
    for (const [index, block] of blocks.entries()) {
      const shown = known[index]
      if (!shown) {
        if (index >= known.length) events.push(...stopOf(index - 1))
        events.push({ type: 'content_block_start', index, content_block: block.opening })
      }
      const more = block.text.slice(shown?.text.length ?? 0)
      if (more) events.push({ type: 'content_block_delta', index, delta: block.delta(more) })
    }
    before = { stepId: partial.stepId, blocks }
    return events
  }
}

function stopOf(index: number): StreamEvent[] {
  return index < 0 ? [] : [{ type: 'content_block_stop', index }]
}

/** In the order of the whole message: thoughts, words, calls. */
function blocksOf({ reasoning, text, calls }: Shown): Block[] {
  return [
    ...(reasoning
      ? [
          {
            opening: { type: 'thinking', thinking: '', signature: '' } as const,
            text: reasoning,
            delta: (thinking: string): BlockDelta => ({ type: 'thinking_delta', thinking }),
          },
        ]
      : []),
    ...(text
      ? [
          {
            opening: { type: 'text', text: '' } as const,
            text,
            delta: (more: string): BlockDelta => ({ type: 'text_delta', text: more }),
          },
        ]
      : []),
    ...calls.map((call) => ({
      opening: { type: 'tool_use', id: call.id ?? '', name: call.name, input: {} } as const,
      text: call.args,
      delta: (more: string): BlockDelta => ({ type: 'input_json_delta', partial_json: more }),
    })),
  ]
}
