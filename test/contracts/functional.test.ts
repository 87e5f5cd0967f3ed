/** Agents called like functions: a state in, a state out. */
import {
  asHandoff,
  countApproxTokens,
  defineAgent,
  setState,
  textOf,
  type ModelEvent,
  type ModelRequest,
  type SmartState,
} from '@dogear/core'
import { call, fail, forever, say, scriptedModel, usage } from '@dogear/testing'
import { browserClock } from '@dogear/worker/host'
import { expect, test } from 'vitest'
import { functional, hello, told } from './functional.ts'

const book = { name: 'book', func: ({ hotel }: { hotel: string }) => ({ booked: hotel }) }
const guarded = { ...book, needsApproval: true }

test('[C1] [C2] [C3] a run gives back the state it was given, with all that has happened since', async () => {
  const paid = usage({ input: 10, output: 5, cachedInput: 2 })
  const { agent } = functional(
    [
      [call('book', { hotel: 'Sol' }), paid],
      [say('Booked.'), paid],
    ],
    { tools: [book] },
  )
  const { content, messages, state, metadata } = await agent.invoke(hello)
  expect(content).toBe('Booked.')
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
  expect(state).toMatchObject({
    toolCallCount: 1,
    toolHistory: [
      {
        toolName: 'book',
        args: { hotel: 'Sol' },
        output: '{"booked":"Sol"}',
        rawOutput: { booked: 'Sol' },
        status: 'success',
      },
    ],
    usage: {
      perRequest: [
        { turn: 1, modelName: 'default', usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } },
        { turn: 2, cachedInput: 2 },
      ],
      totals: { default: { input: 20, output: 10, total: 30, cachedInput: 4 } },
    },
    agent: { name: 'tester', tools: ['book'] },
    status: 'idle',
    step: 2,
  })
  expect(state.toolHistory?.[0]?.executionId).toBe(state.toolHistory?.[0]?.tool_call_id)
  expect(metadata).toMatchObject({ terminalReason: 'completed', usage: { totals: { default: { total: 30 } } } })
})

test('[C5] what nobody here knows of is handed on, and so are the parts of earlier runs', async () => {
  const { agent } = functional([say('Hi.'), say('Again.')])
  const given = {
    ...hello,
    reflections: [{ id: 'r', turn: 1, text: 'hm', createdAt: '2026-01-01T00:00:00.000Z' }],
    toolHistoryArchived: [execution('old')],
    summaries: ['before'],
    metadata: { ticket: 7 },
    mine: { any: 'thing' },
    ctx: { locale: 'pt', __limitBreached: 'max_cost' },
  } as SmartState
  const first = await agent.invoke(given)
  const second = await agent.invoke({
    ...first.state,
    messages: [...first.messages, { role: 'user', content: 'and?' }],
  })
  const { reflections, toolHistoryArchived, summaries, metadata, ctx, mine } = second.state as SmartState & {
    mine: unknown
  }
  expect({ reflections, toolHistoryArchived, summaries, metadata, mine }).toEqual({
    reflections: given.reflections,
    toolHistoryArchived: given.toolHistoryArchived,
    summaries: ['before'],
    metadata: { ticket: 7 },
    mine: { any: 'thing' },
  })
  expect(ctx).toEqual({ locale: 'pt' })
})

test('[C6] what one run came to does not reach the next', async () => {
  const tools = [book]
  const { agent } = functional(
    [
      [call('book', { hotel: 'A' }), call('book', { hotel: 'B' })],
      say('Enough.'),
      call('book', { hotel: 'C' }),
      say('Done.'),
    ],
    { tools, limits: { maxToolCalls: 1 } },
  )
  const first = await agent.invoke(hello)
  expect(first.state.ctx).toMatchObject({ __finalizedDueToToolLimit: true })
  const next = { ...first.state, messages: [...first.messages, { role: 'user', content: 'one more' }] }
  const second = await agent.invoke(next, { limits: { maxToolCalls: 5 } })
  expect(second.state.toolHistory?.map(({ status }) => status).sort()).toEqual(['skipped', 'success', 'success'])
  expect(second.state).toMatchObject({ toolCallCount: 1, ctx: {} })
})

