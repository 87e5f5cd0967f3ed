/** What waits for a person, as a state holds it, and back. */
import type { Hash } from '../ports/hash.ts'
import type { Request, RequestKind, Resolution } from '../permission/request.ts'
import { argsHash } from '../tools/canonical.ts'
import { builtinNames } from '../tools/builtin.ts'
import type { Head } from './state.ts'
import type { PendingToolApproval, PendingUserQuestion } from './smart-state.ts'

/** The requests that a state has a place for, and the answers that open calls go on with. */
export function pendingOf({ requests, turn }: Pick<Head, 'requests' | 'turn'>) {
  const asked = (turn?.calls ?? []).flatMap((call) => (call.done ? [] : (call.asked ?? [])))
  const ofKind = (kind: RequestKind) => requests.filter((request) => request.kind === kind)
  const answered = (kind: RequestKind) => asked.filter(({ request }) => request.kind === kind)
  return {
    pendingApprovals: [
      ...answered('approval').map(({ request, resolution }) => ({
        ...pendingApproval(request),
        ...approvalDecision(resolution),
      })),
      ...ofKind('approval').map(pendingApproval),
    ],
    pendingUserQuestions: [
      ...answered('question').map(({ request, resolution }) => ({
        ...pendingQuestion(request),
        ...questionDecision(resolution),
      })),
      ...ofKind('question').map(pendingQuestion),
    ],
  }
}

function approvalDecision(resolution: Resolution): globalThis.Partial<PendingToolApproval> {
  if (resolution.type === 'reject') return { status: 'rejected', comment: resolution.comment }
  return { status: 'approved', ...(resolution.type === 'approve' && { approvedArgs: resolution.args }) }
}

function questionDecision(resolution: Resolution): globalThis.Partial<PendingUserQuestion> {
  if (resolution.type !== 'answer') return { status: 'cancelled', cancelled: true }
  const { answers, notes } = resolution
  return { status: 'answered', answers: answers as PendingUserQuestion['answers'], notes }
}

export function pendingApproval(request: Request): PendingToolApproval {
  const { id, callId, tool, args, openedAt, kind: _kind, argsHash: _hash, ...metadata } = request
  return {
    id,
    toolCallId: callId,
    toolName: tool,
    args,
    status: 'pending',
    requestedAt: new Date(openedAt).toISOString(),
    metadata,
  }
}

export function pendingQuestion(request: Request): PendingUserQuestion {
  const { id, callId, tool, questions = [], allowFreeText, openedAt, path, reason, label, entered } = request
  return {
    id,
    toolCallId: callId,
    toolName: builtinNames.question,
    questions,
    status: 'pending',
    requestedAt: new Date(openedAt).toISOString(),
    allowFreeText,
    metadata: {
      ...(path && { path }),
      ...(reason && { reason }),
      ...(label && { label }),
      ...(entered && { entered, tool }),
    },
  }
}

/** The request that a pending record was made from, but for the rule it might make: a state may be anybody's. Undefined once it has been carried out. */
export function requestOf(pending: PendingToolApproval | PendingUserQuestion, hash: Hash): Request | undefined {
  if (pending.status === 'executed') return undefined
  const { id, toolCallId: callId, toolName: tool, requestedAt, metadata } = pending
  const openedAt = Date.parse(requestedAt) || 0
  const { resolution: _resolution, answers: _answers, result: _result, always: _always, ...about } = metadata ?? {}
  if ('questions' in pending) {
    const { questions, allowFreeText } = pending
    const args = { questions }
    const asked = { id, kind: 'question', openedAt, callId, args, questions, allowFreeText } as const
    return { tool, ...about, ...asked, argsHash: argsHash(hash, tool, args) }
  }
  const { args } = pending
  return { ...about, id, kind: 'approval', openedAt, callId, tool, args, argsHash: argsHash(hash, tool, args) }
}

/** What the person has decided meanwhile. */
export function resolutionOf(pending: PendingToolApproval | PendingUserQuestion): Resolution | undefined {
  const { status, metadata } = pending
  if (status === 'approved' && metadata && 'result' in metadata) return { type: 'result', result: metadata.result }
  if (status === 'approved') return { type: 'approve', args: pending.approvedArgs }
  if (status === 'rejected') return { type: 'reject', comment: pending.comment }
  if (status === 'cancelled') return { type: 'cancel' }
  if (status !== 'answered') return undefined
  const { answers = {}, notes } = pending
  // By index where it is known: two questions may have the same words.
  return { type: 'answer', answers: (metadata?.answers as typeof answers | undefined) ?? answers, notes }
}
