/** What a session promises when going on with it kills the host: it is parked, and nothing else suffers. */
import { defineAgent, textOf, type Clock, type SmartAgentOptions } from '@dogear/core'
import { call, say, scriptedModel } from '@dogear/testing'
import type { Session } from '@dogear/worker'
import { afterEach, expect, test, vi } from 'vitest'
import { device, hastyClock, until, type Tab } from './device.ts'

afterEach(() => vi.unstubAllGlobals())

test('[G16] what killed three hosts at the same place is parked: readable, with a reason, and nothing is run', async () => {
  const { here, deaths, reopen } = await poisoned()
  const { session } = await parked(reopen)
  expect(deaths()).toBe(4)
  expect(session.pending.value.map(({ content }) => content)).toContain('go')
  expect(session.connection.value).toMatchObject({ error: { message: expect.stringContaining('session.resume()') } })
  await calm()
  expect(deaths()).toBe(4)
  expect(await here.store.inbox('s1')).toEqual([])
})

test('[G16] a parked session is parked in every tab that opens it, and takes words', async () => {
  const { here, deaths, reopen } = await poisoned()
  const first = await parked(reopen)
  const second = await parked(reopen)
  await second.session.send('are you there?').saved
  await calm()
  expect(first.session.connection.value.type).toBe('failed')
  expect(second.session.connection.value.type).toBe('failed')
  expect(deaths()).toBe(4)
  expect(await here.store.inbox('s1')).toMatchObject([{ command: { content: 'are you there?' } }])
})

test('[G16] Retry counts anew: three more may die of it', async () => {
  const { deaths, reopen } = await poisoned()
  const { session } = await parked(reopen)
  session.resume()
  await until(() => deaths() === 5, 'another try')
  await parked(reopen)
  expect(deaths()).toBe(7)
})

test('[G16] cured and tried again it goes on, also in the tabs that follow', async () => {
  const { deaths, cure, reopen } = await poisoned()
  const { session } = await parked(reopen)
  const follower = await parked(reopen)
  cure()
  session.resume()
  await until(() => follower.session.status.value === 'idle')
  expect(follower.session.messages.value.at(-1)?.content).toBe('Well.')
  expect(follower.session.connection.value).toEqual({ type: 'online' })
  expect(deaths()).toBe(4)
})

test('[G16] Stop ends the turn of a parked session without running anything', async () => {
  const { deaths, reopen } = await poisoned()
  const { session } = await parked(reopen)
  await session.stop()
  await until(() => session.status.value === 'idle')
  expect(session.lastEnd.value).toMatchObject({ terminalReason: 'aborted_tools' })
  expect(session.connection.value).toEqual({ type: 'online' })
  expect(deaths()).toBe(4)
})

test('[G16] a parked session can be exported, and its snapshot kept', async () => {
  const { reopen } = await poisoned()
  const { tab, session } = await parked(reopen)
  const exported = await tab.client.ask({ type: 'export', agent: 'tester', sessionId: 's1' })
  expect(exported.state.messages.map(({ content }) => content)).toContain('go')
  await session.snapshot({ tag: 'as it is' })
  expect(await session.snapshots()).toMatchObject([{ tag: 'as it is' }])
})

test('[G16] the other sessions of the same host work, and are not blamed', async () => {
  const { deaths, reopen } = await poisoned(undefined, hastyClock(100))
  let entered = 0
  const wait = { name: 'wait', effect: 'read' as const, func: () => ((entered += 1), new Promise(() => {})) }
  const setUp = reopen([wait])
  await setUp.open('o1').then((session) => void session.send('wait'))
  await setUp.open('o2').then((session) => void session.send('wait'))
  await until(() => entered === 2)
  setUp.kill()
  const open = () => {
    const tab = reopen([wait])
    // The innocent first: they go on, and die with whoever kills their host.
    return Promise.all(['o1', 'o2', 's1'].map((id) => tab.open(id)))
  }
  for (let life = 0; life < 3; life += 1) {
    const before = deaths()
    await open()
    await until(() => deaths() > before, 'another death')
  }
  const [one, two, bad] = await open()
  await until(() => isParked(bad!))
  await calm()
  expect([one, two].map((session) => session!.connection.value.type)).toEqual(['online', 'online'])
  await two!.stop()
  await until(() => two!.status.value === 'idle')
  expect((await two!.send('hello')).text).toBe('Hello.')
  expect(isParked(bad!)).toBe(true)
})

test('[G16] a person who reloads and reloads in the middle of an answer parks nothing', async () => {
  const page = leavingPages()
  const here = device()
  const model = scriptedModel(() => [...say('one'), new Promise<void>(() => {}), ...say('two')] as never, {
    resumable: true,
  })
  let seen = 0
  for (let reload = 0; reload < 8; reload += 1) {
    const tab = here.tab({ model })
    const session = await tab.open()
    if (reload === 0) void session.send('go')
    await until(() => session.partial.value?.text === 'one' || session.connection.value.type === 'failed')
    seen += session.connection.value.type === 'online' ? 1 : 0
    page.leave()
    tab.kill()
  }
  expect(seen).toBe(8)
})

