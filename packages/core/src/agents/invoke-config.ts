/** How one `invoke` is watched, limited and left. */
import type { AgentLimits } from '../smart/profile.ts'
import type { ErrorData } from '../error.ts'
import type { TerminalReason } from '../session/entry.ts'
import type { Message } from '../session/message.ts'
import type { Drift } from '../session/snapshot.ts'
import type { SmartState, SmartUsage } from '../session/smart-state.ts'
import type { PermissionDenial } from '../session/state.ts'
import type { SmartAgentEvent } from '../trace/event.ts'
import type { TracingConfig } from '../trace/tracer.ts'
import type { Request } from '../permission/request.ts'
import type { Checkpoint } from '../turn/checkpoint.ts'
import type { Stage } from '../turn/run.ts'

type EventOf<T extends SmartAgentEvent['type']> = Extract<SmartAgentEvent, { type: T }>

export interface InvokeOptions {
  onEvent?: (event: SmartAgentEvent) => unknown
  onProgress?: (progress: EventOf<'progress'>) => unknown
  onStream?: (chunk: EventOf<'stream'>) => unknown
  /** Tells the answer as it streams, as `stream` and `output-delta` events. Implied by `onStream`. */
  stream?: boolean
  signal?: AbortSignal
  cancellationToken?: AbortSignal | CancellationToken
  /** Of this `invoke`, pauses not counted. */
  timeoutMs?: number
  /** In place of the agent's own, for this `invoke`. */
  limits?: AgentLimits
  /** Asked after each stage; true leaves the run there. What it throws is warned about, and means no. */
  onStateChange?: (state: SmartState, stage: Stage) => unknown
  /** Leaves the run each time it comes here, without asking: `before_tools` only where an answer asks for some. Default: the agent's own. */
  checkpoint?: Checkpoint
  /** Why a run was left, for whoever finds it. */
  checkpointReason?: string
  /** What of the agent's own `tracing` is different for this `invoke`. */
  tracing?: Partial<TracingConfig>
}

export interface CancellationToken {
  readonly isCancellationRequested: boolean
  onCancellationRequested?: (listener: () => void) => unknown
}

export interface AgentResult {
  /** The text of the last answer. */
  readonly content: string
  readonly messages: readonly Message[]
  /** The input and everything since: give it to the next `invoke`. */
  readonly state: SmartState
  readonly output?: unknown
  readonly outputError?: string
  readonly metadata: {
    /** Of this `invoke` alone. */
    readonly usage: SmartUsage
    readonly terminalReason: TerminalReason | 'paused'
    /** What waits for a person. */
    readonly requests: readonly Request[]
    readonly error?: ErrorData
    readonly drift?: Drift
    /** The calls of the turn that were not allowed. */
    readonly permissionDenials: readonly PermissionDenial[]
  }
}
