/** Deletes sessions nobody uses: those beyond an agent's limits, and rows that were begun and never written. */
import { entryVersion, statusOf, type SessionRetention, type SessionRecord } from '@dogear/core'
import { loadFold } from './load.ts'
import { lockOf } from './lease.ts'
import type { OpenedStore, Platform } from './platform.ts'
import { nameOf, tellDeleted } from './tell-tabs.ts'

export interface Housekeeping {
  readonly platform: Platform
  readonly opened: OpenedStore
  readonly user?: string
}

const day = 86_400_000

/** The oldest first. What a person has archived is neither counted nor deleted. Says which are gone. */
export async function sweep(
  keeping: Housekeeping,
  { agent, retention, goesOn }: { agent: string; retention: SessionRetention; goesOn: (sessionId: string) => boolean },
): Promise<string[]> {
  const { maxSessions = Infinity, maxAgeDays = Infinity } = retention
  const oldest = keeping.platform.clock.now() - maxAgeDays * day
  const rows = (await keeping.opened.store.sessions({ agent })).filter((row) => !row.archived)
  const beyond = rows.filter((row, index) => index >= maxSessions || row.updatedAt < oldest)
  const gone: string[] = []
  for (const row of beyond.toReversed()) {
    // One that cannot be read must not keep the others.
    if (goesOn(row.id) && (await deleteUnused(keeping, row).catch(() => false))) gone.push(row.id)
  }
  return gone
}

/** A lease whose tab died is seen as such only after some looks. */
const lockIn = 8_000
/** How long a tab has to say that it shows the session. */
const answerIn = 250

/** Whole, or not at all: one that any tab shows, that works, waits or has words in line stays. */
export async function deleteUnused({ platform, opened, user }: Housekeeping, row: SessionRecord): Promise<boolean> {
  const { clock, transport } = platform
  const { store } = opened
  const { id, agent } = row
  const name = nameOf(user, id)
  const late = new AbortController()
  const stopWaiting = clock.after(lockIn, () => late.abort())
  const lock = await lockOf(platform, opened, id).acquire(name, { wait: true, signal: late.signal })
  stopWaiting()
  if (!lock) return false
  let isShown = false
  // Whatever is said there is said by a tab that shows it, or is about to.
  const channel = transport.open(name, () => (isShown = true))
  try {
    // A tab that failed has let go of the lock, and shows the session all the same.
    channel.post({ type: 'who' })
    await clock.sleep(answerIn)
    const now = await store.session(id)
    // Used since it was listed, or written by a newer script, which knows better what it is worth.
    if (now?.updatedAt !== row.updatedAt || now.seq !== row.seq || now.minReader > entryVersion) return false
    const { head } = await loadFold(store, id, agent)
    if (statusOf(head) !== 'idle' || head.requests.length || head.queue.length || head.seq > row.seq) return false
    if ((await store.inbox(id)).length || isShown) return false
    await store.delete(id)
    tellDeleted(platform, user, id)
    return true
  } finally {
    channel.close()
    lock.release()
  }
}
