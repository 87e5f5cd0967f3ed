/** What `query()` is told while it runs, and what it tells of tries that fail: through client, host, loop and journal, in Node. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { call, cut, fail, forever, pause, say, scriptedModel } from '@dogear/testing'
import { query, textOf, type ModelRequest, type QueryOptions, type QueryUserMessage, type SDKMessage } from 'dogear'
import { expect, onTestFinished, test, vi } from 'vitest'

test('[K26] a busy server that is asked again is told as api_retry, with its status and the wait', async () => {
  const endpoint = await busyServer(2)
  const messages = await all('hello', { endpoint })
  const retry = { max_retries: 2, retry_delay_ms: 100, error_status: 503, error: 'server_error' }
  expect(retriesOf(messages)).toMatchObject([
    { attempt: 1, ...retry },
    { attempt: 2, ...retry },
  ])
  expect(messages.at(-1)).toMatchObject({ result: 'Hi.' })
})

test('[K26] a server that is asked too often is told as rate_limit_event, with when it is asked again', async () => {
  const before = Date.now() / 1000
  const told = (await all('go', { endpoint: await busyServer(1, 429) })).find(({ type }) => type === 'rate_limit_event')
  expect(told).toMatchObject({ rate_limit_info: { status: 'rejected' } })
  expect(told?.type === 'rate_limit_event' && told.rate_limit_info.resetsAt).toBeGreaterThan(before)
})

test('[K26] an answer that broke off is asked for again, and told as api_retry before that', async () => {
  const model = scriptedModel((_request, n) => (n === 0 ? [say('Half'), cut()] : say('Whole.')))
  const messages = await all('tell me', { model })
  expect(retriesOf(messages)).toMatchObject([{ attempt: 1, error_status: null, error: 'server_error' }])
  const names = messages.map(nameOf)
  expect(names.indexOf('api_retry')).toBeGreaterThan(names.indexOf('assistant'))
  expect(names.indexOf('api_retry')).toBeLessThan(names.lastIndexOf('assistant'))
})

test('[K26] [K4] each fallback is told as api_retry, with why the model before it failed', async () => {
  warnings()
  const refused = { details: { status: 429 } }
  const model = scriptedModel(({ model: name }) => (name === 'third' ? say('Yes.') : fail('rate-limited', refused)))
  const options = { model, fallbackModel: 'second, third' }
  let next = () => {}
  async function* questions() {
    yield user('go')
    await new Promise<void>((resolve) => (next = resolve))
    yield user('again')
  }
  const messages: SDKMessage[] = []
  for await (const message of query({ prompt: questions(), options })) {
    messages.push(message)
    if (message.type === 'result') next()
  }
  const why = { max_retries: 2, error_status: 429, error: 'rate_limit' }
  // Counted anew for each message.
  expect(retriesOf(messages)).toMatchObject([1, 2, 1, 2].map((attempt) => ({ attempt, ...why })))
})

test('[K26] a lost network is told once as api_retry, for as long as it takes', async () => {
  warnings()
  const model = scriptedModel((_request, n) => (n < 2 ? fail('network') : say('Back.')))
  const messages = await all('go', { model })
  expect(retriesOf(messages)).toMatchObject([{ attempt: 1, max_retries: null, retry_delay_ms: null }])
  expect(messages.at(-1)).toMatchObject({ result: 'Back.' })
})

test('[K25] debug prints every message, once', async () => {
  const printed = vi.spyOn(console, 'warn').mockImplementation(() => {})
  const messages = await all('hello', { model: scriptedModel([say('Hi.')]), debug: true })
  const lines = printed.mock.calls.flat().map((line) => String(line).replace('[dogear] ', ''))
  printed.mockRestore()
  expect(lines.map((line) => JSON.parse(line))).toEqual(JSON.parse(JSON.stringify(messages)))
})

test('[K40] a message with shouldQuery: false is held, and said with the next that asks', async () => {
  const model = scriptedModel((request) => say(`${wordsOf(request).length}`))
  const held = { ...user('The build failed.'), shouldQuery: false }
  const messages = await drained(query({ prompt: from(held, user('Why?'), held), options: { model } }))
  expect(messages.filter(({ type }) => type === 'result')).toHaveLength(1)
  expect(model.requests.map(wordsOf)).toEqual([['The build failed.\n\nWhy?']])
})

test('[K40] a message with priority next joins the turn that runs, one with now stops it', async () => {
  let sent = () => {}
  const isSent = new Promise<void>((resolve) => (sent = resolve))
  const model = scriptedModel((request) => {
    const words = wordsOf(request)
    if (words.includes('stop that')) return say('Stopped.')
    if (words.includes('wait')) return [say('…'), forever]
    return words.length === 1 ? [pause(isSent), call('look')] : say('Both.')
  })
  async function* questions() {
    yield user('one')
    yield { ...user('two'), priority: 'next' as const }
    sent()
    yield user('wait')
    await vi.waitFor(() => expect(model.requests.some((request) => wordsOf(request).includes('wait'))).toBe(true))
    yield { ...user('stop that'), priority: 'now' as const }
  }
  const tools = [{ name: 'look', func: () => 'seen' }]
  const messages = await drained(query({ prompt: questions(), options: { model, tools } }))
  expect(messages.filter(({ type }) => type === 'result')).toMatchObject([
    { result: 'Both.' },
    { terminal_reason: 'aborted_streaming' },
    { result: 'Stopped.' },
  ])
})

test('[K12] the initial prompt of the agent that answers comes before the first message, and no other', async () => {
  const model = scriptedModel(() => say('ok'))
  const guide = { description: 'Guides', prompt: 'You guide.', initialPrompt: 'Read the map.' }
  const options = { model, agents: { guide }, agent: 'guide' }
  await drained(query({ prompt: from(user('Where?'), user('And then?')), options }))
  expect(wordsOf(model.requests.at(-1)!)).toEqual(['Read the map.\n\nWhere?', 'And then?'])
})

test('[K39] stopTask ends one task, its sibling and the agent that gave both go on', async () => {
  let done = () => {}
  const isDone = new Promise<void>((resolve) => (done = resolve))
  const model = scriptedModel((request) => {
    const [words] = wordsOf(request)
    if (words?.includes('slow')) return [say('Looking'), forever]
    if (words?.includes('quick')) return [pause(isDone), say('Found.')]
    const results = request.messages.filter(({ role }) => role === 'tool').map(textOf)
    if (results.length) return say(results.join(' | '))
    return ['slow', 'quick'].map((task) => call('delegate_to', { agent: 'scout', task }))
  })
  const agents = { scout: { description: 'Scouts', prompt: 'You scout.' } }
  const asked = query({ prompt: 'go', options: { model, agents } })
  // One that is not stopped would never end.
  const patience = setTimeout(() => asked.close(), 3_000)
  onTestFinished(() => clearTimeout(patience))
  const told: SDKMessage[] = []
  for await (const message of asked) {
    told.push(message)
    const isSlow =
      'description' in message && message.subtype === 'task_started' && message.description.includes('slow')
    // No such task: nothing is stopped in its place.
    if (isSlow) for (const id of ['nobody', message.task_id]) await asked.stopTask(id)
    if (message.type === 'system' && message.subtype === 'task_notification') done()
  }
  const ends = told.filter((message) => nameOf(message) === 'task_notification')
  expect(ends).toMatchObject([{ status: 'stopped' }, { status: 'completed', summary: 'Found.' }])
  expect(told.at(-1)).toMatchObject({
    subtype: 'success',
    result: expect.stringMatching(/did not finish.*\| Found\./s),
  })
})

/** Says so often that it is busy, then "Hi." */
async function busyServer(times: number, status = 503): Promise<string> {
  let asked = 0
  const server = createServer((_request, response) => {
    if ((asked += 1) <= times) return response.writeHead(status, { 'retry-after': '0.1' }).end('{}')
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end('data: {"choices":[{"delta":{"content":"Hi."},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function warnings(): void {
  const told = vi.spyOn(console, 'warn').mockImplementation(() => {})
  onTestFinished(() => told.mockRestore())
}

function retriesOf(messages: readonly SDKMessage[]): SDKMessage[] {
  return messages.filter((message) => nameOf(message) === 'api_retry')
}

function nameOf(message: SDKMessage): string {
  return message.type === 'system' ? message.subtype : message.type
}

async function all(prompt: string, options: QueryOptions): Promise<SDKMessage[]> {
  return drained(query({ prompt, options }))
}

async function drained(asked: AsyncIterable<SDKMessage>): Promise<SDKMessage[]> {
  const messages: SDKMessage[] = []
  for await (const message of asked) messages.push(message)
  return messages
}

async function* from(...messages: QueryUserMessage[]): AsyncGenerator<QueryUserMessage> {
  yield* messages
}

function user(content: string) {
  return { type: 'user', message: { role: 'user', content } } as const
}

function wordsOf({ messages }: ModelRequest): string[] {
  return messages.filter(({ role }) => role === 'user').map((message) => textOf(message))
}
