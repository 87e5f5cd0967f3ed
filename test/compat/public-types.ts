/** The shapes that applications written against the page "State And Public Types" hold in their hands. */
import type { MemoryFact, PendingToolApproval, SummaryRecord, ToolExecution, TraceSinkConfig } from 'dogear'

type Message = { role: string; content: string | null; tool_calls?: { id: string; name: string; args: object }[] }

export type SmartState = {
  messages: Message[]
  toolHistory?: ToolExecution[]
  toolHistoryArchived?: ToolExecution[]
  summaries?: string[]
  summaryRecords?: SummaryRecord[]
  memoryFacts?: MemoryFact[]
  plan?: { version: number; steps: PlanStepRecord[]; lastUpdated?: string; adherenceScore?: number } | null
  planVersion?: number
  reflections?: ReflectionRecord[]
  pendingApprovals?: PendingToolApproval[]
  pendingUserQuestions?: PendingUserQuestion[]
  ctx?: Record<string, any>
}

export type UserQuestionOption = { label: string; value?: string; description?: string; preview?: string }

export type UserQuestionItem = {
  question: string
  header?: string
  multiSelect?: boolean
  placeholder?: string
  options?: UserQuestionOption[]
  required?: boolean
}

export type UserQuestionAnswer = { values: string[]; freeText?: string; notes?: string }

export type UserQuestionAnswerSet = Record<string, UserQuestionAnswer>

export type PendingUserQuestion = {
  id: string
  toolCallId: string
  toolName: 'ask_user_question'
  questions: UserQuestionItem[]
  status: 'pending' | 'answered' | 'cancelled' | 'executed'
  requestedAt: string
  answeredAt?: string
  answeredBy?: string
  answers?: UserQuestionAnswerSet
  cancelled?: boolean
  notes?: string
  allowFreeText?: boolean
  metadata?: Record<string, any>
}

export type UserQuestionResolution = {
  id: string
  answers?: UserQuestionAnswerSet
  answeredBy?: string
  notes?: string
  cancelled?: boolean
}

export type UserQuestionEvent = {
  type: 'user_question'
  status: 'pending' | 'answered' | 'cancelled'
  id: string
  toolCallId: string
  questions?: UserQuestionItem[]
  answers?: UserQuestionAnswerSet
  answeredBy?: string
  allowFreeText?: boolean
}

type Cadence = 'off' | 'every_turn' | 'after_tool' | 'on_branch'

export type ReasoningConfig = {
  enabled?: boolean
  level?: 'low' | 'medium' | 'high'
  native?:
    | {
        effort?: 'minimal' | 'low' | 'medium' | 'high'
        budgetTokens?: number
        includeThoughts?: boolean
        providerExtras?: Record<string, any>
      }
    | false
  reflection?:
    | {
        enabled?: boolean
        cadence?: Cadence
        mode?: 'piggyback' | 'separate'
        maxTokens?: number
        maxChars?: number
        keepLast?: number
        summarize?: boolean
        promptTemplate?: string
        emitEvents?: boolean
        maxPerRun?: number
        everyNTurns?: number
      }
    | false
}

type ReflectionUsage = {
  inputTokens?: number
  outputTokens?: number
  cachedInputTokens?: number
  totalTokens?: number
  reasoningTokens?: number
}

export type ReflectionRecord = {
  id: string
  turn: number
  text: string
  createdAt: string
  durationMs?: number
  anchorMessageIndex?: number
  trigger?: Cadence
  usage?: ReflectionUsage
  toolCallIds?: string[]
}

export type ReflectionEvent = {
  type: 'reflection'
  id: string
  turn: number
  text: string
  trigger?: Cadence
  durationMs?: number
  usage?: ReflectionUsage
  toolCallIds?: string[]
}

export type PlanStepRecord = {
  id: number
  step: string
  owner: string
  exitCriteria: string
  evidence?: string
  status: 'not-started' | 'in-progress' | 'completed' | 'blocked'
  title?: string
  description?: string
}

export type PlanEvent = {
  type: 'plan'
  source: 'manage_todo_list' | 'system'
  operation?: 'read' | 'write' | 'update'
  todoList?: PlanStepRecord[]
  version?: number
  adherenceScore?: number
}

export type BuiltInRuntimeProfile = 'fast' | 'balanced' | 'deep' | 'research'
export type RuntimeProfile = BuiltInRuntimeProfile | 'custom'

export type AgentLimits = {
  maxToolCalls?: number
  maxParallelTools?: number
  maxContextTokens?: number
  maxTotalOutputTokens?: number
  maxCostUsd?: number
  maxWallClockMs?: number
}

export type AgentOptions = {
  limits?: AgentLimits
  reasoning?: ReasoningConfig
  tracing?: TracingConfig
  tokenCounter?: (text: string) => number
  costEstimator?: (args: {
    modelName?: string
    inputTokens: number
    outputTokens: number
    cachedInputTokens?: number
    reasoningTokens?: number
  }) => number
}

export type TracingConfig = {
  enabled: boolean
  mode?: 'batched' | 'streaming'
  threadId?: string
  logData?: boolean
  sink?: TraceSinkConfig
}
