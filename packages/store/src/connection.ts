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
  /** Does one logical read or write; once more from its start when the connection turns out to be dead. */
  run<T>(work: (database: Database) => Promise<T>): Promise<T>
  deleteDatabase(): Promise<void>
  close(): void
}

export async function openConnection(name: string, onCleared: () => void = () => {}): Promise<Connection> {
  let current: Promise<Database> | undefined
  let ended: Error | undefined

  function connect(): Promise<Database> {
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

  function forget(connection: Promise<Database>): void {
    if (current === connection) current = undefined
  }

  function drop(connection: Promise<Database> | undefined): void {
    if (!connection) return
    forget(connection)
    connection.then(
      (database) => database.close(),
      () => {},
    )
  }

  await connect()
  return {
    async run(work) {
      const connection = connect()
      try {
        return await work(await connection)
      } catch (error) {
        if (!isConnectionLost(error)) throw toStorageError(error)
        drop(connection)
      }
      try {
        return await work(await connect())
      } catch (error) {
        throw toStorageError(error)
      }
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

interface ConnectionEvents {
  onLost(): void
  onDeleted(): void
}

const patience = 5_000
const attempts = 2

/** Safari's first open of a page may never answer; a second one does. */
async function openPatiently(name: string, events: ConnectionEvents): Promise<Database> {
  if (!globalThis.indexedDB) throw storageUnavailable()
  let failure: unknown
  for (let attempt = 0; attempt < attempts; attempt++) {
    try {
      return await withPatience(open(name, events), (database) => database.close())
    } catch (error) {
      failure = error
    }
  }
  throw toStorageError(failure)
}

async function open(name: string, events: ConnectionEvents): Promise<Database> {
  const opening = openDB<Schema>(name, databaseVersion, {
    upgrade: createStores,
    blocking(_version, blockedVersion, event) {
      // At once: whoever wants the database alone waits for this tab.
      ;(event.target as IDBDatabase).close()
      if (blockedVersion === null) events.onDeleted()
      else events.onLost()
    },
    terminated: events.onLost,
  })
  const [database] = await Promise.all([opening, beginFreshLog()])
  return database
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
