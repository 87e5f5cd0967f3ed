/**
 * The store in IndexedDB: one database a user, one transaction a write, and only `complete` counts.
 * One long file, because it is one port, a function each.
 */
import {
  createMemory,
  DogearError,
  type Batch,
  type Entry,
  type SessionPlace,
  type SessionRecord,
  type Store,
} from '@dogear/core'
import { unwrap, type IDBPTransaction, type StoreNames } from 'idb'
import { ballast, ballastIds } from './ballast.ts'
import { openConnection, type Connection } from './connection.ts'
import { databaseName } from './database-name.ts'
import { factRows } from './fact-rows.ts'
import { isChromium } from './fresh-log.ts'
import { byRuleAge, bySessionAge, bySnapshotAge } from './order.ts'
import { keysUnder, type Database, type Schema } from './schema.ts'
import { acquired, appended, assertContiguous, isWritten, mayAppend } from './session-row.ts'

export interface IndexedDbStoreOptions {
  /** Whose data it is: every user has a database of their own. */
  readonly user?: string
  /** What the database's name starts with: `dogear`. */
  readonly name?: string
  /** Another tab deleted the database: this store is of no more use. */
  readonly onCleared?: () => void
}

export async function openIndexedDbStore({ user, name, onCleared }: IndexedDbStoreOptions = {}): Promise<Store> {
  const connection = await openConnection(databaseName(user, name), onCleared)
  const { read } = connection
  const strictly = writer(connection, 'strict')
  const loosely = writer(connection, 'relaxed')
  /** Rows as this store last wrote them: what an append builds on while it looks whether they still stand. */
  const rows = new Map<string, SessionRecord>()

  return {
    session: (sessionId) => read((database) => database.get('sessions', sessionId)),

    sessions: (query) => read((database) => newestSessions(database.transaction('sessions').store, query)),

    acquire: (sessionId, create) =>
      strictly(['sessions', 'journal'], async (transaction) => {
        const sessions = transaction.objectStore('sessions')
        const range = IDBKeyRange.bound([sessionId, 0], [sessionId, Infinity])
        const [before, last] = await Promise.all([
          sessions.get(sessionId),
          transaction.objectStore('journal').openCursor(range, 'prev'),
        ])
        const row = acquired(
          before,
          sessionId,
          create,
          last ? { seq: last.key[1], epoch: last.value?.epoch } : undefined,
        )
        await sessions.put(row)
        return row
      }),

    async append(batch) {
      assertContiguous(batch)
      const { sessionId } = batch
      try {
        rows.set(sessionId, await connection.write((database) => appendIn(database, batch, rows.get(sessionId))))
        return 'appended'
      } catch (error) {
        rows.delete(sessionId)
        if (error === writtenBefore) return 'appended'
        if (error === otherOwner) return 'fenced'
        throw error
      }
    },

    async entries(sessionId, from, to = Infinity) {
      if (from >= to) return []
      const range = IDBKeyRange.bound([sessionId, from], [sessionId, to], false, true)
      return read((database) => database.getAll('journal', range))
    },

    async entriesAt(sessionId, seqs) {
      const found = await read((database) => {
        const { store } = database.transaction('journal')
        return Promise.all(seqs.map((seq) => store.get([sessionId, seq])))
      })
      return found.filter((entry) => entry !== undefined)
    },

    blob: (sessionId, hash) => read((database) => database.get('blobs', [sessionId, hash])),

    head: (sessionId) => read((database) => database.get('folds', sessionId)),

    saveHead: (head) =>
      loosely(['sessions', 'folds'], async (transaction) => {
        const row = await transaction.objectStore('sessions').get(head.sessionId)
        // A head ahead of its journal would be opened as a session with entries nobody can read.
        if (row?.epoch !== head.epoch || head.seq > row.seq) return
        await transaction.objectStore('folds').put(head, head.sessionId)
      }),

    send: (command) =>
      strictly(['inbox'], async (transaction) => {
        const inbox = transaction.objectStore('inbox')
        if ((await inbox.index('commandId').getKey(command.commandId)) !== undefined) return
        await inbox.add(command)
      }),

    inbox: (sessionId) =>
      read(async (database) => {
        const index = database.transaction('inbox').store.index('sessionId')
        const [keys, commands] = await Promise.all([index.getAllKeys(sessionId), index.getAll(sessionId)])
        return commands.map((command, position) => ({ key: keys[position]!, command }))
      }),

    savePartial: ({ sessionId, epoch, ...partial }) =>
      loosely(['sessions', 'partials'], async (transaction) => {
        const row = await transaction.objectStore('sessions').get(sessionId)
        if (row?.epoch !== epoch) return
        await transaction.objectStore('partials').put(partial, [sessionId, partial.stepId])
      }),

    partial: (sessionId, stepId) => read((database) => database.get('partials', [sessionId, stepId])),

    saveSnapshot: (sessionId, tag, snapshot) =>
      strictly(['snapshots'], async (transaction) => {
        const snapshots = transaction.objectStore('snapshots')
        if (snapshot === undefined) await snapshots.delete([sessionId, tag])
        else await snapshots.put(snapshot, [sessionId, tag])
      }),

    snapshot: (sessionId, tag) => read((database) => database.get('snapshots', [sessionId, tag])),

    snapshots: (sessionId) =>
      read(async (database) => {
        const { store } = database.transaction('snapshots')
        const range = keysUnder(sessionId)
        const [keys, snapshots] = await Promise.all([store.getAllKeys(range), store.getAll(range)])
        return snapshots
          .map((snapshot, position) => ({
            tag: keys[position]![1],
            // What is stored may be anything, whatever its type says.
            createdAt: Number(snapshot?.metadata?.createdAt as unknown) || 0,
          }))
          .toSorted(bySnapshotAge)
      }),

    side: (kind, sessionId, id) => read((database) => database.get('side', [kind, sessionId, id])),

    sides: (kind, sessionId) =>
      read(async (database) => {
        const { store } = database.transaction('side')
        const range = keysUnder(kind, sessionId)
        const [keys, values] = await Promise.all([store.getAllKeys(range), store.getAll(range)])
        return values.map((value, position) => ({ id: keys[position]![2], value }))
      }),

    saveSide: (kind, sessionId, id, value) =>
      loosely(kind === 'evidence' ? ['side', 'sessions'] : ['side'], async (transaction) => {
        const side = transaction.objectStore('side')
        if (kind === 'evidence' && !(await transaction.objectStore('sessions').get(sessionId))) return
        if (value === undefined) await side.delete([kind, sessionId, id])
        else await side.put(value, [kind, sessionId, id])
      }),

    swapSide: (kind, sessionId, id, from, to) =>
      loosely(['side'], async (transaction) => {
        const side = transaction.objectStore('side')
        const key: [string, string, string] = [kind, sessionId, id]
        if ((await side.get(key)) !== from) return false
        if (to === undefined) await side.delete(key)
        else await side.put(to, key)
        return true
      }),

    rules: async (agent) => {
      const rules = await read((database) => database.getAll('rules'))
      return rules.filter((rule) => rule.agent === agent).toSorted(byRuleAge)
    },

    saveRule: (rule) =>
      strictly(['rules'], async (transaction) => {
        await transaction.objectStore('rules').put(rule)
      }),

    deleteRule: (id) => strictly(['rules'], (transaction) => transaction.objectStore('rules').delete(id)),

    memory: (now) => createMemory(now, factRows(read, strictly)),

    delete(sessionId) {
      rows.delete(sessionId)
      return strictly(
        ['sessions', 'journal', 'folds', 'blobs', 'inbox', 'partials', 'snapshots', 'side'],
        (transaction) => deleteSession(transaction, sessionId),
      )
    },

    clear: connection.deleteDatabase,
    close: connection.close,
  }
}

