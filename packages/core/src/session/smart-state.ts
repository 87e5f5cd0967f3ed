/** SmartState: a conversation as one plain object, for callers that keep their own state. A view; nothing inside reads it. */
import type { Answer, Answers, Question, QuestionOption } from '../permission/request.ts'
import type { CompactionRecord } from '../smart/compaction.ts'
import type { GuardrailResult } from '../smart/guardrail.ts'
import type { MemoryFact } from '../smart/memory.ts'
import type { PlanStep } from '../smart/plan.ts'
import type { ReflectionRecord } from '../smart/reflection.ts'
import type { Message, Role, ToolCall } from './message.ts'
import type { Head, Status } from './state.ts'

export interface SmartState {
  /** The whole view: committed turns and the one in flight. Messages without `id` and `meta` are taken too. */
  readonly messages: readonly MessageInput[]
  /** Tool calls of the run that made this state. */
  readonly toolCallCount?: number
  readonly toolHistory?: readonly ToolExecution[]
  /** Executions whose output a compaction has taken out of the model's sight; `get_tool_response` finds them. */
  readonly toolHistoryArchived?: readonly ToolExecution[]
  readonly summaries?: readonly string[]
  readonly summaryRecords?: readonly SummaryRecord[]
  readonly memoryFacts?: readonly MemoryFact[]
  readonly plan?: {
    readonly version: number
    readonly steps: readonly PlanStepRecord[]
    /** ISO time; milliseconds are read too. */
    readonly lastUpdated?: string
    readonly adherenceScore?: number
  } | null
  readonly planVersion?: number
  readonly reflections?: readonly ReflectionRecord[]
  readonly pendingApprovals?: readonly PendingToolApproval[]
  readonly pendingUserQuestions?: readonly PendingUserQuestion[]
  readonly usage?: SmartUsage
  /** `paused`: nothing goes on before a person decides, or `resume` is called. */
  readonly status?: Status
  /** Model requests of the turn that made this state. */
  readonly step?: number
  /** Set in place of the agent's own, by `setState`. */
  readonly model?: string
  readonly system?: string
  /** Further fields of every model request. */
  readonly opts?: Readonly<Record<string, unknown>>
  /** For callbacks alone: never in a result or a snapshot. The key `dogear` is ours. */
  readonly private?: Readonly<Record<string, unknown>>
  /** Calls that were running when a session's snapshot was taken: resumed, their tools' `effect` decides. */
  readonly runningCalls?: readonly { readonly toolCallId: string; readonly args: unknown; readonly key?: string }[]
  /** Who has the word: swaps on a handoff. */
  readonly agent?: { readonly name: string; readonly version?: string; readonly tools?: readonly string[] }
  /** Yours: carried along, never read. */
  readonly metadata?: Readonly<Record<string, unknown>>
  /** The results that may stand in for a call: the message that holds each. */
  readonly toolCache?: Head['cache']
  /** What the guardrails of the run had to say. */
  readonly guardrailResult?: readonly GuardrailResult[]
  /** Derived and read-only, but for keys of your own: `__paused`, `__resumeStage`, `__awaitingApproval` … */
  readonly ctx?: Readonly<Record<string, unknown>>
}

/** A message of ours, or one as providers write it. */
export interface MessageInput extends Omit<globalThis.Partial<Message>, 'role' | 'tool_calls'> {
  readonly role: Role | (string & {})
  readonly tool_calls?: readonly (ToolCall | ToolCallInput)[]
}

/** A tool call as other SDKs write it. */
export interface ToolCallInput {
  readonly id?: string
  readonly name?: string
  readonly args?: unknown
  readonly function?: { readonly name: string; readonly arguments?: unknown }
}

export type PlanStepRecord = PlanStep

export interface ToolExecution {
  /** What a marker names and `get_tool_response` takes: the call's id. */
  readonly executionId: string
  readonly toolName: string
  /** As validated. */
  readonly args: unknown
  /** What the model read. */
  readonly output: string
  /** What the tool gave, where it was data. */
  readonly rawOutput?: unknown
  /** ISO time. */
  readonly timestamp: string
  readonly tool_call_id: string
  readonly status: 'success' | 'error' | 'rejected' | 'handoff' | 'skipped'
  readonly durationMs?: number
  readonly fromCache?: boolean
  readonly summarized?: boolean
  /** About how many tokens the tool gave, before any cut. */
  readonly originalTokenCount?: number
  /** `critical`: never taken out of the model's sight. `verbose`: long. */
  readonly classification?: 'critical' | 'informative' | 'verbose'
  /** What a compaction may do with it. */
  readonly retentionPolicy?: string
  /** What `get_tool_response` takes, once the output is out of the model's sight. */
  readonly archiveId?: string
  readonly summary?: string
}

/** What a later run needs to go on from a summary is in it too: it is put back as it was. */
export interface SummaryRecord extends globalThis.Partial<CompactionRecord> {
  readonly id: string
  readonly summary: string
  readonly messagesCompressed: number
  readonly createdAt: string
  readonly tokenCountBefore: number
  readonly tokenCountAfter: number
}

export interface PendingToolApproval {
  readonly id: string
  readonly toolCallId: string
  readonly toolName: string
  readonly args: unknown
  readonly status: 'pending' | 'approved' | 'rejected' | 'executed'
  readonly requestedAt: string
  readonly decidedAt?: string
  readonly decidedBy?: string
  readonly comment?: string
  readonly approvedArgs?: unknown
  readonly resolvedAt?: string
  readonly executionId?: string
  readonly metadata?: Readonly<Record<string, unknown>>
}

export type UserQuestionItem = Question
export type UserQuestionOption = QuestionOption
export type UserQuestionAnswer = Answer
export type UserQuestionAnswerSet = Extract<Answers, Readonly<Record<string, unknown>>>

export interface PendingUserQuestion {
  readonly id: string
  readonly toolCallId: string
  readonly toolName: 'ask_user_question'
  readonly questions: readonly UserQuestionItem[]
  readonly status: 'pending' | 'answered' | 'cancelled' | 'executed'
  readonly requestedAt: string
  readonly answeredAt?: string
  readonly answeredBy?: string
  readonly answers?: UserQuestionAnswerSet
  readonly cancelled?: boolean
  readonly notes?: string
  /** As it was allowed when the question was asked. */
  readonly allowFreeText?: boolean
  readonly metadata?: Readonly<Record<string, unknown>>
}

export interface SmartUsage {
  readonly perRequest: readonly {
    readonly id: string
    readonly modelName: string
    readonly usage: NormalizedUsage
    readonly timestamp: string
    readonly costUsd?: number
    /** The model request's number in its run, from 1. */
    readonly turn: number
    readonly cachedInput?: number
  }[]
  readonly totals: Readonly<
    Record<
      string,
      { readonly input: number; readonly output: number; readonly total: number; readonly cachedInput: number }
    >
  >
}

/** Usage as every provider's is brought to. */
export interface NormalizedUsage {
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly total_tokens: number
  readonly prompt_tokens_details?: { readonly cached_tokens?: number; readonly audio_tokens?: number }
  readonly completion_tokens_details?: {
    readonly reasoning_tokens?: number
    readonly audio_tokens?: number
    readonly accepted_prediction_tokens?: number
    readonly rejected_prediction_tokens?: number
  }
  readonly raw?: unknown
}
