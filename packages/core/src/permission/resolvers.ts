/** Decisions about a state that waits for a person: pure. An approval may be changed until the run has carried it out. */
import { DogearError } from '../error.ts'
import type { Answers } from './request.ts'
import { awaiting, definedOnly } from '../session/state-context.ts'
import type {
  PendingToolApproval,
  PendingUserQuestion,
  SmartState,
  UserQuestionAnswerSet,
} from '../session/smart-state.ts'
import { checkAnswers } from '../smart/questions.ts'

export interface ToolApprovalResolution {
  /** Of the pending approval, or of its call. */
  readonly id: string
  readonly approved: boolean
  /** Run in place of what was shown: checked again by the run. */
  readonly approvedArgs?: unknown
  readonly decidedBy?: string
  readonly comment?: string
  /** Given to the model in place of running the tool. */
  readonly result?: unknown
}

export interface UserQuestionResolution {
  /** Of the pending question, or of its call. */
  readonly id: string
  /** By question text, or a list by index. */
  readonly answers?: Answers
  readonly answeredBy?: string
  readonly notes?: string
  readonly cancelled?: boolean
}

/** When it was decided, as milliseconds: core has no clock of its own. */
interface Decided {
  readonly at?: number
}

export function resolveToolApproval(
  state: SmartState,
  resolution: ToolApprovalResolution,
  { at }: Decided = {},
): SmartState {
  const { approved, approvedArgs, decidedBy, comment } = resolution
  const pending = pendingNamed(state.pendingApprovals ?? [], resolution.id, 'approval')
  const { result: _before, ...metadata } = pending.metadata ?? {}
  if (metadata.entered && approvedArgs !== undefined) throw notEditable()
  const decided: PendingToolApproval = definedOnly({
    ...pending,
    status: approved ? 'approved' : 'rejected',
    approvedArgs: approved ? approvedArgs : undefined,
    decidedBy,
    comment,
    decidedAt: timeOf(at),
    metadata: 'result' in resolution && approved ? { ...metadata, result: resolution.result } : metadata,
  })
  const pendingApprovals = (state.pendingApprovals ?? []).map((other) => (other === pending ? decided : other))
  return withContext({ ...state, pendingApprovals })
}

export function resolveUserQuestion(
  state: SmartState,
  resolution: UserQuestionResolution,
  { at }: Decided = {},
): SmartState {
  const { answers, answeredBy, notes, cancelled = false } = resolution
  const pending = pendingNamed(state.pendingUserQuestions ?? [], resolution.id, 'question')
  // Two who answer at once must both learn whose answer counts.
  if (pending.status !== 'pending') throw closed(pending.id, 'question', pending.status)
  const checked = cancelled ? [] : checkAnswers(pending.questions, answers ?? {}, pending.allowFreeText ?? true)
  const byText = checked.map(({ question, header: _header, ...answer }) => [question, definedOnly(answer)])
  const decided: PendingUserQuestion = definedOnly({
    ...pending,
    status: cancelled ? 'cancelled' : 'answered',
    cancelled: cancelled || undefined,
    answers: cancelled ? undefined : (Object.fromEntries(byText) as UserQuestionAnswerSet),
    answeredBy,
    notes,
    answeredAt: timeOf(at),
    // Two questions may have the same words: their answers are told apart here.
    metadata: cancelled ? pending.metadata : { ...pending.metadata, answers: byText.map(([, answer]) => answer) },
  })
  const pendingUserQuestions = (state.pendingUserQuestions ?? []).map((other) => (other === pending ? decided : other))
  return withContext({ ...state, pendingUserQuestions })
}

/** What is shown is the tool's own business: it could not tell what was changed in it. */
export function notEditable(): DogearError {
  return new DogearError(
    'request-invalid',
    'The tool itself asks this, of what it shows: approve it as it is, or reject it.',
  )
}

function pendingNamed<T extends PendingToolApproval | PendingUserQuestion>(
  list: readonly T[],
  id: string,
  what: string,
): T {
  const pending = list.findLast((candidate) => candidate.id === id || candidate.toolCallId === id)
  if (!pending) {
    const known = list.filter(({ status }) => status !== 'executed').map((candidate) => candidate.id)
    throw new DogearError('request-unknown', `No ${what} "${id}" waits here. Waiting: ${known.join(', ') || 'none'}.`)
  }
  if (pending.status === 'executed') throw closed(id, what, 'carried out')
  return pending
}

function closed(id: string, what: string, how: string): DogearError {
  return new DogearError('request-closed', `The ${what} "${id}" was ${how} already, and cannot be decided again.`)
}

function withContext(state: SmartState): SmartState {
  const { pendingApprovals = [], pendingUserQuestions = [] } = state
  return { ...state, ctx: definedOnly({ ...state.ctx, ...awaiting(pendingApprovals, pendingUserQuestions) }) }
}

function timeOf(at: number | undefined): string | undefined {
  return at === undefined ? undefined : new Date(at).toISOString()
}