export type Transaction = IDBPTransaction<Schema, StoreNames<Schema>[], 'readwrite'>
export type Write = <T>(stores: StoreNames<Schema>[], work: (transaction: Transaction) => Promise<T>) => Promise<T>

function writer({ write }: Connection, durability: 'strict' | 'relaxed'): Write {
  return (stores, work) =>
    write(async (database) => {
      const transaction = database.transaction(stores, 'readwrite', { durability })
      return completed(transaction, transaction.done, work(transaction))
    })
}

async function completed<T>(
  transaction: Pick<IDBTransaction, 'abort'>,
  done: Promise<void>,
  work: Promise<T>,
): Promise<T> {
  done.catch(() => {})
  try {
    const result = await work
    // At a full disk every request succeeds and the commit fails: an answer before it would be a lie.
    await done
    return result
  } catch (error) {
    abort(transaction)
    throw error
  }
}

/** Left alone, a transaction whose work failed half way commits the half that was asked for. */
function abort(transaction: Pick<IDBTransaction, 'abort'>): void {
  try {
    transaction.abort()
  } catch {
    // It has ended by itself.
  }
}

const writtenBefore = new DogearError('fenced', 'This batch stands in the journal already.')
const otherOwner = new DogearError('fenced', 'Another owner writes to this session.')