test('the state that was given is never changed', async () => {
  const { agent } = functional([call('book', { hotel: 'Sol' }), say('Booked.')], { tools: [book], useTodoList: true })
  const given = deepFrozen({ ...hello, ctx: { mine: { kept: true } }, pendingApprovals: [], toolHistory: [] })
  await expect(agent.invoke(given)).resolves.toMatchObject({ content: 'Booked.' })
})

test('[C10] results stand in the order of their calls, whichever finished first', async () => {
  const slow = { name: 'slow', func: () => new Promise((resolve) => setTimeout(resolve, 10, 'slow')) }
  const { agent } = functional([[call('slow'), call('book', { hotel: 'A' })], say('Ok.')], { tools: [slow, book] })
  const { messages } = await agent.invoke(hello)
  expect(messages.filter(({ role }) => role === 'tool').map(({ content }) => content)).toEqual([
    'slow',
    '{"booked":"A"}',
  ])
})

test('messages of other SDKs are taken as they are', async () => {
  const { agent, model } = functional([say('Seen.')], { tools: [book] })
  await agent.invoke({
    messages: [
      { role: 'user', content: 'book twice' },
      { role: 'assistant', content: null, tool_calls: [{ id: 'c', name: 'book', args: { hotel: 'A' } }] },
      { role: 'tool', content: 'ok', tool_call_id: 'c' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'book', arguments: '{"hotel":"B"}' } }],
      },
      { role: 'tool', content: 'ok too', tool_call_id: 'c' },
      { role: 'user', content: 'well?' },
    ],
  })
  const [, first, result, second, other] = model.requests[0]?.messages ?? []
  expect(first?.tool_calls).toMatchObject([{ id: 'c', function: { name: 'book', arguments: '{"hotel":"A"}' } }])
  expect(result).toMatchObject({ tool_call_id: 'c', content: 'ok' })
  expect(second?.tool_calls).toMatchObject([{ providerId: 'c' }])
  expect(other).toMatchObject({ content: 'ok too', tool_call_id: second?.tool_calls?.[0]?.id })
})

test('a model may be { invoke(messages) }', async () => {
  const asked: unknown[] = []
  const model = {
    bindTools: (tools: readonly unknown[]) => ({
      invoke(messages: readonly { role: string }[]) {
        asked.push(tools)
        return messages.at(-1)?.role === 'tool'
          ? { content: 'Booked.', usage: { input_tokens: 3, output_tokens: 4 } }
          : { content: '', tool_calls: [{ id: 'x', name: 'book', args: { hotel: 'Sol' } }] }
      },
    }),
    invoke: () => ({ content: 'no tools' }),
  }
  const { agent } = functional([], { model, tools: [book] })
  const { content, metadata } = await agent.invoke(hello)
  expect(content).toBe('Booked.')
  expect(metadata.usage.totals).toMatchObject({ default: { input: 3, output: 4, total: 7 } })
  expect(asked[0]).toMatchObject([{ type: 'function', function: { name: 'book' } }])
})

test('an agent without a model is told what it lacks', async () => {
  const { agent } = functional([], { model: undefined })
  await expect(agent.invoke(hello)).rejects.toMatchObject({ code: 'model-missing' })
})

