/** How far each session had come, kept apart from the store: one that the browser emptied must not pass for a new one. */

export interface Witness {
  read(user: string | undefined): Witnessed
  /** The session's journal has this many entries. */
  note(user: string | undefined, sessionId: string, seq: number): void
  /** These sessions, or all. */
  forget(user: string | undefined, sessionIds?: readonly string[]): void
}

/** Session ids and how many entries each had; the one that changed last comes last. */
export type Witnessed = readonly (readonly [sessionId: string, seq: number])[]

/** Of so many sessions: a few are enough to tell a new store from an emptied one. */
const most = 20

/** `keyOf` names a user's place in the storage; without a storage nothing is witnessed. */
export function createWitness(
  storage: Pick<Storage, 'getItem' | 'setItem'> | undefined,
  keyOf: (user: string | undefined) => string,
): Witness {
  function read(user: string | undefined): Witnessed {
    try {
      const kept: unknown = JSON.parse(storage?.getItem(keyOf(user)) ?? '[]')
      return Array.isArray(kept) ? kept.filter(isWitnessed) : []
    } catch {
      // Written by somebody else, or not to be read: then nobody has seen anything.
      return []
    }
  }

  function write(user: string | undefined, witnessed: Witnessed): void {
    try {
      storage?.setItem(keyOf(user), JSON.stringify(witnessed.slice(-most)))
    } catch {
      // Full: what is seen there is older, and says less.
    }
  }

  return {
    read,
    note(user, sessionId, seq) {
      const known = read(user)
      if (known.at(-1)?.join() === [sessionId, seq].join()) return
      write(user, [...known.filter(([id]) => id !== sessionId), [sessionId, seq]])
    },
    forget(user, sessionIds) {
      const known = read(user)
      const left = known.filter(([id]) => sessionIds && !sessionIds.includes(id))
      if (left.length < known.length) write(user, left)
    },
  }
}

function isWitnessed(value: unknown): value is Witnessed[number] {
  return Array.isArray(value) && typeof value[0] === 'string' && Number.isSafeInteger(value[1])
}
