import { createServer, request as httpRequest, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import OpenAI from 'openai'
import { afterEach, expect, test } from 'vitest'
import { handDrivenProvider } from '../../test/hand-driven-provider.ts'
import { ask, errorOf, hello, openReader } from '../../test/ask.ts'
import { createProxy, demoProvider, fromEnv, type ProxyOptions } from '../index.ts'
import { openUpstream, sendJson } from '../../test/upstream-server.ts'
import { toNodeListener } from './node-listener.ts'

const closing: (() => unknown)[] = []

afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(
    () => server.closeAllConnections(),
    () => server.close(),
  )
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const models = { default: { model: 'demo', provider: demoProvider({ pace: 0 }) } }
const open = (options: ProxyOptions = {}) => toNodeListener(createProxy({ models, ...options }))
const clientOf = (url: string) => new OpenAI({ baseURL: url, apiKey: 'page-token', maxRetries: 2 })
const messages = [{ role: 'user' as const, content: 'hello' }]

test('the official client streams from it, with usage', async () => {
  const client = clientOf(await listen(open()))
  const stream = client.chat.completions.stream({ model: 'default', messages, stream_options: { include_usage: true } })
  const completion = await stream.finalChatCompletion()
  expect(completion.choices[0]!.message.content).toMatch(/^Hello, and welcome\./)
  expect(completion.usage!.total_tokens).toBeGreaterThan(0)
})

test('the official client gets whole completions and tool calls, and lists the models', async () => {
  const client = clientOf(await listen(open()))
  const tools = [
    { type: 'function' as const, function: { name: 'page_title', parameters: { type: 'object', properties: {} } } },
  ]
  const asked = [{ role: 'user' as const, content: 'What is this page?' }]
  for (const completion of [
    await client.chat.completions.create({ model: 'default', messages: asked, tools }),
    await client.chat.completions.stream({ model: 'default', messages: asked, tools }).finalChatCompletion(),
  ]) {
    expect(completion.choices[0]!.finish_reason).toBe('tool_calls')
    expect(completion.choices[0]!.message.tool_calls).toMatchObject([
      { function: { name: 'page_title', arguments: '{}' } },
    ])
  }
  expect((await client.models.list()).data.map(({ id }) => id)).toEqual(['default'])
})

test('the official client reads our errors, and does not repeat what cannot succeed', async () => {
  const upstream = await openUpstream((response) => sendJson(response, 401, { error: { code: 'invalid_api_key' } }))
  closing.push(upstream.close)
  const environment = fromEnv({ OPENAI_API_KEY: 'sk-wrong', OPENAI_BASE_URL: upstream.url })
  const client = clientOf(await listen(open({ models: environment.models })))
  const attempt = client.chat.completions.create({ model: 'default', messages })
  await expect(attempt).rejects.toMatchObject({ status: 502, code: 'provider_key_rejected' })
  expect(upstream.requests).toHaveLength(1)
  const unknown = client.chat.completions.create({ model: 'gpt-5', messages })
  await expect(unknown).rejects.toMatchObject({ status: 404, code: 'model_not_found' })
})

test('[J9] Express mounts it under a path, before its own body parser', async () => {
  const app = express()
  app.use('/api/agent', open())
  app.use(express.json())
  app.get('/', (_, response) => void response.send('home'))
  const url = await listen(app)
  const completion = await clientOf(`${url}/api/agent`).chat.completions.create({ model: 'default', messages })
  expect(completion.choices[0]!.message.content).toMatch(/^Hello/)
  expect((await fetch(`${url}/api/agent/v1/models`)).status).toBe(200)
  expect(await (await fetch(url)).text()).toBe('home')
})

test('[J9] mounted after express.json() it says what to do', async () => {
  const app = express()
  app.use(express.json())
  app.use('/api/agent', open())
  const url = await listen(app)
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${url}/api/agent/chat/completions`, {
    method: 'POST',
    headers,
    body: JSON.stringify(hello),
  })
  const error = await errorOf(response)
  expect(error).toMatchObject({ status: 500, code: 'body_already_read' })
  expect(error.message).toContain('Mount the proxy before it')
  expect((await fetch(`${url}/api/agent/models`)).status).toBe(200)
})

test('[J9] the token of an Express app is checked by the hook', async () => {
  const app = express()
  app.use('/api/agent', open({ authorize: (token) => token === 'page-token' && { subject: 'ann' } }))
  const url = await listen(app)
  await clientOf(`${url}/api/agent`).models.list()
  expect((await fetch(`${url}/api/agent/models`)).status).toBe(401)
})

test('a page that goes away ends the call upstream', async () => {
  const { provider, calls } = handDrivenProvider()
  const url = await listen(open({ models: { default: { provider, model: 'm' } } }))
  const gone = new AbortController()
  const init = { method: 'POST', body: JSON.stringify(hello), signal: gone.signal }
  const reader = openReader(await fetch(`${url}/chat/completions`, init))
  calls[0]!.say('one')
  await reader.next()
  const ended = new Promise((resolve) => calls[0]!.signal.addEventListener('abort', resolve))
  gone.abort()
  await expect(ended).resolves.toBeInstanceOf(Event)
})

test.each(['with', 'without'])(
  '[T12] too large a body %s a stated length gets its 413, not a dead line',
  async (stated) => {
    const url = await listen(open({ maxBodyBytes: 1000 }))
    const text = 'x'.repeat(3_000_000)
    const body = stated === 'with' ? text : new Blob([text]).stream()
    const init: RequestInit & { duplex: 'half' } = { method: 'POST', body, duplex: 'half' }
    expect(await errorOf(await fetch(`${url}/chat/completions`, init))).toMatchObject({ status: 413 })
    expect((await fetch(`${url}/models`)).status).toBe(200)
  },
)

test('words arrive when they are said, not when the answer is finished', async () => {
  const { provider, calls } = handDrivenProvider()
  const url = await listen(open({ models: { default: { provider, model: 'm' } } }))
  const reader = openReader(await fetch(`${url}/chat/completions`, { method: 'POST', body: JSON.stringify(hello) }))
  for (const word of ['one', 'two', 'three']) {
    calls[0]!.say(word)
    expect((await reader.next())!.data).toContain(word)
  }
  await reader.leave()
})

test.each([
  ['/models', '127.0.0.1', 200],
  // Two slashes are only an odd path, not another host.
  ['//evil.example/models', '127.0.0.1', 200],
  ['//127.0.0.1/models', 'evil.example', 403],
  ['http://127.0.0.1/models', '127.0.0.1', 400],
  ['/models', 'evil.example/127.0.0.1', 400],
  ['/models', '127.0.0.1/evil.example', 400],
  ['/models', 'evil.example@127.0.0.1', 400],
  ['/models', '127.0.0.1#evil.example', 400],
  ['/models', ' ', 400],
  ['/models', '[', 400],
])('[T12] GET %s with the host "%s" gets %i', async (path, host, status) => {
  const { port } = new URL(await listen(open()))
  const answered = new Promise((resolve) =>
    httpRequest({ port, host: '127.0.0.1', path, headers: { host } }, (response) =>
      resolve(response.resume().statusCode),
    ).end(),
  )
  expect(await answered).toBe(status)
})

test('a large answer waits for a slow reader and arrives whole', async () => {
  const long = 'word '.repeat(20_000)
  const handler = async () => new Response(new Blob([long]).stream())
  const response = await fetch(await listen(toNodeListener(handler)))
  expect(await response.text()).toBe(long)
})

test('a handler that throws is answered, not hung', async () => {
  const url = await listen(toNodeListener(() => Promise.reject(new Error('canary'))))
  const response = await fetch(url)
  expect(response.status).toBe(500)
  expect(await response.text()).not.toContain('canary')
  expect(await errorOf(await ask(createProxy({ models }), 'no json'))).toMatchObject({ status: 400 })
})
