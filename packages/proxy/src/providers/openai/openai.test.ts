import { LLMock } from '@copilotkit/aimock'
import { afterEach, expect, test } from 'vitest'
import { ask, errorOf, eventsOf, hello, openReader, wordsOf } from '../../../test/ask.ts'
import { openUpstream, sendEvents, sendJson, type Upstream } from '../../../test/upstream-server.ts'
import { createProxy, fromEnv, type ProxyOptions } from '../../index.ts'

const canary = 'sk-canary-3f9a1c'
const closing: (() => Promise<unknown>)[] = []
const lines: string[] = []

afterEach(async () => {
  for (const close of closing.splice(0)) await close()
  if (lines.splice(0).join('\n').includes('canary')) throw new Error('The log holds the key.')
})

function proxyTo(baseURL: string, options: ProxyOptions = {}) {
  const { models } = fromEnv({ OPENAI_API_KEY: canary, OPENAI_BASE_URL: baseURL, MODEL: 'real-model' })
  return createProxy({ models, log: (line) => lines.push(line), ...options })
}

async function openMock(): Promise<LLMock> {
  const mock = new LLMock({ port: 0 })
  await mock.start()
  closing.push(() => mock.stop())
  return mock
}

async function openServer(answer: Parameters<typeof openUpstream>[0]): Promise<Upstream> {
  const upstream = await openUpstream(answer)
  closing.push(upstream.close)
  return upstream
}

test('text streams through', async () => {
  const mock = await openMock()
  mock.onMessage('hello', { content: 'Good morning to you.' })
  const events = await eventsOf(await ask(proxyTo(`${mock.url}/v1`)))
  expect(wordsOf(events)).toBe('Good morning to you.')
  expect(events.at(-1)!.data).toBe('[DONE]')
})

test('a completion that is not streamed comes whole', async () => {
  const mock = await openMock()
  mock.onMessage('hello', { content: 'Good morning.' })
  const response = await ask(proxyTo(`${mock.url}/v1`), { ...hello, stream: false })
  expect((await response.json()).choices[0].message.content).toBe('Good morning.')
})

test('tool calls stream through, by index', async () => {
  const mock = await openMock()
  mock.onMessage('hello', {
    toolCalls: [
      { name: 'look', arguments: '{"where":"left"}' },
      { name: 'look', arguments: '{"where":"right"}' },
    ],
  })
  const events = await eventsOf(await ask(proxyTo(`${mock.url}/v1`)))
  const args: string[] = []
  for (const { data } of events.slice(0, -1))
    for (const call of JSON.parse(data).choices[0]?.delta.tool_calls ?? [])
      args[call.index] = (args[call.index] ?? '') + (call.function.arguments ?? '')
  expect(args).toEqual(['{"where":"left"}', '{"where":"right"}'])
})

test('[T12] upstream gets the real model, our key, and nothing the page put into headers', async () => {
  const upstream = await openServer((response) => sendJson(response, 200, { choices: [] }))
  const headers = {
    authorization: 'Bearer page-token',
    cookie: 'a=b',
    'x-forwarded-host': 'evil',
    'openai-organization': 'o',
  }
  await ask(proxyTo(upstream.url), { ...hello, stream: false, max_tokens: 5 }, { headers })
  const [request] = upstream.requests
  expect(request!.body).toEqual({ model: 'real-model', stream: false, messages: hello.messages, max_tokens: 5 })
  expect(request!.headers.authorization).toBe(`Bearer ${canary}`)
  expect(JSON.stringify(request!.headers)).not.toMatch(/page-token|a=b|evil|"o"/)
})

