/** Where encryption at rest and a mirror attach: around the store, before its transaction and after it. */
import { type Batch, type Entry, type Store } from '@dogear/core'
import { openMemoryStore } from '@dogear/store'
import { say, scriptedModel } from '@dogear/testing'
import { expect, test } from 'vitest'
import { device } from './device.ts'

const talking = { model: scriptedModel((_request, n) => say(`Answer ${n}.`)) }

test('[T16] what is sealed before the transaction lies sealed on the disk, and opens to the same session', async () => {
  const disk = openMemoryStore()
  const session = await device(sealing(disk)).tab(talking).open()
  await session.send('A secret')
  const lying = JSON.stringify(await disk.entries('s1', 0))
  expect(lying).not.toMatch(/secret|Answer/)
  const again = await device(sealing(disk)).tab(talking).open()
  expect(again.messages.value.map(({ content }) => content)).toEqual(['A secret', 'Answer 0.'])
})

test('[G1] what is copied away after the local write is what was written, in order; a copy that fails costs nothing', async () => {
  const disk = openMemoryStore()
  const copies: Entry[] = []
  let isDown = false
  const mirrored = after(disk, async ({ entries }) => {
    if (isDown) throw new Error('The mirror is down.')
    copies.push(...entries)
  })
  const session = await device(mirrored).tab(talking).open()
  await session.send('One')
  expect(copies).toEqual(await disk.entries('s1', 0))
  isDown = true
  expect(await session.send('Two')).toMatchObject({ terminalReason: 'completed' })
  expect((await disk.entries('s1', 0)).length).toBeGreaterThan(copies.length)
})

/** Told once a batch is committed; whatever it does, the writer does not wait for it. */
function after(store: Store, copy: (batch: Batch) => Promise<void>): Store {
  return {
    ...store,
    async append(batch) {
      const answer = await store.append(batch)
      if (answer === 'appended') copy(batch).catch(() => {})
      return answer
    },
  }
}

/** Order, owner and time stay readable: the store compares and sorts by them. */
function sealing(store: Store): Store {
  const envelope = ({ v, seq, id, at, epoch, path }: Entry) => ({ v, seq, id, at, epoch, path })
  const opened = (entries: readonly unknown[]) =>
    Promise.all((entries as { sealed: string }[]).map(async ({ sealed }) => JSON.parse(await flipped(sealed)) as Entry))
  return {
    ...store,
    async append(batch) {
      const seal = async (entry: Entry) => ({ ...envelope(entry), sealed: await flipped(JSON.stringify(entry)) })
      // The cast: a sealed record is an entry to nobody but whoever opens it.
      const entries = (await Promise.all(batch.entries.map(seal))) as unknown as Entry[]
      const { title: _title, ...record } = batch.record
      return store.append({ ...batch, record, entries })
    },
    entries: async (...args) => opened(await store.entries(...args)),
    entriesAt: async (...args) => opened(await store.entriesAt(...args)),
    head: async () => undefined,
    saveHead: async () => {},
  }
}

/** Stands in for a cipher: like one it takes a moment, and its own inverse. */
async function flipped(text: string): Promise<string> {
  await new Promise((resolve) => setTimeout(resolve, 1))
  return [...text].map((letter) => String.fromCharCode(letter.charCodeAt(0) ^ 1)).join('')
}