test('[C11] [C61] every call is told from its start to its end', async () => {
  const { agent, events } = functional([[call('book', { hotel: 'A' }), call('fails'), call('unknown')], say('Done.')], {
    tools: [book, { name: 'fails', func: () => Promise.reject(new Error('no')) }],
  })
  await agent.invoke(hello)
  const of = (name: string) => events.filter((event) => event.type === 'tool_call' && event.name === name)
  expect(of('book')).toMatchObject([
    { phase: 'start', args: { hotel: 'A' } },
    { phase: 'success', result: '{"booked":"A"}', durationMs: expect.any(Number) },
  ])
  expect(of('fails')).toMatchObject([
    { phase: 'start' },
    { phase: 'error', error: { message: expect.stringContaining('no') } },
  ])
  expect(of('unknown')).toMatchObject([
    { phase: 'error', error: { message: expect.stringContaining('Tool not found') } },
  ])
  expect(events.at(-1)).toEqual({ type: 'finalAnswer', content: 'Done.' })
})

test('[C61] a plan is told when it is written, and when it is read', async () => {
  const todoList = [{ id: 1, step: 'Look' }]
  const { agent, events } = functional(
    [
      call('manage_todo_list', { operation: 'write', todoList }),
      call('manage_todo_list', { operation: 'read' }),
      say('Ok.'),
    ],
    { useTodoList: true },
  )
  const { state } = await agent.invoke(hello)
  expect(events.filter(({ type }) => type === 'plan')).toMatchObject([
    { source: 'manage_todo_list', operation: 'write', version: 1, adherenceScore: 0, todoList: [{ step: 'Look' }] },
    { operation: 'read', version: 1 },
  ])
  expect(state.plan).toMatchObject({ version: 1, steps: [{ step: 'Look' }], lastUpdated: expect.any(String) })
  expect(state.planVersion).toBe(1)
})

test('[C61] each step tells its model, its limits and what it cost', async () => {
  const { agent, events } = functional([[say('Hi.'), usage({ input: 2, output: 1 })]])
  await agent.invoke(hello, { limits: { maxToolCalls: 7 } })
  expect(events.filter(({ type }) => type === 'metadata')).toMatchObject([
    { modelName: 'default', limits: { maxToolCalls: 7 }, usage: { prompt_tokens: 2, total_tokens: 3 } },
  ])
})

test('[C61] [C62] the answer is told as it streams, and whoever listens is told its progress', async () => {
  const { agent, events } = functional([say('one', ' two')])
  const chunks: string[] = []
  const stages: string[] = []
  await agent.invoke(hello, {
    onStream: ({ text, isFinal }) => chunks.push(isFinal ? `${text}.` : text),
    onProgress: ({ stage, step }) => stages.push(`${stage} ${step}`),
  })
  expect(chunks).toEqual(['one', ' two', '.'])
  expect(stages).toEqual(['model 1'])
  expect(told(events)).toEqual(['stream', 'stream', 'stream', 'finalAnswer'])
})

test('[C61] a structured answer is told as far as it can be read', async () => {
  const { agent } = functional([call('response', { total: 240, city: 'Lisbon' })], {
    outputSchema: { type: 'object', properties: { total: { type: 'number' }, city: { type: 'string' } } },
  })
  const outputs: unknown[] = []
  for await (const event of agent.stream(hello)) if (event.type === 'output-delta') outputs.push(event.output)
  expect(outputs.at(-1)).toEqual({ total: 240, city: 'Lisbon' })
  expect(outputs.length).toBeGreaterThan(1)
})

test('[C62] a stream is the events, and then the result', async () => {
  const { agent } = functional([say('one', ' two')])
  const stream = agent.stream(hello)
  const seen: string[] = []
  let next = await stream.next()
  for (; !next.done; next = await stream.next()) if (next.value.type === 'stream') seen.push(next.value.text)
  expect(seen).toEqual(['one', ' two', ''])
  expect(next.value).toMatchObject({ content: 'one two' })
})

test('[C62] leaving a stream stops its run', async () => {
  const { agent, model } = functional([[say('one'), forever]])
  for await (const event of agent.stream(hello)) if (event.type === 'stream') break
  await expect.poll(() => model.stopped.length).toBe(1)
})

