/** A trace: what one run did, how long it took and what it cost, for those who operate it. */
import type { ErrorCode } from '../error.ts'

export interface TraceSession {
  readonly sessionId: string
  /** What several traces have in common: the conversation. */
  readonly threadId: string
  readonly agent: { readonly name: string; readonly version?: string; readonly model?: string }
  /** `partial`: the run succeeded, but its trace is not whole, because a sink failed or a buffer was full. */
  readonly status: 'in_progress' | 'success' | 'error' | 'partial'
  /** ISO time. */
  readonly startedAt: string
  readonly endedAt?: string
  readonly durationMs?: number
  /** At most 5,000, the first ones; what came after them is only counted. */
  readonly events: readonly TraceEvent[]
  readonly summary: TraceSummary
}

export interface TraceSummary {
  /** All there were: a collector that has fewer has lost some. */
  readonly totalEvents: number
  /** How many are missing from `events`. */
  readonly droppedEvents: number
  readonly tokens: Readonly<Record<string, TokenTotal>>
  /** Only with a `costEstimator`. */
  readonly costUsd?: number
  readonly toolCalls: number
  readonly errors: number
}

export interface TokenTotal {
  readonly input: number
  readonly output: number
  readonly cachedInput: number
}

export interface TraceEvent {
  readonly sessionId: string
  /** From 1, without gaps. */
  readonly sequence: number
  /** Names what happened, `tool_call:<call id>` say: the same however often it is sent. */
  readonly id: string
  readonly type: TraceEventType
  /** The model, the tool or the agent it is about. */
  readonly name: string
  /** ISO time of its beginning. */
  readonly timestamp: string
  readonly durationMs?: number
  readonly status: 'success' | 'error' | 'skipped' | 'rejected' | 'stopped' | 'pending' | 'retry'
  /** Who did it. */
  readonly actor: { readonly scope: 'agent' | 'person'; readonly name?: string }
  /** The `id` of the event it happened in: a turn, a tool call, an agent that worked for one. */
  readonly parent?: string
  readonly usage?: TraceUsage
  /** The call's id, as a marker names it. */
  readonly toolExecutionId?: string
  readonly error?: { readonly code?: ErrorCode; readonly message?: string }
  /** Names and numbers; never what anybody wrote. */
  readonly details?: Readonly<Record<string, string | number | boolean>>
  /** Words, arguments and results: only with `logData`. */
  readonly data?: Readonly<Record<string, unknown>>
}

export type TraceEventType =
  | 'turn'
  | 'ai_call'
  | 'tool_call'
  | 'approval'
  | 'question'
  | 'plan'
  | 'summarization'
  | 'reflection'
  | 'memory'
  | 'handoff'
  | 'guardrail'
  | 'subagent'

export interface TraceUsage extends TokenTotal {
  readonly model: string
  readonly reasoning: number
  readonly costUsd?: number
}

export const emptySummary: TraceSummary = { totalEvents: 0, droppedEvents: 0, tokens: {}, toolCalls: 0, errors: 0 }

export function addToSummary(summary: TraceSummary, event: Omit<TraceEvent, 'data'>): TraceSummary {
  const { type, status, usage } = event
  const cost = usage?.costUsd === undefined ? summary.costUsd : (summary.costUsd ?? 0) + usage.costUsd
  return {
    ...summary,
    totalEvents: summary.totalEvents + 1,
    tokens: usage ? { ...summary.tokens, [usage.model]: sumOf(summary.tokens[usage.model], usage) } : summary.tokens,
    ...(cost !== undefined && { costUsd: cost }),
    toolCalls: summary.toolCalls + (type === 'tool_call' ? 1 : 0),
    // A turn that failed says again what failed in it.
    errors: summary.errors + (status === 'error' && type !== 'turn' && type !== 'subagent' ? 1 : 0),
  }
}

export function sumOf(before: TokenTotal | undefined, { input, output, cachedInput }: TokenTotal): TokenTotal {
  return {
    input: (before?.input ?? 0) + input,
    output: (before?.output ?? 0) + output,
    cachedInput: (before?.cachedInput ?? 0) + cachedInput,
  }
}