/** Without wrappers: this is what every step waits for. */
async function appendIn(database: Database, batch: Batch, believed?: SessionRecord): Promise<SessionRecord> {
  const transaction = unwrap(database).transaction(storesOf(batch), 'readwrite', { durability: 'strict' })
  const done = new Promise<void>((resolve, reject) => {
    transaction.addEventListener('complete', () => resolve())
    transaction.addEventListener('abort', () => reject(transaction.error ?? new DOMException('Aborted.', 'AbortError')))
  })
  return completed(transaction, done, append(transaction, batch, believed))
}

/** Writes on the row it believes in while it looks whether it may: to look first would double the time of an append. */
async function append(transaction: IDBTransaction, batch: Batch, believed?: SessionRecord): Promise<SessionRecord> {
  const sessions = transaction.objectStore('sessions')
  const looking: IDBRequest<SessionRecord | undefined> = sessions.get(batch.sessionId)
  const isRefused = () => !looking.result || !mayAppend(looking.result, batch)
  // The row has been looked at by then: what stands in the place of a refused batch is still to be read.
  transaction.addEventListener('error', (event) => {
    if (looking.readyState === 'done' && isRefused()) event.preventDefault()
  })
  const looked = answer(looking)
  const added: IDBRequest[] = []
  const isBelieved = believed !== undefined && mayAppend(believed, batch)
  const written = isBelieved ? write(transaction, appended(believed, batch), batch, added) : undefined
  // Whoever may not write is told that first, also of what cannot be written.
  written?.catch(() => {})
  const row = await looked
  if (!row || isRefused()) throw (await standsAlready(transaction, batch, added)) ? writtenBefore : otherOwner
  const next = appended(row, batch)
  await (written ?? write(transaction, next, batch, added))
  // Deleted and begun anew by another tab it has the same epoch and seq.
  if (written && JSON.stringify(row) !== JSON.stringify(believed)) sessions.put(next)
  await setBallast(transaction, batch)
  // At once: to wait until each has answered takes longer than the writing. Firefox would keep the rest of one that fails.
  if (isChromium()) transaction.commit()
  return next
}

function answer<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}

/** Asked of a refused batch only, in its own transaction: in a later one, what others asked for meanwhile would stand there. */
async function standsAlready(
  transaction: IDBTransaction,
  batch: Batch,
  added: readonly IDBRequest[],
): Promise<boolean> {
  const { sessionId, entries, expectedSeq } = batch
  const range = IDBKeyRange.bound([sessionId, expectedSeq], [sessionId, expectedSeq + entries.length])
  const stored: Entry[] = await answer(transaction.objectStore('journal').getAll(range, entries.length || 1))
  return added.every(({ error }) => error) && isWritten(stored, batch)
}

/** Whichever write fails, the commit fails of it: nobody waits for each, so none is wrapped. */
async function write(
  transaction: IDBTransaction,
  row: SessionRecord,
  batch: Batch,
  added: IDBRequest[],
): Promise<void> {
  const { sessionId, entries, blobs = [], take = [], dropPartials = [] } = batch
  transaction.objectStore('sessions').put(row)
  const journal = transaction.objectStore('journal')
  for (const entry of entries) added.push(journal.add(entry, [sessionId, entry.seq]))
  for (const { hash, text } of blobs) transaction.objectStore('blobs').put(text, [sessionId, hash])
  for (const key of take) transaction.objectStore('inbox').delete(key)
  for (const stepId of dropPartials) transaction.objectStore('partials').delete([sessionId, stepId])
}

async function setBallast(transaction: IDBTransaction, { sessionId, ballast: count }: Batch): Promise<void> {
  if (count === undefined) return
  const side = transaction.objectStore('side')
  const range = keysUnder('ballast', sessionId)
  if (count === 0) {
    side.delete(range)
    side.delete(keysUnder('evidence', sessionId))
    return
  }
  // Nothing else stands under such keys.
  const kept = ((await answer(side.getAllKeys(range))) as [string, string, string][]).map(([, , id]) => id)
  for (const id of ballastIds(kept, count)) side.put(ballast(), ['ballast', sessionId, id])
}

