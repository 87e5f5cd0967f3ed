/** One turn's messages as the rows a list draws: words, and runs of tool calls between them. */

import { isFromPerson, textOf, type Message, type OpenCall } from '@dogear/core'
import type { Session } from '@dogear/worker'
import { callView, type CallFacts, type CallView } from './call-view.ts'

export type Row =
  | { readonly type: 'user'; readonly id: string; readonly message: Message }
  /** Without a message while it streams. */
  | { readonly type: 'agent'; readonly id: string; readonly message?: Message }
  | { readonly type: 'calls'; readonly id: string; readonly calls: CallView[] }
  /** The structured answer, where nothing is said beside it. */
  | { readonly type: 'output'; readonly id: string; readonly value: unknown }

/** What is in flight: only for the session's open turn. */
export interface Live {
  readonly calls: readonly OpenCall[]
  /** The step that streams: whether it has said something, and the tools it has begun to call. */
  readonly streaming?: { readonly stepId: string; readonly hasWords: boolean; readonly tools: readonly string[] }
}

export function turnRows(session: Session, messages: readonly Message[], live?: Live): Row[] {
  const rows: Row[] = []
  const results = new Map(messages.map((message) => [message.tool_call_id, message]))
  const open = new Map(live?.calls.map((call) => [call.callId, call]))

  for (const message of messages) {
    if (isFromPerson(message)) rows.push({ type: 'user', id: message.id, message })
    if (message.role !== 'assistant') continue
    if (saysSomething(message)) rows.push({ type: 'agent', id: message.id, message })
    for (const {
      id,
      function: { name, arguments: args },
    } of message.tool_calls ?? []) {
      const outcome = isOutput(session, name) && !textOf(message) ? results.get(id)?.meta : undefined
      if (outcome?.status === 'complete') rows.push({ type: 'output', id, value: outcome.tool?.args })
      addCall(rows, session, { id, tool: name, args, result: results.get(id), open: open.get(id) })
    }
  }
  if (live?.streaming) addStreaming(rows, session, live.streaming)
  return rows
}

/** Turns begin with the person's words; what comes before the first of them is a turn as well. */
export function splitTurns(messages: readonly Message[]): Message[][] {
  const turns: Message[][] = []
  for (const message of messages) {
    if (message.role === 'system') continue
    if (isFromPerson(message) || turns.length === 0) turns.push([])
    turns.at(-1)!.push(message)
  }
  return turns
}

function addStreaming(rows: Row[], session: Session, streaming: NonNullable<Live['streaming']>): void {
  const { stepId, hasWords, tools } = streaming
  // The id its message will have, so that the row stays the same when the answer is complete.
  if (hasWords) rows.push({ type: 'agent', id: `${stepId}.m` })
  tools.forEach((tool, index) => {
    const callId = `${stepId}.${index}`
    addCall(rows, session, { id: callId, tool, args: '', open: { callId, tool, args: '', done: false } })
  })
}

function addCall(rows: Row[], session: Session, facts: CallFacts): void {
  // The plan has a place of its own: a card for each change of it would only be noise.
  if (facts.tool === 'manage_todo_list' && facts.result?.meta.status !== 'error') return
  if (isOutput(session, facts.tool)) return
  const call = callView(session, facts)
  const last = rows.at(-1)
  if (last?.type === 'calls') last.calls.push(call)
  else rows.push({ type: 'calls', id: `calls ${call.id}`, calls: [call] })
}

/** The structured answer is no action of the agent. */
function isOutput({ agent }: Session, tool: string): boolean {
  return tool === 'response' && agent.output !== undefined
}

function saysSomething(message: Message): boolean {
  return message.meta.status === 'lost' || textOf(message) !== '' || (message.meta.reasoning?.length ?? 0) > 0
}
