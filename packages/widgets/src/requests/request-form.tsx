/** What every Request looks like: a title, its matter, and buttons that stay in view. */

import type { ComponentChildren, Ref } from 'preact'
import { pickByNumber } from '../question/pick-by-number.ts'

interface RequestFormProps {
  readonly form?: Ref<HTMLFormElement>
  readonly title: string
  readonly hint?: string
  /** Above the title. */
  readonly facts?: ComponentChildren
  /** In the corner: leaves without an answer. */
  readonly close?: ComponentChildren
  /** Why a decision was not taken. */
  readonly refusal: string
  /** For Enter; absent where Enter must do nothing. */
  readonly onSubmit?: () => void
  readonly buttons: ComponentChildren
  readonly children: ComponentChildren
}

export function RequestForm(props: RequestFormProps) {
  const { form, title, hint, facts, close, refusal, onSubmit, buttons, children } = props
  return (
    <form
      class="request"
      ref={form}
      part="request"
      aria-labelledby="title"
      onKeyDown={pickByNumber}
      onClick={keepFocus}
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit?.()
      }}
    >
      <div class="matter">
        {close}
        {facts && <p class="meta facts">{facts}</p>}
        <h3 id="title" tabIndex={-1}>
          {title}
        </h3>
        {hint && <p class="meta">{hint}</p>}
        {children}
        {refusal && <p class="bad">{refusal}</p>}
      </div>
      <div class="buttons">{buttons}</div>
    </form>
  )
}

/** Whoever pressed a button that then goes, or is disabled, goes on at the title, not at the top of the page. */
function keepFocus(event: MouseEvent): void {
  // The composer, where it ends, would bring up a keyboard that nobody asked for.
  if ((event as PointerEvent).pointerType === 'touch') return
  // From the path: what was pressed may have taken this form out of the page by now.
  const root = event.composedPath().find((each) => each instanceof ShadowRoot)!
  // After what it did is drawn.
  requestAnimationFrame(() => {
    if (root.activeElement?.matches(':not(:disabled)')) return
    root.querySelector<HTMLElement>('.request h3')?.focus({ preventScroll: true })
  })
}