/** No more than is written: a transaction waits for all others that name one of its stores. */
function storesOf({ blobs, take, dropPartials, ballast: results }: Batch): StoreNames<Schema>[] {
  return [
    'sessions',
    'journal',
    ...(blobs?.length ? (['blobs'] as const) : []),
    ...(take?.length ? (['inbox'] as const) : []),
    ...(dropPartials?.length ? (['partials'] as const) : []),
    ...(results === undefined ? [] : (['side'] as const)),
  ]
}

async function deleteSession(transaction: Transaction, sessionId: string): Promise<void> {
  const inbox = transaction.objectStore('inbox')
  const commands = await inbox.index('sessionId').getAllKeys(sessionId)
  await Promise.all([
    transaction.objectStore('sessions').delete(sessionId),
    transaction.objectStore('folds').delete(sessionId),
    ...(['journal', 'blobs', 'partials', 'snapshots'] as const).map((name) =>
      transaction.objectStore(name).delete(keysUnder(sessionId)),
    ),
    ...commands.map((key) => inbox.delete(key)),
    deleteSides(transaction, sessionId),
  ])
}

/** Goes by the kinds it finds, so that what a newer script kept beside the session goes too. */
async function deleteSides(transaction: Transaction, sessionId: string): Promise<void> {
  const side = transaction.objectStore('side')
  let cursor = await side.openKeyCursor()
  while (cursor) {
    const [kind] = cursor.key
    await side.delete(keysUnder(kind, sessionId))
    cursor = await cursor.continue([kind, []] as unknown as [string, string, string])
  }
}

type SessionsStore = IDBPTransaction<Schema, ['sessions'], 'readonly'>['store']

async function newestSessions(
  store: SessionsStore,
  { agent, limit = Infinity, before }: { agent?: string; limit?: number; before?: SessionPlace } = {},
): Promise<SessionRecord[]> {
  const isWanted = (row: SessionRecord) => !before || bySessionAge(before, placeOf(row)) < 0
  const rows: SessionRecord[] = []
  let cursor =
    agent === undefined
      ? await store.index('updatedAt').openCursor(before && IDBKeyRange.upperBound(before.updatedAt), 'prev')
      : await store
          .index('agent+updatedAt')
          .openCursor(before ? IDBKeyRange.bound([agent], [agent, before.updatedAt]) : keysUnder(agent), 'prev')
  while (cursor && rows.length < limit) {
    if (isPlaced(cursor.value) && isWanted(cursor.value)) rows.push(cursor.value)
    cursor = await cursor.continue()
  }
  const unplaced = await unplacedRows(store)
  if (!unplaced.length) return rows
  const isTheirs = (row: SessionRecord) => agent === undefined || typeof row.agent !== 'string' || row.agent === agent
  return [...rows, ...unplaced.filter((row) => isTheirs(row) && isWanted(row))]
    .toSorted((one, other) => bySessionAge(placeOf(one), placeOf(other)))
    .slice(0, limit)
}

/** A row without its agent or its time is in no index, and would never be seen again. Counted first: there is hardly ever one. */
async function unplacedRows(store: SessionsStore): Promise<SessionRecord[]> {
  const [all, timed, owned] = await Promise.all([
    store.count(),
    store.index('updatedAt').count(IDBKeyRange.bound(-latest, latest)),
    // Every agent that is a text.
    store.index('agent+updatedAt').count(IDBKeyRange.bound([''], [[]])),
  ])
  return timed === all && owned === all ? [] : (await store.getAll()).filter((row) => !isPlaced(row))
}

function isPlaced({ agent, updatedAt }: SessionRecord): boolean {
  return typeof agent === 'string' && isTime(updatedAt)
}

function isTime(value: unknown): boolean {
  return typeof value === 'number' && Math.abs(value) <= latest
}

/** Where a list has a row: one without its time comes last. */
function placeOf(row: SessionRecord): SessionPlace {
  return { id: row.id, updatedAt: isTime(row.updatedAt) ? row.updatedAt : 0 }
}

/** The last moment there is a date for. */
const latest = 8.64e15
