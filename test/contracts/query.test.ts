/** `query()` through the real client, host, loop and journal, in Node. */
import { createOpenAIModel } from '@dogear/models'
import { createProxy, demoProvider } from '@dogear/proxy'
import { call, fail, fakeClock, forever, say, scriptedModel, think, usage } from '@dogear/testing'
import { query, textOf, type Model, type ModelRequest, type QueryOptions, type SDKMessage } from 'dogear'
import { expect, test, vi } from 'vitest'

test('[K26] [K28] a question is answered as messages, and the last is its one result', async () => {
  const model = scriptedModel([[think('hm'), say('Lis', 'bon.'), usage({ input: 7, output: 3 })]])
  const messages = await all('Capital of Portugal?', { model })
  expect(messages.map(nameOf)).toEqual([
    'system/init',
    'system/session_state_changed',
    'user',
    'system/status',
    'assistant',
    'system/session_state_changed',
    'result',
  ])
  expect(messages.at(-1)).toMatchObject({
    type: 'result',
    subtype: 'success',
    is_error: false,
    result: 'Lisbon.',
    num_turns: 1,
    stop_reason: 'end_turn',
    terminal_reason: 'completed',
    usage: { input_tokens: 7, output_tokens: 3 },
    modelUsage: { default: { inputTokens: 7, outputTokens: 3 } },
    permission_denials: [],
    total_cost_usd: 0,
  })
  expect(messages[4]).toMatchObject({
    message: {
      content: [
        { type: 'thinking', thinking: 'hm' },
        { type: 'text', text: 'Lisbon.' },
      ],
    },
    parent_tool_use_id: null,
  })
})

test('[K26] a tool call and its result are messages, tied by the call id', async () => {
  const model = scriptedModel([[call('add', { a: 1, b: 2 })], say('Three.')])
  const add = { name: 'add', func: ({ a, b }: { a: number; b: number }) => a + b }
  const messages = await all('1 + 2?', { model, tools: [add] })
  const [asked] = ofType(messages, 'assistant')
  const use = asked?.message.content[0]
  expect(use).toMatchObject({ type: 'tool_use', name: 'add', input: { a: 1, b: 2 } })
  const results = ofType(messages, 'user').filter((message) => message.isSynthetic)
  expect(results[0]?.message.content).toMatchObject([
    { type: 'tool_result', tool_use_id: use?.type === 'tool_use' ? use.id : '', content: '3' },
  ])
})

test('[K14] includePartialMessages adds the answer as it streams, whole and in order', async () => {
  const model = scriptedModel([[think('hm'), say('one ', 'two')]])
  const messages = await all('count', { model, includePartialMessages: true })
  const events = ofType(messages, 'stream_event').map(({ event }) => event)
  expect(events[0]).toMatchObject({ type: 'message_start' })
  expect(events.at(-1)).toEqual({ type: 'message_stop' })
  const text = events.flatMap((event) =>
    event.type === 'content_block_delta' && event.delta.type === 'text_delta' ? event.delta.text : [],
  )
  expect(text.join('')).toBe('one two')
  const at = (type: string) => messages.findIndex((message) => nameOf(message) === type)
  expect(at('stream_event')).toBeLessThan(at('assistant'))
})

test('[K5] [K29] a question that takes too many steps ends with error_max_turns', async () => {
  const model = scriptedModel(() => call('look'))
  const messages = await all('go', { model, maxTurns: 2, tools: [{ name: 'look', func: () => 'nothing' }] })
  expect(messages.at(-1)).toMatchObject({
    subtype: 'error_max_turns',
    is_error: true,
    num_turns: 2,
    terminal_reason: 'max_turns',
  })
})

test('[K27] a failure has its class and its status, as a message and in the result', async () => {
  const model = scriptedModel([[fail('rate-limited', { message: 'Slow down.', details: { status: 429 } })]])
  const messages = await all('go', { model })
  expect(ofType(messages, 'assistant').at(-1)).toMatchObject({ error: 'rate_limit' })
  expect(messages.at(-1)).toMatchObject({
    subtype: 'error_during_execution',
    api_error_status: 429,
    errors: ['Slow down.'],
  })
})

