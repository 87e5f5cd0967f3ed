import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Request, Resolution } from '../permission/request.ts'
import type { Entry, EntryBody } from './entry.ts'
import { emptyHead, foldOf, pathOf, statusOf, type Fold } from './fold.ts'
import type { Message } from './message.ts'
import { bodyOf } from './body.ts'
import { reduce } from './reduce.ts'

test('[C55] any journal, children and all, folds to the same head in one go, in two, and over a head that was cached between', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(anyEntry, anyPath), { maxLength: 40 }), fc.nat(40), (bodies, cut) => {
      const all = [...begunChildren, ...bodies]
      const entries = all.map(([body, path], seq) => ({ ...placed(body, seq), path }))
      const whole = folded(entries)
      const inTwo = folded(entries.slice(0, cut))
      for (const entry of entries.slice(cut)) reduce(inTwo, entry)
      const cached = foldOf(structuredClone(folded(entries.slice(0, cut)).head))
      for (const entry of entries.slice(cut)) reduce(cached, entry)
      expect(inTwo.head).toEqual(whole.head)
      expect(cached.head).toEqual(whole.head)
      expect([...cached.nodes.values()]).toEqual([...whole.nodes.values()])
    }),
    { numRuns: 300 },
  )
})

test('[C55] what a child asks and costs is its parent’s, until the call it works for has its result', () => {
  const fold = inStep()
  take(fold, { type: 'call-request', call: { callId: 'c', index: 0, tool: 'helper', args: '{}' } })
  const inChild = (body: EntryBody, path: readonly string[] = ['c']) =>
    reduce(fold, { ...placed(body, fold.head.seq), path })
  inChild({ type: 'session-start', agent: 'helper', sessionId: 's' })
  inChild({ type: 'turn-start', origin: 'agent' })
  expect(statusOf(fold.head)).toBe('busy')
  inChild({ type: 'usage-add', model: 'm', purpose: 'step', usage: usageOf(3) })
  inChild({ type: 'call-request', call: { callId: 'd', index: 0, tool: 'book', args: '{}' } })
  inChild({ type: 'request-open', request: { ...approval, callId: 'd', id: 'd.approval' } })
  expect(fold.head).toMatchObject({
    requests: [{ id: 'd.approval', path: ['c'] }],
    usage: { totals: { m: { output: 3 } } },
    turn: { childCount: 1, spent: { outputTokens: 3 } },
    children: { c: { agent: 'helper', usage: { totals: { m: { output: 3 } } } } },
  })
  expect(statusOf(fold.head)).toBe('paused')
  take(fold, result)
  expect(fold.head).toMatchObject({ requests: [], children: {} })
  inChild({ ...close({ type: 'approve' }), requestId: 'd.approval' } as EntryBody)
  expect(fold.head.children).toEqual({})
})

test('[C58] the agent that was given the word has it from the next step on', () => {
  const fold = inStep()
  take(fold, { type: 'agent-set', agent: 'billing' })
  expect(fold.head).toMatchObject({ activeAgent: 'billing', turn: { agent: undefined } })
  take(fold, { type: 'step-start', step: 2, key: 't.2' })
  expect(fold.head.turn?.agent).toBe('billing')
  take(fold, { type: 'agent-set', agent: 'tester' })
  expect(fold.head.activeAgent).toBeUndefined()
})

test('[G4] a question about an outcome that is withdrawn leaves its call begun and undecided', () => {
  const fold = inStep()
  take(fold, { type: 'call-request', call: { callId: 'c', index: 0, tool: 'book', args: '{}' } })
  take(fold, { type: 'tool-intent', callId: 'c', argsHash: 'h', attempt: 1, key: 's:c' })
  take(fold, { type: 'request-open', request: { ...approval, kind: 'outcome' } })
  expect(statusOf(fold.head)).toBe('paused')
  take(fold, close({ type: 'cancel' }))
  expect(statusOf(fold.head)).toBe('busy')
  expect(call(fold)).toMatchObject({ intent: { attempt: 1 }, request: undefined, decision: undefined, done: false })
})