test('[C61] a listener that throws is warned about and changes nothing', async () => {
  const { agent, warnings } = functional([say('Hi.')])
  const onEvent = () => {
    throw new Error('no')
  }
  await expect(agent.invoke(hello, { onEvent })).resolves.toMatchObject({ content: 'Hi.' })
  expect(warnings[0]).toContain('A listener threw')
})

test.each([
  ['a signal', 'aborted', () => ({ signal: AbortSignal.timeout(5) })],
  ['a token that is a signal', 'aborted', () => ({ cancellationToken: AbortSignal.timeout(5) })],
  ['a token', 'cancelled', () => ({ cancellationToken: { isCancellationRequested: true } })],
  ['its time', 'timeout', () => ({ timeoutMs: 5 })],
])('[C61] [C62] a run is stopped by %s, and keeps what was said', async (_what, reason, config) => {
  const { agent, events } = functional([[say('Hm'), forever]])
  const { state, metadata } = await agent.invoke(hello, config())
  expect(metadata.terminalReason).toBe('aborted_streaming')
  expect(state.ctx).toEqual({ __cancelled: true })
  expect(events.at(-1)).toEqual({ type: 'cancelled', stage: 'agent', reason })
})

test('[C62] a token that fires while the run goes on stops it', async () => {
  let cancel = () => {}
  const cancellationToken = {
    isCancellationRequested: false,
    onCancellationRequested: (listener: () => void) => (cancel = listener),
  }
  const look = { name: 'look', func: () => (cancel(), new Promise(() => {})) }
  const { agent, events } = functional([call('look')], { tools: [look] })
  const { metadata } = await agent.invoke(hello, { cancellationToken })
  expect(metadata.terminalReason).toBe('aborted_tools')
  expect(events.at(-1)).toEqual({ type: 'cancelled', stage: 'tools', reason: 'cancelled' })
})

test('[C27] a read is told before there is a plan, too', async () => {
  const { agent, events } = functional([call('manage_todo_list', { operation: 'read' }), say('None.')], {
    useTodoList: true,
  })
  await agent.invoke(hello)
  expect(events.filter(({ type }) => type === 'plan')).toMatchObject([
    { source: 'manage_todo_list', operation: 'read', todoList: [], version: 0, adherenceScore: 1 },
  ])
})

test('[C61] a run stopped while its tools run says so', async () => {
  const controller = new AbortController()
  const hangs = { name: 'hangs', func: () => (controller.abort(), new Promise(() => {})) }
  const { agent, events } = functional([call('hangs')], { tools: [hangs] })
  const { metadata } = await agent.invoke(hello, { signal: controller.signal })
  expect(metadata.terminalReason).toBe('aborted_tools')
  expect(events.at(-1)).toEqual({ type: 'cancelled', stage: 'tools', reason: 'aborted' })
})

test('a model that fails gives a result that says so', async () => {
  const { agent, events } = functional([fail('quota-exceeded')])
  const { metadata } = await agent.invoke(hello)
  expect(metadata).toMatchObject({ terminalReason: 'model_error', error: { code: 'quota-exceeded' } })
  expect(told(events)).toEqual([])
})

test.each(['network', 'token-refused'] as const)(
  'a server that stays away (%s) ends the run with the reason',
  async (code) => {
    const clock = { ...browserClock, sleep: async () => {} }
    const { agent, model } = functional(() => fail(code), { ports: { clock } })
    const { metadata, state } = await agent.invoke(hello)
    expect(metadata).toMatchObject({ terminalReason: 'model_error', error: { code } })
    expect(state.status).toBe('idle')
    expect(model.requests).toHaveLength(code === 'network' ? 4 : 1)
  },
)

test('[O12] a failed model request is made again for as long as the developer says so', async () => {
  const asked: string[] = []
  const { agent } = functional([fail('model-failed'), fail('rate-limited'), say('At last.')], {
    onError: ({ code }, attempt) => (asked.push(`${code} ${attempt}`), 'retry'),
  })
  await expect(agent.invoke(hello)).resolves.toMatchObject({ content: 'At last.' })
  expect(asked).toEqual(['model-failed 1', 'rate-limited 2'])
})

