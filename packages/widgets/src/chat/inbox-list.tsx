/** The sessions that wait, a row each; one click leads there. */

import type { SessionInfo } from '@dogear/worker'
import { useWidget } from '../context.ts'
import { visibleText } from '../visible-text.ts'

interface InboxListProps {
  readonly sessions: readonly SessionInfo[]
  readonly onOpen: (sessionId: string) => void
}

export function InboxList({ sessions, onOpen }: InboxListProps) {
  const { strings } = useWidget()
  return (
    <ul class="inbox" aria-label={strings.inbox(sessions.length)}>
      {sessions.map(({ id, title, firstPrompt, waiting, asks = [] }) => (
        <li key={id}>
          <button type="button" onClick={() => onOpen(id)}>
            <span class="words">{visibleText(title ?? firstPrompt ?? strings.inboxUntitled)}</span>
            <span class="meta">{strings.inboxWaiting(waiting)}</span>
            {asks.length > 0 && <span class="meta asks">{visibleText(asks.join(' · '))}</span>}
          </button>
        </li>
      ))}
    </ul>
  )
}