test('an entry read back is not folded a second time', () => {
  const entries = [userSays('a'), userSays('b')].map(placed)
  const fold = folded(entries)
  for (const entry of entries) reduce(fold, entry)
  expect(fold.head.nodes).toHaveLength(2)
  expect(fold.head.seq).toBe(2)
})

test('a turn opens, steps, answers and ends', () => {
  const fold = folded([])
  take(fold, { type: 'turn-start', origin: 'human' })
  expect(statusOf(fold.head)).toBe('busy')
  take(fold, userSays('hello'))
  take(fold, { type: 'step-start', step: 1, key: 't.1' })
  expect(fold.head.turn).toMatchObject({ id: 't', step: 1, openStep: { id: 't.1', key: 't.1' } })
  take(fold, answers('hi'))
  expect(fold.head.turn).toMatchObject({ openStep: null, finish: 'completed' })
  take(fold, { type: 'turn-end', terminalReason: 'completed' })
  expect(statusOf(fold.head)).toBe('idle')
  expect(fold.head.lastEnd).toEqual({
    ...{ turnId: 't', terminalReason: 'completed', error: undefined },
    origin: 'human',
  })
  expect(pathOf(fold).map(({ id }) => id)).toEqual(['hello', 'hi'])
})

test('[O9] a call goes from request to decision to intent to result, and only then counts as done', () => {
  const fold = inStep()
  take(fold, { type: 'call-request', call: { callId: 'c', index: 0, tool: 'book', args: '{}' } })
  expect(fold.head.turn?.toolCallCount).toBe(1)
  take(fold, { type: 'request-open', request: approval })
  expect(statusOf(fold.head)).toBe('paused')
  take(fold, close({ type: 'approve', args: { nights: 2 } }))
  expect(statusOf(fold.head)).toBe('busy')
  expect(call(fold)).toMatchObject({ request: approval, decision: { type: 'run', args: { nights: 2 } } })
  take(fold, { type: 'tool-intent', callId: 'c', argsHash: 'h', attempt: 1, key: 's:c', args: { nights: 2 } })
  expect(call(fold)).toMatchObject({ decision: undefined, intent: { attempt: 1, args: { nights: 2 } }, done: false })
  take(fold, result)
  expect(call(fold)?.done).toBe(true)
  expect(fold.bodies.get('c.r')).toMatchObject({ role: 'tool', tool_call_id: 'c', content: 'ok' })
})

test.each<[Resolution, object]>([
  [{ type: 'approve' }, { type: 'run' }],
  [{ type: 'retry' }, { type: 'run' }],
  [
    { type: 'reject', comment: 'too far' },
    { type: 'reject', comment: 'too far', by: 'ann' },
  ],
  [
    { type: 'answer', answers: [] },
    { type: 'answer', answers: [] },
  ],
  [{ type: 'cancel' }, { type: 'cancel' }],
  [{ type: 'stop' }, { type: 'cancel' }],
  [
    { type: 'result', result: 1 },
    { type: 'result', result: 1 },
  ],
  [{ type: 'happened' }, { type: 'result' }],
])('[C48] %o becomes the decision about its call', (resolution, decision) => {
  const fold = inStep()
  take(fold, { type: 'call-request', call: { callId: 'c', index: 0, tool: 'book', args: '{}' } })
  take(fold, { type: 'request-open', request: approval })
  take(fold, { ...close(resolution), by: 'ann' } as EntryBody)
  expect(call(fold)?.decision).toMatchObject(decision)
  expect(fold.head.requests).toEqual([])
})

