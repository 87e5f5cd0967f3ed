/** Whoever follows a session entry by entry: each hears every one of them, once and in order, also those a dead worker kept. */
import type { Entry } from '@dogear/core'

type Listener = (entry: Entry) => void

export interface Listeners {
  /** From this entry on. */
  add(listener: Listener, from: number): () => void
  tell(entries: readonly Entry[]): void
  /** The session is known up to here: what nobody was told of is read from the journal. */
  reach(seq: number): void
  /** The session was deleted: what comes next is the first entry of another. */
  restart(): void
}

export function createListeners(
  read: (from: number, to: number) => Promise<readonly Entry[]>,
  failed: (error: unknown) => void,
): Listeners {
  const listeners = new Map<Listener, { from: number }>()
  let known = 0
  let reading: Promise<void> | undefined

  function tellNow(entries: readonly Entry[]): void {
    for (const entry of entries) {
      for (const [listener, place] of listeners) {
        if (entry.seq < place.from) continue
        place.from = entry.seq + 1
        try {
          listener(entry)
        } catch (error) {
          // Its own mistake: it must not keep the entry from the session, or from those after it.
          failed(error)
        }
      }
    }
  }

  return {
    restart() {
      known = 0
      for (const place of listeners.values()) place.from = 0
    },
    add(listener, from) {
      listeners.set(listener, { from })
      return () => void listeners.delete(listener)
    },
    tell(entries) {
      known = (entries.at(-1)?.seq ?? known - 1) + 1
      if (reading) reading = reading.then(() => tellNow(entries))
      else tellNow(entries)
    },
    reach(seq) {
      const from = known
      known = seq
      if (from >= seq || listeners.size === 0) return
      const before = reading ?? Promise.resolve()
      // A session deleted meanwhile has nothing more to tell.
      reading = before.then(async () => tellNow(await read(from, seq))).catch(() => {})
    },
  }
}
