/** A session as it lies in the store: for whoever wants to save what nobody can read any more. */
import type { Store } from '@dogear/core'
import type { RawSession } from '../session-info.ts'

export async function rawSession(store: Store, sessionId: string): Promise<RawSession> {
  const [record, entries, head, inbox, names, quarantine] = await Promise.all([
    store.session(sessionId),
    store.entries(sessionId, 0),
    store.head(sessionId),
    store.inbox(sessionId),
    store.snapshots(sessionId),
    store.sides('quarantine', sessionId),
  ])
  const snapshots = await Promise.all(names.map(({ tag }) => store.snapshot(sessionId, tag)))
  return { sessionId, record, entries, head, inbox, snapshots, quarantine }
}
