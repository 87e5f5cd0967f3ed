import { expect, test } from 'vitest'
import { countingIds, manualNetwork, memoryLock, memoryTransport } from './index.ts'

test('ids count, each seed for itself', () => {
  const ids = countingIds('tab')
  expect([ids.id(), ids.id(), countingIds('other').id()]).toEqual(['tab-1', 'tab-2', 'other-1'])
})

test('the network is there when the test says so, and tells its listeners', () => {
  const network = manualNetwork()
  const heard: boolean[] = []
  const unsubscribe = network.subscribe(() => heard.push(network.isOnline()))
  network.goOffline()
  network.goOnline()
  unsubscribe()
  network.goOffline()
  expect(heard).toEqual([false, true])
})

test('[G6] a lock has one holder, and those who wait get it in turn', async () => {
  const lock = memoryLock()
  const first = await lock.acquire('s', { wait: true })
  expect(await lock.acquire('s', { wait: false })).toBeUndefined()
  const order: number[] = []
  const second = lock.acquire('s', { wait: true }).then((held) => (order.push(2), held))
  const third = lock.acquire('s', { wait: true }).then((held) => (order.push(3), held))
  first!.release()
  ;(await second)!.release()
  ;(await third)!.release()
  expect(order).toEqual([2, 3])
  expect(await lock.acquire('s', { wait: false })).toBeDefined()
})

test('[G6] a stolen lock tells its holder, whose late release frees nothing', async () => {
  const lock = memoryLock()
  const victim = await lock.acquire('s', { wait: true })
  await lock.acquire('s', { wait: true, steal: true })
  await victim!.lost
  victim!.release()
  expect(await lock.acquire('s', { wait: false })).toBeUndefined()
})

test('whoever stops waiting for a lock leaves the queue', async () => {
  const lock = memoryLock()
  const held = await lock.acquire('s', { wait: true })
  const stop = new AbortController()
  const waiting = lock.acquire('s', { wait: true, signal: stop.signal })
  stop.abort()
  expect(await waiting).toBeUndefined()
  expect(await lock.acquire('s', { wait: true, signal: stop.signal })).toBeUndefined()
  held!.release()
  expect(await lock.acquire('s', { wait: false })).toBeDefined()
})

test('a broadcast reaches the others of its name, later and as a copy', async () => {
  const transport = memoryTransport()
  const heard: unknown[] = []
  const sender = transport.open('s', () => heard.push('echo'))
  const open = transport.open('s', (message) => heard.push(message))
  transport.open('other', () => heard.push('wrong name'))
  transport.open('s', () => heard.push('closed')).close()
  const message = { words: ['one'] }
  sender.post(message)
  expect(heard).toEqual([])
  message.words.push('two')
  await Promise.resolve()
  expect(heard).toEqual([{ words: ['one'] }])
  open.close()
  open.post('after close')
  expect(() => sender.post(() => {})).toThrow('could not be cloned')
})
