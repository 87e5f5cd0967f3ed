/** A native dialog over the page. Escape puts it aside without an answer, and leaves a line to come back by. */

import { useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Request } from '@dogear/core'
import { useWidget } from '../context.ts'
import { requestTitle } from './request-title.ts'
import { RequestView } from './request-view.tsx'

export function Modal({ requests }: { requests: readonly Request[] }) {
  const { session, strings } = useWidget()
  const dialog = useRef<HTMLDialogElement>(null)
  const isAside = useSignal(false)
  const title = requestTitle(requests[0]!, session, strings)
  useLayoutEffect(() => {
    if (isAside.value) return
    const shown = dialog.current!
    shown.showModal()
    // Else the browser chooses, and may choose what is pressed by the next key.
    shown.querySelector('h3')!.focus()
    // A dialog that is only taken away does not give the focus back.
    return () => shown.close()
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
      <RequestView requests={requests} />
    </dialog>
  )
}
