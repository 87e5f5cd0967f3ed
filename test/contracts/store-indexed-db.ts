/** What the IndexedDB store owes its users beyond the port: its schema, and what it does when the browser lets it down. */
import type { SessionPlace, Store } from '@dogear/core'
import { databaseName, openIndexedDbStore } from '@dogear/store'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { batchOf, commandFor, entriesFrom, entryAt, headOf, partialOf, snapshotOf } from './store-samples.ts'

const concierge = { agent: 'concierge', at: 1 }
const patience = 5_000
const heldByOthers = { code: 'storage-blocked', message: expect.stringMatching(/Close other tabs/) }

export function indexedDbContract(): void {
  let name: string
  let store: Store

  beforeEach(async () => {
    name = `contract-${crypto.randomUUID()}`
    store = await openIndexedDbStore({ name })
    await store.acquire('trip', concierge)
  })

  async function listed(limit: number, agent?: string): Promise<string[]> {
    const ids: string[] = []
    let before: SessionPlace | undefined
    for (;;) {
      const rows = await store.sessions({ agent, limit, before })
      const last: { id: string; updatedAt: unknown } | undefined = rows.at(-1)
      if (!last) return ids
      ids.push(...rows.map(({ id }) => id))
      // As whoever mends such rows says.
      before = { id: last.id, updatedAt: Number(last.updatedAt) || 0 }
    }
  }

  afterEach(async () => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
    vi.restoreAllMocks()
    await store.clear()
    store.close()
  })

  describe('IndexedDB: the database', () => {
    test('has every store, key and index of version 1', async () => {
      const database = await rawOpen(name)
      expect(database.version).toBe(1)
      expect(describeStores(database)).toEqual({
        blobs: { key: null, indexes: {} },
        folds: { key: null, indexes: {} },
        inbox: { key: null, counts: true, indexes: { commandId: 'commandId, unique', sessionId: 'sessionId' } },
        journal: { key: null, indexes: {} },
        memory: { key: ['scope', 'key'], indexes: {} },
        partials: { key: null, indexes: {} },
        rules: { key: 'id', indexes: {} },
        sessions: { key: 'id', indexes: { 'agent+updatedAt': 'agent,updatedAt', updatedAt: 'updatedAt' } },
        side: { key: null, indexes: {} },
        snapshots: { key: null, indexes: {} },
      })
      database.close()
    })

    test('[T16] is named by its user', () => {
      expect(databaseName()).toBe('dogear')
      expect(databaseName('ann')).toBe('dogear:ann')
      expect(databaseName('ann@example.com/1')).toBe('dogear:ann@example.com%002f1')
      expect(databaseName('\ud83d')).toBe('dogear:%d83d')
    })

    test('is told to flush what must not be lost, and only that', async () => {
      const transaction = vi.spyOn(IDBDatabase.prototype, 'transaction')
      const durabilityOf = async (work: Promise<unknown>) => {
        transaction.mockClear()
        await work
        return transaction.mock.calls.map(([, , options]) => options?.durability)
      }
      expect(await durabilityOf(store.acquire('trip', concierge))).toEqual(['strict'])
      expect(await durabilityOf(store.append(batchOf('trip', [entryAt(0)])))).toEqual(['strict'])
      expect(await durabilityOf(store.send(commandFor('trip', 'a')))).toEqual(['strict'])
      expect(await durabilityOf(store.saveSnapshot('trip', 'a', snapshotOf('trip', 'a')))).toEqual(['strict'])
      expect(await durabilityOf(store.delete('other'))).toEqual(['strict'])
      expect(await durabilityOf(store.savePartial(partialOf('trip', 'a.1')))).toEqual(['relaxed'])
      expect(await durabilityOf(store.saveHead(headOf('trip')))).toEqual(['relaxed'])
      expect(await durabilityOf(store.saveSide('draft', 'trip', 'a', 1))).toEqual(['relaxed'])
    })
  })

  describe('IndexedDB: the log that Chromium keeps it in', () => {
    test('[G1] [X3] is begun anew before anything is written, and what is only read does not wait for it', async () => {
      const isTold = 'dataLoss' in IDBVersionChangeEvent.prototype
      // How Chromium is known; the other engines keep no such log.
      if (!isTold)
        Object.defineProperty(IDBVersionChangeEvent.prototype, 'dataLoss', { value: 'none', configurable: true })
      const order: string[] = []
      const { transaction } = IDBDatabase.prototype
      vi.spyOn(IDBDatabase.prototype, 'transaction').mockImplementation(function (this: IDBDatabase, ...args) {
        if (this.name === name) order.push(args[1] === 'readwrite' ? 'write' : 'read')
        return transaction.apply(this, args)
      })
      const { deleteDatabase } = IDBFactory.prototype
      vi.spyOn(IDBFactory.prototype, 'deleteDatabase').mockImplementation(function (this: IDBFactory, each) {
        const deleting = deleteDatabase.call(this, each)
        deleting.addEventListener('success', () => order.push('new log'))
        return deleting
      })
      const opened = await openIndexedDbStore({ name })
      try {
        await opened.session('trip')
        await Promise.all([opened.send(commandFor('trip', 'a')), opened.inbox('trip')])
        expect(order).toEqual(['read', 'new log', 'write', 'read'])
      } finally {
        opened.close()
        if (!isTold) Reflect.deleteProperty(IDBVersionChangeEvent.prototype, 'dataLoss')
      }
    })
  })

  describe('IndexedDB: a journal that is longer than its row says', () => {
    test('[G2] keeps what stands there, and takes nothing of an append that would write over it', async () => {
      await store.append(batchOf('trip', [entryAt(0)]))
      const stray = entryAt(2, { title: 'stray' })
      await rawAdd(name, 'journal', stray, ['trip', 2])
      const before = await store.session('trip')
      await expect(store.append(batchOf('trip', entriesFrom(1, 2)))).rejects.toMatchObject({ code: 'storage-failed' })
      expect(await store.entries('trip', 0)).toEqual([entryAt(0), stray])
      expect(await store.session('trip')).toEqual(before)
    })
  })

  describe('IndexedDB: a row that lost its place', () => {
    test.each([1, 2, 3, 100])('[G12] is listed once, in pages of %i', async (limit) => {
      for (const [index, id] of ['a', 'b', 'c', 'd'].entries()) {
        await store.acquire(id, { agent: 'concierge', at: index + 2 })
      }
      await store.acquire('theirs', { agent: 'clerk', at: 9 })
      await rawChange(name, 'b', { updatedAt: undefined })
      await rawChange(name, 'c', { agent: 7 })
      await rawChange(name, 'd', { updatedAt: 'late' })
      expect(await listed(limit, 'concierge')).toEqual(['c', 'a', 'trip', 'd', 'b'])
      expect(await listed(limit)).toEqual(['theirs', 'c', 'a', 'trip', 'd', 'b'])
    })
  })

  describe('IndexedDB: a connection that dies', () => {
    test('is opened again when the browser has closed it', async () => {
      const connection = await connectionOf(store)
      connection.close()
      expect(await store.append(batchOf('trip', [entryAt(0)]))).toBe('appended')
      expect(await store.entries('trip', 0)).toHaveLength(1)
    })

    test('serves calls made together, each once', async () => {
      const connection = await connectionOf(store)
      connection.close()
      const ids = Array.from({ length: 10 }, (_, index) => `command-${index}`)
      await Promise.all(ids.map((id) => store.send(commandFor('trip', id))))
      expect((await store.inbox('trip')).map(({ command }) => command.commandId)).toEqual(ids)
    })

    test('[G6] an append whose answer was lost is redone, found written, and not fenced', async () => {
      loseNextAnswer(new DOMException('Connection to Indexed Database server lost.', 'UnknownError'))
      expect(await store.append(batchOf('trip', entriesFrom(0, 2)))).toBe('appended')
      expect(await store.entries('trip', 0)).toEqual(entriesFrom(0, 2))
    })

    test('a command whose answer was lost is sent once', async () => {
      loseNextAnswer(new DOMException('Connection to Indexed Database server lost.', 'UnknownError'))
      await store.send(commandFor('trip', 'a'))
      expect(await store.inbox('trip')).toHaveLength(1)
    })

    test('is not fought for more than once', async () => {
      const lost = new DOMException('Connection to Indexed Database server lost.', 'UnknownError')
      vi.spyOn(IDBDatabase.prototype, 'transaction').mockImplementation(() => {
        throw lost
      })
      await expect(store.send(commandFor('trip', 'a'))).rejects.toMatchObject({ code: 'storage-failed', cause: lost })
      vi.restoreAllMocks()
      await store.send(commandFor('trip', 'a'))
      expect(await store.inbox('trip')).toHaveLength(1)
    })

    test('[G10] a commit that finds no room is storage-full, and no answer came before it', async () => {
      loseNextAnswer(new DOMException('', 'QuotaExceededError'))
      await expect(store.append(batchOf('trip', [entryAt(0)]))).rejects.toMatchObject({
        code: 'storage-full',
        message: expect.stringMatching(/free some disk space/),
      })
    })
  })

  describe('IndexedDB: opening', () => {
    test.each(['no IndexedDB', 'a SecurityError'])('%s is storage-blocked, with what to do', async (problem) => {
      if (problem === 'no IndexedDB') vi.stubGlobal('indexedDB', undefined)
      else
        vi.spyOn(IDBFactory.prototype, 'open').mockImplementation(() => {
          throw new DOMException('denied', 'SecurityError')
        })
      await expect(openIndexedDbStore({ name })).rejects.toMatchObject({
        code: 'storage-blocked',
        message: expect.stringMatching(/Allow site data/),
      })
      vi.unstubAllGlobals()
      vi.restoreAllMocks()
    })

    test('[X10] an open that never answers is asked again, and closed should it answer late', async () => {
      const holder = await rawOpen(`${name}-held`)
      const open = IDBFactory.prototype.open
      vi.spyOn(IDBFactory.prototype, 'open').mockImplementationOnce(function (this: IDBFactory) {
        return open.call(this, `${name}-held`, 2)
      })
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      const opening = openIndexedDbStore({ name })
      await vi.advanceTimersByTimeAsync(patience)
      const second = await opening
      expect(await second.session('trip')).toMatchObject({ epoch: 1 })
      second.close()
      vi.useRealTimers()
      const close = vi.spyOn(IDBDatabase.prototype, 'close')
      holder.close()
      await vi.waitFor(() => expect(close.mock.contexts).toContainEqual(expect.objectContaining({ version: 2 })))
      await rawDelete(`${name}-held`)
    })

    test('[X10] an open that never answers twice is storage-blocked', async () => {
      const holder = await rawOpen(`${name}-held`)
      const open = IDBFactory.prototype.open
      vi.spyOn(IDBFactory.prototype, 'open').mockImplementation(function (this: IDBFactory) {
        return open.call(this, `${name}-held`, 2)
      })
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      const refusal = failureOf(openIndexedDbStore({ name }))
      await vi.advanceTimersByTimeAsync(patience)
      await vi.advanceTimersByTimeAsync(patience)
      expect(await refusal).toMatchObject(heldByOthers)
      vi.restoreAllMocks()
      holder.close()
      await rawDelete(`${name}-held`)
    })

    test('[X10] a newer script may take the database over, and this one then asks for a reload', async () => {
      const newer = await rawOpen(name, 2)
      const refusal = { code: 'storage-blocked', message: expect.stringMatching(/Reload/) }
      await expect(store.session('trip')).rejects.toMatchObject(refusal)
      await expect(openIndexedDbStore({ name })).rejects.toMatchObject(refusal)
      newer.close()
    })

    test('a closed store says so', async () => {
      const second = await openIndexedDbStore({ name })
      const write = second.send(commandFor('trip', 'a'))
      second.close()
      await expect(second.session('trip')).rejects.toMatchObject({ message: expect.stringMatching(/closed/) })
      await Promise.allSettled([write])
    })
  })

  describe('IndexedDB: clearing', () => {
    test('[T16] [X10] clear deletes the database while another store has it open, and ends that store', async () => {
      const other = await openIndexedDbStore({ name })
      await other.saveSide('draft', 'trip', 'a', 'words of the user who logs out')
      await store.clear()
      const refusal = { code: 'storage-blocked', message: expect.stringMatching(/deleted in another tab/) }
      await expect(other.saveSide('draft', 'trip', 'a', 'later words')).rejects.toMatchObject(refusal)
      await expect(other.side('draft', 'trip', 'a')).rejects.toMatchObject(refusal)
      expect(await store.sides('draft', 'trip')).toEqual([])
      expect(await store.session('trip')).toBeUndefined()
    })

    test('[T16] a write under way in another store does not hold clear up', async () => {
      const other = await openIndexedDbStore({ name })
      const writing = Promise.allSettled(entriesFrom(0, 20).map((entry) => other.append(batchOf('trip', [entry]))))
      await store.clear()
      await writing
      expect(await store.session('trip')).toBeUndefined()
      other.close()
    })

    test('[T16] [X10] a tab that does not let go is named as what to close', async () => {
      const stubborn = await rawOpen(name)
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      const refusal = failureOf(store.clear())
      await vi.advanceTimersByTimeAsync(patience)
      expect(await refusal).toMatchObject(heldByOthers)
      stubborn.close()
    })
  })
}