test('[K4] a fallback model answers when the first fails, and there is still one result', async () => {
  const model = scriptedModel((request) => (request.model === 'spare' ? say('Here.') : fail('model-failed')))
  const messages = await all('go', { model, fallbackModel: 'other, spare' })
  expect(ofType(messages, 'result')).toMatchObject([{ subtype: 'success', result: 'Here.' }])
  expect(model.requests.map((request) => request.model)).toEqual(['default', 'other', 'spare'])
})

test('[K4] after a fallback the next question begins with the first model again', async () => {
  const model = scriptedModel((request, n) => (n === 0 ? fail('model-failed') : say(request.model)))
  let next = () => {}
  async function* questions() {
    yield user('one')
    await new Promise<void>((resolve) => (next = resolve))
    yield user('two')
  }
  const results: SDKMessage[] = []
  for await (const message of query({ prompt: questions(), options: { model, fallbackModel: 'spare' } })) {
    if (message.type !== 'result') continue
    results.push(message)
    next()
  }
  expect(results).toMatchObject([{ result: 'spare' }, { result: 'default' }])
})

test('[K4] a question that waits behind a fallback begins with the first model', async () => {
  const model = scriptedModel((request, n) => (n === 0 ? fail('model-failed') : say(request.model)))
  async function* questions() {
    yield user('one')
    yield user('two')
  }
  const options = { model, fallbackModel: 'spare' }
  const messages: SDKMessage[] = []
  for await (const message of query({ prompt: questions(), options })) messages.push(message)
  expect(ofType(messages, 'result')).toMatchObject([{ result: 'spare' }, { result: 'default' }])
})

test('[K10] outputFormat gives structured_output', async () => {
  const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
  const model = scriptedModel([call('response', { city: 'Lisbon' })])
  const messages = await all('Where?', { model, outputFormat: { type: 'json_schema', schema } })
  expect(messages.at(-1)).toMatchObject({ subtype: 'success', structured_output: { city: 'Lisbon' } })
})

test('[K40] interrupt ends the turn that runs, and its result says so', async () => {
  const asked = query({
    prompt: 'go',
    options: { model: scriptedModel([[say('one'), forever]]), includePartialMessages: true },
  })
  const messages: SDKMessage[] = []
  for await (const message of asked) {
    messages.push(message)
    if (message.type === 'stream_event' && message.event.type === 'content_block_delta') await asked.interrupt()
  }
  expect(messages.at(-1)).toMatchObject({ subtype: 'error_during_execution', terminal_reason: 'aborted_streaming' })
})

test('[K4] an abort ends the query after the result of the turn that ran, although its input never ends', async () => {
  const abortController = new AbortController()
  async function* input() {
    yield { type: 'user' as const, message: { role: 'user' as const, content: 'one' } }
    await new Promise(() => {})
  }
  const model = scriptedModel([[say('wait'), forever]])
  const messages: SDKMessage[] = []
  for await (const message of query({
    prompt: input(),
    options: { model, abortController, includePartialMessages: true },
  })) {
    messages.push(message)
    if (message.type === 'stream_event') abortController.abort()
  }
  expect(messages.at(-1)).toMatchObject({ type: 'result', terminal_reason: 'aborted_streaming' })
})

test('[K40] who leaves the loop stops the turn that runs', async () => {
  let isStopped = () => {}
  const stopped = new Promise<void>((resolve) => (isStopped = resolve))
  const model = {
    async *stream(_request: ModelRequest, { signal }: { signal: AbortSignal }) {
      signal.addEventListener('abort', () => isStopped())
      yield { type: 'text-delta' as const, text: 'wait' }
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
    },
  }
  for await (const message of query({ prompt: 'go', options: { model, includePartialMessages: true } })) {
    if (message.type === 'stream_event') break
  }
  await stopped
})

test('[K34] a tool that needs approval is denied where nobody can be asked, and the result lists it', async () => {
  let ran = false
  const pay = { name: 'pay', needsApproval: true, func: () => (ran = true) }
  const model = scriptedModel([call('pay', { euros: 5 }), say('I may not.')])
  const messages = await all('pay', { model, tools: [pay] })
  expect(ran).toBe(false)
  expect(messages.map(nameOf)).toContain('system/permission_denied')
  expect(messages.at(-1)).toMatchObject({
    result: 'I may not.',
    permission_denials: [{ tool_name: 'pay', tool_input: { euros: 5 } }],
  })
})