test('[G16] an ordinary turn writes no note, and one that was taken up and got further leaves none', async () => {
  const here = device()
  const saveSide = vi.spyOn(here.store, 'saveSide')
  const look = { name: 'look', effect: 'read' as const, func: () => 'seen' }
  const session = await here.tab({ model: scriptedModel([call('look'), say('Well.')]), tools: [look] }).open()
  await session.send('go')
  expect(saveSide.mock.calls.filter(([kind]) => kind === 'host')).toEqual([])
  const { here: other, cure, reopen } = await poisoned()
  cure()
  const next = await reopen().open()
  await until(() => next.status.value === 'idle')
  await calm()
  expect(await other.store.sides('host', 's1')).toEqual([])
})

test('[G16] a host that lets go in order is no death, however often', async () => {
  const here = device()
  const wait = { name: 'wait', effect: 'read' as const, func: () => new Promise(() => {}) }
  const model = scriptedModel([call('wait')])
  let tab = here.tab({ model, tools: [wait] })
  let session = await tab.open()
  void session.send('go')
  for (let times = 0; times < 6; times += 1) {
    await until(() => session.calls.value[0]?.intent?.attempt === times + 1, `try ${times + 1}`)
    session.close()
    // Another user: the host lets go of what the one before left at work.
    await tab.client.open(defineAgent({ name: 'tester', user: 'next', model }), { type: 'new' })
    tab = here.tab({ model, tools: [wait] })
    session = await tab.open()
  }
  expect(session.connection.value).toEqual({ type: 'online' })
})

test('[G16] deaths at different places are not added up', async () => {
  const { deaths, cure, reopen } = await poisoned(['bomb', 'bomb', 'bomb', 'Well.'])
  let session: Session | undefined
  for (let place = 1; place <= 3; place += 1) {
    await reopenAndDie(reopen, deaths)
    await reopenAndDie(reopen, deaths)
    cure(1)
    session = await reopen().open()
    await until(
      () => deaths() === place * 3 + (place < 3 ? 1 : 0) || session?.status.value === 'idle',
      `place ${place}`,
    )
  }
  await until(() => session?.status.value === 'idle')
})

test('[G16] a parked session stays parked when another one is deleted, though that makes room', async () => {
  const { deaths, reopen } = await poisoned()
  const { tab, session } = await parked(reopen)
  await (await tab.open('s2')).send('hello')
  await tab.client.delete(session.agent, 's2')
  await calm()
  expect(isParked(session)).toBe(true)
  expect(deaths()).toBe(4)
})

/** A turn whose tool kills whoever runs it, until it is cured; so far it has killed one. */
async function poisoned(script: Script = ['bomb', 'Well.'], clock?: Clock) {
  const here = device(undefined, { clock })
  let deaths = 0
  let harmless = 0
  const model = scriptedModel(({ messages }) => {
    const begin = messages.findLastIndex(({ role }) => role === 'user')
    const words = textOf(messages[begin]!)
    if (words === 'wait') return [call('wait')]
    if (words === 'hello') return say('Hello.')
    const beat = script[(messages.length - begin - 1) / 2]!
    return beat === 'bomb' ? [call('bomb')] : say(beat)
  })
  const reopen = (more: SmartAgentOptions['tools'] = []) => {
    const bomb = {
      name: 'bomb',
      effect: 'read' as const,
      func() {
        if (harmless > 0) return (harmless -= 1)
        deaths += 1
        tab.kill()
        return new Promise(() => {})
      },
    }
    const tab: Tab = here.tab({ model, tools: [bomb, ...more] })
    return tab
  }
  const first = await reopen().open()
  void first.send('go')
  await until(() => deaths === 1)
  return { here, deaths: () => deaths, reopen, cure: (times = 1) => (harmless = times) }
}

/** What the model does, step by step: it calls the bomb, or says something. */
type Script = readonly string[]

async function reopenAndDie(reopen: () => Tab, deaths: () => number): Promise<void> {
  const before = deaths()
  await reopen().open()
  await until(() => deaths() > before, 'another death')
}

/** Opened until it no longer kills. */
async function parked(reopen: () => Tab): Promise<{ tab: Tab; session: Session }> {
  for (let opened = 0; opened < 6; opened += 1) {
    const tab = reopen()
    const session = await tab.open()
    await calm()
    if (isParked(session)) return { tab, session }
  }
  throw new Error('it was opened six times, and never parked')
}

function isParked({ connection }: Session): boolean {
  return connection.value.type === 'failed' && connection.value.error.code === 'session-parked'
}

/** Long enough for a host to begin, and to die of it. */
async function calm(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 60))
}

/** A browser's pages, as far as leaving them goes. */
function leavingPages() {
  type Told = (event: Pick<PageTransitionEvent, 'persisted'>) => void
  const hidden = new Set<Told>()
  const kept = new Map<string, string>()
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => void kept.set(key, text),
  })
  vi.stubGlobal('addEventListener', (type: string, listener: Told) => type === 'pagehide' && hidden.add(listener))
  vi.stubGlobal('removeEventListener', () => {})
  return {
    leave() {
      for (const tell of hidden) tell({ persisted: false })
      hidden.clear()
    },
  }
}
