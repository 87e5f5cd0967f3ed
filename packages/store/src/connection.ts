/** The connection to one database: opened with patience, and opened again when the browser drops it. */
import { deleteDB, openDB } from 'idb'
import { beginFreshLog } from './fresh-log.ts'
import { createStores, databaseVersion, type Database, type Schema } from './schema.ts'
import {
  isConnectionLost,
  storageCleared,
  storageClosed,
  storageHeld,
  storageUnavailable,
  toStorageError,
} from './storage-error.ts'

export interface Connection {
  /** Does one logical read; once more from its start when the connection turns out to be dead. */
  read<T>(work: (database: Database) => Promise<T>): Promise<T>
  /** The same, for what writes. */
  write<T>(work: (database: Database) => Promise<T>): Promise<T>
  deleteDatabase(): Promise<void>
  close(): void
}

export async function openConnection(name: string, onCleared: () => void = () => {}): Promise<Connection> {
  let current: Promise<Opened> | undefined
  let ended: Error | undefined
  /** From then on reads wait as writes do: each sees what was asked for before it. */
  let hasWritten = false

  function connect(): Promise<Opened> {
    if (ended) return Promise.reject(ended)
    if (current) return current
    const opening = openPatiently(name, {
      onLost: () => forget(opening),
      onDeleted: () => {
        // Reopening would put this user's next draft into a fresh database after another tab logged them out.
        ended ??= storageCleared()
        forget(opening)
        onCleared()
      },
    })
    opening.catch(() => forget(opening))
    return (current = opening)
  }

  function forget(connection: Promise<Opened>): void {
    if (current === connection) current = undefined
  }

  function drop(connection: Promise<Opened> | undefined): void {
    if (!connection) return
    forget(connection)
    connection.then(
      ({ database }) => database.close(),
      () => {},
    )
  }

  async function ready(connection: Promise<Opened>): Promise<Database> {
    const mustWait = hasWritten
    const { database, freshLog } = await connection
    if (mustWait) await freshLog
    return database
  }

  async function run<T>(work: (database: Database) => Promise<T>): Promise<T> {
    const connection = connect()
    try {
      return await work(await ready(connection))
    } catch (error) {
      if (!isConnectionLost(error)) throw toStorageError(error)
      drop(connection)
    }
    try {
      return await work(await ready(connect()))
    } catch (error) {
      throw toStorageError(error)
    }
  }

  await connect()
  return {
    read: run,
    write(work) {
      hasWritten = true
      return run(work)
    },

    async deleteDatabase() {
      drop(current)
      await withPatience(deleteDB(name), () => {}).catch((error) => {
        throw toStorageError(error)
      })
    },

    close() {
      ended ??= storageClosed()
      drop(current)
    },
  }
}

interface Opened {
  readonly database: Database
  readonly freshLog: Promise<void>
}

interface ConnectionEvents {
  onLost(): void
  onDeleted(): void
}

const patience = 5_000
const attempts = 2

/** Safari's first open of a page may never answer; a second one does. */
async function openPatiently(name: string, events: ConnectionEvents): Promise<Opened> {
  if (!globalThis.indexedDB) throw storageUnavailable()
  let failure: unknown
  for (let attempt = 0; attempt < attempts; attempt++) {
    try {
      const database = await withPatience(open(name, events), (late) => late.close())
      return { database, freshLog: beginFreshLog() }
    } catch (error) {
      failure = error
    }
  }
  throw toStorageError(failure)
}

function open(name: string, events: ConnectionEvents): Promise<Database> {
  return openDB<Schema>(name, databaseVersion, {
    upgrade: createStores,
    blocking(_version, blockedVersion, event) {
      // At once: whoever wants the database alone waits for this tab.
      ;(event.target as IDBDatabase).close()
      if (blockedVersion === null) events.onDeleted()
      else events.onLost()
    },
    terminated: events.onLost,
  })
}

/**
 * A tab that is frozen while it holds the database makes the browser wait without a word, and the `blocked` event also
 * comes when a tab is about to let go: so time decides, not the event.
 */
async function withPatience<T>(work: Promise<T>, whenLate: (value: T) => void): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      work.then(whenLate, () => {})
      reject(storageHeld())
    }, patience)
  })
  return Promise.race([work, limit]).finally(() => clearTimeout(timer))
}
