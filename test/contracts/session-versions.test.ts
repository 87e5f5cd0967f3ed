/** Two versions of the script in two tabs: the older one shows what it can read, and never writes over the newer. */
import { newerSession, textOf, type Command, type Entry, type Lock, type Store } from '@dogear/core'
import { openMemoryStore } from '@dogear/store'
import { forever, memoryLock, say, scriptedModel } from '@dogear/testing'
import { expect, test } from 'vitest'
import { device, hastyClock, until } from './device.ts'

test('[G13] a tab of an older version that meets newer entries turns read-only and says so; the newer goes on', async () => {
  const { here, older, newer } = releases()
  const old = await here.tab({ model: scriptedModel(() => say('old')) }, older.disk).open()
  await old.send('one')
  const young = await here.tab({ model: scriptedModel(() => say('new')) }, newer).open()
  expect(await young.send('two')).toMatchObject({ text: 'new' })
  await until(() => old.connection.value.type === 'failed', 'the older tab stops')
  expect(old.connection.value).toMatchObject({
    error: { code: 'session-newer', message: expect.stringContaining('Reload') },
  })
  older.writes.length = 0
  await expect(old.send('three').saved).rejects.toMatchObject({ code: 'session-newer' })
  expect(old.messages.value.map((message) => textOf(message))).toEqual(['one', 'old'])
  expect(await young.send('four')).toMatchObject({ text: 'new' })
  expect(older.writes).toEqual([])
})

test('[G13] a tab of an older version does not take over when the newer dies, and the next newer one goes on', async () => {
  const { here, older, newer } = releases()
  const dying = here.tab({ model: scriptedModel(() => say('new')) }, newer)
  await (await dying.open()).send('one')
  const old = await here.tab({ model: scriptedModel(() => say('old')) }, older.disk).open()
  await until(() => old.connection.value.type === 'failed')
  dying.kill()
  await here.store.send({ type: 'send', content: 'two', when: 'later', commandId: 'c2', sessionId: 's1', at: 1 })
  old.resume()
  const young = await here.tab({ model: scriptedModel(() => say('new again')) }, newer).open()
  await until(() => young.messages.value.length === 4, 'the newer tab answers')
  expect(textOf(young.messages.value[3]!)).toBe('new again')
  expect(older.writes).toEqual([])
})

test('[G13] after a rollback the older script opens what it can read, and leaves the rest as it is', async () => {
  const { here, older, newer } = releases()
  const first = here.tab({ model: scriptedModel(() => say('old')) }, older.disk)
  await (await first.open()).send('one')
  first.kill()
  const second = here.tab({ model: scriptedModel(() => say('new')) }, newer)
  await (await second.open()).send('two')
  second.kill()
  older.writes.length = 0
  const before = await here.store.entries('s1', 0)
  const old = await here.tab({ model: scriptedModel(() => say('old')) }, older.disk).open()
  await until(() => old.connection.value.type === 'failed', 'it says that it is too old')
  expect(old.messages.value.map((message) => textOf(message))).toEqual(['one', 'old'])
  await expect(old.send('three').saved).rejects.toMatchObject({ code: 'session-newer' })
  await expect(old.snapshot({ tag: 'half' })).rejects.toMatchObject({ code: 'session-newer' })
  expect(older.writes).toEqual([])
  expect(await here.store.entries('s1', 0)).toEqual(before)
})

test('[G13] an entry of a type this script does not know stops it like one of a higher version', async () => {
  const here = device()
  const tab = here.tab({ model: scriptedModel(() => say('old')) })
  const session = await tab.open()
  await session.send('one')
  tab.kill()
  const row = await appendUnknown(here.store)
  const old = await here.tab({ model: scriptedModel(() => say('old')) }).open()
  await until(() => old.connection.value.type === 'failed')
  expect((await here.store.session('s1'))?.epoch).toBe(row.epoch)
  expect(old.messages.value).toHaveLength(2)
  await expect(old.fork()).rejects.toMatchObject({ code: 'session-newer' })
  expect(await here.store.sessions()).toHaveLength(1)
})

test('[G13] a tab that is too old leaves the line for the lock, and shows nothing of what a newer one streams', async () => {
  const lock = memoryLock()
  const line: (AbortSignal | undefined)[] = []
  const { here, older, newer } = releases({
    acquire(name, options) {
      if (name === 'dogear::s1') line.push(options.signal)
      return lock.acquire(name, options)
    },
  })
  const model = scriptedModel([say('new'), [say('half of'), forever]])
  const young = await here.tab({ model }, newer).open()
  const old = await here.tab({ model: scriptedModel([]) }, older.disk).open()
  await young.send('one')
  await until(() => old.connection.value.type === 'failed')
  expect(line.map((signal) => signal?.aborted)).toEqual([false, true])
  void young.send('two')
  await until(() => young.partial.value?.text === 'half of')
  await until(() => young.pending.value.length > 0)
  expect(old.partial.value).toBeNull()
})