test('[O11] an answer may be followed by the next turn, in the same run', async () => {
  const { agent, model } = functional([say('one'), say('two')], {
    onTurn: ({ text, turn, steps }) => (turn === 1 ? { continue: `after ${text} of ${steps}` } : 'stop'),
  })
  const { messages } = await agent.invoke(hello)
  expect(messages.map(({ content }) => content)).toEqual(['hello', 'one', 'after one of 1', 'two'])
  expect(model.requests).toHaveLength(2)
})

test('[O15] [O3] a state may be changed or refused before it runs, and what is private stays with the callbacks', async () => {
  const { agent, model } = functional([say('Hi.')], {
    init(state) {
      if (!state.messages.length) throw new Error('say something')
      expect(state.private).toMatchObject({ socket: 'open', dogear: { agent: 'tester' } })
      return { ...state, messages: [{ role: 'user', content: 'instead' }] }
    },
  })
  const { state } = await agent.invoke({ ...hello, private: { socket: 'open', dogear: 'forged' } })
  expect(model.requests[0]?.messages.at(-1)?.content).toBe('instead')
  expect(state).not.toHaveProperty('private')
  await expect(agent.invoke({ messages: [] })).rejects.toThrow('say something')
})

test('[C47] [C50] a call that needs a person stops the run, and is told', async () => {
  const { agent, events } = functional([call('book', { hotel: 'Sol' })], { tools: [guarded] })
  const { state, metadata } = await agent.invoke(hello)
  expect(metadata.terminalReason).toBe('paused')
  expect(state).toMatchObject({
    status: 'paused',
    pendingApprovals: [
      { toolName: 'book', args: { hotel: 'Sol' }, status: 'pending', requestedAt: expect.any(String) },
    ],
    ctx: { __awaitingApproval: { toolName: 'book' } },
  })
  expect(told(events)).toEqual(['tool_approval pending'])
})

function execution(id: string) {
  return {
    executionId: id,
    toolName: 'x',
    args: {},
    output: '',
    timestamp: '2026-01-01T00:00:00.000Z',
    tool_call_id: id,
    status: 'success' as const,
  }
}

function deepFrozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(deepFrozen)
  return Object.freeze(value)
}

test('[C60] [C61] what a guardrail puts in place of an answer that streamed is told whole', async () => {
  const guardrails = { response: [{ check: () => ({ disposition: 'block' as const, replacement: 'I cannot say.' }) }] }
  const { agent } = functional([say('The secret ', 'is 42, and a long one it is.')], { guardrails })
  const chunks: string[] = []
  await agent.invoke(hello, { onStream: ({ text, isFinal }) => chunks.push(isFinal ? `final: ${text}` : text) })
  expect(chunks.at(-1)).toBe('final: I cannot say.')
})

test.each([true, false])(
  '[C30] [C32] [C61] with emitEvents %s a note is told so, and kept either way',
  async (emitEvents) => {
    const { agent, events } = functional(
      ({ messages }) =>
        textOf(messages.at(-1)!).startsWith('Reflect')
          ? say('I looked.')
          : messages.some(({ role }) => role === 'tool')
            ? say('Done.')
            : call('book', { hotel: 'Sol' }),
      { tools: [book], reasoning: { native: false, reflection: { cadence: 'after_tool', emitEvents } } },
    )
    const { state } = await agent.invoke(hello)
    expect(state.reflections).toMatchObject([{ text: 'I looked.' }])
    const notes = events.filter(({ type }) => type === 'reflection')
    expect(notes).toMatchObject(emitEvents ? [{ text: 'I looked.', trigger: 'after_tool' }] : [])
    for (const note of notes) expect(note).not.toHaveProperty('createdAt')
  },
)