test('a session is paused only when every call left waits for a person', () => {
  const fold = inStep()
  for (const callId of ['c', 'd']) {
    take(fold, { type: 'call-request', call: { callId, index: 0, tool: 'book', args: '{}' } })
  }
  take(fold, { type: 'request-open', request: approval })
  expect(statusOf(fold.head)).toBe('busy')
  take(fold, { ...result, callId: 'd' } as EntryBody)
  expect(statusOf(fold.head)).toBe('paused')
})

test('cut answers in a row are counted, and a whole one ends the count', () => {
  const fold = inStep()
  take(fold, answers('half', 'partial'))
  take(fold, { type: 'step-start', step: 2, key: 't.2' })
  take(fold, answers('half again', 'partial'))
  expect(fold.head.turn?.cuts).toBe(2)
  expect(fold.nodes.get('half')?.cut).toBe(true)
  take(fold, answers('whole'))
  expect(fold.head.turn?.cuts).toBe(0)
})

test('plan, title, queue, settings, slices and usage hold what was said last', () => {
  const fold = folded([])
  const plan = { version: 1, steps: [], lastUpdated: 0, adherenceScore: 1 }
  take(fold, { type: 'plan-set', plan, source: 'manage_todo_list', operation: 'write' })
  take(fold, { type: 'title-set', title: 'Lisbon', source: 'person' })
  take(fold, { type: 'queue-set', queue: [{ commandId: 'q', content: 'and Porto', when: 'later' }] })
  take(fold, { type: 'meta-set', model: 'fast', tag: 'a' })
  take(fold, { type: 'meta-set', tag: 'b' })
  take(fold, { type: 'slice-set', extension: 'flows', value: 1 })
  take(fold, { type: 'slice-set', extension: 'notes', value: 2 })
  for (const input of [1, 2]) {
    const usage = { input, output: 1, total: input + 1, cachedInput: 0, reasoning: 0 }
    take(fold, { type: 'usage-add', model: 'm', usage, purpose: 'step' })
  }
  expect(fold.head).toMatchObject({
    plan,
    title: 'Lisbon',
    queue: [{ commandId: 'q' }],
    settings: { model: 'fast', tag: 'b' },
    slices: { flows: 1, notes: 2 },
    usage: { totals: { m: { requests: 2, input: 3, output: 2, total: 5 } } },
  })
})

test('the last 256 commands are remembered, refused ones with their reason', () => {
  const fold = folded([])
  for (let count = 0; count < 300; count += 1) {
    const commandId = `command-${count}`
    take(fold, { type: 'command-refused', commandId, reason: 'no' })
    take(fold, { type: 'title-set', title: 'x', source: 'person' }, { commandId })
  }
  expect(fold.head.commands).toHaveLength(256)
  expect(fold.head.commands.at(-1)).toBe('command-299')
  expect(fold.head.refused.at(-1)).toEqual({ commandId: 'command-299', reason: 'no' })
})

test('a body is read back from the entry it came in', () => {
  expect(bodyOf(placed(userSays('a'), 0))?.content).toBe('a')
  expect(bodyOf(placed(result, 0))).toMatchObject({ id: 'c.r', meta: { tool: { name: 'book' } } })
  const imported = placed({ type: 'state-import', messages: [message('a'), message('b')], plan: null }, 0)
  expect(bodyOf(imported, 1)?.id).toBe('b')
  expect(bodyOf(placed({ type: 'cursor-set', leaf: null }, 0))).toBeUndefined()
})

const approval: Request = {
  id: 'c.approval',
  kind: 'approval',
  openedAt: 0,
  callId: 'c',
  tool: 'book',
  args: {},
  argsHash: 'h',
}

const result: EntryBody = {
  type: 'tool-result',
  callId: 'c',
  parent: null,
  result: { status: 'complete', tool: 'book', content: 'ok', args: {} },
}

function close(resolution: Resolution): EntryBody {
  return { type: 'request-close', requestId: 'c.approval', status: 'approved', resolution }
}

function inStep(): Fold {
  const fold = folded([])
  take(fold, { type: 'turn-start', origin: 'human' })
  take(fold, { type: 'step-start', step: 1, key: 't.1' })
  take(fold, answers('calling'))
  return fold
}

