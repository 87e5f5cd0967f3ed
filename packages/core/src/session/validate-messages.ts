/** Whether a conversation may rest: nothing to answer, nothing left to run. */
import { DogearError } from '../error.ts'
import type { MessageInput } from './smart-state.ts'

export type MessagesCheck = { readonly ok: true } | { readonly ok: false; readonly error: 'invalid_messages' }

/** Looks at the last message alone. */
export function validateMessages(messages: readonly MessageInput[]): MessagesCheck {
  const last = messages.at(-1)
  const mayRest = !last || (last.role === 'assistant' && !last.tool_calls?.length)
  return mayRest ? { ok: true } : { ok: false, error: 'invalid_messages' }
}

export function refuseUnfinished(messages: readonly MessageInput[]): void {
  if (validateMessages(messages).ok) return
  throw new DogearError(
    'input-invalid',
    'invalid_messages: a conversation at rest is empty, or ends with an answer that calls no tool.',
    { details: { error: 'invalid_messages' } },
  )
}
