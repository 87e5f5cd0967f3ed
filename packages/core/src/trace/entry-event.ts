/** The events that an entry alone decides. */
import type { Request } from '../permission/request.ts'
import type { EntryOf } from '../session/entry.ts'
import type { UserQuestionAnswerSet } from '../session/smart-state.ts'
import { newResults, type GuardrailSlice } from '../smart/guardrail.ts'
import type { Plan } from '../smart/plan.ts'
import type { SmartAgentEvent } from './event.ts'

export function resultEvent({ callId, result }: EntryOf<'tool-result'>): SmartAgentEvent {
  const { tool: name, status, content, args, durationMs } = result
  const about = { type: 'tool_call', name, id: callId, args } as const
  if (status === 'complete') return { ...about, phase: 'success', result: content, durationMs }
  if (status === 'skipped' || status === 'rejected') return { ...about, phase: 'skipped', result: content }
  return { ...about, phase: 'error', error: { message: content }, durationMs }
}

export function requestOpened(request: Request): SmartAgentEvent[] {
  const { id, kind, callId: toolCallId, tool, args, questions, allowFreeText } = request
  if (kind === 'approval') return [{ type: 'tool_approval', status: 'pending', id, toolCallId, toolName: tool, args }]
  if (kind !== 'question') return []
  return [{ type: 'user_question', status: 'pending', id, toolCallId, questions, allowFreeText }]
}

export function requestClosed(
  { resolution, by }: EntryOf<'request-close'>,
  request: Request | undefined,
): SmartAgentEvent[] {
  if (!request) return []
  const { id, kind, callId: toolCallId, tool, questions, allowFreeText } = request
  if (kind === 'approval') {
    const about = { type: 'tool_approval', id, toolCallId, toolName: tool, decidedBy: by } as const
    if (resolution.type === 'reject') {
      return [{ ...about, status: 'rejected', args: request.args, comment: resolution.comment }]
    }
    const edited = resolution.type === 'approve' ? resolution.args : undefined
    return [{ ...about, status: 'approved', args: edited ?? request.args }]
  }
  if (kind !== 'question') return []
  const about = { type: 'user_question', id, toolCallId, questions, allowFreeText, answeredBy: by } as const
  if (resolution.type !== 'answer') return [{ ...about, status: 'cancelled' }]
  return [{ ...about, status: 'answered', answers: byText(request, resolution.answers) }]
}

/** Answers may be given by index; they are told by the questions' words. */
function byText({ questions = [] }: Request, answers: object): UserQuestionAnswerSet {
  if (!Array.isArray(answers)) return answers as UserQuestionAnswerSet
  return Object.fromEntries(
    questions.flatMap(({ question }, index) => (answers[index] ? [[question, answers[index]]] : [])),
  )
}

export function planEvent(
  plan: Omit<Plan, 'lastUpdated'>,
  source: 'manage_todo_list' | 'system',
  operation: 'read' | 'write' | 'update',
): SmartAgentEvent {
  const { steps: todoList, version, adherenceScore } = plan
  return { type: 'plan', source, operation, todoList, version, adherenceScore }
}

export function guardrailEvents(slice: GuardrailSlice): SmartAgentEvent[] {
  return newResults(slice).map((result) => ({ type: 'guardrail', ...result }))
}

export function summarization({ compaction }: EntryOf<'compaction-add'>): SmartAgentEvent {
  const { summary, trigger, messagesCompressed, archived, tokensBefore, tokensAfter, durationMs, usage } = compaction
  const { previousSummary, structuredSummary, integrity } = compaction
  return {
    type: 'summarization',
    summary,
    trigger,
    messagesCompressed,
    archivedCount: archived.length,
    tokenCountBefore: tokensBefore,
    tokenCountAfter: tokensAfter,
    durationMs,
    previousSummary,
    structuredSummary,
    integrity,
    ...(usage && {
      inputTokens: usage.input,
      outputTokens: usage.output,
      cachedTokens: usage.cachedInput,
      totalTokens: usage.total,
    }),
  }
}