test('[C58] [C61] each handoff is told with who gave the word and who got it', async () => {
  const sales = defineAgent({ name: 'sales', model: scriptedModel([say('Sold.')]) })
  const billing = defineAgent({
    name: 'billing',
    model: scriptedModel([call('handoff_to_sales', { reason: 'sell' })]),
    tools: [asHandoff(sales)],
  })
  const { agent, events } = functional([call('handoff_to_billing', { reason: 'pay' })], { tools: [asHandoff(billing)] })
  expect((await agent.invoke(hello)).content).toBe('Sold.')
  expect(events.filter(({ type }) => type === 'handoff')).toEqual([
    { type: 'handoff', from: 'tester', to: 'billing', toolName: 'handoff_to_billing' },
    { type: 'handoff', from: 'billing', to: 'sales', toolName: 'handoff_to_sales' },
  ])
})

test('[C19] [C61] a run that a limit ends says which, and still gives its answer', async () => {
  const { agent, events } = functional([[say('Looking.'), call('book', { hotel: 'A' }), usage({ output: 9 })]], {
    tools: [book],
    limits: { maxTotalOutputTokens: 5 },
  })
  const { state, metadata } = await agent.invoke(hello)
  expect(metadata.terminalReason).toBe('max_output_tokens_total')
  expect(state.ctx).toMatchObject({ __limitBreached: 'max_output_tokens_total' })
  expect(events.slice(-2)).toMatchObject([
    { type: 'metadata', limitBreached: 'max_output_tokens_total' },
    { type: 'finalAnswer', content: 'Looking.' },
  ])
})

test('[C38] a summary is told with what it holds, what it replaced and what it cost', async () => {
  const summary = JSON.stringify({
    stable_facts: [{ key: 'city', value: 'Lisbon', confidence: 0.9 }],
    rawSummary: 'Sum.',
  })
  const long = 'lorem ipsum '.repeat(400)
  const tools = [{ name: 'look', func: () => long }]
  const { agent, events, model } = functional(
    ({ messages }) => {
      if (textOf(messages[0]!).startsWith('Sum up'))
        return [say(summary), usage({ input: 9, output: 2, cachedInput: 1 })]
      return messages.filter(({ role }) => role === 'tool').length < 3 ? call('look') : say('Seen.')
    },
    { tools, summarization: { summaryTriggerTokens: 2_000 } },
  )
  const { content, state, messages } = await agent.invoke(hello)
  expect(content).toBe('Seen.')
  expect(state.summaryRecords).toMatchObject([{ summary: 'Sum.', archived: [expect.any(String)], trigger: 'auto' }])
  const summed = () => model.requests.filter(isSummary).length
  const before = summed()
  await agent.invoke({ ...state, messages: [...messages, { role: 'user', content: 'And?' }] })
  expect(summed()).toBe(before)
  expect(events.find(({ type }) => type === 'summarization')).toMatchObject({
    summary: 'Sum.',
    trigger: 'auto',
    messagesCompressed: 1,
    archivedCount: 1,
    inputTokens: 9,
    outputTokens: 2,
    cachedTokens: 1,
    totalTokens: 11,
    durationMs: expect.any(Number),
    tokenCountBefore: expect.any(Number),
    tokenCountAfter: expect.any(Number),
    structuredSummary: { stable_facts: [{ key: 'city', value: 'Lisbon' }] },
    integrity: { ok: true },
  })
})

test('[O1] what is set in a state is what its model is asked with', async () => {
  const { agent, model } = functional([say('Hi.')], { instructions: 'Be kind.' })
  const state = setState({ messages: [] }, { model: 'large', system: 'Be brief.', opts: { seed: 7 } })
  await agent.invoke({ ...state, ...hello })
  expect(model.requests[0]).toMatchObject({ model: 'large', extra: { seed: 7 } })
  expect(textOf(model.requests[0]!.messages[0]!)).toBe('Be brief.')
})

