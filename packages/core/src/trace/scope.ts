/** One agent at work in a trace: what must be remembered of its entries until the event they make is over. */
import type { EntryOf, Purpose } from '../session/entry.ts'
import type { Message } from '../session/message.ts'
import type { TraceEvent, TraceEventType, TraceSession, TraceUsage } from './trace-session.ts'

/** An event before it has its place in a trace. */
export type Happening = Omit<TraceEvent, 'sessionId' | 'sequence'>

/** The run's own agent, or a child of a call. */
export interface Scope {
  agent: string
  /** What it calls its model, where no usage tells. */
  readonly model: string
  readonly path: readonly string[]
  /** The turn all others of its events happen in. */
  turn?: { readonly id: string; readonly startedAt: number }
  stepAt?: number
  /** What the next model call is the first to see. */
  unseen: Message[]
  /** The last answer, until it is known what it cost. */
  answer?: Happening
  /** What model calls beside the conversation cost, until it is known what came of them. */
  asides: Partial<Record<Purpose, { readonly usage: TraceUsage; readonly at: number }>>
  readonly calls: Map<string, { readonly startedAt: number; readonly attempt: number }>
  readonly requests: Map<string, EntryOf<'request-open'>['request']>
}

export function beginScope(agent: TraceSession['agent'], path: readonly string[]): Scope {
  const { name, model = 'default' } = agent
  return { agent: name, model, path, unseen: [], asides: {}, calls: new Map(), requests: new Map() }
}

/** Of a child the turn is the child: it has one. */
export function beginTurn(scope: Scope, turnId: string, startedAt: number): void {
  const { path } = scope
  scope.turn = { id: path.length ? `subagent:${path.join('/')}` : `turn:${turnId}`, startedAt }
}

/** What every event of a scope has. */
export function placed(scope: Scope, type: TraceEventType, id: string, at: number): Placed {
  return {
    id: `${type}:${id}`,
    type,
    timestamp: new Date(at).toISOString(),
    status: 'success',
    actor: { scope: 'agent', name: scope.agent },
    ...(scope.turn && { parent: scope.turn.id }),
  }
}

type Placed = Pick<Happening, 'id' | 'type' | 'timestamp' | 'status' | 'actor' | 'parent'>

/** All that a scope holds back: its last answer, and what was paid for though nothing came of it. */
export function release(scope: Scope): Happening[] {
  const answer = releaseAnswer(scope)
  const left = Object.entries(scope.asides)
  scope.asides = {}
  const asides = left.map(([purpose, { usage, at }]) => ({
    ...placed(scope, 'ai_call', `${purpose}.${at}`, at),
    name: usage.model,
    usage,
    details: { purpose },
  }))
  return [...answer, ...asides]
}

export function releaseAnswer(scope: Scope): Happening[] {
  const { answer } = scope
  scope.answer = undefined
  return answer ? [answer] : []
}
