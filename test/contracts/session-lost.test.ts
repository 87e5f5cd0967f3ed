/** What the browser loses is noticed, by a witness that is kept apart from the store. */
import { defineAgent, type Store } from '@dogear/core'
import { openMemoryStore } from '@dogear/store'
import { call, say, scriptedModel } from '@dogear/testing'
import { createWitness, type Session, type Witness } from '@dogear/worker'
import { expect, test } from 'vitest'
import { device, until } from './device.ts'

test('[G11] a store that the browser emptied is not taken for a new one, and says so once', async () => {
  const witness = witnessIn(new Map())
  await saidHello(openMemoryStore(), witness)
  const emptied = openMemoryStore()
  const session = await device(emptied, { witness }).tab(polite()).open()
  expect(session.connection.value).toMatchObject({
    type: 'failed',
    error: { code: 'history-lost', details: { missing: ['s1'] } },
  })
  const { text } = await session.send('Hello again')
  expect(text).toBe('Hello.')
  expect(session.connection.value).toEqual({ type: 'online' })
  expect(await opened(emptied, witness)).toEqual({ type: 'online' })
})

test('[G11] without an id, too: the page that reopens the newest session is told that it is gone', async () => {
  const witness = witnessIn(new Map())
  await saidHello(openMemoryStore(), witness)
  const { client } = device(openMemoryStore(), { witness }).tab(polite())
  const session = await client.open(defineAgent({ name: 'tester', ...polite() }))
  expect(session.connection.value).toMatchObject({ type: 'failed', error: { code: 'history-lost' } })
  // Told once: another visit, still without a word said, is not told again.
  expect(await opened(openMemoryStore(), witness)).toEqual({ type: 'online' })
})

test('[G3] [G11] a session that lost its end is not driven before a person goes on', async () => {
  const witness = witnessIn(new Map())
  const store = openMemoryStore()
  let payments = 0
  const options = () => ({
    model: scriptedModel([call('pay', {}), say('Paid.')]),
    tools: [{ name: 'pay', func: () => (payments += 1) }],
  })
  const tab = device(store, { witness }).tab(options())
  await (await tab.open()).send('Pay')
  expect(payments).toBe(1)

  // All but the first words: of the call and its result nothing is left.
  const cut = await upTo(store, 'turn-start')
  const session = await device(cut, { witness, name: 'later' }).tab(options()).open()
  expect(session.connection.value).toMatchObject({ type: 'failed', error: { code: 'history-lost' } })
  expect(session.status.value).toBe('busy')
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(payments).toBe(1)

  session.resume()
  await until(() => session.status.value === 'idle')
  expect(payments).toBe(2)
  expect(await opened(cut, witness)).toEqual({ type: 'online' })
})

test('[G11] what a person deletes is not lost', async () => {
  const witness = witnessIn(new Map())
  const store = openMemoryStore()
  await saidHello(store, witness)
  const here = device(store, { witness, name: 'again' })
  const { client } = here.tab(polite())
  await client.delete(defineAgent({ name: 'tester', ...polite() }), 's1')
  expect(await opened(store, witness)).toEqual({ type: 'online' })

  await saidHello(store, witness, 'third')
  await client.clear(defineAgent({ name: 'tester', ...polite() }))
  expect(await opened(openMemoryStore(), witness)).toEqual({ type: 'online' })
})

test('[G11] a session that another tab deletes is not lost, either', async () => {
  const witness = witnessIn(new Map())
  const store = openMemoryStore()
  const here = device(store, { witness })
  const [tab, other] = [here.tab(polite()), here.tab(polite())]
  const session = await tab.open()
  await session.send('Hello')
  await (await other.open()).send('Hello there')
  await other.client.delete(defineAgent({ name: 'tester', ...polite() }), 's1')
  await until(() => session.messages.value.length === 0)
  expect(witness.read(undefined)).toEqual([])
})

test('[G11] a witness that says nonsense, or cannot be kept, is no witness', async () => {
  for (const text of ['', 'nonsense', 'null', '{"s1":7}', '[["s1"],["s1","7"],7,null]']) {
    expect(witnessIn(new Map([['none', text]])).read(undefined)).toEqual([])
  }
  const full = createWitness({ getItem: () => null, setItem: throwing }, () => 'none')
  await saidHello(openMemoryStore(), full)
  expect(full.read(undefined)).toEqual([])
})

test('[G11] a witness keeps a bounded number of sessions, the newest', () => {
  const witness = witnessIn(new Map())
  for (let at = 0; at < 50; at += 1) witness.note('ann', `s${at}`, at)
  expect(witness.read('ann')).toHaveLength(20)
  expect(witness.read('ann').at(-1)).toEqual(['s49', 49])
  expect(witness.read('bob')).toEqual([])
})

function witnessIn(kept: Map<string, string>): Witness {
  return createWitness(
    { getItem: (key) => kept.get(key) ?? null, setItem: (key, text) => void kept.set(key, text) },
    (user = 'none') => user,
  )
}

const polite = () => ({ model: scriptedModel(() => say('Hello.')) })

async function saidHello(store: Store, witness: Witness, name = 'first'): Promise<void> {
  const tab = device(store, { witness, name }).tab(polite())
  await (await tab.open()).send('Hello')
  tab.kill()
}

async function opened(store: Store, witness: Witness): Promise<Session['connection']['value']> {
  const session = await device(store, { witness, name: 'look' }).tab(polite()).open()
  return session.connection.value
}

/** The store as a log cut off behind the first entry of this type would leave it. */
async function upTo(store: Store, type: string): Promise<Store> {
  const entries = await store.entries('s1', 0)
  const kept = entries.slice(0, entries.findIndex((entry) => entry.type === type) + 2)
  const cut = openMemoryStore()
  const { epoch } = await cut.acquire('s1', { agent: 'tester', at: 1 })
  await cut.append({ sessionId: 's1', epoch, expectedSeq: 0, entries: kept, record: { messageCount: 1, waiting: 0 } })
  return cut
}

function throwing(): never {
  throw new Error('full')
}
