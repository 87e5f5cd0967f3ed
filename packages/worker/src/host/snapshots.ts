/** Snapshots: a session as JSON that stands alone, and the check before one is opened as a new session. */
import {
  DogearError,
  pathOf,
  statusOf,
  type Fold,
  type Message,
  type Plan,
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
    state: { messages, plan: head.plan, usage: head.usage, title: head.title },
    runtimeHint: {
      name: head.agent,
      version: about.spec?.version,
      tools: (about.spec?.tools ?? []).map((tool) => tool.name),
    },
    metadata: { createdAt: about.at, tag: about.tag, sessionId: head.sessionId, paused: statusOf(head) === 'paused' },
  }
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
): Pick<Snapshot['state'], 'messages' | 'plan' | 'title'> & { readonly from: string } {
  if (snapshot?.schemaVersion !== 1 || !Array.isArray(snapshot.state?.messages)) {
    throw new DogearError(
      'snapshot-invalid',
      'This is not a snapshot this version can read. Take a new one with session.snapshot({ tag }).',
    )
  }
  if (snapshot.runtimeHint?.name !== agent) {
    throw new DogearError(
      'session-agent-mismatch',
      `The snapshot is of agent "${snapshot.runtimeHint?.name}", not "${agent}". Import it with that agent.`,
    )
  }
  const { messages, plan, title } = snapshot.state
  const ids = new Set<string>()
  // An id that comes twice would make a path that never ends.
  const broken = messages.findIndex((message) => !isMessage(message) || ids.size === ids.add(message.id).size)
  if (broken >= 0) throw new DogearError('snapshot-invalid', `Message ${broken + 1} of the snapshot cannot be read.`)
  return {
    messages,
    plan: isPlan(plan) ? plan : null,
    title: typeof title === 'string' ? title : undefined,
    from: snapshot.metadata?.sessionId ?? '',
  }
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

function isPlan(plan: Plan | null): plan is Plan {
  return typeof plan?.version === 'number' && areObjects(plan.steps) && plan.steps.every(isPlanStep)
}

function isPlanStep({ id, step, status }: Plan['steps'][number]): boolean {
  return typeof id === 'number' && typeof step === 'string' && typeof status === 'string'
}

function areObjects(values: unknown): boolean {
  return Array.isArray(values) && values.every((value) => typeof value === 'object' && value !== null)
}
