/** A Request as its kind is asked: a decision or a question. */

import type { Request } from '@dogear/core'
import { Approval } from '../approval/approval.tsx'
import { Outcome } from '../approval/outcome.tsx'
import { Questions } from '../question/questions.tsx'

export function RequestView({ request }: { request: Request }) {
  if (request.questions?.length) return <Questions request={request} questions={request.questions} />
  if (request.kind === 'outcome' || request.kind === 'checkpoint') return <Outcome request={request} />
  return <Approval request={request} />
}
