/** The list of a device's sessions, watched: what each does, which are open, and whoever watches hears of every change. */
import type { Store } from '@dogear/core'
import { openMemoryStore } from '@dogear/store'
import { call, pause, say, scriptedModel } from '@dogear/testing'
import type { SessionInfo } from '@dogear/worker'
import { expect, test } from 'vitest'
import { device, hastyClock, until, type Tab } from './device.ts'

const talking = { model: scriptedModel(() => say('Fine.')) }
const booking = {
  model: scriptedModel((_request, n) => (n === 0 ? call('book') : say('Booked.'))),
  tools: [{ name: 'book', label: 'Book a room', needsApproval: true, func: () => 'done' }],
}

test('[O19] a tab hears of the list at once, and of whatever another tab does to it', async () => {
  const { tab } = device()
  const watching = watch(tab(talking))
  await watching.shows([])
  const one = tab(booking)
  const session = await one.open('trip')
  const turn = session.send('Book it')
  await watching.shows([{ id: 'trip', status: 'paused', open: false, waiting: 1, asks: ['Book a room'] }])
  const { requests } = await turn
  await session.resolve(requests[0]!.id, { type: 'approve' })
  await watching.shows([{ id: 'trip', status: 'idle', waiting: 0, title: 'Book it' }])
  await session.rename('A weekend in Lisbon')
  await watching.shows([{ title: 'A weekend in Lisbon' }])
  await said(one, 'second', 'Hello')
  await watching.shows([{ id: 'second' }, { id: 'trip' }])
  await one.client.delete({}, 'trip')
  await watching.shows([{ id: 'second' }])
})

test('[O19] a session at work is told as busy, to the tab it works in as well', async () => {
  const { tab } = device()
  let goOn = () => {}
  const gate = new Promise<void>((resolve) => (goOn = resolve))
  const own = tab({ model: scriptedModel([[say('One, '), pause(gate), say('two.')]]) })
  const session = await own.open()
  const watching = watch(own)
  const turn = session.send('Count')
  await watching.shows([{ status: 'busy', open: true }])
  goOn()
  await turn
  await watching.shows([{ status: 'idle', open: true }])
})

test('[O19] the list can be of those that this tab has open, and one that is closed leaves it', async () => {
  const { tab } = device()
  const here = tab({ ...talking, idleShutdownAfter: 0 })
  const there = tab(talking)
  await said(here, 'closed', 'One')
  await said(here, 'mine', 'Two')
  await said(there, 'theirs', 'Three')
  const mine = await here.open('mine')
  const open = watch(here, { open: true })
  await open.shows([{ id: 'mine', open: true }])
  expect(await list(here)).toMatchObject([{ id: 'theirs', open: false }, { open: true }, { id: 'closed', open: false }])
  mine.close()
  await open.shows([])
})

test('[O19] a session whose tab died at work says so to whoever watches', async () => {
  const { tab } = device()
  const dying = tab({ model: scriptedModel([[say('One, '), pause(new Promise(() => {}))]]) })
  const session = await dying.open()
  const watching = watch(tab(talking))
  void session.send('Count')
  await watching.shows([{ status: 'busy', open: false }])
  dying.kill()
  await rest()
  await watching.shows([{ status: 'busy', open: false }])
})

test('[O19] whoever watches hears of nothing that the list does not show, and of nothing once it has ended', async () => {
  const { tab, transport } = device(openMemoryStore(), { clock: hastyClock(50) })
  const own = tab(talking)
  const session = await own.open()
  await session.send('One')
  const watching = watch(own)
  await watching.shows([{ status: 'idle' }])
  await settled(watching.told)
  const { length } = watching.told
  const channel = transport.open('dogear::', () => {})
  for (let n = 0; n < 100; n += 1) channel.post({ type: 'whatever', n })
  await rest()
  expect(watching.told).toHaveLength(length)
  watching.end()
  await session.rename('Another')
  await rest()
  expect(watching.told).toHaveLength(length)
})

