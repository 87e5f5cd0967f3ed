import { asHandoff, asTool, defineAgent, type AgentOptions } from '@dogear/core'
import { afterEach, expect, test, vi } from 'vitest'
import { createHandles } from './handles.ts'
import type { ToHost } from './protocol.ts'

test('an agent crosses the wire as data, its functions as handles', () => {
  const { spec } = page({ instructions: () => 'be kind', token: () => 't', tools: [pay(() => 1)] })
  expect(structuredClone(spec)).toMatchObject({
    name: 'tester',
    instructions: { handle: 'tester/instructions' },
    token: { handle: 'tester/token' },
    tools: [{ name: 'pay', func: { handle: 'tester/tools/pay/func' } }],
  })
})

test('[C57] [C58] agents that tools stand for cross as a flat list, their functions under their own names', async () => {
  const second = defineAgent({ name: 'second', tools: [pay(() => 2), asHandoff('tester')] })
  const { spec, call, posted } = page({ endpoint: 'https://api.example/', tools: [asTool(second), asHandoff(second)] })
  expect(structuredClone(spec)).toMatchObject({
    tools: [
      { name: 'second', agent: 'second' },
      { name: 'handoff_to_second', handoff: 'second' },
    ],
    others: [
      {
        name: 'second',
        endpoint: 'https://api.example',
        tools: [{ func: { handle: 'second/tools/pay/func' } }, { handoff: 'tester' }],
      },
    ],
  })
  await call(1, 'second/tools/pay/func', {}, { callId: 'c' })
  expect(posted).toMatchObject([{ type: 'call-return', value: { content: '2' } }])
})

test('a function is called by its handle, and what it gives or throws comes back', async () => {
  const { call, posted } = page({ instructions: async () => 'be kind', token: thrower })
  await call(1, 'tester/instructions')
  await call(2, 'tester/token')
  await call(3, 'tester/nothing')
  expect(posted).toMatchObject([
    { type: 'call-return', id: 1, value: 'be kind' },
    { type: 'call-throw', id: 2, error: { message: 'no token' } },
    { type: 'call-throw', id: 3, error: { code: 'handle-missing' } },
  ])
})

test('a model of the page streams its events, and ends when it is stopped', async () => {
  let release = () => {}
  const { call, posted, handles } = page({
    model: {
      async *stream() {
        yield { type: 'text-delta', text: 'one' }
        await new Promise<void>((resolve) => (release = resolve))
        yield { type: 'text-delta', text: 'two' }
        yield { type: 'text-delta', text: 'three' }
      },
    },
  })
  await call(1, 'tester/model', {}, {})
  handles.receive({ type: 'call-abort', id: 1 })
  release()
  await ticks()
  expect(posted.map((message) => message.type)).toEqual(['call-yield', 'call-return'])
})

test('[G3] a call that runs is joined by the next worker, stopped by it, and forgotten once it is journalled', async () => {
  const signals: AbortSignal[] = []
  let finish = (_value: string) => {}
  const { call, posted, handles } = page({
    tools: [pay((_args, { signal }) => (signals.push(signal), new Promise<string>((resolve) => (finish = resolve))))],
  })
  void call(1, 'tester/tools/pay/func', {}, { callId: 'c' })
  await Promise.resolve()
  handles.disconnect()
  expect(signals[0]?.aborted).toBe(false)
  const joined = call(1, 'tester/tools/pay/func', {}, { callId: 'c' })
  await Promise.resolve()
  handles.receive({ type: 'call-abort', id: 1 })
  expect(signals.map((signal) => signal.aborted)).toEqual([true])
  finish('receipt')
  await joined
  expect(posted).toEqual([{ type: 'call-return', id: 1, value: expect.objectContaining({ content: 'receipt' }) }])
  handles.settled('c')
  void call(2, 'tester/tools/pay/func', {}, { callId: 'c' })
  await Promise.resolve()
  expect(signals).toHaveLength(2)
})

