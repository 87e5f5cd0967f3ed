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
