import type { Clock, Store } from '@dogear/core'
import { openIndexedDbStore, openMemoryStore } from '@dogear/store'
import { memoryLock } from '@dogear/testing'
import { browserIds, leaseLock } from '@dogear/worker/host'
import * as fakeIndexedDb from 'fake-indexeddb'
import { expect, test } from 'vitest'
import { device, hastyClock, until } from './device.ts'
import { lockContract } from './lock.ts'
import { say, scriptedModel } from '@dogear/testing'

Object.assign(globalThis, fakeIndexedDb)

const clock = hastyClock(100)
const leaseOn = (store: Store, own: Clock = clock) => leaseLock({ store, sessionId: 's', clock: own, ids: browserIds })

lockContract('memory', () => {
  const lock = memoryLock()
  return [lock, lock]
})
lockContract('a lease in memory', () => {
  const store = openMemoryStore()
  return [leaseOn(store), leaseOn(store)]
})
lockContract('a lease in IndexedDB', async () => {
  const name = crypto.randomUUID()
  return [leaseOn(await openIndexedDbStore({ name })), leaseOn(await openIndexedDbStore({ name }))]
})

test('[G6] [G14] a lease whose holder stands still is taken, by the time of the one who waits; a renewed one never', async () => {
  const store = openMemoryStore()
  let isFrozen = false
  const held = await leaseOn(store, {
    ...clock,
    sleep: (ms) => (isFrozen ? new Promise(() => {}) : clock.sleep(ms)),
  }).acquire('s', { wait: true })
  let isTaken = false
  const waiting = leaseOn(store, { ...clock, now: () => Math.random() * 1e15 })
    .acquire('s', { wait: true })
    .finally(() => (isTaken = true))
  await clock.sleep(30_000)
  expect(isTaken).toBe(false)
  isFrozen = true
  const next = await waiting
  expect(next).toBeDefined()
  held?.release()
  expect(await leaseOn(store).acquire('s', { wait: false })).toBeUndefined()
})

test('[G6] without Web Locks one tab drives and the others follow, and the next goes on when it is gone', async () => {
  const forbidden = { acquire: () => Promise.reject(new DOMException('', 'SecurityError')) }
  const here = device(openMemoryStore(), { clock: hastyClock(20), lock: forbidden })
  const dying = here.tab({ model: scriptedModel(() => say('first')) })
  const first = await dying.open()
  const second = await here.tab({ model: scriptedModel(() => say('second')) }).open()
  expect(await first.send('one')).toMatchObject({ text: 'first' })
  await until(() => second.messages.value.length === 2, 'the second follows')
  expect((await here.store.session('s1'))?.epoch).toBe(1)
  expect(await second.send('two')).toMatchObject({ text: 'second' })
  expect(await first.send('three')).toMatchObject({ text: 'first' })
  dying.kill()
  await here.store.send({ type: 'send', content: 'four', when: 'later', commandId: 'c4', sessionId: 's1', at: 1 })
  await until(() => second.messages.value.length === 8, 'the second goes on')
})

test('[G6] a lease that was let go leaves no row: the next holder need not wait for it to stand still', async () => {
  const store = openMemoryStore()
  const held = await leaseOn(store).acquire('s', { wait: true })
  held?.release()
  await clock.sleep(100)
  expect(await store.side('lease', 's', 's')).toBeUndefined()
})

test('[G6] a disk that fails does not take a lease away; another holder does', async () => {
  const store = openMemoryStore()
  let swaps = 0
  const failing = {
    ...store,
    swapSide: async (...given: Parameters<Store['swapSide']>) => {
      swaps += 1
      if (swaps === 2) throw new Error('the disk')
      return store.swapSide(...given)
    },
  }
  const held = await leaseOn(failing).acquire('s', { wait: true })
  let isLost = false
  void held?.lost.then(() => (isLost = true))
  await until(() => swaps >= 4, 'it is renewed after the failure')
  expect(isLost).toBe(false)
  await leaseOn(store).acquire('s', { wait: true, steal: true })
  await until(() => isLost, 'it is lost to a thief')
})

test('[G6] a lease let go while it is being renewed leaves no row', async () => {
  const store = openMemoryStore()
  let renewed = () => {}
  const isRenewed = new Promise<void>((resolve) => (renewed = resolve))
  let go = () => {}
  const gate = new Promise<void>((resolve) => (go = resolve))
  const slow: Store = {
    ...store,
    async swapSide(...given) {
      const [, , , from, to] = given
      const isMine = await store.swapSide(...given)
      if (from === undefined || to === undefined) return isMine
      renewed()
      await gate
      return isMine
    },
  }
  const held = await leaseOn(slow).acquire('s', { wait: true })
  await isRenewed
  held?.release()
  go()
  await clock.sleep(500)
  expect(await store.side('lease', 's', 's')).toBeUndefined()
})

test('[G6] a lease nobody wants any more by the time it is taken is let go', async () => {
  const store = openMemoryStore()
  const controller = new AbortController()
  const stopping = {
    ...store,
    async swapSide(...given: Parameters<Store['swapSide']>) {
      const isTaken = await store.swapSide(...given)
      controller.abort()
      return isTaken
    },
  }
  expect(await leaseOn(stopping).acquire('s', { wait: true, signal: controller.signal })).toBeUndefined()
  await clock.sleep(100)
  expect(await store.side('lease', 's', 's')).toBeUndefined()
})

test('[G6] a lock that fails for another reason than being forbidden is a failure, not a second kind of lock', async () => {
  const broken = { acquire: () => Promise.reject(new TypeError('broken')) }
  const here = device(openMemoryStore(), { lock: broken })
  const session = await here.tab({ model: scriptedModel([say('Hi.')]) }).open()
  await until(() => session.connection.value.type === 'failed', 'it says so')
  expect(await here.store.sides('lease', 's1')).toEqual([])
})
