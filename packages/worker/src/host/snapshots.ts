/** Snapshots: a session as JSON that stands alone, and the check before one is opened as a new session. */
import {
  argsOf,
  describeError,
  DogearError,
  isPlan,
  mayHaveRun,
  migrated,
  normalMessages,
  pathOf,
  pendingOf,
  readTree,
  scopeOf,
  statusOf,
  summaryRecord,
  treeEntries,
  unplaced,
  unreadableField,
  type Fold,
  type Head,
  type Message,
  type NewEntry,
  type PendingToolApproval,
  type PendingUserQuestion,
  type Queued,
  type Settings,
  type SmartState,
  type SmartUsage,
  type Snapshot,
  type Store,
} from '@dogear/core'
import type { AgentSpec } from '../protocol.ts'
import type { NamedSnapshot } from '../session.ts'
import { bodiesOf } from './load.ts'
import { undecided, undecidedWork } from './undecided.ts'

export async function snapshotOf(
  store: Store,
  fold: Fold,
  about: { tag?: string; at: number; spec?: AgentSpec },
): Promise<Snapshot> {
  // As it is now: a call that ends while the disk is read must not be in it as one that was never begun.
  const head: Head = { ...fold.head, nodes: [...fold.head.nodes], children: { ...fold.head.children } }
  const ids = head.nodes.map(({ id }) => id)
  const [tree, bodies] = await Promise.all([readTree(store, head), bodiesOf(store, fold, ids)])
  const said = new Set(pathOf({ ...fold, head }).flatMap(({ id, cut }) => (cut ? [] : id)))
  const messages = bodies.filter(({ id }) => said.has(id))
  const written = bodies.map((message, index) => ({ message, parent: head.nodes[index]?.parent ?? null }))
  const { model, system, opts, metadata, mode, tools } = head.settings
  return {
    schemaVersion: 1,
    state: {
      messages,
      plan: head.plan && { ...head.plan, lastUpdated: new Date(head.plan.lastUpdated).toISOString() },
      usage: { perRequest: [], totals: head.usage.totals },
      title: head.title,
      model,
      system,
      opts,
      metadata,
      summaryRecords: head.compaction ? [summaryRecord({ compaction: head.compaction, at: about.at })] : [],
      toolCache: head.cache,
      reflections: head.reflections,
      memoryFacts: head.facts,
      ...pendingOf(head),
      ...openCallsOf(head),
      ...(await workersOf(store, head)),
    },
    session: {
      tree: [
        ...treeEntries(written, tree).map((entry) =>
          entry.type === 'cursor-set' ? entry : { type: entry.type, messages: entry.messages.map(named) },
        ),
        { type: 'cursor-set', leaf: head.leaf, scope: scopeOf(head) },
      ],
      queue: head.queue,
      mode,
      tools,
    },
    runtimeHint: {
      name: head.agent,
      version: about.spec?.version,
      tools: (about.spec?.tools ?? []).map((tool) => tool.name),
    },
    metadata: {
      createdAt: about.at,
      ...(about.tag !== undefined && { tag: about.tag }),
      sessionId: head.sessionId,
      paused: statusOf(head) === 'paused',
    },
  }

  function named(message: Message): Message | string {
    return said.has(message.id) ? message.id : message
  }
}

/** Who has the word, and what an open turn needs to go on elsewhere: how much it has called, and what was running. */
function openCallsOf({ turn, activeAgent, agent }: Head): Pick<SmartState, 'agent' | 'toolCallCount' | 'runningCalls'> {
  const active = { agent: { name: activeAgent ?? agent } }
  if (!turn) return active
  const runningCalls = turn.calls.flatMap((call) =>
    mayHaveRun(call) && !call.done ? { toolCallId: call.callId, args: argsOf(call), key: call.intent?.key } : [],
  )
  return { ...active, toolCallCount: turn.toolCallCount, runningCalls }
}

