/** A snapshot: a conversation exported as JSON, self-contained. Sessions and states have the same one. */
import type { AgentDefinition } from '../agents/agent.ts'
import { DogearError } from '../error.ts'
import type { Queued } from './entry.ts'
import type { Message } from './message.ts'
import { plainCopy } from './plain-copy.ts'
import type { SmartState } from './smart-state.ts'
import type { Place, Settings } from './state.ts'
import { ownContext } from './state-context.ts'
import type { Tool } from '../tools/tool.ts'

export interface Snapshot {
  readonly schemaVersion: 1
  readonly state: SmartState & { readonly title?: string }
  /** What a session has and a state has not; `agent.sessions.import` takes it over. */
  readonly session?: SessionPart
  /** What it was made with: looked at when it is restored. */
  readonly runtimeHint?: RuntimeHint
  readonly metadata: {
    readonly createdAt: number
    readonly tag?: string
    readonly sessionId?: string
    /** Whether something waits: for a person, or for whoever left the run at a checkpoint. */
    readonly paused: boolean
  }
}

export interface SessionPart {
  /** All that was ever said in it, branch by branch, and what held there; what `state.messages` has is named by its id. */
  readonly tree: readonly (
    | ({ readonly type: 'cursor-set' } & Place)
    | { readonly type: 'state-import'; readonly messages: readonly (Message | string)[] }
  )[]
  /** Words that wait for their turn. */
  readonly queue: readonly Queued[]
  readonly mode?: string
  readonly tools?: Settings['tools']
}

export interface RuntimeHint {
  readonly name: string
  readonly version?: string
  readonly tools: readonly string[]
}

export interface SnapshotOptions {
  /** A name of your own. */
  readonly tag?: string
  /** Default true. */
  readonly includeRuntimeHint?: boolean
}

export interface RestoreOptions {
  readonly agent?: SmartState['agent']
  /** Put into the state's `ctx`; with `mergeCtx: false` in its place. */
  readonly ctx?: Readonly<Record<string, unknown>>
  readonly mergeCtx?: boolean
}

/** How the agent that goes on differs from the one that was left. */
export interface Drift {
  readonly name?: { readonly was: string; readonly is: string }
  readonly version?: { readonly was?: string; readonly is?: string }
  readonly missingTools?: readonly string[]
}

/** `at`: now, as milliseconds; core has no clock of its own. */
export function captureSnapshot(state: SmartState, options: SnapshotOptions & { at?: number } = {}): Snapshot {
  const { tag, includeRuntimeHint = true, at = 0 } = options
  const { agent, private: _private, ctx, ...rest } = state
  const kept = { ...rest, ctx: keptContext(ctx) }
  const active = agent && { agent: { name: agent.name } }
  return {
    schemaVersion: 1,
    state: plainCopy({ ...kept, ...active }, 'state'),
    ...(includeRuntimeHint && agent && { runtimeHint: hintOf(agent) }),
    metadata: { createdAt: at, paused: state.status === 'paused', ...(tag !== undefined && { tag }) },
  }
}

export function hintOf({ name, version, tools = [] }: NonNullable<SmartState['agent']>): RuntimeHint {
  return { name, ...(version !== undefined && { version }), tools: [...tools] }
}

/** The agents at work for open calls stay; every other view is made anew, and callbacks cannot be kept. */
function keptContext(ctx: SmartState['ctx']): Record<string, unknown> {
  const kept = Object.entries(ownContext(ctx)).filter(([key]) => !callbacks.has(key))
  const workers = ctx?.__subagentPending
  return Object.fromEntries(workers === undefined ? kept : [...kept, ['__subagentPending', workers]])
}

const callbacks = new Set([
  '__onEvent',
  '__onProgress',
  '__onStream',
  '__traceSession',
  '__cancellationToken',
  '__abortSignal',
  '__contextPilot',
])

export function restoreSnapshot(snapshot: Snapshot, options: RestoreOptions = {}): SmartState {
  const { state, metadata } = migrated(snapshot)
  const { agent = state.agent, ctx, mergeCtx = true } = options
  const { title: _title, ...copy } = plainCopy(state, 'snapshot.state')
  const restored = { tag: metadata.tag, createdAt: metadata.createdAt }
  return {
    ...copy,
    ...(agent && { agent }),
    ctx: { ...(mergeCtx || !ctx ? copy.ctx : undefined), ...ctx, __restoredFromSnapshot: restored },
  }
}

/** Each brings a snapshot to the version after its own. */
const migrations: readonly ((snapshot: Snapshot) => Snapshot)[] = [
  (snapshot) => {
    const { createdAt, paused } = (snapshot.metadata ?? {}) as { createdAt?: unknown; paused?: unknown }
    const at = typeof createdAt === 'string' ? Date.parse(createdAt) : createdAt
    return {
      ...snapshot,
      schemaVersion: 1,
      metadata: { ...snapshot.metadata, createdAt: Number(at) || 0, paused: Boolean(paused) },
    }
  },
]

/** A snapshot of any earlier version as one of this. It may come from a file, so nothing in it is trusted. */
export function migrated(snapshot: Snapshot): Snapshot {
  const version = (snapshot as { schemaVersion?: unknown } | undefined)?.schemaVersion ?? 0
  if (typeof version !== 'number' || version > migrations.length || !Array.isArray(snapshot?.state?.messages)) {
    throw new DogearError(
      'snapshot-invalid',
      'This is not a snapshot this version can read. Take a new one with snapshot({ tag }).',
    )
  }
  return migrations.slice(version).reduce((older, migrate) => migrate(older), snapshot)
}

/** Undefined when the agent is the same, or the snapshot does not say. */
export function driftOf(
  hint: RuntimeHint | undefined,
  agent: Pick<AgentDefinition, 'name' | 'version'> & { readonly tools: readonly Pick<Tool, 'name'>[] },
): Drift | undefined {
  if (!hint) return undefined
  const missing = (hint.tools ?? []).filter((name) => !agent.tools.some((tool) => tool.name === name))
  const drift: Drift = {
    ...(hint.name !== agent.name && { name: { was: hint.name, is: agent.name } }),
    ...(hint.version !== agent.version && { version: { was: hint.version, is: agent.version } }),
    ...(missing.length > 0 && { missingTools: missing }),
  }
  return Object.keys(drift).length ? drift : undefined
}
