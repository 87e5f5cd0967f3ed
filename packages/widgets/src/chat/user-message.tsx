/** What the person said: a slip of paper. */

import type { ComponentChildren } from 'preact'
import { textOf, type Message } from '@dogear/core'
import { useWidget } from '../context.ts'

export function UserMessage({ message }: { message: Message }) {
  return <Slip text={textOf(message)} />
}

interface SlipProps {
  readonly text: string
  readonly state?: string
  /** Below the words: what is still to happen to them. */
  readonly children?: ComponentChildren
}

export function Slip({ text, state, children }: SlipProps) {
  const { strings } = useWidget()
  return (
    <article class="user" part="message" data-role="user" data-state={state}>
      <span class="hidden">{strings.userSaid}</span>
      <p class="slip">{text}</p>
      {children && <p class="meta">{children}</p>}
    </article>
  )
}
