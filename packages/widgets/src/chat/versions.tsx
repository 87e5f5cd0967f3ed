/** Which of several versions of a message is shown, and the way to the others: "‹ 2 / 3 ›". */

import { useLayoutEffect, useRef } from 'preact/hooks'
import { useWidget } from '../context.ts'
import { Icon } from '../icon.tsx'

/** Branches are begun and left only while nothing runs and nothing waits to be sent. */
export function useIsIdle(): boolean {
  const { status, queued, unsaved } = useWidget().session
  return status.value === 'idle' && queued.value.length + unsaved.value.length === 0
}

/** Where the keyboard is to go on: another version is another element. */
let followed: { readonly id: string; readonly step: number } | undefined

export function Versions({ id }: { id: string }) {
  const { session, strings } = useWidget()
  const place = useRef<HTMLSpanElement>(null)
  const { ids = [], index = 0 } = session.branches.value[id] ?? {}
  useLayoutEffect(() => {
    if (followed?.id !== id) return
    const { step } = followed
    followed = undefined
    place.current?.querySelector<HTMLElement>(step < 0 ? 'button' : 'button:last-child')?.focus()
  })
  if (ids.length < 2) return null
  const button = (step: 1 | -1) => {
    const next = ids[index + step]
    return (
      <button
        type="button"
        aria-disabled={next === undefined}
        aria-label={step < 0 ? strings.versionBefore : strings.versionAfter}
        onClick={() => {
          if (next === undefined) return
          followed = { id: next, step }
          session.goto(next)
        }}
      >
        <Icon name="chevron" />
      </button>
    )
  }
  return (
    <span class="versions" role="group" aria-label={strings.version(index + 1, ids.length)} ref={place}>
      {button(-1)}
      <span aria-hidden="true">
        {index + 1} / {ids.length}
      </span>
      {button(1)}
    </span>
  )
}
