/** What an answer holds, in the blocks of `query()`'s messages. */
import { textOf, type Message } from '@dogear/core'
import type { ContentBlock } from './sdk-message.ts'

/** Its thoughts, its words, its calls. */
export function contentOf(message: Message): ContentBlock[] {
  const text = textOf(message)
  return [
    ...(message.meta.reasoning ?? []).map((thinking) => ({ type: 'thinking' as const, thinking, signature: '' })),
    ...(text ? [{ type: 'text' as const, text }] : []),
    ...(message.tool_calls ?? []).map(({ id, function: called }) => ({
      type: 'tool_use' as const,
      id,
      name: called.name,
      input: parsed(called.arguments),
    })),
  ]
}

/** Arguments that are no JSON are shown as they came: the model reads the same in its error. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text || '{}')
  } catch {
    return text
  }
}
