/** A native dialog over the page. Escape puts it aside without an answer, and leaves a line to come back by. */

import { useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Request } from '@dogear/core'
import { useWidget } from '../context.ts'
import { requestTitle } from './request-title.ts'
import { RequestView } from './request-view.tsx'

export function Modal({ request }: { request: Request }) {
  const { session, strings } = useWidget()
  const dialog = useRef<HTMLDialogElement>(null)
  const isAside = useSignal(false)
  const title = requestTitle(request, session, strings)
  useLayoutEffect(() => {
    if (!isAside.value) dialog.current!.showModal()
  }, [isAside.value])

  if (isAside.value) {
    return (
      <button class="peek" type="button" onClick={() => (isAside.value = false)}>
        <span class="words">
          {strings.status.asking} · {title}
        </span>
      </button>
    )
  }
  return (
    <dialog class="modal" part="dialog" aria-label={title} ref={dialog} onClose={() => (isAside.value = true)}>
      <RequestView request={request} />
    </dialog>
  )
}
