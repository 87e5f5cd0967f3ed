/** The turn a conversation breaks off in: found in its last messages, and opened again as it stood. */
import type { NewEntry } from './journal.ts'
import { hookName } from '../permission/hooks.ts'
import type { Request } from '../permission/request.ts'
import { builtinNames } from '../tools/builtin.ts'
import { argsHash } from '../tools/canonical.ts'
import { labelText } from '../tools/tool.ts'
import { parseArgs } from '../turn/decide.ts'
import { stepStart } from '../turn/step-start.ts'
import { callOfWorker } from './fold.ts'
import type { ImportOptions, WholeState } from './import-state.ts'
import { isCut, type Message, type ToolCall } from './message.ts'
import { requestOf, resolutionOf } from './pending.ts'
import type { PendingToolApproval, PendingUserQuestion, SmartState } from './smart-state.ts'
import { begunElsewhere, type OpenTurn, type Tally } from './state.ts'

export type Tail =
  /** Words to answer, or an answer: no turn is open. */
  { readonly type: 'words' | 'answer' } | OpenTail

export interface OpenTail {
  readonly type: 'open'
  /** Empty when the conversation is a stranger's. */
  readonly turnId: string
  readonly step: number
  readonly calls: readonly { readonly call: ToolCall; readonly isDone: boolean }[]
  /** Its messages so far. */
  readonly own: readonly Message[]
}

export function tailOf(messages: readonly Message[]): Tail {
  const said = messages.filter(({ meta }) => !isCut(meta))
  const last = said.findLast((message) => message.role !== 'tool')
  // A hook's words are read like a person's.
  const isNotice = last?.meta.origin === 'system' && last.name !== hookName
  const answer = isNotice ? said.findLast(({ role }) => role === 'assistant') : last
  if (answer?.role !== 'assistant') return { type: 'words' }
  const own = ofTurn(messages)
  if (isNotice) return { type: 'open', calls: [], own, ...placeOf(said, answer) }
  if (!answer.tool_calls?.length) return { type: answer.meta.status === 'complete' ? 'answer' : 'words' }
  const results = said.slice(said.indexOf(answer) + 1)
  // The structured answer is given by a call, and nothing comes after it.
  if (results.some(({ meta }) => meta.tool?.name === builtinNames.response && meta.status === 'complete')) {
    return { type: 'answer' }
  }
  const answered = new Set(results.map(({ tool_call_id }) => tool_call_id))
  const calls = answer.tool_calls.map((call) => ({ call, isDone: answered.has(call.id) }))
  return { type: 'open', calls, own, ...placeOf(said, answer) }
}

/** A turn of ours goes on under its own id, so that a call keeps its key; a stranger's is counted. */
function placeOf(messages: readonly Message[], last: Message): { turnId: string; step: number } {
  const [, turnId = '', step = ''] = /^(.+)\.(\d+)\.m$/.exec(last.id) ?? []
  const next = `${turnId}.${Number(step) + 1}.m`
  if (turnId && !messages.some(({ id }) => id === next)) return { turnId, step: Number(step) }
  return { turnId: '', step: ofTurn(messages).filter(({ role }) => role === 'assistant').length }
}

function ofTurn(messages: readonly Message[]): readonly Message[] {
  return messages.slice(messages.findLastIndex(({ role, meta }) => role === 'user' && meta.origin !== 'system') + 1)
}

