/** The other sessions of an agent in which something waits for the person. */

import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { Session, SessionInfo, SessionQuery } from '@dogear/worker'

export interface Inbox {
  list(query?: SessionQuery): Promise<readonly SessionInfo[]>
  /** Shows a session in place of the one that is shown. */
  open(sessionId: string): void
}

/** The newest first. Looked up when the tab is looked at, and when something of the shown session was asked or answered. */
export function useInbox(inbox: Inbox | undefined, session: Session | undefined): readonly SessionInfo[] {
  const waiting = useSignal<readonly SessionInfo[]>([])
  const asked = session?.requests.value.map(({ id }) => id).join()
  const last = useRef({ session, asked })
  useEffect(() => {
    if (!inbox || !session) return
    let isOver = false
    const refresh = async () => {
      if (document.hidden) return
      // Without the list there is nothing to show, and the chat itself says what is wrong.
      const all = await inbox.list({ limit: 200 }).catch(() => [])
      if (!isOver) waiting.value = all.filter((each) => each.waiting > 0 && each.id !== session.id)
    }
    // What asked may have been deleted with all its user had: a look would make them a store anew.
    const isChange = session === last.current.session && asked !== last.current.asked
    const isGone = isChange && !session.messages.value.length && !session.pending.value.length
    last.current = { session, asked }
    if (!isGone) void refresh()
    document.addEventListener('visibilitychange', refresh)
    return () => {
      isOver = true
      document.removeEventListener('visibilitychange', refresh)
    }
  }, [inbox, session, asked])
  return waiting.value
}
