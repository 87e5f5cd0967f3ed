/** Words on their way: shown at once, and honest about where they are. */

import { textOf } from '@dogear/core'
import { useWidget } from '../context.ts'
import { Slip } from './user-message.tsx'

export function Outbox() {
  const { session, strings } = useWidget()
  const { unsaved, queued, connection } = session
  const isOffline = connection.value.type === 'offline'
  if (unsaved.value.length + queued.value.length === 0) return null
  return (
    <section class="turn" data-current={session.pending.value.length === 0 || undefined}>
      {queued.value.map(({ commandId, content }) => (
        <Slip key={commandId} text={textOf({ content })} state="queued">
          {isOffline ? strings.unsent : strings.queued}
          {' · '}
          <button class="link" type="button" onClick={() => void session.unqueue(commandId)}>
            {strings.unqueue}
          </button>
        </Slip>
      ))}
      {unsaved.value.map(({ commandId, text }) => (
        <Slip key={commandId} text={text} state="unsaved">
          {isOffline ? strings.unsent : strings.saving}
        </Slip>
      ))}
    </section>
  )
}