test('[G3] a tool is entered only by news that is fresh: what came too late asks its host, and again when the answer is late', async () => {
  const entered: unknown[] = []
  const { posted, handles } = page({ tools: [pay((args) => void entered.push(args))] }, (proven) => proven > 10)
  const message = { type: 'call', id: 1, handle: 'tester/tools/pay/func', args: ['lamp', { callId: 'c' }] } as const
  for (const proven of [1, 2]) handles.receive({ ...message, proven })
  await ticks()
  expect(entered).toEqual([])
  expect(posted).toEqual([
    { type: 'call-confirm', id: 1 },
    { type: 'call-confirm', id: 1 },
  ])
  handles.receive({ ...message, proven: 11 })
  await ticks()
  expect(entered).toEqual(['lamp'])
})

test('an answer meant for a worker that died never reaches the next one, which counts from 1 as well', async () => {
  let finish = (_value: string) => {}
  const slow = new Promise<string>((resolve) => (finish = resolve))
  const { call, posted, handles } = page({ instructions: () => slow, headers: () => ({ a: 'b' }) })
  const lost = call(1, 'tester/instructions')
  handles.disconnect()
  const fresh = call(1, 'tester/headers')
  finish('old words')
  await Promise.all([lost, fresh])
  expect(posted).toEqual([{ type: 'call-return', id: 1, value: { a: 'b' } }])
})

test('[G3] asked for another tab, a page tells what it has begun, and never begins the rest', async () => {
  const entered: string[] = []
  const { call, posted, handles } = page({ tools: [pay(() => (entered.push('pay'), 'paid'))] })
  await call(1, 'tester/tools/pay/func', {}, { callId: 'c', attempt: 1 })
  handles.disconnect()
  await call(1, 'begun', 'c', '1.0')
  await call(2, 'begun', 'd', '1.0')
  await call(3, 'tester/tools/pay/func', {}, { callId: 'd', attempt: 1 })
  await call(4, 'tester/tools/pay/func', {}, { callId: 'd', attempt: 2 })
  expect(entered).toHaveLength(2)
  const neverBegun = { status: 'error', content: expect.stringContaining('Nothing was run') }
  expect(posted).toMatchObject([
    { value: { content: 'paid' } },
    { id: 1, value: { content: 'paid' } },
    { id: 2, value: neverBegun },
    { id: 3, value: neverBegun },
    { id: 4, value: { content: 'paid' } },
  ])
})

test('[G4] what a tool comes to while its page is being left is not told: its request was ended by the leaving', async () => {
  vi.useFakeTimers()
  const listeners = new Map<string, () => void>()
  vi.stubGlobal('addEventListener', (type: string, listener: () => void) => listeners.set(type, listener))
  let fail: (error: Error) => void = () => {}
  const { call, posted } = page({ tools: [pay(() => new Promise((_, reject) => (fail = reject)))] })
  void call(1, 'tester/tools/pay/func', {}, { callId: 'c' })
  listeners.get('pagehide')?.()
  fail(new TypeError('Failed to fetch'))
  for (let turns = 0; turns < 20; turns += 1) await Promise.resolve()
  expect(posted).toEqual([])
  // Brought back after all.
  await vi.runAllTimersAsync()
  expect(posted).toMatchObject([{ type: 'call-return', value: { status: 'error' } }])
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

function page(options: AgentOptions, isFresh = (_proven: number) => true) {
  const posted: ToHost[] = []
  const handles = createHandles((message) => void posted.push(message), isFresh)
  const spec = handles.define(defineAgent({ name: 'tester', ...options }))
  return {
    handles,
    spec,
    posted,
    async call(id: number, handle: string, ...args: unknown[]) {
      handles.receive({ type: 'call', id, handle, args })
      await ticks()
    },
  }
}

/** Until everything that can go on has gone on. */
async function ticks(): Promise<void> {
  for (let tick = 0; tick < 5; tick += 1) await new Promise((resolve) => setImmediate(resolve))
}

function pay(func: (args: unknown, context: { signal: AbortSignal }) => unknown) {
  return { name: 'pay', func }
}

function thrower(): never {
  throw new Error('no token')
}
