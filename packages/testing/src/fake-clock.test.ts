import { expect, test } from 'vitest'
import { fakeClock } from './index.ts'

test('a timer calls in its turn, unless it was taken back', async () => {
  const clock = fakeClock()
  const log: string[] = []
  clock.after(20, () => log.push('late'))
  clock.after(10, () => log.push('soon'))
  clock.after(15, () => log.push('never'))()
  await clock.advance(30)
  expect(log).toEqual(['soon', 'late'])
})

test('time stands still until it is moved', async () => {
  const clock = fakeClock(1000)
  await clock.advance(50)
  expect(clock.now()).toBe(1050)
})

test('waits end in order, also those begun on the way', async () => {
  const clock = fakeClock()
  const log: string[] = []
  const chain = async () => {
    await clock.sleep(10)
    log.push(`first ${clock.now()}`)
    await clock.sleep(5)
    log.push(`then ${clock.now()}`)
  }
  void chain()
  void clock.sleep(12).then(() => log.push(`second ${clock.now()}`))
  expect(clock.waits()).toEqual([10, 12])
  await clock.advance(20)
  expect(log).toEqual(['first 10', 'second 12', 'then 15'])
  expect(clock.now()).toBe(20)
})

test('an aborted wait resolves early and is forgotten', async () => {
  const clock = fakeClock()
  const stop = new AbortController()
  const sleeping = clock.sleep(1000, stop.signal)
  stop.abort()
  await sleeping
  await clock.sleep(1000, stop.signal)
  expect(clock.waits()).toEqual([])
})

test('[G14] a jump of the wall clock ends no wait', async () => {
  const clock = fakeClock()
  let awake = false
  void clock.sleep(10).then(() => (awake = true))
  clock.jump(86_400_000)
  await clock.advance(9)
  expect(awake).toBe(false)
  await clock.advance(1)
  expect(awake).toBe(true)
  expect(clock.now()).toBe(86_400_010)
})

test('a test can wait until somebody waits', async () => {
  const clock = fakeClock()
  const asleep = clock.whenAsleep()
  void clock.sleep(1)
  await asleep
  await clock.whenAsleep()
  expect(clock.waits()).toEqual([1])
})
