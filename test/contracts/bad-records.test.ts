/** Records that a disk, an older script or somebody's console made anything: the rest of the session goes on. */
import { textOf, toParts, type Store } from '@dogear/core'
import { databaseName, openIndexedDbStore } from '@dogear/store'
import { call, forever, say, scriptedModel, usage } from '@dogear/testing'
import type { Session } from '@dogear/worker'
import fc from 'fast-check'
import * as fakeIndexedDb from 'fake-indexeddb'
import { expect, test } from 'vitest'
import { device, until } from './device.ts'

Object.assign(globalThis, fakeIndexedDb)

interface Row {
  readonly store: string
  readonly key: IDBValidKey
  readonly value: unknown
}

const tools = [
  { name: 'look', effect: 'read' as const, func: () => ({ found: 3 }) },
  { name: 'book', needsApproval: true, func: () => 'booked' },
]
const smart = { tools, useTodoList: true, humanInTheLoop: { askUser: true } }
const plan = { operation: 'write', todoList: [{ id: 1, step: 'Look', status: 'in-progress' }] }
const question = { questions: [{ question: 'Where?', options: [{ label: 'Here' }, { label: 'There' }] }] }

/** A session at rest: words, a plan, calls, an approval that was given; and its cached head. */
async function restingRows(): Promise<Row[]> {
  return rowsAfter(
    async (session) => {
      await session.send('Look around')
      const asked = await session.send('Book it')
      await session.approve(asked.requests[0]!.id)
      await session.rename('Lisbon')
      await session.snapshot({ tag: 'kept' })
    },
    [
      [say('I will.'), call('manage_todo_list', plan), call('look'), usage({ input: 5, output: 2 })],
      say('Found three.'),
      call('book', { hotel: 'Sol' }),
      say('Booked.'),
    ],
  )
}

/** One in the middle of things: a question open, a command in its inbox, words half said. */
async function openRows(): Promise<Row[]> {
  const asking = await rowsAfter(
    async (session) => {
      await session.send('Hello')
      await session.send('Book it')
      await session.send('And this', { when: 'later' }).saved
    },
    [say('Hello.'), [call('book', { hotel: 'Sol' }), call('ask_user_question', question)]],
  )
  const at = { sessionId: 's1', at: 1 }
  return [
    ...asking,
    { store: 'inbox', key: 901, value: { type: 'send', content: 'Later', when: 'later', commandId: 'c901', ...at } },
    { store: 'inbox', key: 902, value: { type: 'rename', title: 'New name', commandId: 'c902', ...at } },
  ]
}

async function streamingRows(): Promise<Row[]> {
  return rowsAfter(
    async (session, store) => {
      void session.send('Go')
      await until(() => session.partial.value?.text === 'Half')
      const stepId = session.partial.value!.stepId
      await store.savePartial({ ...session.partial.value!, sessionId: 's1', epoch: 1 })
      expect(await store.partial('s1', stepId)).toBeDefined()
    },
    [[say('Half'), forever]],
  )
}

test.each([
  ['at rest', restingRows],
  ['that waits', openRows],
  ['that streams', streamingRows],
])(
  '[G12] [T17] whatever becomes of any field of a session %s, it opens, shows what is left and takes a new turn',
  async (_state, rowsOf) => {
    const rows = await rowsOf()
    const all = rows.flatMap((row, index) => damagesOf(row.value).map((damage) => ({ index, ...damage })))
    await goesOn(rows)
    const damages = process.env.DOGEAR_ALL ? all : fc.sample(fc.constantFrom(...all), { numRuns: 150, seed: 7 })
    for (const { index, path, how } of damages) {
      const { store, key } = rows[index]!
      const name = `${store} ${JSON.stringify(key)} ${path.join('.')} ${how}`
      const damaged = rows.flatMap((row, at) => (at === index ? damagedRow(row, path, how) : row))
      await goesOn(damaged).catch((error: unknown) => {
        throw new Error(name, { cause: error })
      })
    }
    expect(Object.keys(Object.prototype)).toEqual([])
  },
  process.env.DOGEAR_ALL ? 3_600_000 : 120_000,
)