function describeStores(database: IDBDatabase): Record<string, unknown> {
  const transaction = database.transaction([...database.objectStoreNames])
  return Object.fromEntries(
    [...database.objectStoreNames].map((storeName) => {
      const store = transaction.objectStore(storeName)
      const indexes = [...store.indexNames].map((indexName) => describeIndex(store.index(indexName)))
      return [
        storeName,
        { key: store.keyPath, ...(store.autoIncrement && { counts: true }), indexes: Object.fromEntries(indexes) },
      ]
    }),
  )
}

function describeIndex({ name, keyPath, unique }: IDBIndex): [string, string] {
  return [name, `${String(keyPath)}${unique ? ', unique' : ''}`]
}

/** The browser's own connection under a store. */
async function connectionOf(store: Store): Promise<IDBDatabase> {
  const transaction = vi.spyOn(IDBDatabase.prototype, 'transaction')
  await store.session('any')
  const connection = transaction.mock.contexts[0] as IDBDatabase
  transaction.mockRestore()
  return connection
}

/** The next transaction commits, but whoever waits for it hears that it failed. */
function loseNextAnswer(error: DOMException): void {
  const begin = IDBDatabase.prototype.transaction
  vi.spyOn(IDBDatabase.prototype, 'transaction').mockImplementationOnce(function (this: IDBDatabase, ...parameters) {
    const transaction = begin.apply(this, parameters)
    const listen = transaction.addEventListener.bind(transaction)
    transaction.addEventListener = (type: string, listener: EventListener) => {
      if (type !== 'abort') return
      listen('complete', (event) => {
        Object.defineProperty(transaction, 'error', { value: error })
        listener(event)
      })
    }
    return transaction
  })
}

function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  )
}

function rawOpen(name: string, version?: number): Promise<IDBDatabase> {
  return settled(indexedDB.open(name, version))
}

async function rawAdd(name: string, store: string, value: unknown, key: IDBValidKey): Promise<void> {
  const database = await rawOpen(name)
  const transaction = database.transaction(store, 'readwrite')
  transaction.objectStore(store).add(value, key)
  await new Promise((resolve) => (transaction.oncomplete = resolve))
  database.close()
}

async function rawChange(name: string, sessionId: string, change: object): Promise<void> {
  const database = await rawOpen(name)
  const transaction = database.transaction('sessions', 'readwrite')
  const sessions = transaction.objectStore('sessions')
  const found = sessions.get(sessionId)
  found.onsuccess = () => sessions.put({ ...found.result, ...change })
  await new Promise((resolve) => (transaction.oncomplete = resolve))
  database.close()
}

function rawDelete(name: string): Promise<IDBDatabase> {
  return settled(indexedDB.deleteDatabase(name))
}

function settled(request: IDBOpenDBRequest): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result))
    request.addEventListener('error', () => reject(request.error))
  })
}
