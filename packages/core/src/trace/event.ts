/** Events: what a run tells its listeners, in the words of the SDKs people know. All of them are made from entries and deltas. */
import type { Request } from '../permission/request.ts'
import type { AgentLimits } from '../smart/profile.ts'
import type {
  NormalizedUsage,
  PlanStepRecord,
  UserQuestionAnswerSet,
  UserQuestionItem,
} from '../session/smart-state.ts'
import type { ReflectionRecord } from '../smart/reflection.ts'

export type UserQuestionEvent = EventOf<'user_question'>
export type PlanEvent = EventOf<'plan'>
export type ReflectionEvent = EventOf<'reflection'>

type EventOf<Type extends SmartAgentEvent['type']> = Extract<SmartAgentEvent, { readonly type: Type }>

export type SmartAgentEvent = (
  | {
      readonly type: 'tool_call'
      readonly phase: 'start' | 'success' | 'error' | 'skipped'
      readonly name: string
      readonly id: string
      readonly args?: unknown
      readonly result?: unknown
      readonly error?: { readonly message: string }
      readonly durationMs?: number
    }
  | {
      readonly type: 'tool_approval'
      readonly status: 'pending' | 'approved' | 'rejected'
      readonly id: string
      readonly toolName: string
      readonly toolCallId: string
      readonly args?: unknown
      readonly decidedBy?: string
      readonly comment?: string
    }
  | {
      readonly type: 'user_question'
      readonly status: 'pending' | 'answered' | 'cancelled'
      readonly id: string
      readonly toolCallId: string
      readonly questions?: readonly UserQuestionItem[]
      readonly answers?: UserQuestionAnswerSet
      readonly answeredBy?: string
      readonly allowFreeText?: boolean
    }
  | {
      readonly type: 'plan'
      readonly source: 'manage_todo_list' | 'system'
      readonly operation?: 'read' | 'write' | 'update'
      readonly todoList?: readonly PlanStepRecord[]
      readonly version?: number
      readonly adherenceScore?: number
    }
  | {
      readonly type: 'summarization'
      readonly summary: string
      readonly trigger: 'auto' | 'manual'
      readonly messagesCompressed: number
      readonly archivedCount: number
      readonly tokenCountBefore: number
      readonly tokenCountAfter: number
      readonly previousSummary?: string
      readonly structuredSummary?: unknown
      readonly integrity?: unknown
      readonly inputTokens?: number
      readonly outputTokens?: number
      readonly cachedTokens?: number
      readonly totalTokens?: number
      readonly durationMs?: number
    }
  | { readonly type: 'finalAnswer'; readonly content: string }
  | {
      readonly type: 'metadata'
      readonly modelName?: string
      readonly limits?: AgentLimits
      readonly usage?: NormalizedUsage
      readonly limitBreached?: string
    }
  | { readonly type: 'handoff'; readonly from: string; readonly to: string; readonly toolName: string }
  | {
      readonly type: 'guardrail'
      readonly phase: 'request' | 'response'
      readonly disposition: 'block' | 'warn' | 'allow'
      readonly guardrail: string
      readonly reason?: string
    }
  | { readonly type: 'progress'; readonly stage: string; readonly step?: number; readonly message?: string }
  | { readonly type: 'stream'; readonly text: string; readonly isFinal: boolean }
  /** The structured answer: as much of it as has streamed, and once more whole and checked. */
  | { readonly type: 'output-delta'; readonly output: unknown; readonly isFinal: boolean }
  | { readonly type: 'cancelled'; readonly stage: string; readonly reason: 'aborted' | 'cancelled' | 'timeout' }
  | {
      readonly type: 'subagent'
      readonly phase: 'start' | 'result' | 'error' | 'paused'
      readonly name: string
      readonly toolCallId: string
      readonly input?: string
      readonly result?: string
      readonly error?: { readonly message: string }
      readonly requests?: readonly Request[]
    }
  | ({ readonly type: 'reflection' } & Omit<ReflectionRecord, 'createdAt' | 'anchorMessageIndex'>)
) & {
  /** The agent that this happened in, when it works for another. */
  readonly delegatedTo?: string
}