const failures: [number, object, string, number, string][] = [
  [401, { code: 'invalid_api_key' }, 'provider_key_rejected', 502, 'Check OPENAI_API_KEY'],
  [403, {}, 'provider_forbidden', 502, 'permissions'],
  [402, {}, 'insufficient_quota', 402, 'no credit left'],
  [429, { code: 'insufficient_quota', type: 'insufficient_quota' }, 'insufficient_quota', 402, 'no credit left'],
  [404, { code: 'model_not_found' }, 'upstream_model_not_found', 502, 'Set MODEL'],
  [429, { code: 'rate_limit_exceeded' }, 'rate_limit_exceeded', 429, 'Wait a moment'],
  [400, { code: 'context_length_exceeded' }, 'context_length_exceeded', 400, 'too long'],
  [400, { type: 'invalid_request_error' }, 'upstream_refused', 400, 'refused the request'],
  [422, {}, 'upstream_refused', 400, 'refused the request'],
  [500, {}, 'upstream_failed', 502, 'Try again'],
  [503, {}, 'upstream_overloaded', 503, 'overloaded'],
  [529, {}, 'upstream_overloaded', 503, 'overloaded'],
]

test.each(failures)('[T12] upstream’s %i %j becomes %s', async (status, error, code, told, sentence) => {
  const upstream = await openServer((response) =>
    sendJson(
      response,
      status,
      { error: { message: `canary ${canary} req_canary`, ...error } },
      { 'x-request-id': 'req_canary' },
    ),
  )
  for (const stream of [true, false]) {
    const response = await ask(proxyTo(upstream.url), { ...hello, stream })
    expect(JSON.stringify([...response.headers])).not.toContain('canary')
    const body = await errorOf(response)
    expect(body).toMatchObject({ status: told, code })
    expect(body.message).toContain(sentence)
    expect(body.message).not.toContain('canary')
  }
})

test('every failure has a sentence of its own', () => {
  expect(new Set(failures.map(([, , code]) => code)).size).toBe(9)
})

test('[T12] how long to wait is passed on, as seconds and nothing else', async () => {
  const mock = await openMock()
  mock.onMessage('hello', { error: { message: 'slow down' }, status: 429, retryAfter: 17 })
  const response = await ask(proxyTo(`${mock.url}/v1`))
  expect([response.status, response.headers.get('retry-after')]).toEqual([429, '17'])
  const upstream = await openServer((answer) => sendJson(answer, 429, {}, { 'retry-after': 'canary' }))
  expect((await ask(proxyTo(upstream.url))).headers.get('retry-after')).toBeNull()
})

test('only failures that may pass invite another try', async () => {
  const retries = new Map<string, string | null>()
  for (const [status, error, code] of failures) {
    const upstream = await openServer((response) => sendJson(response, status, { error }))
    retries.set(code, (await ask(proxyTo(upstream.url))).headers.get('x-should-retry'))
  }
  const inviting = [...retries].filter(([, retry]) => retry === 'true').map(([code]) => code)
  expect(inviting).toEqual(['rate_limit_exceeded', 'upstream_failed', 'upstream_overloaded'])
})

test('a provider that cannot be reached is said, without its address', async () => {
  const upstream = await openUpstream(() => undefined)
  await upstream.close()
  const error = await errorOf(await ask(proxyTo(upstream.url)))
  expect(error).toMatchObject({ status: 502, code: 'upstream_unreachable' })
  expect(error.message).not.toContain('127.0.0.1')
})

test('[T12] a redirect is not followed, so the key goes nowhere else', async () => {
  const elsewhere = await openServer((response) => sendJson(response, 200, { choices: [] }))
  const upstream = await openServer((response) => {
    response.writeHead(307, { location: `${elsewhere.url}/chat/completions` })
    response.end()
  })
  for (const stream of [true, false])
    expect(await errorOf(await ask(proxyTo(upstream.url), { ...hello, stream }))).toMatchObject({
      code: 'upstream_redirected',
    })
  expect(elsewhere.requests).toEqual([])
})

test.each([true, false])('a web page instead of an answer is said (stream: %s)', async (stream) => {
  const upstream = await openServer((response) => {
    response.writeHead(200, { 'content-type': 'text/html' })
    response.end('<html>canary</html>')
  })
  expect(await errorOf(await ask(proxyTo(upstream.url), { ...hello, stream }))).toMatchObject({
    status: 502,
    code: 'upstream_malformed',
  })
})