function call(fold: Fold) {
  return fold.head.turn?.calls[0]
}

function take(fold: Fold, body: EntryBody, more: Partial<Entry> = {}): void {
  const entry = placed(body, fold.head.seq)
  const parent = 'parent' in body ? { parent: fold.head.leaf } : {}
  reduce(fold, { ...entry, ...parent, ...more } as Entry)
}

function folded(entries: readonly Entry[]): Fold {
  const fold = foldOf(emptyHead('s', 'tester'))
  for (const entry of entries) reduce(fold, entry)
  return fold
}

function placed(body: EntryBody, seq: number): Entry {
  return { v: 1, seq, id: `1.${seq}`, at: seq, epoch: 1, path: [], turnId: 't', stepId: 't.1', ...body }
}

function userSays(id: string): EntryBody {
  return { type: 'message-add', message: message(id), parent: null }
}

function answers(id: string, status: Message['meta']['status'] = 'complete'): EntryBody {
  return {
    type: 'message-add',
    message: { ...message(id), role: 'assistant', meta: { status, createdAt: 0 } },
    parent: null,
  }
}

function message(id: string): Message {
  return { id, role: 'user', content: id, meta: { status: 'complete', createdAt: 0 } }
}

const id = fc.constantFrom('c', 'd', 'e')
/** The session's own entries, and those of agents that work for its calls, or for theirs. */
const anyPath = fc.oneof(
  fc.constant([]),
  fc.array(
    fc.oneof(
      id,
      id.map((callId) => `${callId}#1`),
    ),
    { maxLength: 2 },
  ),
)
const begunChildren = [['c'], ['c#1'], ['c', 'd'], ['e']].map((path): [EntryBody, string[]] => [
  { type: 'session-start', agent: 'helper', sessionId: 's' },
  path,
])
const anyEntry: fc.Arbitrary<EntryBody> = fc.oneof(
  fc.constant<EntryBody>({ type: 'agent-set', agent: 'other' }),
  fc.nat(9).map((output): EntryBody => ({ type: 'usage-add', model: 'm', purpose: 'step', usage: usageOf(output) })),
  fc.constant<EntryBody>({ type: 'session-start', agent: 'tester', sessionId: 's' }),
  fc.constant<EntryBody>({ type: 'turn-start', origin: 'human' }),
  fc.nat(9).map((step): EntryBody => ({ type: 'step-start', step, key: `t.${step}` })),
  fc.uuid().map((unique) => userSays(unique)),
  fc.tuple(fc.uuid(), fc.boolean()).map(([unique, cut]) => answers(unique, cut ? 'partial' : 'complete')),
  fc.uuid().map((unique): EntryBody => ({ type: 'state-import', messages: [message(unique)], plan: null })),
  id.map((callId): EntryBody => ({ type: 'call-request', call: { callId, index: 0, tool: 'book', args: '{}' } })),
  id.map((callId): EntryBody => ({ type: 'request-open', request: { ...approval, callId, id: `${callId}.approval` } })),
  id.map((callId) => ({ ...close({ type: 'approve' }), requestId: `${callId}.approval` }) as EntryBody),
  id.map((callId): EntryBody => ({ type: 'tool-intent', callId, argsHash: 'h', attempt: 1, key: callId })),
  id.map((callId) => ({ ...result, callId })),
  fc.string().map((title): EntryBody => ({ type: 'title-set', title, source: 'person' })),
  fc.string().map((tag): EntryBody => ({ type: 'meta-set', tag })),
  fc.string().map((reason): EntryBody => ({ type: 'command-refused', commandId: reason, reason })),
  fc.constant<EntryBody>({ type: 'turn-end', terminalReason: 'completed' }),
)

function usageOf(output: number) {
  return { input: 0, output, total: output, cachedInput: 0, reasoning: 0 }
}