test('[K28] a stream of questions has one result each, in order, and setModel holds for the next', async () => {
  const model = scriptedModel((request) => say(`${request.messages.length} by ${request.model}`))
  let asked: ReturnType<typeof query>
  async function* questions() {
    yield user('one')
    await asked.setModel('other')
    yield user('two')
  }
  asked = query({ prompt: questions(), options: { model } })
  const messages: SDKMessage[] = []
  for await (const message of asked) messages.push(message)
  const results = ofType(messages, 'result')
  expect(results).toHaveLength(2)
  expect(results[1]).toMatchObject({ result: '3 by other' })
})

test('[K39] an agent that works for a call is told as a task, its tools with the call as their parent', async () => {
  const model = scriptedModel((request, n) =>
    n === 0
      ? call('delegate_to', { agent: 'scout', task: 'Find a hotel' })
      : n === 1
        ? [call('look', {}), usage({ input: 5, output: 5 })]
        : n === 2
          ? say('Casa do Rio.')
          : say(`Found: ${lastText(request)}`),
  )
  const messages = await all('Where to stay?', {
    model,
    tools: [{ name: 'look', func: () => 'one hotel' }],
    agents: { scout: { description: 'Finds places', prompt: 'You find places.' } },
  })
  expect(messages.map(nameOf).filter((name) => name.includes('task'))).toEqual([
    'system/task_started',
    'system/task_progress',
    'system/task_updated',
    'system/task_notification',
  ])
  const started = messages.find((message) => nameOf(message) === 'system/task_started')
  expect(started).toMatchObject({ subagent_type: 'scout' })
  const notified = messages.find((message) => nameOf(message) === 'system/task_notification')
  expect(notified).toMatchObject({
    status: 'completed',
    summary: 'Casa do Rio.',
    usage: { total_tokens: 10, tool_uses: 1 },
  })
  const nested = ofType(messages, 'user').filter((message) => message.parent_tool_use_id !== null)
  expect(nested).toHaveLength(1)
  expect(messages.at(-1)).toMatchObject({ result: 'Found: Casa do Rio.' })
})

test('[K26] a call that begins to run, and words that are kept, are told', async () => {
  const model = scriptedModel([[call('look'), call('book')], say('Done.')])
  const tools = [
    { name: 'look', func: () => 'seen' },
    { name: 'book', needsApproval: true, func: () => 'booked' },
  ]
  const canUseTool = async () => ({ behavior: 'deny' as const, message: 'No.' })
  const messages = await all('go', { model, tools, canUseTool })
  expect(ofType(messages, 'tool_progress')).toMatchObject([
    { tool_name: 'look', tool_use_id: expect.any(String), parent_tool_use_id: null, elapsed_time_seconds: 0 },
  ])
  expect(ofType(messages, 'user')[0]).toMatchObject({ isReplay: true, message: { content: 'go' } })
})

test('[K26] a query whose call is left to somebody else says that it needs an action', async () => {
  const hooks = { PreToolUse: [{ hooks: [async () => deferred] }] }
  const deferred = { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'defer' } } as const
  const model = scriptedModel([call('look')])
  const messages = await all('go', { model, hooks, tools: [{ name: 'look', func: () => 'seen' }] })
  const states = messages.flatMap((message) => ('state' in message ? message.state : []))
  expect(states).toEqual(['running', 'requires_action'])
})

test('[K13] forwardSubagentText also tells the words of an agent that works for a call', async () => {
  const script = () =>
    scriptedModel([call('delegate_to', { agent: 'scout', task: 'Look' }), say('Casa do Rio.'), say('There it is.')])
  const agents = { scout: { description: 'Finds places', prompt: 'You find places.' } }
  const texts = async (options: QueryOptions) =>
    ofType(await all('go', { agents, ...options }), 'assistant')
      .filter((message) => message.parent_tool_use_id !== null)
      .map((message) => message.message.content)
  expect(await texts({ model: script() })).toEqual([])
  expect(await texts({ model: script(), forwardSubagentText: true })).toEqual([
    [{ type: 'text', text: 'Casa do Rio.' }],
  ])
})

