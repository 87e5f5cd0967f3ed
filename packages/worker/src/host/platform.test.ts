import { afterEach, expect, test, vi } from 'vitest'
import { browserClock, browserIds, browserLock } from './platform.ts'

afterEach(() => void vi.unstubAllGlobals())

test('a wait ends with its time, or with its signal, and never fails', async () => {
  await browserClock.sleep(1)
  const controller = new AbortController()
  const waiting = browserClock.sleep(1e9, controller.signal)
  controller.abort()
  await waiting
  await browserClock.sleep(1e9, controller.signal)
})

test('a timer calls once its time is up, unless it was taken back', async () => {
  let rang = 0
  browserClock.after(1, () => (rang += 1))
  browserClock.after(1, () => (rang += 10))()
  await browserClock.sleep(20)
  expect(rang).toBe(1)
})

test('a wait for ever is not over at once', async () => {
  const controller = new AbortController()
  let isOver = false
  const waiting = browserClock.sleep(Infinity, controller.signal).then(() => (isOver = true))
  await browserClock.sleep(10)
  expect(isOver).toBe(false)
  controller.abort()
  await waiting
})

test('an id is 128 random bits', () => {
  expect(browserIds.id()).toMatch(/^[0-9a-f]{32}$/)
  expect(browserIds.id()).not.toBe(browserIds.id())
})

test('a Web Lock is held until it is released, and says when it was stolen', async () => {
  let steal = () => {}
  let isReleased = false
  stubLocks(async (_name, _options, granted) => {
    const holding = granted({ name: 's' }).then(() => (isReleased = true))
    await Promise.race([
      holding,
      new Promise((_, reject) => (steal = () => reject(new DOMException('', 'AbortError')))),
    ])
  })
  const first = await browserLock.acquire('s', { wait: true })
  first?.release()
  await new Promise((resolve) => setImmediate(resolve))
  expect(isReleased).toBe(true)
  const second = await browserLock.acquire('s', { wait: true })
  steal()
  await second?.lost
})

test('a lock nobody wants any more is not an error; one that is forbidden, or not there, says so', async () => {
  stubLocks(() => Promise.reject(new DOMException('', 'AbortError')))
  expect(await browserLock.acquire('s', { wait: true })).toBeUndefined()
  stubLocks(() => Promise.reject(new DOMException('', 'SecurityError')))
  await expect(browserLock.acquire('s', { wait: true })).rejects.toMatchObject({ name: 'SecurityError' })
  stubLocks(() => Promise.reject(new Error('other')))
  await expect(browserLock.acquire('s', { wait: true })).rejects.toThrow('other')
  vi.stubGlobal('navigator', {})
  await expect(browserLock.acquire('s', { wait: true })).rejects.toMatchObject({ name: 'SecurityError' })
})

type Request = (name: string, options: unknown, granted: (lock: unknown) => Promise<void>) => Promise<unknown>

function stubLocks(request: Request): void {
  vi.stubGlobal('navigator', { locks: { request } })
}
