/** Sessions that earlier versions left in every way: this one loads, shows and ends each of them. */
import { entryTypes, textOf, type Entry, type Message, type Store } from '@dogear/core'
import { openIndexedDbStore, openMemoryStore } from '@dogear/store'
import * as fakeIndexedDb from 'fake-indexeddb'
import { expect, test } from 'vitest'
import { device, until } from '../device.ts'
import { currentVersion, keptHistories } from './kept.ts'
import { readRecords, writeRecords } from './records.ts'
import { stories } from './stories.ts'

Object.assign(globalThis, fakeIndexedDb)

const kept = keptHistories()
let databases = 0
const stores: Readonly<Record<string, () => Store | Promise<Store>>> = {
  memory: openMemoryStore,
  IndexedDB: () => openIndexedDbStore({ name: `history${(databases += 1)}` }),
}

test('[G13] every story is kept as this version writes it', () => {
  const ours = kept.filter(({ version }) => version === currentVersion)
  expect(new Set(ours.map(({ story }) => story))).toEqual(new Set(Object.keys(stories)))
})

test('[G13] every type of entry stands in some history of this version', () => {
  const entries = kept.flatMap(({ version, entries: all }) => (version === currentVersion ? all : []))
  expect([...new Set(entries.map(({ type }) => type))].sort()).toEqual(Object.keys(entryTypes).sort())
})

test.each(kept.flatMap((history) => Object.keys(stores).map((kind) => ({ ...history, kind }))))(
  '[G7] [G13] $story, left by version $version, is shown, goes on and ends: $kind',
  async ({ kind, version: _version, ...history }) => {
    const { story, ...records } = history
    const { agent, begins, rest, answer, ends } = stories[story]!
    for (const withHead of [true, false]) {
      const store = await stores[kind]!()
      await writeRecords(store, { ...records, head: withHead ? records.head : undefined })
      expect(await readRecords(store, records.session.id)).toMatchObject(
        withHead ? records : { entries: records.entries },
      )
      const session = await device(store, { name: 'later' }).tab(agent(rest)).open(records.session.id)
      const first = [...session.messages.value, ...session.pending.value][0]
      expect(first, 'the first message').toEqual(records.entries.flatMap(messagesOf).find(saying(begins)))
      await answer?.(session)
      await until(() => session.status.value === 'idle' && lastWords() === ends, ends)
      expect(await store.entries(records.session.id, 0, records.session.seq)).toEqual(records.entries)
      expect(await store.sides('quarantine', records.session.id)).toEqual([])

      function lastWords(): string {
        return textOf(session.messages.value.at(-1) ?? { content: '' })
      }
    }
  },
)

function messagesOf(entry: Entry): readonly Message[] {
  if (entry.type === 'state-import') return entry.messages
  return entry.type === 'message-add' ? [entry.message] : []
}

function saying(words: string): (message: Message) => boolean {
  return (message) => textOf(message) === words
}
