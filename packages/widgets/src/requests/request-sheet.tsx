/** The foot of the chat: the composer, or over it the one thing that waits for the person. */

import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { Modal } from './modal.tsx'
import { RequestView } from './request-view.tsx'
import { allKinds, useRequests } from './use-requests.ts'

interface FootProps {
  readonly approval?: 'sheet' | 'modal'
  /** The composer: kept while covered, so that no word in it is lost. */
  readonly children: ComponentChildren
}

/** One element before and after the session is open: another composer would lose the focus and an early Enter. */
export function RequestSheet({ approval, children }: FootProps) {
  const requests = useRequests(allKinds, 1)
  const request = requests[0]
  /** The request a person wants to see over everything else, because something lies over it here. */
  const onTop = useSignal('')
  const isModal =
    request !== undefined && request.kind !== 'question' && (approval === 'modal' || onTop.value === request.id)
  const isCovered = request !== undefined && !isModal
  const foot = useRef<HTMLDivElement>(null)
  useFocusMove(foot, isCovered ? request.id : undefined)

  return (
    <div class="foot" ref={foot}>
      {isCovered && <RequestView key={request.id} requests={requests} onTop={() => (onTop.value = request.id)} />}
      {isModal && <Modal key={request.id} requests={requests} />}
      <div hidden={isCovered}>{children}</div>
    </div>
  )
}

/** Whoever wrote in the composer goes on in the sheet that covers it, and back; nobody else's focus is touched. */
function useFocusMove(foot: { readonly current: HTMLElement | null }, requestId: string | undefined): void {
  const wasInside = useRef(false)
  const root = foot.current?.getRootNode() as ShadowRoot | undefined
  // Before the composer is hidden, which would send its focus to the page's body.
  wasInside.current = !!root?.activeElement && foot.current!.contains(root.activeElement)
  useLayoutEffect(() => {
    if (!wasInside.current) return
    const target = requestId ? 'h3' : 'textarea'
    foot.current!.querySelector<HTMLElement>(target)?.focus()
  }, [requestId])
}
