import { expect, test } from 'vitest'
import type { Clock } from '../ports/clock.ts'
import { createDeadlines } from './deadlines.ts'

const day = 86_400_000

test('each deadline is told once, when its time is up, whatever the order they were set in', async () => {
  const clock = stoppedClock()
  const deadlines = createDeadlines(clock)
  const late: string[] = []
  deadlines.add(300, () => late.push('long'))
  deadlines.add(100, () => late.push('short'))
  deadlines.add(100, () => late.push('as short'))
  await clock.advance(99)
  expect(late).toEqual([])
  await clock.advance(1)
  expect(late).toEqual(['short', 'as short'])
  await clock.advance(200)
  expect(late).toEqual(['short', 'as short', 'long'])
})

test('a deadline taken back is never told, and one after it still is', async () => {
  const clock = stoppedClock()
  const deadlines = createDeadlines(clock)
  const late: string[] = []
  const takeBack = deadlines.add(100, () => late.push('taken back'))
  await clock.advance(50)
  takeBack()
  deadlines.add(100, () => late.push('second'))
  await clock.advance(100)
  expect(late).toEqual(['second'])
})

test.each([day, -day])('[G14] a clock set by %i ms ends no call early, and none late', async (jump) => {
  const clock = stoppedClock()
  const deadlines = createDeadlines(clock)
  const late: string[] = []
  deadlines.add(300, () => late.push('before'))
  await clock.advance(100)
  clock.jump(jump)
  deadlines.add(100, () => late.push('after'))
  await clock.advance(99)
  expect(late).toEqual([])
  await clock.advance(1)
  expect(late).toEqual(['after'])
  await clock.advance(100)
  expect(late).toEqual(['after', 'before'])
})

test('closed, it leaves no timer behind', async () => {
  const clock = stoppedClock()
  const deadlines = createDeadlines(clock)
  deadlines.add(100, () => expect.unreachable())
  expect(clock.timers()).toBe(1)
  deadlines.close()
  expect(clock.timers()).toBe(0)
  await clock.advance(100)
})

/** Time passes only when the test says so. */
function stoppedClock(): Clock & {
  advance(ms: number): Promise<void>
  jump(ms: number): void
  timers(): number
} {
  const sleepers = new Set<{ at: number; wake: () => void }>()
  let now = 0
  let wall = 0
  return {
    now: () => now + wall,
    elapsed: () => now,
    jump: (ms) => void (wall += ms),
    timers: () => sleepers.size,
    sleep: () => new Promise(() => {}),
    after(ms, call) {
      const sleeper = { at: now + ms, wake }
      function wake() {
        sleepers.delete(sleeper)
        call()
      }
      sleepers.add(sleeper)
      return () => void sleepers.delete(sleeper)
    },
    async advance(ms) {
      now += ms
      for (const sleeper of sleepers) if (sleeper.at <= now) sleeper.wake()
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}
