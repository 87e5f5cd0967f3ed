/** Any sequence of calls, also calls made together, has the same answers from IndexedDB as from memory. */
import { DogearError, type Batch, type SideKind, type Store } from '@dogear/core'
import { openIndexedDbStore, openMemoryStore } from '@dogear/store'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { batchOf, commandFor, entriesFrom, entryHolding, headOf, partialOf, snapshotOf } from './store-samples.ts'

export function modelContract({ runs }: { runs: number }): void {
  test('[G2] IndexedDB and memory answer alike, whatever is asked in whatever order', async () => {
    await fc.assert(fc.asyncProperty(rounds, answerAlike), { numRuns: runs })
  })
}

/** Calls of one round are made without waiting for each other; rounds go to two stores on one database in turn. */
async function answerAlike(allRounds: readonly Call[][]): Promise<void> {
  const name = `model-${crypto.randomUUID()}`
  const memory = openMemoryStore()
  const tabs = [await openIndexedDbStore({ name }), await openIndexedDbStore({ name })]
  try {
    for (const [round, calls] of allRounds.entries()) {
      const tab = tabs[round % 2]!
      const answers: Promise<unknown>[] = []
      const expected: unknown[] = []
      for (const call of calls) {
        const request = await prepared(call, memory)
        expected.push(await outcome(request(memory)))
        answers.push(outcome(request(tab)))
      }
      expect(await Promise.all(answers)).toEqual(expected)
      expect(await contents(tabs[(round + 1) % 2]!)).toEqual(await contents(memory))
    }
  } finally {
    tabs[1]!.close()
    await tabs[0]!.clear()
    tabs[0]!.close()
  }
}

type Call =
  | { call: 'acquire'; session: string; agent: string; at: number }
  | { call: 'append'; session: string; append: Append }
  | { call: 'send'; session: string; commandId: string }
  | { call: 'partial'; session: string; step: string; epochOff: number; text: string }
  | { call: 'head'; session: string; epochOff: number; seqOff: number }
  | { call: 'snapshot'; session: string; tag: string; at: number }
  | { call: 'side'; session: string; kind: SideKind; id: string; value: unknown }
  | { call: 'read'; session: string; from: number; to: number }
  | { call: 'list'; agent?: string; limit?: number }
  | { call: 'delete'; session: string }

/** Off by nothing is what an owner sends; anything else must be refused alike. */
interface Append {
  epochOff: number
  seqOff: number
  count: number
  takes: boolean
  drops: boolean
  blob: string
  at: number
  broken: boolean
}

const session = fc.constantFrom('trip', 'trip2', '')
const agent = fc.constantFrom('concierge', 'clerk')
const moment = fc.nat(5)
const mostlyNothing = fc.oneof(
  { weight: 5, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.integer({ min: -1, max: 1 }) },
)
const rarely = fc.nat(9).map((number) => number === 9)

const append: fc.Arbitrary<Append> = fc.record({
  epochOff: mostlyNothing,
  seqOff: mostlyNothing,
  count: fc.nat(3),
  takes: fc.boolean(),
  drops: fc.boolean(),
  blob: fc.string(),
  at: moment,
  broken: rarely,
})

const call: fc.Arbitrary<Call> = fc.oneof(
  fc.record({ call: fc.constant('acquire' as const), session, agent, at: moment }),
  { weight: 3, arbitrary: fc.record({ call: fc.constant('append' as const), session, append }) },
  fc.record({ call: fc.constant('send' as const), session, commandId: fc.constantFrom('a', 'b', 'c', 'd') }),
  fc.record({
    call: fc.constant('partial' as const),
    session,
    step: fc.constantFrom('a.1', 'a.2'),
    epochOff: mostlyNothing,
    text: fc.string({ unit: 'binary' }),
  }),
  fc.record({ call: fc.constant('head' as const), session, epochOff: mostlyNothing, seqOff: mostlyNothing }),
  fc.record({ call: fc.constant('snapshot' as const), session, tag: fc.constantFrom('a', 'b'), at: moment }),
  fc.record({
    call: fc.constant('side' as const),
    session,
    kind: fc.constantFrom<SideKind>('draft', 'lease', 'evidence'),
    id: fc.constantFrom('a', 'b', '\uffff'),
    value: fc.anything({ withNullPrototype: false, withBigInt: true, withDate: true, withMap: true }),
  }),
  fc.record({ call: fc.constant('read' as const), session, from: fc.integer({ min: -2, max: 8 }), to: fc.nat(8) }),
  fc.record({ call: fc.constant('list' as const), agent: fc.option(agent, { nil: undefined }), limit: fc.nat(3) }),
  fc.record({ call: fc.constant('delete' as const), session }),
)