test('[G12] a message that cannot be read leaves a mark in its place, and its raw record in the export', async () => {
  const rows = await restingRows()
  const lost = rows.findIndex(
    ({ value }) => JSON.stringify(value).includes('"content":"Found three."') && isEntryRow(value),
  )
  const broken = { ...(rows[lost]!.value as object), message: { words: 'Found three.' } }
  const damaged = rows.map((row, index) => (index === lost ? { ...row, value: broken } : row))
  const { session, tab, model } = await opened(damaged.filter(({ store }) => store !== 'folds'))
  expect(session.messages.value.map(({ role, meta }) => `${role} ${meta.status}`)).toEqual([
    'user complete',
    'assistant complete',
    'tool complete',
    'tool complete',
    'assistant lost',
    'user complete',
    'assistant complete',
    'tool complete',
    'assistant complete',
  ])
  expect((await session.send('And now?')).text).toBe('Fine.')
  expect(JSON.stringify(model.requests[0]?.messages)).toMatch(/Look around.*Book it.*And now\?/)
  const raw = await tab.client.ask({ type: 'raw', agent: 'tester', sessionId: 's1' })
  expect(raw.quarantine).toEqual([{ id: expect.stringMatching(/^journal\.\d+$/), value: broken }])
  expect(raw.entries).toContainEqual(broken)
  expect(tab.warnings.join()).toMatch(/cannot be read \(journal/)
})

test('[G12] an entry that is gone is a hole, with a mark; what came before and after is there', async () => {
  const rows = await restingRows()
  const lost = rows.findIndex(
    ({ value }) => isEntryRow(value) && JSON.stringify(value).includes('"content":"Look around"'),
  )
  const { session } = await opened(rows.filter((row, index) => index !== lost && row.store !== 'folds'))
  expect(session.messages.value.map(({ meta }) => meta.status)).toContain('lost')
  expect(session.messages.value.map(textOf)).toEqual(expect.arrayContaining(['Found three.', 'Book it', 'Booked.']))
})

test('[G12] a cached head that cannot be trusted is folded anew', async () => {
  const rows = await restingRows()
  const whole = (await opened(rows)).session
  const damaged = rows.map((row) =>
    row.store === 'folds' ? { ...row, value: { ...(row.value as object), nodes: 7 } } : row,
  )
  const { session } = await opened(damaged)
  expect(session.messages.value).toEqual(whole.messages.value)
  expect(session.title.value).toBe('Lisbon')
})

test('[G12] a command that cannot be read is put aside, and those behind it are taken', async () => {
  const rows = await restingRows()
  const bad = { commandId: 'bad', sessionId: 's1', at: 1, type: 'send', content: { toString: 1 } }
  const good = { commandId: 'good', sessionId: 's1', at: 1, type: 'rename', title: 'Behind it' }
  const { session, store } = await opened([
    ...rows,
    { store: 'inbox', key: 901, value: bad },
    { store: 'inbox', key: 902, value: good },
  ])
  await until(() => session.title.value === 'Behind it')
  expect(await store.inbox('s1')).toEqual([])
  expect(await store.sides('quarantine', 's1')).toEqual([{ id: 'inbox.901', value: bad }])
})

test('[G12] a session whose row lost its place is still in the list', async () => {
  const rows = await restingRows()
  const {
    agent: _agent,
    updatedAt: _at,
    ...left
  } = rows.find(({ store }) => store === 'sessions')!.value as Record<string, unknown>
  const { tab } = await opened(
    rows.map((row) => (row.store === 'sessions' ? { ...row, value: left } : row)),
    false,
  )
  const [found] = await tab.client.ask({ type: 'sessions', agent: 'tester' })
  expect(found).toMatchObject({ id: 's1', title: 'Lisbon', agent: 'tester' })
  expect(await tab.client.ask({ type: 'sessions', agent: 'other' })).toEqual([])
})

test('[G12] a row whose minReader is no number of a version is not taken for a newer script’s', async () => {
  const rows = await streamingRows()
  const far = rows.map((row) =>
    row.store === 'sessions' ? { ...row, value: { ...(row.value as object), minReader: 1e300 } } : row,
  )
  const { session } = await opened(far)
  await session.stop()
  await until(() => session.status.value === 'idle', 'the stop')
  expect((await session.send('And now?')).text).toBe('Fine.')
})

function isEntryRow(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'seq' in value && 'path' in value
}

/** What a person does next with whatever opened. */
async function goesOn(rows: readonly Row[]): Promise<void> {
  const failures: unknown[] = []
  const note = (error: unknown) => failures.push(error)
  const life = new AbortController()
  process.on('unhandledRejection', note)
  try {
    const { session } = await inTime(opened(rows, true, life.signal))
    read(session)
    await until(() => session.connection.value.type !== 'connecting')
    const connection = session.connection.value
    // As if a newer script had written it: shown, and to be reloaded.
    if (connection.type === 'failed' && connection.error.code === 'session-newer') return
    if (session.status.value !== 'idle') await session.stop()
    await until(() => session.status.value === 'idle', 'the stop')
    const { terminalReason, refused } = await inTime(session.send('And now?'))
    expect({ terminalReason, refused }).toEqual({ terminalReason: 'completed', refused: undefined })
    read(session)
  } catch (error) {
    if (!refusals.has((error as { code?: string }).code)) throw error
  } finally {
    process.off('unhandledRejection', note)
    // Thousands of tabs that live on would take ever more of the time that the next one has.
    life.abort()
  }
  expect(failures).toEqual([])
}

function inTime<T>(work: PromiseLike<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout>
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('it never came to rest')), 5_000)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

