/** The other sessions of an agent in which something waits for the person. */

import { signal, type ReadonlySignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import type { Session, SessionInfo } from '@dogear/worker'
import type { OpensSessions } from '../connect.ts'
import { forgotten } from '../ui-state.ts'

export interface Inbox {
  readonly sessions: NonNullable<OpensSessions['sessions']>
  /** Shows a session in place of the one that is shown. */
  open(sessionId: string): void
}

/** The newest first, also while nobody looks at the tab: its title counts them. */
export function useInbox(
  inbox: Inbox | undefined,
  session: Session | undefined,
): ReadonlySignal<readonly SessionInfo[]> {
  // Of its own for each: what one person has waiting is not told to the next.
  const waiting = useMemo(() => signal<readonly SessionInfo[]>([]), [inbox])
  useEffect(() => {
    if (!inbox || !session) return
    const told = (all: readonly SessionInfo[]) => {
      waiting.value = all.filter((each) => each.waiting > 0 && each.id !== session.id)
    }
    return inbox.sessions.subscribe(told, { waiting: true, limit: 200 })
  }, [inbox, session])
  // At once, also before the list itself is told anew.
  const gone = forgotten.value
  useEffect(() => void (waiting.value = []), [gone])
  return waiting
}
