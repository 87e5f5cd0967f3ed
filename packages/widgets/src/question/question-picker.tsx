/** The agent's questions by themselves, wherever the page wants them. */

import type { RequestKind } from '@dogear/core'
import { AnsweredElsewhere } from '../requests/answered-elsewhere.tsx'
import { RequestView } from '../requests/request-view.tsx'
import { useRequests } from '../requests/use-requests.ts'
import { ShadowHost } from '../shadow-host.tsx'
import { standalone } from '../standalone.tsx'
import type { WidgetProps } from '../widget-root.tsx'

/** The picker for a Preact tree; `dogear-question` is the same as an element. */
export function QuestionPicker(props: WidgetProps) {
  return <ShadowHost view={<QuestionView {...props} />} />
}

export const QuestionView = standalone(Picker)

const kinds: readonly RequestKind[] = ['question', 'elicitation']

function Picker() {
  const requests = useRequests(kinds, 2)
  return requests[0] ? <RequestView key={requests[0].id} requests={requests} /> : <AnsweredElsewhere />
}
