/**
 * The contract of the Store port: what every implementation must do, whatever it writes to.
 * One long file, because it is one list: whoever writes a store reads it from top to bottom.
 */
import { emptyPartial, type Store } from '@dogear/core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  batchOf,
  commandFor,
  entriesFrom,
  entryAt,
  entryHolding,
  headOf,
  partialOf,
  snapshotOf,
} from './store-samples.ts'

/** Where a store keeps its data: opened twice, the second store sees what the first wrote. */
export interface Place {
  readonly name: string
  readonly user?: string
}

export type OpenStore = (place: Place) => Promise<Store>

const concierge = { agent: 'concierge', at: 1 }

export function storeContract(implementation: string, openStore: OpenStore): void {
  let place: Place
  let store: Store
  let opened: Store[]

  async function open(user?: string): Promise<Store> {
    const one = await openStore({ ...place, user })
    opened.push(one)
    return one
  }

  beforeEach(async () => {
    opened = []
    place = { name: `contract-${crypto.randomUUID()}` }
    store = await open()
  })

  afterEach(async () => {
    await store.clear()
    for (const one of opened) one.close()
  })

  describe(`${implementation}: the session's row`, () => {
    test('a session nobody acquired has no row', async () => {
      expect(await store.session('trip')).toBeUndefined()
    })

    test('[G13] a session with entries of a later version is acquired by no script that cannot read them', async () => {
      const { epoch } = await store.acquire('trip', concierge)
      await store.append(batchOf('trip', [{ ...entryAt(0, { epoch }), v: 2 }]))
      const before = await store.session('trip')
      await expect(store.acquire('trip', concierge)).rejects.toMatchObject({ code: 'session-newer' })
      expect(await store.session('trip')).toEqual(before)
    })

    test('acquiring makes the row', async () => {
      const row = { id: 'trip', agent: 'concierge', seq: 0, epoch: 1, createdAt: 1, updatedAt: 1, minReader: 0 }
      expect(await store.acquire('trip', concierge)).toMatchObject(row)
      expect(await store.session('trip')).toMatchObject(row)
    })

    test('acquiring again raises the epoch and keeps the rest', async () => {
      await store.acquire('trip', concierge)
      const asked = { waiting: 1, asks: ['Book a room'], status: 'paused' } as const
      const named = { title: 'Lisbon', titledBy: 'person', tag: 'work', archived: true } as const
      const record = { updatedAt: 7, messageCount: 2, ...asked, ...named }
      await store.append(batchOf('trip', entriesFrom(0, 2), { record }))
      const before = await store.session('trip')
      expect(before).toMatchObject(record)
      expect(await store.acquire('trip', { agent: 'other', at: 99 })).toEqual({ ...before, epoch: 2 })
    })

    test('an append sets the row: its length, its facts, and the oldest script that can read it', async () => {
      await store.acquire('trip', concierge)
      const record = { updatedAt: 7, messageCount: 3, waiting: 1, title: 'Lisbon', tag: 'work', archived: true }
      await store.append(batchOf('trip', [entryAt(0), entryAt(1, { v: 4 }), entryAt(2, { v: 2 })], { record }))
      expect(await store.session('trip')).toMatchObject({ ...record, seq: 3, epoch: 1, createdAt: 1, minReader: 4 })
    })

    test('minReader never falls', async () => {
      await store.acquire('trip', concierge)
      await store.append(batchOf('trip', [entryAt(0, { v: 4 })]))
      await store.append(batchOf('trip', [entryAt(1)]))
      expect((await store.session('trip'))?.minReader).toBe(4)
    })

    test('a record that carries a whole row cannot change seq, epoch or identity', async () => {
      const row = await store.acquire('trip', concierge)
      const record = { ...row, id: 'other', seq: 99, epoch: 99, agent: 'other', minReader: 99 }
      await store.append(batchOf('trip', [entryAt(0)], { record }))
      expect(await store.session('trip')).toMatchObject({
        id: 'trip',
        agent: 'concierge',
        seq: 1,
        epoch: 1,
        minReader: 1,
      })
      expect(await store.session('other')).toBeUndefined()
    })
  })

  describe(`${implementation}: append`, () => {
    beforeEach(async () => {
      await store.acquire('trip', concierge)
    })

    test('entries come back in order, by range and by number', async () => {
      const entries = entriesFrom(0, 12)
      expect(await store.append(batchOf('trip', entries))).toBe('appended')
      expect(await store.entries('trip', 0)).toEqual(entries)
      expect(await store.entries('trip', 9)).toEqual(entries.slice(9))
      expect(await store.entries('trip', 2, 11)).toEqual(entries.slice(2, 11))
      expect(await store.entries('trip', 5, 5)).toEqual([])
      expect(await store.entries('trip', 8, 3)).toEqual([])
      expect(await store.entries('trip', 50)).toEqual([])
      expect(await store.entriesAt('trip', [7, 0, 99, 3])).toEqual([entries[7], entries[0], entries[3]])
    })

    test('[G6] a session that another tab deleted and began anew keeps the identity it was given there', async () => {
      const record = { updatedAt: 5, messageCount: 0, waiting: 0 }
      await store.append(batchOf('trip', [], { record }))
      const other = await open()
      await other.delete('trip')
      const row = await other.acquire('trip', { agent: 'clerk', at: 9 })
      await store.append(batchOf('trip', [], { record }))
      expect(await store.session('trip')).toEqual({ ...row, ...record })
    })

    test('[G6] a wrong expectedSeq is fenced and writes nothing', async () => {
      await store.append(batchOf('trip', entriesFrom(0, 2)))
      const before = await store.session('trip')
      expect(await store.append(batchOf('trip', [entryAt(0, { id: 'late' })]))).toBe('fenced')
      expect(await store.append(batchOf('trip', [entryAt(3, { id: 'early' })]))).toBe('fenced')
      expect(await store.entries('trip', 0)).toEqual(entriesFrom(0, 2))
      expect(await store.session('trip')).toEqual(before)
    })

    test.each([0, 2])(
      '[G6] an owner whose epoch is old is fenced, with all it brought, %i written',
      async (written) => {
        if (written) await store.append(batchOf('trip', entriesFrom(0, written)))
        await store.acquire('trip', concierge)
        await store.send(commandFor('trip', 'a'))
        await store.savePartial(partialOf('trip', 'a.1', { epoch: 2 }))
        const [row] = await store.inbox('trip')
        const before = await store.session('trip')
        const old = batchOf('trip', [entryAt(written)], {
          take: [row!.key],
          dropPartials: ['a.1'],
          blobs: [{ hash: 'h', text: 'blob' }],
        })
        expect(await store.append(old)).toBe('fenced')
        expect(await store.session('trip')).toEqual(before)
        expect(await store.entries('trip', written)).toEqual([])
        expect(await store.inbox('trip')).toHaveLength(1)
        expect(await store.partial('trip', 'a.1')).toBeDefined()
        expect(await store.blob('trip', 'h')).toBeUndefined()
      },
    )

    test('[G6] an owner from the future of this database is fenced too', async () => {
      expect(await store.append(batchOf('trip', [entryAt(0, { epoch: 2 })]))).toBe('fenced')
    })

    test('a session without a row is fenced', async () => {
      expect(await store.append(batchOf('nowhere', [entryAt(0)]))).toBe('fenced')
      expect(await store.session('nowhere')).toBeUndefined()
    })

    test('[G2] entries whose numbers leave a gap are refused whole', async () => {
      const gap = batchOf('trip', [entryAt(0), entryAt(2)])
      const shifted = batchOf('trip', [entryAt(1)], { expectedSeq: 0 })
      await expect(store.append(gap)).rejects.toMatchObject({ code: 'storage-failed' })
      await expect(store.append(shifted)).rejects.toMatchObject({ code: 'storage-failed' })
      expect(await store.entries('trip', 0)).toEqual([])
    })

    test('[G2] an append that fails in its middle leaves nothing', async () => {
      await store.send(commandFor('trip', 'a'))
      const [row] = await store.inbox('trip')
      const broken = [entryAt(0), entryHolding(1, () => 'a function cannot be stored'), entryAt(2)]
      const before = await store.session('trip')
      await expect(
        store.append(batchOf('trip', broken, { take: [row!.key], blobs: [{ hash: 'h', text: 'blob' }] })),
      ).rejects.toMatchObject({ code: 'storage-failed' })
      expect(await store.entries('trip', 0)).toEqual([])
      expect(await store.inbox('trip')).toHaveLength(1)
      expect(await store.blob('trip', 'h')).toBeUndefined()
      expect(await store.session('trip')).toEqual(before)
      expect(await store.append(batchOf('trip', [entryAt(0)]))).toBe('appended')
    })

    test('a batch written again is already appended, and changes nothing', async () => {
      const batch = batchOf('trip', entriesFrom(0, 3))
      expect(await store.append(batch)).toBe('appended')
      expect(await store.append(batch)).toBe('appended')
      await store.append(batchOf('trip', [entryAt(3)]))
      expect(await store.append(batch)).toBe('appended')
      expect(await store.entries('trip', 0)).toEqual(entriesFrom(0, 4))
    })

    test('[G6] a batch that the same owner has written through another connection is already appended', async () => {
      const other = await open()
      await store.append(batchOf('trip', entriesFrom(0, 2)))
      const batch = batchOf('trip', entriesFrom(2, 2))
      expect(await other.append(batch)).toBe('appended')
      expect(await store.append(batch)).toBe('appended')
      expect(await store.entries('trip', 0)).toEqual(entriesFrom(0, 4))
    })

    test('a batch of which only a part stands there is fenced', async () => {
      await store.append(batchOf('trip', entriesFrom(0, 2)))
      expect(await store.append(batchOf('trip', entriesFrom(0, 3)))).toBe('fenced')
    })

    test('[G6] the same ids written by the next owner do not make the old one believe it won', async () => {
      await store.acquire('trip', concierge)
      await store.append(batchOf('trip', [entryAt(0, { id: 'turn.1.m', epoch: 2 })]))
      expect(await store.append(batchOf('trip', [entryAt(0, { id: 'turn.1.m', epoch: 1 })]))).toBe('fenced')
    })

    test('a batch without entries takes commands, and is fenced like any other', async () => {
      await store.send(commandFor('trip', 'a'))
      const [row] = await store.inbox('trip')
      const empty = batchOf('trip', [], { take: [row!.key] })
      expect(await store.append({ ...empty, expectedSeq: 1 })).toBe('fenced')
      expect(await store.append(empty)).toBe('appended')
      expect(await store.inbox('trip')).toEqual([])
    })

    test('blobs are written with the entry that names them, session by session', async () => {
      await store.append(batchOf('trip', [entryAt(0)], { blobs: [{ hash: 'h', text: 'a long output' }] }))
      expect(await store.blob('trip', 'h')).toBe('a long output')
      expect(await store.blob('trip', 'other')).toBeUndefined()
      expect(await store.blob('other', 'h')).toBeUndefined()
    })

    test('[G6] two owners racing 200 appends: one winner for every number', async () => {
      const rivals = [await open(), await open()]
      const answers = await Promise.all(
        rivals.map(async (rival, index) => {
          let won = 0
          for (let seq = 0; seq < 200; seq++) {
            const answer = await rival.append(batchOf('trip', [entryAt(seq, { id: `rival-${index}-${seq}` })]))
            if (answer === 'appended') won++
          }
          return won
        }),
      )
      const entries = await store.entries('trip', 0)
      expect(entries.map(({ seq }) => seq)).toEqual(Array.from({ length: 200 }, (_, seq) => seq))
      expect(answers[0]! + answers[1]!).toBe(200)
    })
  })

  describe(`${implementation}: inbox`, () => {
    test('commands wait in the order they were sent, session by session', async () => {
      for (const id of ['b', 'a', 'c']) await store.send(commandFor('trip', id))
      await store.send(commandFor('other', 'd'))
      const rows = await store.inbox('trip')
      expect(rows.map(({ command }) => command)).toEqual(['b', 'a', 'c'].map((id) => commandFor('trip', id)))
      expect(rows.map(({ key }) => key)).toEqual(rows.map(({ key }) => key).toSorted((one, other) => one - other))
    })

    test('commands sent at the same moment keep their order', async () => {
      const ids = Array.from({ length: 20 }, (_, index) => `command-${index}`)
      await Promise.all(ids.map((id) => store.send(commandFor('trip', id))))
      expect((await store.inbox('trip')).map(({ command }) => command.commandId)).toEqual(ids)
    })

    test('a repeated commandId is dropped, also when sent by two at once', async () => {
      const second = await open()
      await Promise.all([store, second, store].map((one) => one.send(commandFor('trip', 'a'))))
      await store.send({ ...commandFor('trip', 'a'), at: 2 })
      expect((await store.inbox('trip')).map(({ command }) => command)).toEqual([commandFor('trip', 'a')])
    })

    test('taking a command and appending its entries is one write', async () => {
      await store.acquire('trip', concierge)
      await store.send(commandFor('trip', 'a'))
      await store.send(commandFor('trip', 'b'))
      const [first, second] = await store.inbox('trip')
      await store.append(batchOf('trip', [entryAt(0)], { take: [first!.key] }))
      expect(await store.inbox('trip')).toEqual([second])
      expect(await store.entries('trip', 0)).toHaveLength(1)
    })

    test('a key is never given twice', async () => {
      await store.acquire('trip', concierge)
      await store.send(commandFor('trip', 'a'))
      const [first] = await store.inbox('trip')
      await store.append(batchOf('trip', [entryAt(0)], { take: [first!.key] }))
      await store.send(commandFor('trip', 'b'))
      expect((await store.inbox('trip'))[0]!.key).toBeGreaterThan(first!.key)
    })
  })

  describe(`${implementation}: beside the journal`, () => {
    beforeEach(async () => {
      await store.acquire('trip', concierge)
    })

    test('a partial is overwritten, and dropped with the message that replaces it', async () => {
      await store.savePartial(partialOf('trip', 'a.1', { text: 'Three' }))
      await store.savePartial(partialOf('trip', 'a.1', { text: 'Three nights' }))
      expect(await store.partial('trip', 'a.1')).toEqual({ ...emptyPartial('a.1'), text: 'Three nights' })
      await store.append(batchOf('trip', [entryAt(0)], { dropPartials: ['a.1'] }))
      expect(await store.partial('trip', 'a.1')).toBeUndefined()
    })

    test('[G6] a partial of an old owner, or of no session, is refused in silence', async () => {
      await store.acquire('trip', concierge)
      await store.savePartial(partialOf('trip', 'a.1', { epoch: 2, text: 'new' }))
      await store.savePartial(partialOf('trip', 'a.1', { epoch: 1, text: 'old' }))
      await store.savePartial(partialOf('nowhere', 'a.1'))
      expect((await store.partial('trip', 'a.1'))?.text).toBe('new')
      expect(await store.partial('nowhere', 'a.1')).toBeUndefined()
    })

    test('a head is kept, but not an old owner’s, and not one ahead of its journal', async () => {
      await store.append(batchOf('trip', [entryAt(0)]))
      await store.saveHead(headOf('trip', { seq: 1 }))
      expect(await store.head('trip')).toEqual(headOf('trip', { seq: 1 }))
      await store.saveHead(headOf('trip', { seq: 2, title: 'ahead' }))
      await store.acquire('trip', concierge)
      await store.saveHead(headOf('trip', { seq: 1, title: 'old' }))
      await store.saveHead(headOf('nowhere'))
      expect(await store.head('trip')).toEqual(headOf('trip', { seq: 1 }))
      expect(await store.head('nowhere')).toBeUndefined()
    })

    test('snapshots are kept by tag, listed newest first, replaced by the same tag', async () => {
      await store.saveSnapshot('trip', 'b', snapshotOf('trip', 'b', 1))
      await store.saveSnapshot('trip', 'a', snapshotOf('trip', 'a', 2))
      await store.saveSnapshot('other', 'c', snapshotOf('other', 'c', 3))
      await store.saveSnapshot('trip', 'b', snapshotOf('trip', 'b', 4))
      expect(await store.snapshots('trip')).toEqual([
        { tag: 'b', createdAt: 4 },
        { tag: 'a', createdAt: 2 },
      ])
      expect(await store.snapshot('trip', 'b')).toEqual(snapshotOf('trip', 'b', 4))
      expect(await store.snapshot('trip', 'c')).toBeUndefined()
    })

    test('a snapshot is deleted by its tag, and one that is not there is no error', async () => {
      await store.saveSnapshot('trip', 'a', snapshotOf('trip', 'a', 1))
      await store.saveSnapshot('trip', 'b', snapshotOf('trip', 'b', 2))
      await store.saveSnapshot('other', 'a', snapshotOf('other', 'a', 3))
      await store.saveSnapshot('trip', 'a', undefined)
      await store.saveSnapshot('trip', 'never', undefined)
      expect(await store.snapshots('trip')).toEqual([{ tag: 'b', createdAt: 2 }])
      expect(await store.snapshot('trip', 'a')).toBeUndefined()
      expect(await store.snapshots('other')).toEqual([{ tag: 'a', createdAt: 3 }])
    })

    test('[K35] rules are kept by agent, the oldest first, replaced by the same id, and outlive their session', async () => {
      const store = await open()
      const rule = (id: string, agent: string, createdAt: number) =>
        ({ id, agent, rule: `pay(= ${createdAt})`, decision: 'allow', createdAt }) as const
      await store.saveRule(rule('b', 'one', 2))
      await store.saveRule(rule('c', 'two', 1))
      await store.saveRule(rule('a', 'one', 1))
      await store.saveRule(rule('b', 'one', 3))
      await store.delete('s1')
      expect(await store.rules('one')).toEqual([rule('a', 'one', 1), rule('b', 'one', 3)])
      await store.deleteRule('a')
      await store.deleteRule('a')
      expect(await store.rules('one')).toEqual([rule('b', 'one', 3)])
      expect(await store.rules('none')).toEqual([])
      await store.clear()
      expect(await store.rules('two')).toEqual([])
    })

    test('a side record is swapped only for the one it was thought to be', async () => {
      expect(await store.swapSide('lease', 'trip', 'a', 'mine', 'yours')).toBe(false)
      expect(await store.swapSide('lease', 'trip', 'a', undefined, 'mine')).toBe(true)
      expect(await store.swapSide('lease', 'trip', 'a', undefined, 'yours')).toBe(false)
      expect(await store.side('lease', 'trip', 'a')).toBe('mine')
      const swaps = Array.from({ length: 20 }, (_, one) => store.swapSide('lease', 'trip', 'a', 'mine', `of ${one}`))
      expect((await Promise.all(swaps)).filter(Boolean)).toHaveLength(1)
      const now = (await store.side('lease', 'trip', 'a')) as string
      expect(await store.swapSide('lease', 'trip', 'a', now)).toBe(true)
      expect(await store.side('lease', 'trip', 'a')).toBeUndefined()
    })

    test('[G10] room for results is kept and given back; entries and room are written together or not at all', async () => {
      const kept = async () => (await store.sides('ballast', 'trip')).length
      expect(await store.append(batchOf('trip', [entryAt(0)], { ballast: 2 }))).toBe('appended')
      expect(await kept()).toBe(2)
      const [first] = await store.sides('ballast', 'trip')
      await store.saveSide('ballast', 'trip', first!.id, undefined)
      expect(await kept()).toBe(1)
      await store.append(batchOf('trip', [entryAt(1)], { ballast: 3 }))
      expect(await kept()).toBe(3)
      await store.append(batchOf('trip', [entryAt(2)], { ballast: 1 }))
      expect(await kept()).toBe(3)
      expect(await store.append(batchOf('trip', [entryAt(2, { id: 'late' })], { ballast: 9 }))).toBe('fenced')
      await expect(
        store.append(batchOf('trip', [entryHolding(3, () => 'not stored')], { ballast: 9 })),
      ).rejects.toMatchObject({ code: 'storage-failed' })
      expect(await kept()).toBe(3)
      expect(await store.sides('ballast', 'other')).toEqual([])
    })

    test('[G10] when no call is open any more, room and evidence go with that write', async () => {
      await store.append(batchOf('trip', [entryAt(0)], { ballast: 2 }))
      await store.saveSide('evidence', 'trip', 'a.1.0', { status: 'complete' })
      await store.saveSide('draft', 'trip', 'a', 'stays')
      await store.append(batchOf('trip', [entryAt(1)], { ballast: 0 }))
      expect(await store.sides('ballast', 'trip')).toEqual([])
      expect(await store.sides('evidence', 'trip')).toEqual([])
      expect(await store.side('draft', 'trip', 'a')).toBe('stays')
    })

    test('side records are kept by kind, session and id; undefined deletes', async () => {
      await store.saveSide('draft', 'trip', 'b', 'half a sentence')
      await store.saveSide('draft', 'trip', 'a', { caret: 4 })
      await store.saveSide('draft', 'other', 'a', 1)
      await store.saveSide('cursor', 'trip', 'a', null)
      expect(await store.side('draft', 'trip', 'a')).toEqual({ caret: 4 })
      expect(await store.side('cursor', 'trip', 'a')).toBeNull()
      expect(await store.sides('draft', 'trip')).toEqual([
        { id: 'a', value: { caret: 4 } },
        { id: 'b', value: 'half a sentence' },
      ])
      await store.saveSide('draft', 'trip', 'a', undefined)
      expect(await store.side('draft', 'trip', 'a')).toBeUndefined()
      expect(await store.sides('draft', 'trip')).toHaveLength(1)
      expect(await store.sides('lease', 'trip')).toEqual([])
    })
  })

  describe(`${implementation}: the list of sessions`, () => {
    test('newest first, by agent, and no more than asked for', async () => {
      for (const [id, agent, at] of [
        ['one', 'concierge', 3],
        ['two', 'concierge', 1],
        ['three', 'clerk', 2],
        ['four', 'concierge', 10],
      ] as const)
        await store.acquire(id, { agent, at })
      const ids = async (query?: { agent?: string; limit?: number }) =>
        (await store.sessions(query)).map(({ id }) => id)
      expect(await ids()).toEqual(['four', 'one', 'three', 'two'])
      expect(await ids({ limit: 2 })).toEqual(['four', 'one'])
      expect(await ids({ agent: 'concierge' })).toEqual(['four', 'one', 'two'])
      expect(await ids({ agent: 'concierge', limit: 1 })).toEqual(['four'])
      expect(await ids({ agent: 'nobody' })).toEqual([])
    })

    test('goes on after the session it is given, also among those of one moment', async () => {
      for (const id of ['one', 'two', 'three']) await store.acquire(id, { agent: 'concierge', at: 5 })
      await store.acquire('old', { agent: 'concierge', at: 1 })
      await store.acquire('other', { agent: 'clerk', at: 2 })
      const all = await store.sessions({ agent: 'concierge' })
      expect(await store.sessions({ agent: 'concierge', before: all[0] })).toEqual(all.slice(1))
      expect(await store.sessions({ agent: 'concierge', before: all[1], limit: 1 })).toEqual([all[2]])
      expect(await store.sessions({ agent: 'concierge', before: all[3] })).toEqual([])
      expect((await store.sessions({ before: { id: 'two', updatedAt: 5 } })).map(({ id }) => id)).toEqual([
        'three',
        'one',
        'other',
        'old',
      ])
    })

    test('an append without a time leaves its session where it is', async () => {
      await store.acquire('one', { agent: 'concierge', at: 1 })
      await store.append(batchOf('one', [entryAt(0)], { record: { messageCount: 1, waiting: 0, title: 'New' } }))
      expect(await store.session('one')).toMatchObject({ updatedAt: 1, title: 'New' })
    })

    test('an append moves its session to the top', async () => {
      await store.acquire('one', { agent: 'concierge', at: 1 })
      await store.acquire('two', { agent: 'concierge', at: 2 })
      await store.append(batchOf('one', [entryAt(0)], { record: { updatedAt: 3, messageCount: 1, waiting: 0 } }))
      expect((await store.sessions()).map(({ id }) => id)).toEqual(['one', 'two'])
    })
  })

  describe(`${implementation}: deleting`, () => {
    async function fill(sessionId: string): Promise<void> {
      await store.acquire(sessionId, concierge)
      await store.append(batchOf(sessionId, entriesFrom(0, 3), { blobs: [{ hash: 'h', text: 'blob' }] }))
      await store.saveHead(headOf(sessionId))
      await store.send(commandFor(sessionId, `command of ${sessionId}`))
      await store.savePartial(partialOf(sessionId, 'a.1'))
      await store.saveSnapshot(sessionId, 'tag', snapshotOf(sessionId, 'tag'))
      await store.saveSide('draft', sessionId, 'a', 'draft')
      await store.saveSide('evidence', sessionId, 'a', 'evidence')
    }

    async function holdings(sessionId: string): Promise<unknown[]> {
      return Promise.all([
        store.session(sessionId),
        store.entries(sessionId, 0),
        store.blob(sessionId, 'h'),
        store.head(sessionId),
        store.inbox(sessionId).then((rows) => rows.map(({ command }) => command)),
        store.partial(sessionId, 'a.1'),
        store.snapshots(sessionId),
        store.sides('draft', sessionId),
        store.sides('evidence', sessionId),
      ])
    }

    test('[T16] what a call came to is kept only while there is a session: after its deletion nothing of it comes back', async () => {
      await store.saveSide('evidence', 'trip', 'a', 'too early')
      await fill('trip')
      await store.delete('trip')
      await store.saveSide('evidence', 'trip', 'a', 'too late')
      expect(await holdings('trip')).toEqual(nothing)
    })

    const nothing = [undefined, [], undefined, undefined, [], undefined, [], [], []]

    test('everything of one session goes, and nothing of its neighbours', async () => {
      const neighbours = ['tri', 'trip ', 'trip2', 'trips', 'trip\u0000']
      for (const id of ['trip', ...neighbours]) await fill(id)
      const before = await Promise.all(neighbours.map(holdings))
      await store.delete('trip')
      expect(await holdings('trip')).toEqual(nothing)
      expect(await Promise.all(neighbours.map(holdings))).toEqual(before)
    })

    test('[G6] the owner of a deleted session is fenced', async () => {
      await fill('trip')
      await store.delete('trip')
      expect(await store.append(batchOf('trip', [entryAt(3)]))).toBe('fenced')
    })

    test('a command of a deleted session can be sent again', async () => {
      await store.send(commandFor('trip', 'a'))
      await store.delete('trip')
      await store.send(commandFor('trip', 'a'))
      expect(await store.inbox('trip')).toHaveLength(1)
    })

    test('deleting what is not there is no failure', async () => {
      await expect(store.delete('nowhere')).resolves.toBeUndefined()
    })

    test('[T16] after clear nothing is left, and the store can start afresh', async () => {
      await fill('trip')
      await store.clear()
      expect(await holdings('trip')).toEqual(nothing)
      expect(await store.sessions()).toEqual([])
      expect(await store.acquire('trip', concierge)).toMatchObject({ seq: 0, epoch: 1 })
    })

    test('[T16] users do not see each other, whatever they are called', async () => {
      const users = [undefined, '', 'ann', 'Ann', 'an', 'ann ', 'a:n', 'a/n', 'a%002fn', 'ä', '\ud83d\ude00', '\ud83d']
      const stores = await Promise.all(users.map((user) => open(user)))
      for (const [index, one] of stores.entries()) await one.saveSide('draft', 'trip', 'a', index)
      const found = await Promise.all(stores.map((one) => one.side('draft', 'trip', 'a')))
      expect(found).toEqual(users.map((_, index) => index))
      await stores[2]!.clear()
      expect(await stores[2]!.side('draft', 'trip', 'a')).toBeUndefined()
      expect(await stores[3]!.side('draft', 'trip', 'a')).toBe(3)
      await Promise.all(stores.map((one) => one.clear()))
    })
  })

  describe(`${implementation}: values`, () => {
    beforeEach(async () => {
      await store.acquire('trip', concierge)
    })

    test('what was written may be changed by its writer, what was read by its reader', async () => {
      const value = { list: [1], deep: { word: 'kept' } }
      await store.append(batchOf('trip', [entryHolding(0, value)]))
      value.list.push(2)
      value.deep.word = 'changed'
      for (const read of [() => store.entries('trip', 0), () => store.entriesAt('trip', [0])]) {
        const [entry] = (await read()) as { value: typeof value }[]
        expect(entry!.value).toEqual({ list: [1], deep: { word: 'kept' } })
        entry!.value.deep.word = 'changed by a reader'
      }
      expect(await store.entries('trip', 0)).toEqual([entryHolding(0, { list: [1], deep: { word: 'kept' } })])
    })

    test('the same holds for rows, heads, commands, partials, snapshots and sides', async () => {
      const command = { ...commandFor('trip', 'a') }
      const head = { ...headOf('trip') }
      const partial = { ...partialOf('trip', 'a.1') }
      const snapshot = { ...snapshotOf('trip', 'tag') }
      const draft = { text: 'kept' }
      await store.send(command)
      await store.saveHead(head)
      await store.savePartial(partial)
      await store.saveSnapshot('trip', 'tag', snapshot)
      await store.saveSide('draft', 'trip', 'a', draft)
      const written: object[] = [command, head, partial, snapshot, draft]
      for (const object of written) for (const key of Object.keys(object)) Object.assign(object, { [key]: 'changed' })

      const read = async () => [
        (await store.inbox('trip'))[0]!.command,
        await store.head('trip'),
        await store.partial('trip', 'a.1'),
        await store.snapshot('trip', 'tag'),
        await store.side('draft', 'trip', 'a'),
        await store.session('trip'),
      ]
      const kept = await read()
      expect(kept.slice(0, 5)).toEqual([
        commandFor('trip', 'a'),
        headOf('trip'),
        { ...emptyPartial('a.1'), text: 'Three nig' },
        snapshotOf('trip', 'tag'),
        { text: 'kept' },
      ])
      for (const object of await read()) Object.assign(object as object, { changed: true })
      expect(await read()).toEqual(kept)
    })

    test('[T14] a __proto__ key is data, and stays data', async () => {
      const value = JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":1},"list":[{"__proto__":1}]}')
      await store.append(batchOf('trip', [entryHolding(0, value)]))
      const [entry] = (await store.entries('trip', 0)) as unknown as { value: object }[]
      expect(JSON.stringify(entry!.value)).toBe(JSON.stringify(value))
      expect(Object.getPrototypeOf(entry!.value)).toBe(Object.prototype)
      expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
    })

    test('strings come back unit by unit, as values and as keys', async () => {
      const strings = ['', '\u0000', '\ud800', '\udc00\ud800', '\uffff', '\ud83d\ude00', 'e\u0301', ' ', '__proto__']
      await store.append(batchOf('trip', [entryHolding(0, strings)]))
      expect(await store.entries('trip', 0)).toEqual([entryHolding(0, strings)])
      for (const string of strings) {
        await store.acquire(string, { agent: string, at: 2 })
        await store.saveSide('draft', string, string, string)
      }
      for (const string of strings) {
        expect((await store.session(string))?.id).toBe(string)
        expect((await store.sessions({ agent: string })).map(({ id }) => id)).toEqual([string])
        expect(await store.sides('draft', string)).toEqual([{ id: string, value: string }])
      }
    })

    test('what JSON would lose is kept: undefined, NaN, bigint, dates, maps, bytes, cycles', async () => {
      const value: Record<string, unknown> = {
        undefined: undefined,
        numbers: [NaN, -0, Infinity],
        big: 10n,
        date: new Date(5),
        map: new Map([['a', new Set([1])]]),
        bytes: new Uint8Array([1, 2]),
      }
      value.self = value
      await store.saveSide('draft', 'trip', 'a', value)
      expect(await store.side('draft', 'trip', 'a')).toEqual(value)
    })

    test.each([
      ['a function', () => 1],
      ['a symbol', Symbol('a')],
      ['a function inside', { deep: [() => 1] }],
    ])('%s cannot be stored, and the message says so', async (_name, value) => {
      await store.saveSide('draft', 'trip', 'a', 'before')
      await expect(store.saveSide('draft', 'trip', 'a', value)).rejects.toMatchObject({
        name: 'DogearError',
        code: 'storage-failed',
        message: expect.stringMatching(/clone/),
      })
      expect(await store.side('draft', 'trip', 'a')).toBe('before')
    })

    test('an entry of 5 MB comes back whole', async () => {
      const text = 'x€'.repeat(2_500_000)
      await store.append(batchOf('trip', [entryHolding(0, text)], { blobs: [{ hash: 'h', text }] }))
      const [entry] = (await store.entries('trip', 0)) as unknown as { value: string }[]
      expect(entry!.value === text).toBe(true)
      expect((await store.blob('trip', 'h')) === text).toBe(true)
    })
  })
}