test('[K13] agentProgressSummaries has the model say how a task is going, at most every half minute, and bills it', async () => {
  let minutes = 0
  const time = vi.spyOn(Date, 'now').mockImplementation(() => minutes * 60_000)
  const reads = (request: ModelRequest) => request.messages.map(textOf).join('\n')
  let looked = 0
  const model = scriptedModel((request) => {
    if (reads(request).includes('Say in one short line')) return [say(' Comparing hotels. '), usage({ input: 4 })]
    if (!reads(request).includes('You find places.')) {
      return request.messages.at(-1)?.role === 'tool' ? say('There.') : call('delegate_to', scout)
    }
    return (looked += 1) > 4 ? say('Casa do Rio.') : call('look', { looked })
  })
  const summariesAsked = () => model.requests.filter((request) => reads(request).includes('Say in one short line'))
  const look = {
    name: 'look',
    async func({ looked }: { looked: number }) {
      if (looked % 2) minutes += 1
      // What was asked for after the call before comes while this one runs.
      else await vi.waitUntil(() => summariesAsked().length === looked / 2, 10_000)
      await new Promise((resolve) => setTimeout(resolve, 20))
      return `hotel ${looked}`
    },
  }
  const scout = { agent: 'scout', task: 'Find a hotel' }
  const agents = { scout: { description: 'Finds places', prompt: 'You find places.' } }
  const messages = await all('go', { model, tools: [look], agents, agentProgressSummaries: true })
  time.mockRestore()
  const summaries = messages.flatMap((message) => ('summary' in message && 'last_tool_name' in message ? message : []))
  expect(summaries).toMatchObject([
    { subtype: 'task_progress', summary: 'Comparing hotels.', usage: { tool_uses: 1 } },
    { subtype: 'task_progress', summary: 'Comparing hotels.', usage: { tool_uses: 3 } },
  ])
  const asked = summariesAsked()
  expect(reads(asked[1]!)).toContain('Your task: Find a hotel')
  expect(reads(asked[1]!)).toContain('look: hotel 3')
  expect(asked[0]!.tools ?? []).toEqual([])
  expect(messages.at(-1)).toMatchObject({ modelUsage: { default: { inputTokens: 8 } } })
})

test('[K5] [K28] a budget in dollars ends the query once the estimate reaches it', async () => {
  const model = scriptedModel(() => [call('look'), usage({ input: 100, output: 10 })])
  const messages = await all('go', {
    model,
    maxBudgetUsd: 0.25,
    costEstimator: ({ inputTokens }) => inputTokens / 1000,
    tools: [{ name: 'look', func: () => 'nothing' }],
  })
  const result = messages.at(-1)
  expect(result).toMatchObject({ subtype: 'error_max_budget_usd', num_turns: 3 })
  expect(result?.type === 'result' && result.total_cost_usd).toBeCloseTo(0.3)
})

test('[K5] a budget is for all questions of a query: one that has none left is not asked', async () => {
  const model = scriptedModel((_, n) => [n === 1 ? call('look') : say('Seen.'), usage({ input: 100 })])
  let next = () => {}
  async function* questions() {
    for (const text of ['one', 'two', 'three']) {
      yield user(text)
      await new Promise<void>((resolve) => (next = resolve))
    }
  }
  const options: QueryOptions = {
    model,
    maxBudgetUsd: 0.15,
    costEstimator: ({ inputTokens }) => inputTokens / 1000,
    tools: [{ name: 'look', func: () => 'nothing' }],
  }
  const results: SDKMessage[] = []
  for await (const message of query({ prompt: questions(), options })) {
    if (message.type !== 'result') continue
    results.push(message)
    next()
  }
  const spent = { subtype: 'error_max_budget_usd', is_error: true, terminal_reason: 'max_cost', total_cost_usd: 0.2 }
  expect(results).toMatchObject([{ subtype: 'success', total_cost_usd: 0.1 }, spent, { ...spent, num_turns: 0 }])
})

test('[K5] questions that wait when the budget is spent are not asked either', async () => {
  const model = scriptedModel(() => [call('look'), usage({ input: 100 })])
  async function* questions() {
    for (const text of ['one', 'two', 'three']) yield user(text)
  }
  const options: QueryOptions = {
    model,
    maxBudgetUsd: 0.15,
    costEstimator: ({ inputTokens }) => inputTokens / 1000,
    tools: [{ name: 'look', func: () => new Promise((resolve) => setTimeout(resolve, 50, 'nothing')) }],
  }
  const messages: SDKMessage[] = []
  for await (const message of query({ prompt: questions(), options })) messages.push(message)
  expect(ofType(messages, 'result').map((result) => [result.subtype, result.num_turns])).toEqual([
    ['error_max_budget_usd', 2],
    // The session begins what is next in line by itself: the request is stopped.
    ['error_max_budget_usd', 1],
    ['error_max_budget_usd', 0],
  ])
  expect(model.requests).toHaveLength(3)
})

