/** Reads finished answers to a screen reader: whole, once, and never word by word. */

import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { textOf } from '@dogear/core'
import { useWidget } from '../context.ts'
import { watchMessages } from '../events.ts'

export function Announcer() {
  const { session, strings } = useWidget()
  const words = useSignal('')
  useEffect(
    () =>
      watchMessages(session, (message) => {
        const text = message.role === 'assistant' ? textOf(message) : ''
        if (text) words.value = `${strings.agentSaid}: ${text}`
      }),
    [session],
  )
  return (
    <div class="hidden" aria-live="polite">
      {words.value}
    </div>
  )
}
