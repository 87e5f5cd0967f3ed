/** A Request as one question, in the tool's own words and never the model's. */

import type { Request } from '@dogear/core'
import type { Session } from '@dogear/worker'
import { toolLabel } from '../chat/call-view.ts'
import type { Strings } from '../strings.ts'
import { visibleText } from '../visible-text.ts'

export function requestTitle(request: Request, session: Session, strings: Strings): string {
  const question = request.questions?.[0]?.question
  if (question) return visibleText(question)
  if (request.kind === 'checkpoint') return strings.checkpointTitle
  const label = requestLabel(request, session)
  if (request.kind === 'elicitation') return strings.elicitTitle(label)
  return request.kind === 'outcome' ? strings.outcomeTitle(label) : strings.approvalTitle(label)
}

export function requestLabel({ tool, label }: Request, session: Session): string {
  return label ?? toolLabel(session, tool, 'ask')
}

/** "Book a room" → "Book": what happens stands on the button that does it. */
export function verbOf(label: string): string {
  return label.split(' ', 1)[0]!
}
