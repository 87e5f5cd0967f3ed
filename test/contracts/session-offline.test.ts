/** Offline is a state: all that needs no model works, and the rest goes on by itself. */
import {
  createDriver,
  defineAgent,
  emptyHead,
  foldOf,
  openJournal,
  runAgentOf,
  textOf,
  type SmartAgentOptions,
} from '@dogear/core'
import { openMemoryStore } from '@dogear/store'
import { call, fail, fakeClock, say, scriptedModel, type Answer } from '@dogear/testing'
import { sha256 as hash } from '@dogear/worker/host'
import { expect, test } from 'vitest'
import { device, until } from './device.ts'

test('[G9] without a hint it tries again by itself, ever more seldom, at most half a minute apart', async () => {
  const { clock, tries } = await offline()
  const waits: number[] = []
  for (let n = 0; n < 12; n += 1) {
    const [next = 0] = clock.waits()
    waits.push(next)
    await clock.advance(next)
    expect(tries()).toBe(n + 2)
  }
  expect(waits[0]).toBeLessThanOrEqual(1_000)
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(500)
  expect(Math.max(...waits)).toBeLessThanOrEqual(30_000)
  expect(waits.at(-1)).toBeGreaterThanOrEqual(15_000)
})

test('[G9] two sessions that lost the same server do not come back at the same moment', async () => {
  const waits = await Promise.all(
    ['turn a', 'turn b'].map(async (words) => {
      const { clock } = await offline(words)
      return clock.waits()[0]
    }),
  )
  expect(waits[0]).not.toBe(waits[1])
})

test('[G9] a hint is tried at once, and once', async () => {
  const { clock, tries, driver } = await offline()
  await clock.advance(60_000)
  const before = tries()
  driver.nudge()
  await clock.advance(0)
  expect(tries()).toBe(before + 1)
  expect(clock.waits()[0]).toBeLessThanOrEqual(1_000)
})

test('[G9] a hint that comes while a try is failing is not forgotten', async () => {
  const during: (() => void)[] = []
  const { clock, tries, driver } = await offline('hello', () => during.shift()?.())
  await clock.advance(60_000)
  during.push(() => driver.nudge())
  const before = tries()
  driver.nudge()
  await clock.advance(0)
  expect(tries()).toBe(before + 2)
})

test('[G9] a try that fails at once does not make the state flicker, and one that works ends it', async () => {
  const { clock, states, goOnline } = await offline()
  await clock.advance(120_000)
  expect(states).toEqual(['network'])
  goOnline()
  await clock.advance(30_000)
  expect(states).toEqual(['network', null])
})

test('[G9] approved offline, a tool runs at once, and the turn waits where it needs the model', async () => {
  const { session, ran, goOnline, model } = await cutOff([call('book', {}), say('Booked.')], 1)
  const { requests } = await session.send('book it')
  void session.approve(requests[0]!.id)
  await until(() => session.waiting.value === 'network')
  expect(ran()).toBe(1)
  expect(session.pending.value.at(-1)).toMatchObject({ role: 'tool', content: 'room 7' })
  expect(session.connection.value).toEqual({ type: 'offline' })
  goOnline()
  await until(() => session.status.value === 'idle')
  expect(textOf(session.messages.value.at(-1)!)).toBe('Booked.')
  expect(ran()).toBe(1)
  expect(model.requests.filter(({ messages }) => messages.at(-1)?.role === 'user')).toHaveLength(1)
})

test('[G9] answers, plan edits, renames and changes of the queue take effect offline, and survive a reload', async () => {
  const { session, here, options, tab, goOnline } = await cutOff([say('One.'), say('Two.')], 0)
  void session.send('first')
  await until(() => session.waiting.value === 'network')
  const second = session.send('second')
  const third = session.send('third')
  await until(() => session.queued.value.length === 2)
  await session.editQueued(second.id, { content: 'second, better' })
  await session.unqueue(third.id)
  await session.rename('A trip')
  await session.editPlan({ operation: 'write', todoList: [{ id: 1, title: 'Pack', status: 'not-started' }] })
  tab.kill()
  const after = await here.tab(options).open()
  await until(() => after.waiting.value === 'network')
  expect(after.title.value).toBe('A trip')
  expect(after.plan.value?.steps).toHaveLength(1)
  expect(after.queued.value.map((queued) => textOf(queued))).toEqual(['second, better'])
  expect(after.pending.value.map(textOf)).toEqual(['first'])
  goOnline()
  await until(() => after.messages.value.length === 4)
  expect(after.messages.value.map(textOf)).toEqual(['first', 'One.', 'second, better', 'Two.'])
})

/** A driver whose turn cannot reach its model, on a clock that stands still. */
async function offline(words = 'hello', tried: () => void = () => {}) {
  const clock = fakeClock()
  const store = openMemoryStore()
  const states: unknown[] = []
  let isOnline = false
  const model = scriptedModel(() => {
    tried()
    return isOnline ? say('Yes.') : fail('network')
  })
  const agent = runAgentOf(defineAgent({ name: 'tester' }), model)
  const { epoch } = await store.acquire('s1', { agent: agent.name, at: 0 })
  const journal = openJournal({ fold: foldOf(emptyHead('s1', agent.name)), clock, store, epoch })
  const driver = createDriver({
    journal,
    store,
    agent,
    clock,
    hash,
    emit: () => {},
    waits: (reason) => states.push(reason),
    proven() {},
    warn: () => {},
    failed: (error) => {
      throw error
    },
  })
  await store.send({ type: 'send', sessionId: 's1', commandId: words, at: 0, content: words, when: 'later' })
  driver.wake()
  await clock.whenAsleep()
  return { clock, driver, states, tries: () => model.requests.length, goOnline: () => void (isOnline = true) }
}

/** A session whose model can be reached `reachable` times, and then not before `goOnline`. */
async function cutOff(script: readonly Answer[], reachable: number) {
  const here = device()
  let isOnline = false
  let answered = 0
  let ran = 0
  const model = scriptedModel(() => {
    if (!isOnline && answered >= reachable) return fail('network')
    return script[answered++] ?? say('And?')
  })
  const func = () => ((ran += 1), 'room 7')
  const options: SmartAgentOptions = { model, tools: [{ name: 'book', needsApproval: true, func }], useTodoList: true }
  const tab = here.tab(options)
  const session = await tab.open()
  function goOnline(): void {
    isOnline = true
    here.network.goOnline()
  }
  return { session, here, options, tab, model, ran: () => ran, goOnline }
}
