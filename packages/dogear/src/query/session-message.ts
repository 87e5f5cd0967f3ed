/** The messages of a stored session, in the shapes that `query()` yields. */
import { bodyOf, isEntry, isFromPerson, textOf, type Message } from '@dogear/core'
import type { ContentBlock, ToolResultBlock } from './sdk-message.ts'
import { contentOf } from './content-of.ts'

export interface SessionMessage {
  /** `system`: what the model was told in nobody's name. */
  readonly type: 'user' | 'assistant' | 'system'
  readonly uuid: string
  readonly session_id: string
  readonly message: {
    readonly role: 'user' | 'assistant' | 'system'
    readonly content: string | readonly ContentBlock[] | readonly ToolResultBlock[]
  }
  /** The call that the agent works for who said it; null for the session's own. */
  readonly parent_tool_use_id: string | null
}

export function toSessionMessage(message: Message, sessionId: string, parent: string | null = null): SessionMessage {
  const at = { uuid: message.id, session_id: sessionId, parent_tool_use_id: parent }
  if (message.role === 'assistant') {
    return { type: 'assistant', message: { role: 'assistant', content: contentOf(message) }, ...at }
  }
  if (message.role === 'tool') return { type: 'user', message: { role: 'user', content: [resultOf(message)] }, ...at }
  const type = isFromPerson(message) ? 'user' : 'system'
  return { type, message: { role: type, content: textOf(message) }, ...at }
}

/** By the id of each agent that worked for a call: its messages, in the order they were written. */
export function subagentsIn(entries: readonly unknown[], sessionId: string): Map<string, SessionMessage[]> {
  const agents = new Map<string, SessionMessage[]>()
  for (const [seq, entry] of entries.entries()) {
    if (!isEntry(entry, seq)) continue
    const agent = entry.path.at(-1)
    if (agent === undefined) continue
    const messages = agents.get(agent) ?? []
    agents.set(agent, messages)
    const body = bodyOf(entry)
    // Several may work for one call: `call#1`.
    if (body) messages.push(toSessionMessage(body, sessionId, agent.split('#')[0]))
  }
  return agents
}

function resultOf(message: Message): ToolResultBlock {
  const isError = message.meta.status !== 'complete'
  return {
    type: 'tool_result',
    tool_use_id: message.tool_call_id ?? '',
    content: textOf(message),
    ...(isError && { is_error: true }),
  }
}
