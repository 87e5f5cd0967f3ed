import { createMemory } from '@dogear/core'
import { openIndexedDbStore, openMemoryStore } from '@dogear/store'
import * as fakeIndexedDb from 'fake-indexeddb'
import { expect, test } from 'vitest'
import { memoryContract } from './memory.ts'

Object.assign(globalThis, fakeIndexedDb)
let databases = 0
const inIndexedDb = () => openIndexedDbStore({ name: `memory-${(databases += 1)}` })

memoryContract('memory', async (now) => createMemory(now))
memoryContract('the store in memory', async (now) => openMemoryStore().memory(now))
memoryContract('IndexedDB', async (now) => (await inIndexedDb()).memory(now))

test.each([
  ['memory', async () => openMemoryStore()],
  ['IndexedDB', inIndexedDb],
] as const)('[C40] in %s a memory outlives its sessions, and goes with its user', async (_name, open) => {
  const store = await open()
  await store.memory(() => 0).upsert({ key: 'city', value: 'Lisbon', scope: 'user' })
  await store.acquire('s1', { agent: 'tester', at: 0 })
  await store.delete('s1')
  expect(await store.memory(() => 0).get('city', 'user')).toMatchObject({ value: 'Lisbon' })
  await store.clear()
})
