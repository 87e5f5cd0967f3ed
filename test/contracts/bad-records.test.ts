/** Records that a disk, an older script or somebody's console made anything: the rest of the session goes on. */
import { entryTypes, textOf, toParts, type Entry } from '@dogear/core'
import { databaseName, openIndexedDbStore } from '@dogear/store'
import { call, say, scriptedModel } from '@dogear/testing'
import type { Session } from '@dogear/worker'
import * as fakeIndexedDb from 'fake-indexeddb'
import { expect, test } from 'vitest'
import { agentWith, forkedRows, leftRows, openRows, restingRows, seasonedRows, streamingRows } from './bad-records.ts'
import { damagedRows, damagesOf, eachFieldTwice, nameOf } from './damages.ts'
import { writeRows, type Row } from './database-rows.ts'
import { device, until } from './device.ts'

Object.assign(globalThis, fakeIndexedDb)

const storeNames = 'blobs folds inbox journal memory partials rules sessions side snapshots'.split(' ')

const states = [
  ['at rest', restingRows],
  ['that waits', openRows],
  ['that streams', streamingRows],
  ['that was through everything', seasonedRows],
  ['that was forked', forkedRows],
  ['that was left in a call', leftRows],
] as const

test.each(states)(
  '[G12] [T17] whatever becomes of any field of a session %s, it opens, shows what is left and takes a new turn',
  async (_state, rowsOf) => {
    const rows = await rowsOf()
    await goesOn(rows)
    const all = damagesOf(rows)
    for (const damage of process.env.DOGEAR_ALL ? all : eachFieldTwice(rows, all)) {
      await goesOn(damagedRows(rows, damage)).catch((error: unknown) => {
        throw new Error(nameOf(rows, damage), { cause: error })
      })
    }
    expect(Object.keys(Object.prototype)).toEqual([])
  },
  process.env.DOGEAR_ALL ? 3_600_000 : 120_000,
)

test('[G12] every store and every type of entry is among what is damaged', async () => {
  const rows = (await Promise.all(states.map(([, rowsOf]) => rowsOf()))).flat()
  expect(new Set(rows.map(({ store }) => store))).toEqual(new Set(storeNames))
  const entries = rows.flatMap(({ store, value }) => (store === 'journal' ? [(value as Entry).type] : []))
  expect([...new Set(entries)].sort()).toEqual(Object.keys(entryTypes).sort())
})

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

test('[G12] a cached head that knows of an entry that is gone is folded anew', async () => {
  const rows = await forkedRows()
  const lost = rows.findLastIndex(({ store }) => store === 'journal')
  const { session } = await opened(rows.toSpliced(lost, 1))
  expect((await inTime(session.send('And now?'))).text).toBe('Fine.')
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
    await session.snapshots()
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
  // Calls are decided by rules, and those are records too.
  const model = scriptedModel(({ messages }) => (textOf(messages.at(-1)!) === 'And now?' ? call('look') : say('Fine.')))
  const tab = device(store, { name: 'later' }).tab(agentWith(model))
  life?.addEventListener('abort', () => {
    tab.kill()
    store.close()
    indexedDB.deleteDatabase(databaseName(undefined, name))
  })
  const session = (open ? await tab.open() : undefined) as Session
  life?.addEventListener('abort', () => session.close())
  return { session, tab, store, model }
}
