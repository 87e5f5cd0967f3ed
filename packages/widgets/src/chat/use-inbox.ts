/** The other sessions of an agent in which something waits for the person. */

import { signal, type ReadonlySignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import type { Session, SessionInfo, SessionQuery } from '@dogear/worker'
import { forgotten } from '../ui-state.ts'

export interface Inbox {
  list(query?: SessionQuery): Promise<readonly SessionInfo[]>
  /** Shows a session in place of the one that is shown. */
  open(sessionId: string): void
}

/**
 * The newest first. Looked up while the tab is looked at, every few seconds: what asks in a session that is not open here
 * tells nobody. And at once when something of the shown session was asked or answered.
 */
export function useInbox(
  inbox: Inbox | undefined,
  session: Session | undefined,
): ReadonlySignal<readonly SessionInfo[]> {
  // Of its own for each: what one person has waiting is not told to the next.
  const waiting = useMemo(() => signal<readonly SessionInfo[]>([]), [inbox])
  const asked = session?.requests.value.map(({ id }) => id).join()
  const before = useMemo(() => forgotten.peek(), [session])
  const isForgotten = forgotten.value !== before
  useEffect(() => {
    if (!inbox || !session) return
    let isOver = false
    let isLooking = false
    const look = async () => {
      // All that its user had was deleted: a look would make them a store anew.
      const isGone = isForgotten && !session.messages.peek().length && !session.pending.peek().length
      if (isGone) waiting.value = []
      if (isGone || isLooking || document.hidden) return
      isLooking = true
      // Without the list there is nothing to show, and the chat itself says what is wrong.
      const all = await inbox.list({ waiting: true, limit: 200 }).catch(() => [])
      isLooking = false
      const others = all.filter((each) => each.waiting > 0 && each.id !== session.id)
      if (!isOver && JSON.stringify(others) !== JSON.stringify(waiting.peek())) waiting.value = others
    }
    void look()
    const timer = setInterval(look, lookEvery)
    document.addEventListener('visibilitychange', look)
    return () => {
      isOver = true
      clearInterval(timer)
      document.removeEventListener('visibilitychange', look)
    }
  }, [inbox, session, asked, isForgotten])
  return waiting
}

const lookEvery = 5000
