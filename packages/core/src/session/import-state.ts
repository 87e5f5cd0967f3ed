/** A state as the first entries of a journal: what it holds, and where its open turn goes on. Derived, never read off a flag. */
import type { AgentDefinition } from '../agents/agent.ts'
import type { Hash } from '../ports/hash.ts'
import type { Ids } from '../ports/ids.ts'
import { stepStart } from '../turn/step-start.ts'
import type { NewEntry } from './journal.ts'
import type { Message } from './message.ts'
import { openTurn, tailOf } from './open-turn.ts'
import type { SmartState, SummaryRecord } from './smart-state.ts'
import type { Usage } from './state.ts'

export interface ImportOptions {
  readonly agent: Pick<AgentDefinition, 'name'> & { readonly tools?: AgentDefinition['tools'] }
  readonly ids: Ids
  readonly hash: Hash
}

/** Its messages are ours: each has its id, and none has another's. */
export type WholeState = Omit<SmartState, 'messages'> & { readonly messages: readonly Message[] }

export interface ImportedState {
  /** What follows a `session-start`. */
  readonly entries: readonly NewEntry[]
  /** The turn that goes on or begins; absent when the last answer stands already. */
  readonly turnId?: string
  /** The calls that wait for their results. */
  readonly unanswered: readonly string[]
}

/** `begin`: a conversation that ends with the user's words starts a turn. */
export function importState(
  state: WholeState,
  options: ImportOptions,
  { begin = true, from }: { begin?: boolean; from?: string } = {},
): ImportedState {
  const { ids } = options
  const { messages } = state
  const tail = tailOf(messages)
  const held = heldBy(state, messages.slice(0, messages.length - (tail.type === 'open' ? tail.own.length : 0)), from)
  if (tail.type === 'open') {
    const turnId = tail.turnId || newTurn(messages, ids)
    const unanswered = tail.calls.flatMap(({ call, isDone }) => (isDone ? [] : [call.id]))
    return { entries: [...held, ...openTurn(state, { ...tail, turnId }, options)], turnId, unanswered }
  }
  if (tail.type === 'answer' || !begin) return { entries: held, unanswered: [] }
  const turnId = newTurn(messages, ids)
  const first: NewEntry[] = [{ type: 'turn-start', turnId, origin: 'code' }, stepStart({ id: turnId, step: 0 })]
  return { entries: [...held, ...first], turnId, unanswered: [] }
}

/** Two messages with one id would make a path that never ends. */
function newTurn(messages: readonly Message[], ids: Ids): string {
  let turnId = ids.id()
  while (isTaken(`${turnId}.`)) turnId += '_'
  return turnId

  function isTaken(prefix: string): boolean {
    return messages.some(({ id }) => id.startsWith(prefix))
  }
}

/** Everything but the turn. */
function heldBy(state: WholeState, messages: readonly Message[], from?: string): NewEntry[] {
  const { model, system, opts, reflections = [], memoryFacts = [] } = state
  const summary = state.summaryRecords?.findLast(({ upTo }) => state.messages.some(({ id }) => id === upTo))
  return [
    {
      type: 'state-import',
      messages,
      plan: planOf(state),
      cache: state.toolCache,
      usage: usageOf(state),
      ...(from && { from }),
    },
    ...((model ?? system ?? opts) ? [{ type: 'meta-set' as const, model, system, opts }] : []),
    ...(summary ? [{ type: 'compaction-add' as const, compaction: compactionOf(summary) }] : []),
    ...reflections.slice(-10).map((reflection) => ({ type: 'reflection-add' as const, reflection })),
    ...memoryFacts.map((fact) => ({ type: 'memory-add' as const, fact })),
  ]
}

function planOf({ plan }: WholeState) {
  if (!plan) return null
  const { version, steps, lastUpdated, adherenceScore = 1 } = plan
  const at = Number(lastUpdated) || Date.parse(lastUpdated ?? '')
  return { version, steps, lastUpdated: at || 0, adherenceScore }
}

/** A state's totals do not say of how many requests they are. */
function usageOf({ usage }: WholeState): Usage | undefined {
  if (!usage) return undefined
  const requestsOf = (model: string) => usage.perRequest.filter(({ modelName }) => modelName === model).length
  const totals = Object.entries(usage.totals).map(([model, sum]) => [model, { requests: requestsOf(model), ...sum }])
  return { totals: Object.fromEntries(totals) }
}

function compactionOf({ createdAt: _at, tokenCountBefore, tokenCountAfter, ...record }: SummaryRecord) {
  const { upTo = '', archived = [], trigger = 'auto', ...rest } = record
  return { ...rest, upTo, archived, trigger, tokensBefore: tokenCountBefore, tokensAfter: tokenCountAfter }
}
