/**
 * Attempts: noted before a host goes on with a turn that another host left open. A place that kills every host that comes
 * to it parks its session; else it would take the page down for ever.
 *
 * A note goes when the journal gets past its place, when its host lets go in order, and after a while in which its host
 * lived. One that is found is of a host that died soon after it began, or whose page was left meanwhile; which of these,
 * only the page can tell: see `client/left.ts`.
 */
import { DogearError, statusOf, type Clock, type Entry, type Fold, type Ids, type Store } from '@dogear/core'

export interface Attempts {
  /** Resolves when this host may go on with the turn; rejects with `session-parked` when too many have died here. */
  begin(fold: Fold): Promise<void>
  /** Entries were written: whether they lead past the place is for this to see. */
  written(entries: readonly Entry[]): void
  /** This host lets go. */
  end(): void
  /** A person wants it tried again: what was counted is forgotten. */
  forget(sessionId: string): Promise<void>
}

export interface AttemptsOptions {
  readonly store: Pick<Store, 'entries' | 'inbox' | 'sides' | 'saveSide'>
  readonly clock: Clock
  readonly ids: Ids
  /** Of this host, as its page calls it. */
  readonly life: string
  /** Which of these hosts are of pages that were left in order, or are out of sight. */
  readonly left: (lives: readonly string[]) => Promise<readonly string[]>
  /** Of all sessions of this host. */
  readonly suspects: Suspects
}

/** Sessions that a host has died of, maybe: they go on one after the other, or all of them would be blamed for one. */
export interface Suspects {
  last: Promise<void>
}

/** So many hosts may die at one place. */
const mostDeaths = 3
/** A host that lives so long after it began is not killed by where it began. */
const watched = 20_000

interface Attempt {
  readonly place: string
  readonly life: string
}

export function createAttempts({ store, clock, ids, life, left, suspects }: AttemptsOptions): Attempts {
  let pass = () => {}

  async function deathsAt(place: string, sessionId: string): Promise<number> {
    const notes = (await store.sides('host', sessionId)).map(({ id, value }) => ({ id, ...(value as Attempt) }))
    const dead = notes.filter((note) => note.place === place)
    const gone = dead.length < mostDeaths ? [] : await left(dead.map((note) => note.life))
    const counted = dead.filter((note) => !gone.includes(note.life))
    for (const note of notes) if (!counted.includes(note)) await drop(sessionId, note.id)
    return counted.length
  }

  /** A note that cannot be written or deleted must not hold the turn up. */
  function drop(sessionId: string, id: string, value?: Attempt): Promise<void> {
    return store.saveSide('host', sessionId, id, value).catch(() => {})
  }

  return {
    async begin(fold) {
      const { sessionId } = fold.head
      const place = await placeOf(store, fold)
      if (place === undefined) return
      const deaths = await deathsAt(place, sessionId)
      if (deaths >= mostDeaths) throw parked(sessionId, place)
      pass()
      const id = ids.id()
      const over = new AbortController()
      const passed = new Promise<void>((resolve) => over.signal.addEventListener('abort', () => resolve()))
      pass = () => over.abort()
      if (deaths > 0) {
        const before = suspects.last
        suspects.last = before.then(() => passed)
        await Promise.race([before, passed])
      }
      if (over.signal.aborted) return
      await drop(sessionId, id, { place, life })
      void passed.then(() => drop(sessionId, id))
      void clock.sleep(watched, over.signal).then(() => over.abort())
    },
    written: (entries) => entries.some(isProgress) && pass(),
    end: () => pass(),
    async forget(sessionId) {
      for (const { id } of await store.sides('host', sessionId)) await drop(sessionId, id)
    },
  }
}

/** How far the turn has come, whoever drives it; undefined when there is none to go on with. */
async function placeOf(store: AttemptsOptions['store'], { head }: Fold): Promise<string | undefined> {
  const { sessionId, turn } = head
  if (!turn || statusOf(head) !== 'busy') return undefined
  const newest = await store.entries(sessionId, Math.max(0, head.seq - looksBack))
  const at = newest.findLast(isProgress)?.seq ?? turn.id
  // To end a turn is not what others have died of, but may be what this host dies of.
  const isStopped = (await store.inbox(sessionId)).some(({ command }) => command.type === 'stop')
  return isStopped ? `${at} stop` : `${at}`
}

const looksBack = 100

/** What begins each time anew, and what a person adds meanwhile, does not lead past a place. */
function isProgress(entry: Entry): boolean {
  return steps.has(entry.type) && !(entry.type === 'message-add' && entry.message.meta.status === 'partial')
}

const steps: ReadonlySet<Entry['type']> = new Set([
  'turn-start',
  'message-add',
  'request-open',
  'request-close',
  'tool-result',
  'compaction-add',
  'reflection-add',
  'turn-end',
])

function parked(sessionId: string, place: string): DogearError {
  return new DogearError(
    'session-parked',
    `Going on with session "${sessionId}" after entry ${place} ended the page or its worker ${mostDeaths} times, so nothing more is run. session.resume() tries again, session.stop() ends the turn, agent.sessions.export("${sessionId}") has all of it.`,
    { details: { place } },
  )
}
