/** Snapshots: a session as JSON that stands alone, and the check before one is opened as a new session. */
import {
  argsOf,
  DogearError,
  migrated,
  pathOf,
  pendingOf,
  statusOf,
  type Fold,
  type Head,
  type Message,
  type PendingToolApproval,
  type PendingUserQuestion,
  type PlanStep,
  type SmartState,
  type Snapshot,
  type Store,
  type ToolCall,
} from '@dogear/core'
import type { AgentSpec } from '../protocol.ts'
import type { NamedSnapshot } from '../session.ts'
import { bodiesOf } from './load.ts'

export async function snapshotOf(
  store: Store,
  fold: Fold,
  about: { tag: string; at: number; spec?: AgentSpec },
): Promise<Snapshot> {
  const { head } = fold
  const kept = pathOf(fold).filter((node) => !node.cut)
  const messages = await bodiesOf(
    store,
    fold,
    kept.map((node) => node.id),
  )
  return {
    schemaVersion: 1,
    state: {
      messages,
      plan: head.plan && { ...head.plan, lastUpdated: new Date(head.plan.lastUpdated).toISOString() },
      usage: { perRequest: [], totals: head.usage.totals },
      title: head.title,
      reflections: head.reflections,
      memoryFacts: head.facts,
      ...pendingOf(head.requests),
      ...openCallsOf(head),
    },
    runtimeHint: {
      name: head.agent,
      version: about.spec?.version,
      tools: (about.spec?.tools ?? []).map((tool) => tool.name),
    },
    metadata: { createdAt: about.at, tag: about.tag, sessionId: head.sessionId, paused: statusOf(head) === 'paused' },
  }
}

/** What an open turn needs to go on elsewhere: who has the word, how much it has called, and what was running. */
function openCallsOf({ turn, activeAgent, agent }: Head): Pick<SmartState, 'agent' | 'toolCallCount' | 'runningCalls'> {
  if (!turn) return {}
  const runningCalls = turn.calls.flatMap((call) =>
    call.intent && !call.done ? { toolCallId: call.callId, args: argsOf(call), key: call.intent.key } : [],
  )
  return { agent: { name: activeAgent ?? agent }, toolCallCount: turn.toolCallCount, runningCalls }
}

/** The snapshot itself, read from the store when it was given by its name. */
export async function wholeSnapshot(store: Store, given: Snapshot | NamedSnapshot): Promise<Snapshot> {
  if (!isNamed(given)) return given
  const { sessionId, tag } = given
  const snapshot = await store.snapshot(sessionId, tag)
  if (snapshot) return snapshot
  throw new DogearError(
    'snapshot-missing',
    `Session "${sessionId}" keeps no snapshot "${tag}" on this device. session.snapshots() lists what it keeps.`,
  )
}

function isNamed(given: Snapshot | NamedSnapshot): given is NamedSnapshot {
  const { sessionId, tag } = (given ?? {}) as NamedSnapshot
  return typeof sessionId === 'string' && typeof tag === 'string'
}

/** What of a snapshot may become a session: it may come from a file, so nothing in it is trusted. */
export function checkSnapshot(
  snapshot: Snapshot,
  agent: string,
): SmartState & { readonly messages: readonly Message[]; readonly title?: string; readonly from: string } {
  const { state, runtimeHint, metadata } = migrated(snapshot)
  if (runtimeHint?.name !== agent) {
    throw new DogearError(
      'session-agent-mismatch',
      `The snapshot is of agent "${runtimeHint?.name}", not "${agent}". Import it with that agent.`,
    )
  }
  const { messages, plan, title, toolCallCount } = state
  const ids = new Set<string>()
  // An id that comes twice would make a path that never ends.
  const broken = messages.findIndex((message) => !isMessage(message) || ids.size === ids.add(message.id).size)
  if (broken >= 0) throw new DogearError('snapshot-invalid', `Message ${broken + 1} of the snapshot cannot be read.`)
  return {
    // The cast: each was looked at.
    messages: messages as readonly Message[],
    plan: isPlan(plan) ? plan : null,
    title: typeof title === 'string' ? title : undefined,
    from: metadata?.sessionId ?? '',
    toolCallCount: typeof toolCallCount === 'number' ? toolCallCount : undefined,
    agent: typeof state.agent?.name === 'string' ? { name: state.agent.name } : undefined,
    pendingApprovals: listOf(state.pendingApprovals, isPending),
    pendingUserQuestions: listOf(
      state.pendingUserQuestions,
      (pending) => isPending(pending) && areObjects(pending.questions),
    ),
    runningCalls: listOf(state.runningCalls, ({ toolCallId }) => typeof toolCallId === 'string'),
    reflections: listOf(state.reflections, ({ text }) => typeof text === 'string'),
    memoryFacts: listOf(state.memoryFacts, ({ key }) => typeof key === 'string'),
  }
}

function listOf<T>(list: readonly T[] | undefined, isGood: (item: T) => boolean): readonly T[] | undefined {
  return Array.isArray(list) ? list.filter((item) => areObjects([item]) && isGood(item)) : undefined
}

function isPending({ id, toolCallId, toolName, status }: PendingToolApproval | PendingUserQuestion): boolean {
  return [id, toolCallId, toolName, status].every((text) => typeof text === 'string')
}

const roles = new Set(['system', 'user', 'assistant', 'tool'])

function isMessage(value: unknown): value is Message {
  if (typeof value !== 'object' || value === null) return false
  const { id, role, content, meta, tool_calls: calls = [] } = value as Message
  const hasContent = content === null || typeof content === 'string' || areObjects(content)
  const hasCalls = areObjects(calls) && calls.every(isCall)
  return typeof id === 'string' && roles.has(role) && hasContent && hasCalls && areObjects([meta])
}

function isCall({ id, function: called }: ToolCall): boolean {
  return typeof id === 'string' && typeof called?.name === 'string' && typeof called.arguments === 'string'
}

function isPlan(plan: SmartState['plan']): boolean {
  return typeof plan?.version === 'number' && areObjects(plan.steps) && plan.steps.every(isPlanStep)
}

function isPlanStep({ id, step, status }: PlanStep): boolean {
  return typeof id === 'number' && typeof step === 'string' && typeof status === 'string'
}

function areObjects(values: unknown): boolean {
  return Array.isArray(values) && values.every((value) => typeof value === 'object' && value !== null)
}