test('[G13] a session is not renamed by a script that cannot read what was written a moment before', async () => {
  const here = device()
  const tab = here.tab({ model: scriptedModel(() => say('old')) })
  await (await tab.open()).send('one')
  tab.kill()
  const disk = changed(here.store, {
    async acquire(...given) {
      await appendUnknown(here.store)
      return here.store.acquire(...given)
    },
  })
  const command = { type: 'rename', title: 'Later', commandId: 'c2', sessionId: 's1', at: 1 } as const
  const renaming = here.tab({}, disk).client.ask({ type: 'change', agent: 'tester', sessionId: 's1', command })
  await expect(renaming).rejects.toMatchObject({ code: 'session-newer' })
  expect((await here.store.entries('s1', 0)).at(-1)).toMatchObject({ type: 'mood-set' })
})

test('[G13] a session that only a newer script may own says so as soon as it is open: nothing is taken and never answered', async () => {
  const { here, older, newer } = releases()
  const young = here.tab({ model: scriptedModel(() => say('new')) }, newer)
  await (await young.open()).send('one')
  young.kill()
  // All its entries could be read; its row forbids it.
  const disk = changed(here.store, { session: older.disk.session, acquire: older.disk.acquire })
  const old = await here.tab({ model: scriptedModel(() => say('old')) }, disk).open()
  expect(old.connection.value).toMatchObject({ type: 'failed', error: { code: 'session-newer' } })
  await expect(old.send('two')).rejects.toMatchObject({ code: 'session-newer' })
  expect(await here.store.inbox('s1')).toEqual([])
})

test('[G13] what was sent before a newer script took over is not waited for: this tab will never hear of it', async () => {
  const { here, older, newer } = releases()
  const tab = here.tab({ model: scriptedModel(() => [...say('old'), forever]) }, older.disk)
  const old = await tab.open()
  const turn = old.send('one')
  await until(() => old.partial.value?.text === 'old')
  tab.freeze()
  const young = await here.tab({ model: scriptedModel(() => say('new')) }, newer).open()
  // Longer than a frozen owner is waited for.
  void young.stop()
  await until(() => young.status.value === 'idle', 'it is taken from the frozen tab')
  tab.thaw()
  await expect(turn).rejects.toMatchObject({ code: 'session-newer' })
}, 30_000)

test('[G13] a command of a newer script that this one does not know is refused, and the session goes on', async () => {
  const here = device()
  const session = await here.tab({ model: scriptedModel(() => say('old')) }).open()
  await session.send('one')
  const command = { type: 'dance', commandId: 'c2', sessionId: 's1', at: 1 } as unknown as Command
  await here.store.send(command)
  expect(await session.send('two')).toMatchObject({ text: 'old' })
  const entries = await here.store.entries('s1', 0)
  expect(entries).toContainEqual(expect.objectContaining({ type: 'command-refused', commandId: 'c2' }))
  expect(await here.store.inbox('s1')).toEqual([])
})

test('[G13] a newer script goes on with what an older one wrote', async () => {
  const { here, older, newer } = releases()
  const first = here.tab({ model: scriptedModel(() => say('old')) }, older.disk)
  await (await first.open()).send('one')
  first.kill()
  const young = await here.tab({ model: scriptedModel(() => say('new')) }, newer).open()
  expect(young.messages.value.map((message) => textOf(message))).toEqual(['one', 'old'])
  expect(await young.send('two')).toMatchObject({ text: 'new' })
})

async function appendUnknown(store: Store) {
  const row = await store.acquire('s1', { agent: 'tester', at: 1 })
  const { seq, epoch, updatedAt, messageCount, waiting } = row
  const entry = { v: 1, seq, id: 'new', at: 1, epoch, path: [], type: 'mood-set' } as unknown as Entry
  const record = { updatedAt, messageCount, waiting }
  await store.append({ sessionId: 's1', epoch, expectedSeq: seq, entries: [entry], record })
  return row
}

/** One device, and its store as two releases see it: what the newer one writes is of a version the older cannot read. */
function releases(lock?: Lock) {
  const store = openMemoryStore()
  const newerSeqs = new Set<number>()
  const writes: string[] = []
  const newer = changed(store, {
    async append(batch) {
      const answer = await store.append(batch)
      if (answer === 'appended') for (const { seq } of batch.entries) newerSeqs.add(seq)
      return answer
    },
  })
  const seen = (entry: Entry): Entry => (newerSeqs.has(entry.seq) ? { ...entry, v: 2 } : entry)
  const disk = changed(store, {
    async acquire(sessionId, create) {
      // As the store's own contract has it.
      if (newerSeqs.size > 0) throw newerSession(sessionId)
      return store.acquire(sessionId, create)
    },
    async session(sessionId) {
      const row = await store.session(sessionId)
      return row && newerSeqs.size > 0 ? { ...row, minReader: 2 } : row
    },
    entries: async (...range) => (await store.entries(...range)).map(seen),
    entriesAt: async (...range) => (await store.entriesAt(...range)).map(seen),
  })
  const watched = new Proxy(disk, {
    get(target, key: keyof Store) {
      const method = target[key] as (...args: unknown[]) => unknown
      return (...args: unknown[]) => {
        if (/^(append|send|save|delete|clear|swap)/.test(key)) writes.push(key)
        return method(...args)
      }
    },
  })
  return { here: device(store, { clock: hastyClock(10), lock }), newer, older: { disk: watched, writes } }
}

function changed(store: Store, change: Partial<Store>): Store {
  return new Proxy(store, {
    get: (target, key: keyof Store) => change[key] ?? (target[key] as () => unknown).bind(target),
  })
}
