/** Approvals by themselves: a dialog over the page, whenever one is due. */

import type { RequestKind } from '@dogear/core'
import { AnsweredElsewhere } from '../requests/answered-elsewhere.tsx'
import { Modal } from '../requests/modal.tsx'
import { useRequests } from '../requests/use-requests.ts'
import { ShadowHost } from '../shadow-host.tsx'
import { standalone } from '../standalone.tsx'
import type { WidgetProps } from '../widget-root.tsx'

/** The dialog for a Preact tree; `dogear-approval` is the same as an element. */
export function ApprovalDialog(props: WidgetProps) {
  return <ShadowHost view={<ApprovalView {...props} />} />
}

export const ApprovalView = standalone(Dialog)

const kinds: readonly RequestKind[] = ['approval', 'outcome', 'checkpoint', 'deferred']

function Dialog() {
  const requests = useRequests(kinds, 2)
  return requests[0] ? <Modal key={requests[0].id} requests={requests} /> : <AnsweredElsewhere />
}