test('[K5] [K13] what is asked aside about a task counts in the budget', async () => {
  let minutes = 0
  const time = vi.spyOn(Date, 'now').mockImplementation(() => minutes * 60_000)
  const model = scriptedModel(({ messages }) => {
    const read = messages.map(textOf).join('\n')
    if (read.includes('Say in one short line')) return [say('Looking.'), usage({ input: 100 })]
    return read.includes('You find places.') ? call('look') : call('delegate_to', { agent: 'scout', task: 'Look' })
  })
  const look = {
    name: 'look',
    async func() {
      minutes += 1
      await new Promise((resolve) => setTimeout(resolve, 20))
      return 'nothing yet'
    },
  }
  const result = (
    await all('go', {
      model,
      tools: [look],
      agents: { scout: { description: 'Finds places', prompt: 'You find places.' } },
      agentProgressSummaries: true,
      maxBudgetUsd: 0.2,
      costEstimator: ({ inputTokens }) => inputTokens / 1000,
    })
  ).at(-1)
  time.mockRestore()
  expect(result).toMatchObject({ subtype: 'error_max_budget_usd', is_error: true })
})

test('[K6] [K12] the system prompt, and the prompt of the agent that answers, are what the model reads', async () => {
  const model = scriptedModel(() => say('ok'))
  const agents = { guide: { description: 'Guides', prompt: 'You are a guide.' } }
  await all('go', { model, systemPrompt: { type: 'preset', preset: 'travel', append: 'Be brief.' } })
  await all('go', { model, systemPrompt: ['One.', 'Two.'], agents, agent: 'guide' })
  const [first, second] = model.requests.map((request) => textOf(request.messages[0]!))
  expect(first).toBe('Be brief.')
  expect(second).toContain('One.\n\nTwo.\n\nYou are a guide.')
})

test('[K12] the agent that answers has its own tools and its own effort', async () => {
  const model = scriptedModel(() => say('ok'))
  const tools = ['look', 'book', 'pay'].map((name) => ({ name, func: () => 'ok' }))
  const guide = {
    description: 'Guides',
    prompt: 'You guide.',
    tools: ['look', 'pay'],
    disallowedTools: ['pay'],
    effort: 'max' as const,
  }
  await all('go', { model, tools, agents: { guide }, agent: 'guide' })
  const [request] = model.requests
  expect(request!.tools!.map(({ name }) => name)).toEqual(['look', 'delegate_to'])
  expect(request!.extra).toMatchObject({ reasoning_effort: 'high' })
})

test('[K4] effort and thinking become what the wire knows', async () => {
  const model = scriptedModel(() => say('ok'))
  await all('go', { model, effort: 'max', betas: ['long-context'], taskBudget: { total: 9000 } })
  await all('go', { model, thinking: { type: 'disabled' } })
  expect(model.requests.map((request) => request.extra)).toMatchObject([
    { reasoning_effort: 'high', betas: ['long-context'], task_budget: { total: 9000 } },
    { reasoning_effort: 'none' },
  ])
})

test('[K4] betas and a task budget pass the proxy, and a model that does not know them answers all the same', async () => {
  const proxy = createProxy({ models: { default: { provider: demoProvider({ pace: 0 }), model: 'demo' } } })
  const model = createOpenAIModel({
    endpoint: 'http://localhost/v1',
    clock: fakeClock(),
    fetch: (input, init) => proxy(new Request(input, init)),
  })
  const messages = await all('Hello', { model, betas: ['long-context'], taskBudget: { total: 9000 } })
  expect(messages.at(-1)).toMatchObject({ subtype: 'success', is_error: false })
})

