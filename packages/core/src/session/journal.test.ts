import { expect, test } from 'vitest'
import type { Batch } from '../ports/store.ts'
import type { Entry } from './entry.ts'
import { emptyHead, foldOf, pathOf } from './fold.ts'
import { openJournal, type NewEntry } from './journal.ts'
import type { Message } from './message.ts'

test('what is appended in one tick is one transaction; what comes while it is written is the next', async () => {
  const { journal, batches } = journalOf()
  const first = Promise.all([journal.append([words('a')]), journal.append([words('b')])])
  await Promise.resolve()
  const later = Promise.all([journal.append([words('c')]), journal.append([words('d')])])
  await Promise.all([first, later])
  expect(batches.map((batch) => batch.entries.map(({ seq }) => seq))).toEqual([
    [0, 1],
    [2, 3],
  ])
  expect(batches.map((batch) => batch.expectedSeq)).toEqual([0, 2])
})

test('entries are folded and told only after they are committed', async () => {
  let commit = () => {}
  const committed = new Promise<void>((resolve) => (commit = resolve))
  const { journal, published } = journalOf({ append: () => committed.then(() => 'appended' as const) })
  const appended = journal.append([words('a')])
  await Promise.resolve()
  expect(journal.fold.head.seq).toBe(0)
  expect(published).toEqual([])
  commit()
  await appended
  expect(journal.fold.head.seq).toBe(1)
  expect(published).toHaveLength(1)
})

test('each message hangs on the one before it, also on what was imported in the same transaction', async () => {
  const { journal } = journalOf()
  await journal.append([
    { type: 'state-import', messages: [message('old-1'), message('old-2')], plan: null },
    words('new'),
    { type: 'tool-result', callId: 'c', result: { status: 'complete', tool: 't', content: 'ok', args: {} } },
    { type: 'cursor-set', leaf: 'old-1' },
    words('branch'),
  ])
  expect(pathOf(journal.fold).map((node) => node.id)).toEqual(['old-1', 'branch'])
  expect(journal.fold.nodes.get('c.r')?.parent).toBe('new')
  expect(journal.fold.nodes.get('new')?.parent).toBe('old-2')
})

test('[G6] a fenced owner writes nothing more and folds nothing', async () => {
  const { journal, published } = journalOf({ append: async () => 'fenced' })
  await expect(journal.append([words('a')])).rejects.toMatchObject({ code: 'fenced' })
  await expect(journal.append([words('b')])).rejects.toMatchObject({ code: 'fenced' })
  expect(journal.fold.head.seq).toBe(0)
  expect(published).toEqual([])
})

test('[G2] after a failed write nothing that was waiting behind it is written', async () => {
  const { journal, batches } = journalOf({
    append: async () => {
      throw new Error('disk')
    },
  })
  const first = journal.append([words('a')])
  await Promise.resolve()
  const behind = journal.append([words('b')])
  await expect(first).rejects.toThrow('disk')
  await expect(behind).rejects.toThrow('disk')
  await expect(journal.append([words('c')])).rejects.toThrow('disk')
  expect(batches).toHaveLength(1)
})

test('rows taken and partials dropped go in the same transaction, also without an entry', async () => {
  const { journal, batches } = journalOf({ epoch: 7 })
  await journal.append([], { take: [4], dropPartials: ['t.1'] })
  expect(batches).toEqual([
    expect.objectContaining({ epoch: 7, expectedSeq: 0, entries: [], take: [4], dropPartials: ['t.1'] }),
  ])
  expect(batches[0]?.record.updatedAt).toBe(now)
})

test('the row of a session counts its messages and what waits for its person', async () => {
  const { journal, batches } = journalOf()
  const request = { id: 'c.approval', kind: 'approval', openedAt: 0, callId: 'c', tool: 't', args: {}, argsHash: '' }
  await journal.append([
    words('a'),
    { type: 'title-set', title: 'Lisbon', source: 'person' },
    { type: 'request-open', request: request as never },
  ])
  expect(batches.at(-1)?.record).toMatchObject({ messageCount: 1, waiting: 1, title: 'Lisbon' })
  await journal.append([
    { type: 'request-close', requestId: 'c.approval', status: 'rejected', resolution: { type: 'reject' } },
  ])
  expect(batches.at(-1)?.record).toMatchObject({ messageCount: 1, waiting: 0, title: 'Lisbon' })
})

test('bodies that are not loaded are read by number, once; answers that were cut are left out', async () => {
  const { journal, stored } = journalOf()
  await journal.append([
    { type: 'state-import', messages: [message('old-1'), message('old-2')], plan: null },
    words('a'),
    { type: 'message-add', message: message('half', 'partial') },
    words('b'),
  ])
  const reads: number[][] = []
  const reopened = openJournal({
    fold: foldOf(journal.fold.head),
    clock,
    epoch: 2,
    store: {
      ...noSides,
      append: async () => 'fenced',
      entriesAt: async (_session, seqs) => (reads.push([...seqs]), seqs.flatMap((seq) => stored[seq] ?? [])),
    },
  })
  expect((await reopened.messages()).map(({ id }) => id)).toEqual(['old-1', 'old-2', 'a', 'b'])
  await reopened.messages()
  expect(reads[0]).toEqual([0, 1, 2, 3])
})

test('whoever waits for a change hears of the next commit', async () => {
  const { journal } = journalOf()
  const changed = journal.changed()
  await journal.append([words('a')])
  await changed
  expect(journal.fold.head.seq).toBe(1)
})

const now = 1234
const noSides = { sides: async () => [], saveSide: async () => {} }
const clock = { now: () => now, elapsed: () => now, sleep: async () => {}, after: () => () => {} }

interface Options {
  readonly append?: (batch: Batch) => Promise<'appended' | 'fenced'>
  readonly epoch?: number
}

function journalOf({ append = async () => 'appended', epoch = 1 }: Options = {}) {
  const batches: Batch[] = []
  const published: Entry[][] = []
  const stored: Entry[] = []
  const journal = openJournal({
    fold: foldOf(emptyHead('s', 'tester')),
    clock,
    epoch,
    store: {
      ...noSides,
      append(batch) {
        batches.push(batch)
        stored.push(...batch.entries)
        return append(batch)
      },
      entriesAt: async (_session, seqs) => seqs.flatMap((seq) => stored[seq] ?? []),
    },
    published: (entries) => published.push([...entries]),
  })
  return { journal, batches, published, stored }
}

function words(id: string): NewEntry {
  return { type: 'message-add', message: message(id) }
}

function message(id: string, status: Message['meta']['status'] = 'complete'): Message {
  return { id, role: status === 'partial' ? 'assistant' : 'user', content: id, meta: { status, createdAt: 0 } }
}