test('[C47] [C51] whether a call waits for a person may depend on its arguments, and one that cannot tell waits', async () => {
  const booked: unknown[] = []
  const book = {
    name: 'book',
    approvalPrompt: 'A long stay.',
    approvalDefaults: { nights: 3 },
    needsApproval: ({ nights }: { nights: number }) => nights > 3 || (nights < 0 && Promise.reject(new Error('no'))),
    func: ({ nights }: { nights: number }) => void booked.push(nights),
  }
  const calls = [2, 9, -1].map((nights) => call('book', { nights }))
  const { agent, warnings } = functional([calls], { tools: [book] })
  const { state } = await agent.invoke(hello)
  expect(booked).toEqual([2])
  expect(state.pendingApprovals).toMatchObject([
    { args: { nights: 9 }, metadata: { prompt: 'A long stay.', defaults: { nights: 3 } } },
    { args: { nights: -1 } },
  ])
  expect(warnings.join()).toContain('needsApproval of "book" threw (no)')
})

test('[C56] [C61] a structured answer is told as it is written, and whole at its end', async () => {
  const model = {
    async *stream(): AsyncGenerator<ModelEvent> {
      yield { type: 'call-start', index: 0, name: 'response' }
      for (const args of ['{"city":"Lis', 'bon","nights":', '3}']) yield { type: 'call-delta', index: 0, args }
      yield { type: 'finish', reason: 'tool-calls' }
    },
  }
  const outputSchema = { type: 'object', properties: { city: { type: 'string' }, nights: { type: 'number' } } }
  const { agent, events } = functional([], { model, outputSchema })
  await agent.invoke(hello, { stream: true })
  expect(events.filter(({ type }) => type === 'output-delta')).toEqual([
    { type: 'output-delta', output: { city: 'Lis' }, isFinal: false },
    { type: 'output-delta', output: { city: 'Lisbon' }, isFinal: false },
    { type: 'output-delta', output: { city: 'Lisbon', nights: 3 }, isFinal: false },
    { type: 'output-delta', output: { city: 'Lisbon', nights: 3 }, isFinal: true },
  ])
  events.length = 0
  await agent.invoke(hello)
  expect(events.filter(({ type }) => type === 'output-delta')).toHaveLength(1)
})

test('[C2] every execution says what it weighs, what may become of it, and where its original is once it is archived', async () => {
  const long = 'lorem ipsum '.repeat(1_000)
  const tools = [
    { name: 'read', effect: 'read' as const, func: () => long },
    { name: 'key', effect: 'read' as const, retention: { output: 'keep_full' as const }, func: () => 'the key' },
    { name: 'look', effect: 'read' as const, func: () => 'seen' },
  ]
  const script = [[call('read'), call('key')], call('look'), say('Done.')]
  let answers = 0
  const toolResponses = { maxToolResponseChars: 8_000, maxToolResponseTokens: 2_000 }
  const { agent } = functional((request) => (isSummary(request) ? say('{}') : script[answers++]!), {
    tools,
    toolResponses,
    summarization: { summaryTriggerTokens: 1_500 },
  })
  const { state } = await agent.invoke(hello)
  const executions = [...state.toolHistory!, ...state.toolHistoryArchived!]
  const named = (name: string) => executions.find(({ toolName }) => toolName === name)
  expect(named('read')).toMatchObject({
    classification: 'verbose',
    retentionPolicy: 'summarize_archive',
    originalTokenCount: countApproxTokens(long),
    summarized: true,
  })
  expect(named('read')!.archiveId).toBe(named('read')!.executionId)
  expect(named('key')).toMatchObject({ classification: 'critical', retentionPolicy: 'keep_full' })
  expect(named('look')).toMatchObject({ classification: 'informative', originalTokenCount: countApproxTokens('seen') })
  expect(named('look')).not.toHaveProperty('archiveId')
})

function isSummary({ messages: [first] }: ModelRequest): boolean {
  return first !== undefined && textOf(first).startsWith('Sum up')
}
