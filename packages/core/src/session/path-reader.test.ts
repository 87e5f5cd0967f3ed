import { expect, test } from 'vitest'
import { emptyHead, foldOf, type Fold } from './fold.ts'
import type { Entry, EntryBody } from './entry.ts'
import { createPathReader } from './path-reader.ts'
import { reduce } from './reduce.ts'

test('what was added since the last reading follows what was read', async () => {
  const { fold, say, texts } = session()
  say('one')
  expect(await texts()).toEqual(['one'])
  say('two')
  say('three')
  expect(await texts()).toEqual(['one', 'two', 'three'])
  expect(await texts()).toEqual(['one', 'two', 'three'])
  expect(fold.head.leaf).toBe('three')
})

test('a move to another branch is read from its start, and so is the way back', async () => {
  const { say, go, texts } = session()
  say('one')
  say('two')
  expect(await texts()).toEqual(['one', 'two'])
  go('one')
  expect(await texts()).toEqual(['one'])
  say('other')
  expect(await texts()).toEqual(['one', 'other'])
  go('two')
  expect(await texts()).toEqual(['one', 'two'])
  go(null)
  expect(await texts()).toEqual([])
})

test('what a caller does to the messages it was given is not read by the next', async () => {
  const { say, read, texts } = session()
  say('one')
  ;(await read()).length = 0
  expect(await texts()).toEqual(['one'])
})

test('a body is read from the store once', async () => {
  const { fold, say, entries } = session()
  say('one')
  fold.bodies.clear()
  let asked = 0
  const read = createPathReader(fold, {
    entriesAt: async (_, seqs) => {
      asked += 1
      return seqs.flatMap((seq) => entries[seq] ?? [])
    },
  })
  expect((await read()).map(({ content }) => content)).toEqual(['one'])
  await read()
  expect(asked).toBe(1)
})

function session() {
  const fold: Fold = foldOf(emptyHead('s1', 'tester'))
  const entries: Entry[] = []
  const read = createPathReader(fold)

  function add(body: EntryBody): void {
    const { seq } = fold.head
    const entry: Entry = { v: 1, seq, id: `1.${seq}`, at: 0, epoch: 1, path: [], ...body }
    entries.push(entry)
    reduce(fold, entry)
  }

  return {
    fold,
    entries,
    read,
    texts: async () => (await read()).map(({ content }) => content),
    go: (leaf: string | null) => add({ type: 'cursor-set', leaf }),
    say: (text: string) =>
      add({
        type: 'message-add',
        parent: fold.head.leaf,
        message: { id: text, role: 'user', content: text, meta: { status: 'complete', createdAt: 0 } },
      }),
  }
}
