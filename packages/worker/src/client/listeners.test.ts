import type { Entry } from '@dogear/core'
import { expect, test } from 'vitest'
import { createListeners } from './listeners.ts'

test('[O14] a listener hears every entry from its start on, once and in order', () => {
  const heard: number[] = []
  const listeners = createListeners(async () => [], fail)
  const stop = listeners.add((entry) => heard.push(entry.seq), 1)
  listeners.tell(entries(0, 3))
  listeners.tell(entries(2, 4))
  stop()
  listeners.tell(entries(4, 5))
  expect(heard).toEqual([1, 2, 3])
})

test('[O14] what was committed while no worker told of it is read before what comes after it', async () => {
  const heard: number[] = []
  let answer = (_entries: Entry[]) => {}
  const listeners = createListeners((from, to) => {
    expect([from, to]).toEqual([2, 5])
    return new Promise((resolve) => (answer = resolve))
  }, fail)
  listeners.add((entry) => heard.push(entry.seq), 0)
  listeners.tell(entries(0, 2))
  listeners.reach(5)
  listeners.tell(entries(5, 6))
  await Promise.resolve()
  expect(heard).toEqual([0, 1])
  answer(entries(2, 5))
  await new Promise((resolve) => setImmediate(resolve))
  expect(heard).toEqual([0, 1, 2, 3, 4, 5])
})

test('[O14] a listener that throws keeps no entry from the others, nor from itself', () => {
  const heard: number[] = []
  const failures: unknown[] = []
  const listeners = createListeners(
    async () => [],
    (error) => failures.push(error),
  )
  listeners.add(({ seq }) => {
    heard.push(seq)
    throw new Error('no')
  }, 0)
  listeners.add(({ seq }) => heard.push(seq), 0)
  listeners.tell(entries(0, 2))
  expect(heard).toEqual([0, 0, 1, 1])
  expect(failures).toHaveLength(2)
})

test('[O14] after its session was deleted a listener hears the next one from its first entry on', () => {
  const heard: number[] = []
  const listeners = createListeners(async () => [], fail)
  listeners.add(({ seq }) => heard.push(seq), 0)
  listeners.tell(entries(0, 3))
  listeners.restart()
  listeners.tell(entries(0, 2))
  expect(heard).toEqual([0, 1, 2, 0, 1])
})

function fail(error: unknown): never {
  throw error
}

function entries(from: number, to: number): Entry[] {
  return Array.from({ length: to - from }, (_, index) => ({
    v: 1,
    seq: from + index,
    id: `1.${from + index}`,
    at: 0,
    epoch: 1,
    path: [],
    type: 'title-set',
    title: 'x',
    source: 'person',
  }))
}