const rounds = fc.array(fc.array(call, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 8 })

/** The call made definite: what an owner, or an owner gone wrong, would send in the present state. */
async function prepared(one: Call, memory: Store): Promise<(store: Store) => Promise<unknown>> {
  switch (one.call) {
    case 'acquire':
      return (store) => store.acquire(one.session, one)
    case 'append': {
      const batch = await batchFor(one.session, one.append, memory)
      return (store) => store.append(batch)
    }
    case 'send':
      return (store) => store.send(commandFor(one.session, one.commandId))
    case 'partial': {
      const epoch = (await epochOf(one.session, memory)) + one.epochOff
      return (store) => store.savePartial(partialOf(one.session, one.step, { epoch, text: one.text }))
    }
    case 'head': {
      const epoch = (await epochOf(one.session, memory)) + one.epochOff
      const seq = ((await memory.session(one.session))?.seq ?? 0) + one.seqOff
      return (store) => store.saveHead(headOf(one.session, { epoch, seq }))
    }
    case 'snapshot':
      return (store) => store.saveSnapshot(one.session, one.tag, snapshotOf(one.session, one.tag, one.at))
    case 'side':
      return (store) => store.saveSide(one.kind, one.session, one.id, one.value)
    case 'read':
      return (store) =>
        Promise.all([store.entries(one.session, one.from, one.to), store.entriesAt(one.session, [one.to, one.from])])
    case 'list':
      return (store) => store.sessions(one)
    case 'delete':
      return (store) => store.delete(one.session)
    default:
      return one satisfies never
  }
}

async function batchFor(sessionId: string, sent: Append, memory: Store): Promise<Batch> {
  const epoch = (await epochOf(sessionId, memory)) + sent.epochOff
  const expectedSeq = ((await memory.session(sessionId))?.seq ?? 0) + sent.seqOff
  const entries = entriesFrom(expectedSeq, sent.count, epoch)
  if (sent.broken) entries.push(entryHolding(expectedSeq + sent.count, () => {}))
  const inbox = await memory.inbox(sessionId)
  return batchOf(sessionId, entries, {
    epoch,
    expectedSeq,
    record: { updatedAt: sent.at, messageCount: sent.count, waiting: 0 },
    take: sent.takes ? inbox.map(({ key }) => key) : [],
    dropPartials: sent.drops ? ['a.1'] : [],
    blobs: [{ hash: 'h', text: sent.blob }],
  })
}

async function epochOf(sessionId: string, memory: Store): Promise<number> {
  return (await memory.session(sessionId))?.epoch ?? 1
}

async function outcome(work: Promise<unknown>): Promise<unknown> {
  try {
    return { answer: await work }
  } catch (error) {
    return { refused: error instanceof DogearError ? error.code : error }
  }
}

async function contents(store: Store): Promise<unknown> {
  return {
    sessions: await store.sessions(),
    each: await Promise.all(
      ['trip', 'trip2', ''].map(async (id) => ({
        entries: await store.entries(id, 0),
        blob: await store.blob(id, 'h'),
        head: await store.head(id),
        inbox: await store.inbox(id),
        partials: [await store.partial(id, 'a.1'), await store.partial(id, 'a.2')],
        snapshots: await store.snapshots(id),
        sides: await Promise.all((['draft', 'lease', 'evidence'] as const).map((kind) => store.sides(kind, id))),
      })),
    ),
  }
}
