/** A transcript as a provider would check it: every call followed by exactly its result, in order, and nothing empty. */
import type { Message } from '@dogear/core'
import type { Ledger } from './ledger.ts'

export function checkRequest(messages: readonly Message[], { violated }: Pick<Ledger, 'violated'>): void {
  for (let index = 0; index < messages.length; index += 1) {
    const { role, tool_calls: calls, content } = messages[index]!
    if (role === 'system' && index > 0) violated('[G7] a system message in the middle of a request')
    if (role === 'tool') violated('[G7] a result without its call in a request')
    if (!content?.length && !calls?.length) violated('[G7] an empty message in a request')
    for (const { id } of calls ?? []) {
      const result = messages[(index += 1)]
      if (result?.role !== 'tool' || result.tool_call_id !== id) {
        violated(`[G7] call ${id} is not followed by its result in a request`)
      }
    }
  }
  if (messages.at(-1)?.role === 'assistant') violated('[G7] a request that ends with the model’s own words')
}
