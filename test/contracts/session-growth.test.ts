/** A session may grow for years: opening it and going on with it must not cost more for that. */
import { type Entry, type Store } from '@dogear/core'
import { openMemoryStore } from '@dogear/store'
import { call, say, scriptedModel } from '@dogear/testing'
import { expect, test } from 'vitest'
import { device, type Device } from './device.ts'

test('[G15] a session of hundreds of turns is opened by its head and its newest messages alone', async () => {
  const store = openMemoryStore()
  await talk(device(store), 300)
  const { seq } = (await store.session('s1'))!
  expect(seq).toBeGreaterThan(1200)
  const read = counted(store)
  const session = await device(read.store)
    .tab({ model: scriptedModel(() => say('Yes.')) })
    .open()
  expect(session.messages.value).toHaveLength(50)
  expect(session.hasOlder.value).toBe(true)
  expect(read.entries()).toBeLessThan(60)
})

test('[G15] a step of a long session writes no more than one of a short session', async () => {
  const written = async (turns: number) => {
    const here = device()
    const { store } = here
    await talk(here, turns)
    const { seq } = (await store.session('s1'))!
    const model = scriptedModel((_request, n) => (n === 0 ? call('look') : say('Yes.')))
    const session = await here.tab({ model, tools: [{ name: 'look', func: () => 'nothing' }] }).open()
    await session.send('look')
    return (await store.entries('s1', seq)).map(sizeOf)
  }
  expect(await written(60)).toEqual(await written(2))
})

async function talk(here: Device, turns: number): Promise<void> {
  const tab = here.tab({ model: scriptedModel(() => say('Yes.')) })
  const session = await tab.open()
  for (let turn = 0; turn < turns; turn += 1) await session.send('go on')
  await session.rename('A long one')
  // The head is cached behind the last turn's end.
  await new Promise((resolve) => setTimeout(resolve, 20))
  session.close()
}

/** Without what differs from entry to entry by design: numbers, times and random ids. */
function sizeOf(entry: Entry): number {
  return JSON.stringify(entry).replaceAll(/\d+/g, '0').length
}

function counted(store: Store): { store: Store; entries: () => number } {
  let entries = 0
  const count = (found: Entry[]) => {
    entries += found.length
    return found
  }
  return {
    entries: () => entries,
    store: {
      ...store,
      entries: async (...args) => count(await store.entries(...args)),
      entriesAt: async (...args) => count(await store.entriesAt(...args)),
    },
  }
}