/** The turn as it stood: its counts, its calls, what was asked of people, and what they have decided since. */
export function openTurn(
  state: WholeState,
  { calls, step, turnId, own }: OpenTail,
  { agent, hash }: ImportOptions,
): NewEntry[] {
  const at = { turnId, stepId: `${turnId}.${step}` }
  const counts = countsOf(state, own, turnId)
  const toolCallCount = Math.max(0, counts.toolCallCount - calls.length)
  const active = state.agent?.name
  const entries: NewEntry[] = [
    // Before the turn, which keeps who had the word when it began.
    ...(active !== undefined && active !== agent.name ? [{ type: 'agent-set' as const, agent: active }] : []),
    { type: 'turn-start', turnId, origin: 'import', resumed: { ...counts, step, toolCallCount } },
    // The turn may ask under the id of an answer that was cut off, and what it is told would not be kept.
    {
      type: 'state-import',
      turnId,
      messages: own.map((message) => (isCut(message.meta) ? { ...message, id: `${message.id}_` } : message)),
      plan: null,
    },
  ]
  if (calls.length === 0) return [...entries, stepStart({ id: turnId, step })]
  for (const [index, { call, isDone }] of calls.entries()) {
    const { name: tool, arguments: args } = call.function
    const label = labelText(agent.tools?.find(({ name }) => name === tool)?.label, 'done') || undefined
    const request = { callId: call.id, index, tool, label, args, providerId: call.providerId }
    entries.push({ type: 'call-request', call: request, ...(isDone && { answered: true }), ...at })
  }
  const undone = calls.filter(({ isDone }) => !isDone)
  for (const { call } of undone) {
    const begun = begunCall(state, call)
    if (!begun) continue
    const { id: callId, function: called } = call
    const hashed = { argsHash: argsHash(hash, called.name, begun.args), key: begun.key ?? `${turnId}:${callId}` }
    entries.push({ type: 'tool-intent', callId, attempt: begunElsewhere, ...hashed, args: begun.args, ...at })
  }
  entries.push(...workersOf(state))
  const waiting = [...(state.pendingApprovals ?? []), ...(state.pendingUserQuestions ?? [])]
  for (const pending of waiting.sort((one, other) => positionOf(one) - positionOf(other))) {
    const request = requestOf(pending, hash)
    const path = request?.path
    if (!request || (!path && !undone.some(({ call }) => call.id === request.callId))) continue
    // A worker's own entries hold its request.
    if (!path) entries.push({ type: 'request-open', request, ...at })
    const resolution = resolutionOf(pending)
    if (!resolution) continue
    const by = 'decidedBy' in pending ? pending.decidedBy : 'answeredBy' in pending ? pending.answeredBy : undefined
    const status = pending.status as 'approved' | 'rejected' | 'answered' | 'cancelled'
    const close: NewEntry = { type: 'request-close', requestId: request.id, status, resolution, by }
    entries.push(path ? { ...close, path } : { ...close, ...at })
  }
  return entries
}

/** A tool that asks twice waits for the second: its answers come in the order it asked. */
function positionOf({ metadata }: PendingToolApproval | PendingUserQuestion): number {
  return (metadata?.entered as Request['entered'])?.asks?.position ?? 0
}

type Counts = Pick<OpenTurn, 'toolCallCount' | 'spent' | 'tallies' | 'nudges' | 'reflections' | 'tainted'>

/** Counted by the state where it says so, else by the messages: the limits of a turn hold across a pause. */
function countsOf(state: WholeState, own: readonly Message[], turnId: string): Counts {
  const asked = own.reduce((sum, message) => sum + (message.tool_calls?.length ?? 0), 0)
  // What agents at work have cost is in their own entries.
  const workers = new Set(workersOf(state).map(({ path }) => path?.[0]))
  const isTheirs = (id: string) => [...workers].some((worker) => id.startsWith(`${worker}.`))
  const paid = (state.usage?.perRequest ?? []).filter(({ id }) => id.startsWith(`${turnId}.`) && !isTheirs(id))
  const tallies: Record<string, Tally> = {}
  for (const { role, meta } of own) {
    const name = meta.tool?.name
    if (role !== 'tool' || name === undefined || meta.tool?.fromCache) continue
    const { successes, failures } = tallies[name] ?? { successes: 0, failures: 0 }
    if (meta.status === 'complete') tallies[name] = { successes: successes + 1, failures: 0 }
    if (meta.status === 'error') tallies[name] = { successes, failures: failures + 1 }
  }
  return {
    toolCallCount: state.toolCallCount ?? asked,
    spent: {
      outputTokens: paid.reduce((sum, { usage }) => sum + usage.completion_tokens, 0),
      costUsd: paid.reduce((sum, { costUsd = 0 }) => sum + costUsd, 0),
    },
    tallies,
    ...(own.some(({ meta }) => meta.tool?.untrusted) && { tainted: true }),
    nudges: own.filter(({ meta, name }) => meta.origin === 'system' && name !== hookName).length,
    reflections: (state.reflections ?? []).filter(({ id }) => id.startsWith(`${turnId}.`)).length,
  }
}

/** A call that had been entered: it runs again only if its `effect` allows, or its workers go on. */
function begunCall(state: WholeState, { id, function: called }: ToolCall): Begun | undefined {
  const running = state.runningCalls?.find(({ toolCallId }) => toolCallId === id)
  if (running) return running
  const hasWorker = workersOf(state).some(({ path }) => callOfWorker(path?.[0]) === id)
  const parsed = parseArgs(called.arguments)
  return hasWorker && parsed.ok ? { args: parsed.value } : undefined
}

type Begun = Omit<NonNullable<SmartState['runningCalls']>[number], 'toolCallId'>

/** What the agents at work for open calls had written. */
function workersOf({ ctx }: WholeState): readonly NewEntry[] {
  return (ctx?.__subagentPending as readonly NewEntry[] | undefined) ?? []
}