test('[K24] options of another runtime, and those that do nothing yet, are taken, said once, and ignored', async () => {
  const told = vi.spyOn(console, 'warn').mockImplementation(() => {})
  const options = { env: {}, promptSuggestions: true } as QueryOptions
  for (const _time of [1, 2]) {
    expect((await all('hello', { ...options, model: scriptedModel([say('Hi.')]) })).at(-1)).toMatchObject({
      result: 'Hi.',
    })
  }
  const said = told.mock.calls.flat().join('\n')
  told.mockRestore()
  expect(said.match(/"env" means nothing in a page/g)).toHaveLength(1)
  expect(said.match(/"promptSuggestions" has no effect yet/g)).toHaveLength(1)
  expect(said).not.toContain('"model"')
})

test('[K6] excludeDynamicSections does nothing here, and says so once', async () => {
  const told = vi.spyOn(console, 'warn').mockImplementation(() => {})
  const systemPrompt = { type: 'preset', preset: 'any', append: 'Be brief.', excludeDynamicSections: true } as const
  for (const _time of [1, 2]) await all('hello', { systemPrompt, model: scriptedModel([say('Hi.')]) })
  const said = told.mock.calls.flat().join('\n')
  told.mockRestore()
  expect(said.match(/excludeDynamicSections" has no effect/g)).toHaveLength(1)
})

test('[K12] an agent that is not among the agents is refused, with those that are', () => {
  const agents = { guide: { description: 'Guides', prompt: 'You guide.' } }
  expect(() => query({ prompt: 'go', options: { agents, agent: 'toString' } })).toThrow(/"toString".*guide/)
})

test('[K5] a question is limited by its steps, not by the calls of a profile', async () => {
  const model = scriptedModel((_request, n) => (n < 30 ? call('look', { n }) : say('Seen.')))
  const look = { name: 'look', effect: 'read' as const, func: () => 'something' }
  expect((await all('look', { model, tools: [look], maxTurns: 40 })).at(-1)).toMatchObject({
    subtype: 'success',
    result: 'Seen.',
    num_turns: 31,
  })
})

test('[K27] an answer cut at its length says so', async () => {
  const model: Model = {
    async *stream() {
      yield { type: 'text-delta', text: 'Half of' }
      yield { type: 'finish', reason: 'length' }
    },
  }
  const messages = await all('tell me', { model })
  expect(ofType(messages, 'assistant')).toMatchObject([
    { error: 'max_output_tokens', message: { stop_reason: 'max_tokens' } },
  ])
  expect(messages.at(-1)).toMatchObject({ terminal_reason: 'max_output_tokens' })
})

test('[K10] [K28] an answer that never fits its outputFormat ends with its own kind of error', async () => {
  const model = scriptedModel(() => say('No JSON here.'))
  const schema = { type: 'object', properties: { total: { type: 'number' } }, required: ['total'] }
  const result = (await all('how much?', { model, outputFormat: { type: 'json_schema', schema } })).at(-1)
  expect(result).toMatchObject({ subtype: 'error_max_structured_output_retries', is_error: true })
  expect(result).not.toHaveProperty('structured_output')
})

test('[K30] usage has every field of its type, null where nobody knows', async () => {
  const model = scriptedModel([[say('Hi.'), usage({ input: 7, output: 3, cachedInput: 2 })]])
  const [result] = ofType(await all('hello', { model }), 'result')
  expect(result?.usage).toEqual({
    input_tokens: 7,
    output_tokens: 3,
    cache_creation_input_tokens: null,
    cache_read_input_tokens: 2,
    cache_creation: null,
    server_tool_use: null,
    service_tier: null,
    speed: null,
    inference_geo: null,
    iterations: null,
  })
  expect(result?.origin).toEqual({ kind: 'human' })
})

function lastText({ messages }: ModelRequest): string {
  return textOf(messages.at(-1)!)
}

async function all(prompt: string, options: QueryOptions): Promise<SDKMessage[]> {
  const messages: SDKMessage[] = []
  for await (const message of query({ prompt, options })) messages.push(message)
  return messages
}

function user(content: string) {
  return { type: 'user', message: { role: 'user', content } } as const
}

function nameOf(message: SDKMessage): string {
  return 'subtype' in message && message.type === 'system' ? `system/${message.subtype}` : message.type
}

function ofType<T extends SDKMessage['type']>(messages: readonly SDKMessage[], type: T) {
  return messages.filter((message): message is Extract<SDKMessage, { type: T }> => message.type === type)
}
