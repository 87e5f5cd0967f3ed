/** Words on their way to a turn of their own: shown at once, and honest about where they are. */

import { useWidget } from '../context.ts'
import { Slip } from './user-message.tsx'

export function Outbox() {
  const { session, strings } = useWidget()
  const { unsaved, status, connection } = session
  // While a turn is open they go in line, above the composer.
  if (status.value !== 'idle' || unsaved.value.length === 0) return null
  return (
    <section class="turn" data-current={true}>
      {unsaved.value.map(({ commandId, text }) => (
        <Slip key={commandId} text={text} state="unsaved">
          {connection.value.type === 'offline' ? strings.unsent : strings.saving}
        </Slip>
      ))}
    </section>
  )
}
