/** How much of an agent's sessions is kept: the oldest go, whole, and never one that anybody uses. */
import { defineAgent, type Store } from '@dogear/core'
import { openIndexedDbStore, openMemoryStore } from '@dogear/store'
import { call, forever, say, scriptedModel } from '@dogear/testing'
import * as fakeIndexedDb from 'fake-indexeddb'
import { describe, expect, test } from 'vitest'
import { device, hastyClock, until, type Device } from './device.ts'

Object.assign(globalThis, fakeIndexedDb)

const hasty = { clock: hastyClock(50) }
const fine = () => scriptedModel(() => say('Fine.'))
const openIndexedDb = () => openIndexedDbStore({ name: `retention-${crypto.randomUUID()}` })

describe.each([
  ['memory', async () => openMemoryStore()],
  ['IndexedDB', openIndexedDb],
] as const)('%s', (_name, openStore) => {
  test('[T16] the oldest sessions beyond maxSessions are deleted, with all that belongs to them', async () => {
    const store = await openStore()
    const phone = device(store, hasty)
    await filled(phone, 'a', 'b', 'c')
    await store.saveSide('draft', 'a', 'x', 'half a word')
    await (await opened(phone, 'a')).snapshot({ tag: 'kept' })
    await opened(phone, 'd', { maxSessions: 2 })
    await until(async () => (await ids(store)).length === 2)
    expect(await ids(store)).toEqual(['b', 'c'])
    expect(await everythingOf(store, 'a')).toEqual([undefined, [], undefined, [], [], []])
  })

  test('[T16] those in which nothing was said for maxAgeDays are deleted', async () => {
    const store = await openStore()
    await filled(device(store, hasty), 'old')
    const later = { ...hasty.clock, now: () => Date.now() + 8 * 86_400_000 }
    const phone = device(store, { clock: later, name: 'later' })
    await filled(phone, 'young')
    await opened(phone, 'now', { maxAgeDays: 7 })
    await until(async () => (await ids(store)).length === 1)
    expect(await ids(store)).toEqual(['young'])
  })

  test('[T16] one that another tab shows, that waits for a person, has words in line or was archived stays', async () => {
    const store = await openStore()
    const phone = device(store, hasty)
    const book = { name: 'book', needsApproval: true, func: () => 'done' }
    const paused = phone.tab({ model: scriptedModel(() => call('book')), tools: [book] })
    await (await paused.open('paused')).send('Book it')
    paused.kill()
    await filled(phone, 'shown', 'frozen', 'archived', 'inbox', 'gone', 'newest')
    const changing = phone.tab({})
    const command = { type: 'set' as const, settings: { archived: true }, commandId: 'x', sessionId: 'archived', at: 1 }
    await changing.client.ask({ type: 'change', agent: 'tester', sessionId: 'archived', command })
    await store.send({ type: 'send', content: 'Wait', when: 'later', commandId: 'y', sessionId: 'inbox', at: 1 })
    const other = await phone.tab({ model: fine() }).open('shown')
    const frozen = phone.tab({ model: fine() })
    await frozen.open('frozen')
    frozen.freeze()
    await opened(phone, 'new', { maxSessions: 1 })
    await until(async () => !(await ids(store)).includes('gone'))
    await soon()
    expect(await ids(store)).toEqual(['archived', 'frozen', 'inbox', 'newest', 'paused', 'shown'])
    expect(other.messages.value).toHaveLength(2)
  })
})

test('[T16] one that another tab works at stays, and so does one that tab failed to go on with', async () => {
  const phone = device(openMemoryStore(), hasty)
  await filled(phone, 'failed', 'gone')
  const busy = await phone.tab({ model: scriptedModel([[say('Half'), forever]]) }).open('busy')
  void busy.send('Go')
  await until(() => busy.partial.value?.text === 'Half')
  const broken = { ...phone.store, acquire: () => Promise.reject(new Error('The disk is gone.')) } as Store
  const failed = await phone.tab({ model: fine() }, broken).open('failed')
  await until(() => failed.connection.value.type === 'failed')
  await filled(phone, 'newest')
  await opened(phone, 'new', { maxSessions: 1 })
  await until(async () => !(await ids(phone.store)).includes('gone'))
  await soon()
  expect(await ids(phone.store)).toEqual(['busy', 'failed', 'newest'])
})

test('[T16] nothing is deleted while a turn of this tab runs', async () => {
  const phone = device(openMemoryStore(), hasty)
  await filled(phone, 'a', 'b')
  let finish = () => {}
  const working = new Promise<void>((resolve) => (finish = resolve))
  const look = { name: 'look', func: () => working }
  const model = scriptedModel([call('look'), say('Done.')])
  const session = await phone.tab({ model, tools: [look], retention: { maxSessions: 1 } }).open('c')
  const turn = session.send('Look')
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(await ids(phone.store)).toEqual(['a', 'b', 'c'])
  finish()
  await turn
  await until(async () => (await ids(phone.store)).length === 1)
})

test('[T16] two tabs that clean up at once leave what both would', async () => {
  const phone = device(openMemoryStore(), hasty)
  await filled(phone, 'a', 'b', 'c', 'd')
  await Promise.all([opened(phone, 'x', { maxSessions: 2 }), opened(phone, 'y', { maxSessions: 2 })])
  await until(async () => (await ids(phone.store)).length === 2)
  await soon()
  expect(await ids(phone.store)).toEqual(['c', 'd'])
})

test('[T16] by default nothing is deleted, and a limit that is none is refused', async () => {
  const phone = device(openMemoryStore(), hasty)
  await filled(phone, 'a', 'b', 'c')
  await soon()
  expect(await ids(phone.store)).toEqual(['a', 'b', 'c'])
  for (const retention of [{ maxSessions: 0 }, { maxAgeDays: NaN }]) {
    expect(() => defineAgent({ retention })).toThrow(expect.objectContaining({ code: 'agent-invalid' }))
  }
})

async function filled(phone: Device, ...sessionIds: string[]): Promise<void> {
  for (const sessionId of sessionIds) {
    const tab = phone.tab({ model: fine() })
    await (await tab.open(sessionId)).send(`Words of ${sessionId}`)
    tab.kill()
    // Two sessions of one millisecond have no older one.
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

async function opened(phone: Device, sessionId: string, retention?: { maxSessions?: number; maxAgeDays?: number }) {
  const tab = phone.tab({ model: fine(), retention })
  const session = await tab.open(sessionId)
  if (!retention) setTimeout(() => tab.kill(), 50)
  return session
}

async function ids(store: Store): Promise<string[]> {
  return (await store.sessions()).map(({ id }) => id).toSorted()
}

function everythingOf(store: Store, sessionId: string): Promise<unknown[]> {
  return Promise.all([
    store.session(sessionId),
    store.entries(sessionId, 0),
    store.head(sessionId),
    store.inbox(sessionId),
    store.snapshots(sessionId),
    store.sides('draft', sessionId),
  ])
}

/** Longer than a sweep takes. */
function soon(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 500))
}
