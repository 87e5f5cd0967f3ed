import { expect, test } from 'vitest'
import { emptyHead } from '../session/fold.ts'
import type { Message } from '../session/message.ts'
import type { Head, OpenCall, OpenTurn } from '../session/state.ts'
import { calls, run } from './turn.fixture.ts'
import { nextAction } from './turn.ts'

const limits = { maxSteps: 3, maxToolCalls: 4, maxParallelTools: 2 }
const open: OpenCall = { callId: 'c', tool: 'book', args: '{}', done: false }
const done: OpenCall = { ...open, done: true }
const request = { id: 'c.approval', kind: 'approval', callId: 'c' } as OpenCall['request']

test.each<[string, Partial<OpenTurn>, object]>([
  ['asks when nothing was asked', { step: 0 }, { type: 'step' }],
  ['waits for the answer of an open step', { openStep: { id: 't.1', key: 't.1' } }, { type: 'answer' }],
  ['runs calls that are open', { calls: [done, open] }, { type: 'calls' }],
  [
    'runs calls a person has decided about',
    { calls: [{ ...open, request, decision: { type: 'run' } }] },
    { type: 'calls' },
  ],
  ['rests while a person decides', { calls: [{ ...open, request }] }, { type: 'rest' }],
  ['goes on while one of two is decided', { calls: [open, { ...open, callId: 'd', request }] }, { type: 'calls' }],
  ['asks again with the results', { calls: [done], toolCallCount: 1 }, { type: 'step' }],
  ['ends when an answer calls nothing', { finish: 'refusal' }, { type: 'end', reason: 'refusal' }],
  ['asks again after a cut', { cuts: 1 }, { type: 'step' }],
  ['gives up after three cuts', { cuts: 3 }, { type: 'end', reason: 'model_error' }],
  ['ends after its last step', { step: 3, calls: [done], toolCallCount: 1 }, { type: 'end', reason: 'max_turns' }],
  [
    'ends when calls go on after the limit',
    { calls: [done], toolCallCount: 5 },
    { type: 'end', reason: 'max_tool_calls' },
  ],
])('a turn %s', (_what, turn, action) => {
  expect(nextAction(headWith(turn), { limits })).toMatchObject(action)
})

test('a session without a turn rests', () => {
  expect(nextAction(emptyHead('s', 'tester'), { limits })).toEqual({ type: 'rest' })
})

test('what was given is not changed, and what comes back holds it and everything after', async () => {
  const messages = [hello]
  const { result } = await run({ messages, answers: [calls('book')], options: { tools: [book] } })
  expect(messages).toEqual([hello])
  expect(result).toMatchObject({ content: 'Yes.', terminalReason: 'completed' })
  expect(result.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
})

test('[C47] without a session a turn that needs a person comes back paused, with its request', async () => {
  const { result } = await run({
    messages: [hello],
    answers: [calls('book')],
    options: { tools: [{ ...book, needsApproval: true }] },
  })
  expect(result).toMatchObject({ terminalReason: 'paused', requests: [{ kind: 'approval', tool: 'book' }] })
})

test('a turn that fails between its calls leaves none without a result', async () => {
  let hashed = 0
  const hash = {
    sha256: () => {
      hashed += 1
      if (hashed > 1) throw new Error('no more hashes')
      return 'h'
    },
  }
  const { result } = await run({
    messages: [hello],
    answers: [calls('book', 'book')],
    options: { tools: [book], limits: { maxParallelTools: 1 } },
    hash,
  })
  expect(result).toMatchObject({ terminalReason: 'model_error' })
  expect(result.messages.filter(({ role }) => role === 'tool').map(({ meta }) => meta.status)).toEqual([
    'complete',
    'stopped',
  ])
})

test('a signal stops a turn, and the call that hangs gets its result', async () => {
  const controller = new AbortController()
  const hang = { name: 'hang', func: () => (controller.abort(), new Promise(() => {})) }
  const { result } = await run({
    messages: [hello],
    answers: [calls('hang')],
    options: { tools: [hang] },
    signal: controller.signal,
  })
  expect(result.terminalReason).toBe('aborted_tools')
  expect(result.messages.at(-1)).toMatchObject({ role: 'tool', meta: { status: 'stopped' } })
})

const book = { name: 'book', func: () => 'booked' }
const hello: Message = { id: 'u', role: 'user', content: 'hello', meta: { status: 'complete', createdAt: 0 } }

function headWith(turn: Partial<OpenTurn>): Head {
  const base: OpenTurn = {
    id: 't',
    origin: 'human',
    startedAt: 0,
    step: 1,
    openStep: null,
    calls: [],
    toolCallCount: 0,
    childCount: 0,
    cuts: 0,
    finish: 'completed',
    spent: { outputTokens: 0, costUsd: 0 },
    tallies: {},
  }
  return { ...emptyHead('s', 'tester'), turn: { ...base, ...turn } }
}