/** What agents at work for open calls have written: begun anew, they would do it all a second time. */
async function workersOf(
  store: Store,
  { sessionId, seq, nodes, turn, children }: Head,
): Promise<Pick<SmartState, 'ctx'>> {
  const first = nodes.find(({ turnId }) => turn && turnId === turn.id)
  if (!first || !Object.values(children).some((child) => child.seq > 0)) return {}
  const entries = await store.entries(sessionId, first.seq, seq)
  const theirs = entries.filter(({ path: [worker] }) => worker !== undefined && Object.hasOwn(children, worker))
  return { ctx: { __subagentPending: theirs.map(unplaced) } }
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

/** Not those that let calls run unasked: a file may not say so for a person. */
const carried = new Set<unknown>(['default', 'plan', 'dontAsk'])

interface Checked extends SmartState {
  readonly messages: readonly Message[]
  readonly title?: string
  readonly from: string
  readonly settings: Settings
  readonly queue: readonly Queued[]
}

/** What of a snapshot may become a session: it may come from a file, so nothing in it is trusted. */
export function checkSnapshot(snapshot: Snapshot, agent: string): Checked {
  const { state, session, runtimeHint, metadata } = migrated(snapshot)
  if (![undefined, agent].includes(runtimeHint?.name)) {
    throw new DogearError(
      'session-agent-mismatch',
      `The snapshot is of agent "${runtimeHint?.name}", not "${agent}". Import it with that agent.`,
    )
  }
  const { plan, title, toolCallCount, model, system, opts, toolCache, usage } = state
  const { queue, mode, tools } = session ?? {}
  const workers = undecidedWork(listOf(state.ctx?.__subagentPending as readonly NewEntry[] | undefined, isWorkers))
  return {
    messages: readable(state.messages, metadata.createdAt),
    plan: isPlan(plan) ? plan : null,
    title: typeof title === 'string' ? title : undefined,
    from: metadata?.sessionId ?? '',
    model: typeof model === 'string' ? model : undefined,
    system: typeof system === 'string' ? system : undefined,
    opts,
    toolCache,
    summaryRecords: listOf(state.summaryRecords, ({ upTo }) => typeof upTo === 'string'),
    usage: areObjects([usage?.totals])
      ? { totals: usage?.totals ?? {}, perRequest: listOf(usage?.perRequest, isPaid) ?? [] }
      : undefined,
    settings: { metadata: state.metadata, tools, mode: carried.has(mode) ? mode : undefined },
    queue: queue ?? [],
    toolCallCount: typeof toolCallCount === 'number' ? toolCallCount : undefined,
    agent: typeof state.agent?.name === 'string' ? { name: state.agent.name } : undefined,
    pendingApprovals: undecided(listOf(state.pendingApprovals, isPending)),
    pendingUserQuestions: undecided(
      listOf(state.pendingUserQuestions, (pending) => isPending(pending) && areObjects(pending.questions)),
    ),
    runningCalls: listOf(state.runningCalls, ({ toolCallId }) => typeof toolCallId === 'string'),
    reflections: listOf(state.reflections, ({ text }) => typeof text === 'string'),
    memoryFacts: listOf(state.memoryFacts, ({ key }) => typeof key === 'string'),
    ...(workers.length && { ctx: { __subagentPending: workers } }),
  }
}

/** What would be kept and not found again is refused before: a session's messages come back together or not at all. */
function readable(inputs: SmartState['messages'], createdAt: number): Message[] {
  const messages = normal(inputs, createdAt)
  for (const [index, message] of messages.entries()) {
    const isNameless = message.tool_calls?.some((call) => !call.function.name)
    const field = isNameless ? 'tool_calls' : unreadableField(message)
    if (field === undefined) continue
    throw new DogearError(
      'snapshot-invalid',
      `Message ${index + 1} of the snapshot cannot be read: its ${field} is not as it should be. A message looks like { role: 'user', content: 'Hello' }; parts of its content are text or image_url.`,
    )
  }
  return messages
}

function normal(inputs: SmartState['messages'], createdAt: number): Message[] {
  try {
    return normalMessages(inputs, createdAt)
  } catch (error) {
    throw new DogearError('snapshot-invalid', describeError(error))
  }
}

function listOf<T>(list: readonly T[] | undefined, isGood: (item: T) => boolean): readonly T[] | undefined {
  return Array.isArray(list) ? list.filter((item) => areObjects([item]) && isGood(item)) : undefined
}

function isPending({ id, toolCallId, toolName, status }: PendingToolApproval | PendingUserQuestion): boolean {
  return [id, toolCallId, toolName, status].every((text) => typeof text === 'string')
}

function isPaid({ id, modelName, usage }: SmartUsage['perRequest'][number]): boolean {
  return typeof id === 'string' && typeof modelName === 'string' && areObjects([usage])
}

function isWorkers({ path }: NewEntry): boolean {
  return Array.isArray(path) && path.length > 0
}

function areObjects(values: unknown): boolean {
  return Array.isArray(values) && values.every((value) => typeof value === 'object' && value !== null)
}
