/** `state.ctx`: the caller's own keys, and the documented `__…` views of where the run stands. Nothing inside reads them. */
import type { NewEntry } from './journal.ts'
import type { PendingToolApproval, PendingUserQuestion, SmartState } from './smart-state.ts'
import type { Head } from './state.ts'
import type { Left } from './state-view.ts'

export interface ContextOptions {
  readonly input: SmartState
  readonly head: Head
  readonly approvals: readonly PendingToolApproval[]
  readonly questions: readonly PendingUserQuestion[]
  readonly left?: Left
  readonly unanswered: readonly string[]
  readonly step: number
  readonly workers: readonly NewEntry[]
  readonly hasSpentCalls: boolean
}

export function derivedContext(options: ContextOptions): Readonly<Record<string, unknown>> {
  const { input, head, approvals, questions, left, unanswered, step, workers } = options
  const isRunning = head.turn !== null
  const isResuming = head.turn?.calls.some(({ callId, done }) => !done && unanswered.includes(callId))
  return definedOnly({
    ...ownContext(input.ctx),
    ...awaiting(approvals, questions),
    __paused: left && {
      stage: left.stage,
      iteration: step,
      timestamp: new Date(left.at).toISOString(),
      ...(left.reason !== undefined && { reason: left.reason }),
    },
    __resumeStage: isResuming ? 'tools' : undefined,
    __restoredFromSnapshot: isRunning ? input.ctx?.__restoredFromSnapshot : undefined,
    __subagentPending: workers.length > 0 ? workers : undefined,
    ...(head.lastEnd && ended(options, head.lastEnd)),
  })
}

/** What waits for a person, the first of each kind. */
export function awaiting(approvals: readonly PendingToolApproval[], questions: readonly PendingUserQuestion[]) {
  const isPending = ({ status }: { readonly status: string }) => status === 'pending'
  const approval = approvals.find(isPending)
  const question = questions.find(isPending)
  return {
    __awaitingApproval: approval && named(approval),
    __awaitingUserQuestion: question && named(question),
  }
}

function named({ id, toolCallId, toolName }: PendingToolApproval | PendingUserQuestion) {
  return { id, toolCallId, toolName }
}

function ended({ hasSpentCalls }: ContextOptions, end: NonNullable<Head['lastEnd']>) {
  const reason = end.terminalReason
  return {
    __cancelled: reason.startsWith('aborted') ? true : undefined,
    __limitBreached: reason.startsWith('max_') && reason !== 'max_output_tokens' ? reason : undefined,
    __finalizedDueToToolLimit: reason === 'max_tool_calls' || hasSpentCalls ? true : undefined,
    __structuredOutputParsed: end.output,
    __guardrailBlocked: reason === 'guardrail_blocked' ? true : undefined,
  }
}

/** Views of a run that is over must not be taken for views of the next. */
export function ownContext(ctx: SmartState['ctx']): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(ctx ?? {}).filter(([key]) => !derived.has(key)))
}

const derived = new Set(
  [
    'paused resumeStage awaitingApproval awaitingUserQuestion approvalResolved userQuestionResolved cancelled',
    'limitBreached needsSummarization summarizationExhausted summarizationExhaustedAtToolCount deadline',
    'finalizedDueToToolLimit finalizedDueToStructuredOutput structuredOutputParsed structuredOutputForceFinalize',
    'guardrailBlocked guardrailStore reasoning planNeedsReplan lastToolError toolSchemaError toolFailureCounts',
    'delegationDepth delegatedCallCount subagentPending restoredFromSnapshot',
  ]
    .join(' ')
    .split(' ')
    .map((name) => `__${name}`),
)

export function definedOnly<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, set]) => set !== undefined)) as T
}
