/** Approvals by themselves: a dialog over the page, or a card in it, whenever one is due. */

import { useSignal } from '@preact/signals'
import type { RequestKind } from '@dogear/core'
import { AnsweredElsewhere } from '../requests/answered-elsewhere.tsx'
import { Modal } from '../requests/modal.tsx'
import { RequestView } from '../requests/request-view.tsx'
import { useRequests } from '../requests/use-requests.ts'
import { ShadowHost } from '../shadow-host.tsx'
import { standalone } from '../standalone.tsx'
import type { WidgetProps } from '../widget-root.tsx'

export interface ApprovalDialogProps extends WidgetProps {
  /** `modal`: over everything else, the default. `card`: where the page has it. */
  mode?: 'modal' | 'card'
}

/** The dialog for a Preact tree; `dogear-approval` is the same as an element. */
export function ApprovalDialog(props: ApprovalDialogProps) {
  return <ShadowHost view={<ApprovalView {...props} />} />
}

export const ApprovalView = standalone(Dialog)

const kinds: readonly RequestKind[] = ['approval', 'outcome', 'checkpoint', 'deferred']

function Dialog({ mode }: ApprovalDialogProps) {
  const requests = useRequests(kinds, 2)
  /** The request a person wants to see over what lies over the card. */
  const onTop = useSignal('')
  const id = requests[0]?.id
  if (id === undefined) return <AnsweredElsewhere />
  if (mode !== 'card' || onTop.value === id) return <Modal key={id} requests={requests} />
  return <RequestView key={id} requests={requests} onTop={() => (onTop.value = id)} />
}
