/** What the durable bench does inside a page: sessions on a real IndexedDB, and the plainest writes of the same bytes. */
import {
  createDriver,
  defineAgent,
  emptyHead,
  foldOf,
  openJournal,
  runAgentOf,
  type Entry,
  type Model,
} from '@dogear/core'
import { openIndexedDbStore } from '@dogear/store'
import { browserClock as clock, sha256 as hash } from '@dogear/worker/host'
import { findHotels, hotelsFor, instructions, question } from '../trip.mjs'

/** Opened once, as in a page: opening begins a new log on the disk, and writes right after it would pay for that. */
const opening = openIndexedDbStore()
const floor = openFloor()

/** The last of a turn's steps answers, the others call the tool. */
const stepsOfTurn = 10

const bench = { converse, appends, appendsByHand, strictPuts, wholeStates }
export type Bench = typeof bench
Object.assign(globalThis, { bench })

/** So many steps of a session, and how long each turn's steps took; begins the session, or goes on with it. */
async function converse(sessionId: string, steps: number): Promise<{ msPerStep: number[]; bytesPerStep: number }> {
  const store = await opening
  const row = await store.acquire(sessionId, { agent: 'bench', at: clock.now() })
  const fold = foldOf((await store.head(sessionId)) ?? emptyHead(sessionId, 'bench'))
  let bytes = 0
  let ended = () => {}
  const journal = openJournal({ fold, clock, store, epoch: row.epoch, published })
  if (fold.head.seq === 0) await journal.append([{ type: 'session-start', agent: 'bench', sessionId }])
  const driver = createDriver({
    journal,
    store,
    agent: runAgentOf(defineAgent({ name: 'bench', instructions, tools: [hotels] }), model),
    clock,
    hash,
    emit: () => {},
    waits: () => {},
    proven() {},
    warn: console.error,
    failed: (error) => console.error(error),
  })
  const msPerStep: number[] = []
  for (let turn = 0; turn < steps / stepsOfTurn; turn += 1) {
    const rest = new Promise<void>((resolve) => (ended = resolve))
    const commandId = crypto.randomUUID()
    await store.send({ commandId, sessionId, at: clock.now(), type: 'send', content: question, when: 'later' })
    const start = performance.now()
    driver.wake()
    await rest
    msPerStep.push((performance.now() - start) / stepsOfTurn)
    await store.saveHead(fold.head)
  }
  driver.close()
  return { msPerStep, bytesPerStep: bytes / steps }

  function published(entries: readonly Entry[]): void {
    bytes += JSON.stringify(entries).length
    if (entries.some((entry) => entry.type === 'turn-end')) ended()
  }
}

const hotels = { ...findHotels, func: hotelsFor }

const model: Model = {
  async *stream({ messages }) {
    const asked = messages.length - 1 - messages.findLastIndex(({ role }) => role === 'user')
    if (asked / 2 < stepsOfTurn - 1) {
      yield { type: 'call-start', index: 0, id: 'call_1', name: findHotels.name }
      yield { type: 'call-delta', index: 0, args: '{"city":"Lisbon","nights":3}' }
    } else yield { type: 'text-delta', text: 'Casa do Rio is quiet, and five minutes from the river. '.repeat(4) }
    yield { type: 'usage', usage: { input: 120, output: 40, total: 160, cachedInput: 0, reasoning: 0 } }
    yield { type: 'finish', reason: asked / 2 < stepsOfTurn - 1 ? 'tool-calls' : 'stop' }
  },
}

/** So many writes of a journal, each of three entries of so many bytes together. */
async function appends(sessionId: string, bytes: number, count: number): Promise<number> {
  const store = await opening
  const { epoch } = await store.acquire(sessionId, { agent: 'bench', at: clock.now() })
  const journal = openJournal({ fold: foldOf(emptyHead(sessionId, 'bench')), clock, store, epoch })
  const entry = { type: 'slice-set', extension: 'bench', value: 'x'.repeat(Math.max(0, bytes / 3 - 120)) } as const
  await journal.append([{ type: 'session-start', agent: 'bench', sessionId }])
  const start = performance.now()
  for (let index = 0; index < count; index += 1) await journal.append([entry, entry, entry])
  return (performance.now() - start) / count
}

/** The least an append can be that is refused once another owner has written: a row looked at and set, three entries. */
async function appendsByHand(bytes: number, count: number): Promise<number> {
  const value = 'x'.repeat(bytes / 3)
  return timePerWrite(count, ['rows', 'puts'], (transaction, index) => {
    const rows = transaction.objectStore('rows')
    const look = rows.get('session')
    rows.put({ epoch: 1, seq: index }, 'session')
    for (const each of [0, 1, 2]) transaction.objectStore('puts').put(value, ['session', index * 3 + each])
    look.onsuccess = () => (look.result?.epoch > 1 ? transaction.abort() : transaction.commit())
  })
}

/** The floor: one record of so many bytes in a transaction of its own, flushed. */
async function strictPuts(bytes: number, count: number): Promise<number> {
  return timePerPut(count, () => 'x'.repeat(bytes))
}

/** What is often done instead: the whole state once more at every step. */
async function wholeStates(bytesPerStep: number, stepsSoFar: number, count: number): Promise<number> {
  const state = Array.from({ length: stepsSoFar }, (_, index) => ({ index, body: 'x'.repeat(bytesPerStep) }))
  return timePerPut(count, () => state)
}

function timePerPut(count: number, value: () => unknown): Promise<number> {
  return timePerWrite(count, ['puts'], (transaction, index) => transaction.objectStore('puts').put(value(), index))
}

async function timePerWrite(
  count: number,
  stores: readonly string[],
  write: (transaction: IDBTransaction, index: number) => unknown,
): Promise<number> {
  const database = await floor
  const start = performance.now()
  for (let index = 0; index < count; index += 1) {
    await new Promise<void>((resolve, reject) => {
      const transaction = database.transaction(stores, 'readwrite', { durability: 'strict' })
      transaction.oncomplete = () => resolve()
      transaction.onabort = () => reject(transaction.error)
      write(transaction, index)
    })
  }
  return (performance.now() - start) / count
}

function openFloor(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open('floor', 1)
    request.onupgradeneeded = () => ['puts', 'rows'].forEach((name) => request.result.createObjectStore(name))
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}