/** A number or a name that means something else now: refused, with what to do. */
const refusals = new Set<string | undefined>(['session-newer', 'session-agent-mismatch'])

function read(session: Session): void {
  for (const message of [...session.messages.value, ...session.pending.value]) {
    toParts(message)
    textOf(message)
  }
  JSON.stringify([session.plan.value, session.requests.value, session.queued.value, session.usage.value])
  JSON.stringify([session.partial.value, session.calls.value, session.title.value, session.lastEnd.value])
}

let databases = 0

async function opened(rows: readonly Row[], open = true, life?: AbortSignal) {
  const name = `bad${(databases += 1)}`
  const store = await openIndexedDbStore({ name })
  await writeRows(name, rows)
  const model = scriptedModel(() => say('Fine.'))
  const tab = device(store, { name: 'later' }).tab({ ...smart, model })
  life?.addEventListener('abort', () => {
    tab.kill()
    store.close()
    indexedDB.deleteDatabase(databaseName(undefined, name))
  })
  const session = (open ? await tab.open() : undefined) as Session
  life?.addEventListener('abort', () => session.close())
  return { session, tab, store, model }
}

async function rowsAfter(
  live: (session: Session, store: Store) => Promise<unknown>,
  script: Parameters<typeof scriptedModel>[0],
): Promise<Row[]> {
  const name = `good${(databases += 1)}`
  const store = await openIndexedDbStore({ name })
  const tab = device(store).tab({ ...smart, model: scriptedModel(script) })
  const session = await tab.open()
  await live(session, store)
  // The head is cached after the turn's end is told.
  for (let tries = 0; tries < 20; tries += 1) await new Promise((resolve) => setTimeout(resolve))
  tab.kill()
  return readRows(name)
}

async function raw(name: string): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(databaseName(undefined, name))
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}

async function readRows(name: string): Promise<Row[]> {
  const database = await raw(name)
  const rows: Row[] = []
  for (const store of database.objectStoreNames) {
    const source = database.transaction(store).objectStore(store)
    const [keys, values] = await Promise.all([done(source.getAllKeys()), done(source.getAll())])
    rows.push(...keys.map((key, index) => ({ store, key, value: values[index] as unknown })))
  }
  database.close()
  return rows
}

async function writeRows(name: string, rows: readonly Row[]): Promise<void> {
  const database = await raw(name)
  for (const { store, key, value } of rows) {
    const target = database.transaction(store, 'readwrite').objectStore(store)
    await done(target.keyPath === null ? target.put(value, key) : target.put(value))
  }
  database.close()
}

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}

interface Damage {
  readonly path: readonly string[]
  readonly how: keyof typeof hows
}

const remove = Symbol('remove')
const hows = {
  gone: () => remove,
  null: () => null,
  number: () => 7,
  negative: () => -1,
  fraction: () => 0.5,
  far: () => 1e300,
  text: () => 'text',
  huge: () => 'x'.repeat(100_000),
  list: () => [],
  object: () => ({}),
  nested: () => JSON.parse(`${'{"a":'.repeat(200)}1${'}'.repeat(200)}`) as unknown,
  polluting: () => JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}') as unknown,
}

function damagesOf(value: unknown, path: readonly string[] = []): Damage[] {
  const own = (Object.keys(hows) as Damage['how'][]).map((how) => ({ path, how }))
  if (typeof value !== 'object' || value === null) return own
  return [...own, ...Object.entries(value).flatMap(([key, item]) => damagesOf(item, [...path, key]))]
}

function damagedRow(row: Row, path: readonly string[], how: Damage['how']): Row[] {
  const value = damaged(row.value, path, hows[how]())
  // A store whose key is in the row cannot hold one without it.
  const keyIn = { sessions: 'id', memory: 'scope', rules: 'id' }[row.store]
  if (value === remove) return []
  if (keyIn !== undefined && (value as Record<string, unknown> | null)?.[keyIn] !== row.key) return [row]
  return [{ ...row, value }]
}

function damaged(value: unknown, [key, ...rest]: readonly string[], by: unknown): unknown {
  if (key === undefined) return by
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string, unknown>
  const item = damaged(copy[key], rest, by)
  if (item !== remove) copy[key] = item
  else if (Array.isArray(copy)) copy.splice(Number(key), 1)
  else delete copy[key]
  return copy
}
