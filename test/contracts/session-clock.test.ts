/** What a clock that is set, by a person or by daylight saving, must not change: how long anything may take. */
import { restoreSnapshot, type Clock, type Snapshot } from '@dogear/core'
import { openMemoryStore } from '@dogear/store'
import { call, pause, say, scriptedModel } from '@dogear/testing'
import { browserClock } from '@dogear/worker/host'
import { expect, test, vi } from 'vitest'
import { device, until } from './device.ts'
import { functional, hello } from './functional.ts'

const day = 86_400_000
const jumps = [
  ['on', day],
  ['back', -day],
] as const

test.each(jumps)(
  '[G14] a tool whose page sets its clock a day %s has the time it has, and no more',
  async (_, jump) => {
    const clock = jumpingClock()
    const tools = [
      { name: 'quick', timeout: 2_000, func: () => (clock.jump(jump), later(100, 'in time')) },
      { name: 'endless', timeout: 200, func: () => (clock.jump(jump), new Promise(() => {})) },
    ]
    const model = scriptedModel([[call('quick'), call('endless')], say('Well.')])
    const session = await device(undefined, { clock }).tab({ model, tools }).open()
    const began = performance.now()
    await session.send('go')
    expect(performance.now() - began).toBeLessThan(10_000)
    const results = session.messages.value.filter(({ role }) => role === 'tool')
    expect(results.map(({ content }) => content)).toEqual(['in time', expect.stringContaining('did not answer within')])
    for (const { meta } of results) expect(meta.tool?.durationMs ?? 0).toBeLessThan(10_000)
    for (const { meta } of results) expect(meta.tool?.durationMs ?? 0).toBeGreaterThanOrEqual(0)
  },
)

test.each(jumps)('[G14] [C19] a clock set a day %s neither ends a turn nor keeps it from ending', async (_, jump) => {
  const clock = jumpingClock()
  let naps = 0
  const nap = { name: 'nap', func: () => ((naps += 1), clock.jump(jump), later(naps > 3 ? 700 : 1, 'napped')) }
  const model = scriptedModel(() => [call('nap')])
  const options = { model, tools: [nap], limits: { maxWallClockMs: 600, maxToolCalls: 50, maxSteps: 50 } }
  const session = await device(undefined, { clock }).tab(options).open()
  expect(await session.send('go')).toMatchObject({ terminalReason: 'max_wall_clock' })
  expect(naps).toBe(4)
})

test.each(jumps)(
  '[G14] [C44] a run resumed from a snapshot by a clock a day %s has its time, and ends by it',
  async (_, jump) => {
    const clock = jumpingClock()
    let naps = 0
    const tools = [
      { name: 'book', needsApproval: true, func: () => 'booked' },
      { name: 'nap', func: () => later((naps += 1) > 3 ? 700 : 1, 'napped') },
    ]
    const script = ({ messages }: { messages: readonly unknown[] }) => [call(messages.length > 1 ? 'nap' : 'book')]
    const { agent } = functional(script, {
      tools,
      limits: { maxWallClockMs: 600, maxToolCalls: 50, maxSteps: 50 },
      ports: { clock },
    })
    const paused = await agent.invoke(hello)
    const snapshot = JSON.parse(JSON.stringify(agent.snapshot(paused.state))) as Snapshot
    clock.jump(jump)
    const [waiting] = snapshot.state.pendingApprovals!
    const approved = agent.resolveToolApproval(restoreSnapshot(snapshot), { id: waiting!.id, approved: true })
    const { metadata } = await agent.resume(agent.snapshot(approved))
    expect(metadata).toMatchObject({ terminalReason: 'max_wall_clock' })
    expect(naps).toBe(4)
  },
)

test.each(jumps)(
  '[G14] a turn taken up by a tab whose clock is a day %s has its time, and ends by it',
  async (_, jump) => {
    const clock = jumpingClock()
    let naps = 0
    let isDead = false
    const nap = {
      name: 'nap',
      effect: 'read' as const,
      func: () => (isDead ? later((naps += 1) > 3 ? 700 : 1, 'napped') : ((isDead = true), new Promise(() => {}))),
    }
    const model = scriptedModel(() => [call('nap')])
    const options = { model, tools: [nap], limits: { maxWallClockMs: 600, maxToolCalls: 50, maxSteps: 50 } }
    const here = device(undefined, { clock })
    const tab = here.tab(options)
    void (await tab.open()).send('go')
    await until(() => isDead)
    tab.kill()
    clock.jump(jump)
    const session = await here.tab(options).open()
    await until(() => session.status.value === 'idle')
    expect(session.lastEnd.value).toMatchObject({ terminalReason: 'max_wall_clock' })
    expect(naps).toBe(4)
  },
)

test('[G14] what streams is kept every second, also after the clock was set back', async () => {
  const clock = jumpingClock()
  const store = openMemoryStore()
  const savePartial = vi.spyOn(store, 'savePartial')
  // From the request on, and long enough that a busy machine is not taken for a quick answer.
  const words = () => [...say('one'), pause(later(2_500, undefined)), ...say(' two')]
  const session = await device(store, { clock })
    .tab({ model: scriptedModel(words) })
    .open()
  const turn = session.send('go')
  await until(() => session.partial.value !== null)
  clock.jump(-day)
  await turn
  expect(savePartial).toHaveBeenCalled()
})

test('[G14] a kept result does not grow younger when the clock is set back', async () => {
  const clock = jumpingClock()
  let looked = 0
  const look = {
    name: 'look',
    effect: 'read' as const,
    cache: { ttlMs: 1_000, scope: 'session' as const },
    func: () => (looked += 1),
  }
  const model = scriptedModel([call('look'), say('One.'), call('look'), say('Two.'), call('look'), say('Three.')])
  const session = await device(undefined, { clock })
    .tab({ model, tools: [look] })
    .open()
  await session.send('look')
  await session.send('look')
  expect(looked).toBe(1)
  clock.jump(-day)
  await session.send('look')
  expect(looked).toBe(2)
})

function jumpingClock(): Clock & { jump(ms: number): void } {
  let offset = 0
  return { ...browserClock, now: () => Date.now() + offset, jump: (ms) => void (offset += ms) }
}

function later<T>(ms: number, value: T): Promise<T> {
  return new Promise((resolve) => setTimeout(resolve, ms, value))
}
