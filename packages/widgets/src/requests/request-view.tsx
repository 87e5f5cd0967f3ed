/** A Request as its kind is asked: a decision, a question or a form. */

import { Approval, type ApprovalProps } from '../approval/approval.tsx'
import { Outcome } from '../approval/outcome.tsx'
import { Elicitation } from '../question/elicitation.tsx'
import { Questions } from '../question/questions.tsx'

export function RequestView({ requests, onTop }: ApprovalProps) {
  const request = requests[0]!
  if (request.questions?.length) return <Questions request={request} questions={request.questions} />
  if (request.kind === 'elicitation') return <Elicitation request={request} />
  if (request.kind === 'outcome' || request.kind === 'checkpoint') return <Outcome request={request} onTop={onTop} />
  return <Approval requests={requests} onTop={onTop} />
}
