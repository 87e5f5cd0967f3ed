/** The agent's questions by themselves, wherever the page wants them. */

import type { RequestKind } from '@dogear/core'
import { AnsweredElsewhere } from '../requests/answered-elsewhere.tsx'
import { RequestView } from '../requests/request-view.tsx'
import { useRequests } from '../requests/use-requests.ts'
import { standalone } from '../standalone.tsx'

/** The picker for a Preact tree; `dogear-question` is the same as an element. */
export const { Widget: QuestionPicker, View: QuestionView } = standalone(Picker)

const kinds: readonly RequestKind[] = ['question', 'elicitation']

function Picker() {
  const request = useRequests(kinds, 2)[0]
  return request ? <RequestView key={request.id} request={request} /> : <AnsweredElsewhere />
}