const word = (content: string) =>
  `data: {"choices":[{"index":0,"delta":{"content":"${content}"},"finish_reason":null}]}`
const finish = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}'

test.each([
  ['just ends', [word('one')], 'upstream_cut'],
  ['never begins', [], 'upstream_cut'],
  ['turns to garbage', [word('one'), 'data: {canary'], 'upstream_malformed'],
  [
    'reports an error',
    [word('one'), `data: {"error":{"message":"${canary}","code":"server_error"}}`],
    'upstream_failed',
  ],
  ['reports a limit', [word('one'), 'data: {"error":{"message":"canary","code":429}}'], 'rate_limit_exceeded'],
])('[T12] an answer that %s becomes an error event, never [DONE]', async (_, sent, code) => {
  const upstream = await openServer((response) => {
    sendEvents(response, sent)
    response.end()
  })
  const events = await eventsOf(await ask(proxyTo(upstream.url)))
  expect(JSON.parse(events.at(-1)!.data).error.code).toBe(code)
  expect(JSON.stringify(events)).not.toMatch(/DONE|canary/)
})

test('[T12] a connection cut after the first word becomes an error event', async () => {
  let cut!: () => void
  const upstream = await openServer((response) => {
    sendEvents(response, [word('one')])
    cut = () => response.destroy()
  })
  const reader = openReader(await ask(proxyTo(upstream.url)))
  await reader.next()
  cut()
  expect(JSON.parse((await reader.next())!.data).error.code).toBe('upstream_cut')
  expect(await reader.next()).toBeUndefined()
})

test('aimock’s own cut, in mid-stream, ends in an error event', async () => {
  const mock = await openMock()
  mock.onMessage('hello', { content: 'a b c d e f g h' }, { chunkSize: 2, truncateAfterChunks: 3, latency: 5 })
  const text = await (await ask(proxyTo(`${mock.url}/v1`))).text()
  expect(text).toContain('"code":"upstream_cut"')
  expect(text).not.toContain('[DONE]')
})

test('a missing [DONE] after a finished answer is no cut', async () => {
  const upstream = await openServer((response) => {
    sendEvents(response, [word('all of it'), finish])
    response.end()
  })
  const events = await eventsOf(await ask(proxyTo(upstream.url)))
  expect(wordsOf(events)).toBe('all of it')
  expect(events.at(-1)!.data).toBe('[DONE]')
})

test('stop hangs up on the provider', async () => {
  const upstream = await openServer((response) => sendEvents(response, [word('one')]))
  const proxy = proxyTo(upstream.url)
  const reader = openReader(await ask(proxy, hello, { path: '/chat/completions?key=k' }))
  await reader.next()
  await ask(proxy, undefined, { method: 'DELETE', path: '/streams/k' })
  await expect(upstream.hungUp).resolves.toBeUndefined()
})

test('the provider is hung up on when nobody has listened for the grace period', async () => {
  const upstream = await openServer((response) => sendEvents(response, [word('one')]))
  const proxy = proxyTo(upstream.url, { streams: { grace: 20 } })
  const reader = openReader(await ask(proxy, hello, { path: '/chat/completions?key=k' }))
  await reader.next()
  await reader.leave()
  await upstream.hungUp
  expect((await ask(proxy, undefined, { method: 'GET', path: '/streams/k' })).status).toBe(404)
})

test('the provider is hung up on when a caller without a key leaves before the first word', async () => {
  const upstream = await openServer(() => gone.abort())
  const gone = new AbortController()
  for (const stream of [true, false]) {
    const response = await ask(proxyTo(upstream.url), { ...hello, stream }, { signal: gone.signal })
    await response.text()
    await expect(upstream.hungUp).resolves.toBeUndefined()
  }
})
