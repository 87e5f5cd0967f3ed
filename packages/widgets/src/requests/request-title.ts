/** A Request as one question, in the tool's own words and never the model's. */

import type { Request } from '@dogear/core'
import type { Session } from '@dogear/worker'
import { toolLabel } from '../chat/call-view.ts'
import type { Strings } from '../strings.ts'

export function requestTitle(request: Request, session: Session, strings: Strings): string {
  const question = request.questions?.[0]?.question
  if (question) return question
  if (request.kind === 'checkpoint') return strings.checkpointTitle
  const label = requestLabel(request, session)
  return request.kind === 'outcome' ? strings.outcomeTitle(label) : strings.approvalTitle(label)
}

export function requestLabel({ tool, label }: Request, session: Session): string {
  return label ?? toolLabel(session, tool, 'ask')
}