test('[T13] [O19] however often a tab is told that the list changed, it is read a few times', async () => {
  const store = openMemoryStore()
  let reads = 0
  const counting: Store = { ...store, sessions: (query) => ((reads += 1), store.sessions(query)) }
  const { tab, transport } = device(store)
  await watch(tab(talking, counting)).shows([])
  const channel = transport.open('dogear::', () => {})
  for (let n = 0; n < 1000; n += 1) channel.post('look')
  await rest()
  expect(reads).toBeLessThan(10)
})

test('[O19] [G1] a worker that dies takes no watch with it', async () => {
  const { tab } = device()
  const own = tab(talking)
  const session = await own.open()
  await session.send('One')
  const watching = watch(own)
  await watching.shows([{ title: 'One' }])
  own.killWorker()
  await session.rename('Two')
  await watching.shows([{ title: 'Two' }])
}, 20_000)

test('[O19] a list that cannot be read now is told when it can', async () => {
  const store = openMemoryStore()
  let isBroken = true
  const breaking: Store = {
    ...store,
    sessions: (query) => (isBroken ? Promise.reject(new Error('broken')) : store.sessions(query)),
  }
  const { tab } = device(store)
  const watching = watch(tab(talking, breaking))
  await said(tab(talking), 's1', 'One')
  expect(watching.told).toEqual([])
  isBroken = false
  await said(tab(talking), 's2', 'Two')
  await watching.shows([{ id: 's2' }, { id: 's1' }])
})

test('[T16] [O19] when all of a user is deleted the list is empty, and their store is not made anew by looking', async () => {
  let opened = 0
  const store = openMemoryStore()
  const { tab } = device(store)
  const own = tab(talking, new Proxy(store, { get: (target, key: keyof Store) => counted(target, key) }))
  const watching = watch(own)
  await said(own, 's1', 'One')
  await watching.shows([{ id: 's1' }])
  await own.client.clear({ name: 'tester' } as never)
  await watching.shows([])
  const { length } = watching.told
  opened = 0
  await rest()
  expect(watching.told).toHaveLength(length)
  expect(opened).toBe(0)
  await said(own, 's2', 'Two')
  await watching.shows([{ id: 's2' }])

  function counted(target: Store, key: keyof Store) {
    if (key === 'sessions') opened += 1
    return target[key]
  }
})

test('[O19] [X11] a page that was put away is not woken by the list, and looks at it when it is back', async () => {
  const { tab } = device()
  const away = tab(talking)
  const watching = watch(away)
  await watching.shows([])
  away.leave()
  await rest()
  const { length } = watching.told
  await said(tab(talking), 's1', 'One')
  await rest()
  expect(watching.told).toHaveLength(length)
  away.restore()
  await watching.shows([{ id: 's1' }])
})

test('[O19] a row of an older script, which says no status, is told by what waits', async () => {
  const store = openMemoryStore()
  const { tab } = device(store)
  await said(tab(talking), 's1', 'One')
  const { status: _status, ...row } = (await store.session('s1'))!
  const rows = [row, { ...row, id: 's2', waiting: 2 }]
  const old: Store = { ...store, sessions: async ({ before } = {}) => (before ? [] : rows) }
  expect(await list(tab(talking, old))).toMatchObject([{ status: 'idle' }, { status: 'paused' }])
})

function watch({ client }: Tab, query?: { open?: boolean }) {
  const told: (readonly SessionInfo[])[] = []
  const end = client.watch({ type: 'sessions', agent: 'tester', query }, (sessions) => told.push(sessions))
  const shows = async (expected: object[]) => {
    const isTold = () => {
      try {
        expect(told.at(-1)).toMatchObject(expected)
        return true
      } catch {
        return false
      }
    }
    await until(isTold, JSON.stringify({ expected, told: told.at(-1) })).catch(() => {
      expect(told.at(-1)).toMatchObject(expected)
    })
  }
  return { told, end, shows }
}

function list({ client }: Tab): Promise<SessionInfo[]> {
  return client.ask({ type: 'sessions', agent: 'tester' })
}

async function said(tab: Tab, sessionId: string, words: string): Promise<void> {
  const session = await tab.open(sessionId)
  await session.send(words)
  session.close()
}

/** Longer than a list waits before it looks again. */
function rest(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 600))
}

async function settled(told: readonly unknown[]): Promise<void> {
  let before = -1
  while (before !== told.length) {
    before = told.length
    await rest()
  }
}
