/** The adapter as a server meets it: one suite, because each case is a stream and what must become of it. */
import { expect, test } from 'vitest'
import type { Model, ModelEvent } from '@dogear/core'
import { fakeClock } from '@dogear/testing'
import { createOpenAIModel, type OpenAIModelOptions } from './index.ts'
import { brokenStream, html, json, serve, stream, type Reply } from './http-server.fixture.ts'
import { delta, done, finish, joined, read, request, sse, toolCall, words } from './sse.fixture.ts'

test('an answer streams as text, then tells its cost, then ends', async () => {
  const usage = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 }
  const { model, asked } = await modelOn(
    stream(words('Hel'), words('lo'), finish('stop'), sse({ model: 'm-1', choices: [], usage }), done),
  )
  const events = await read(model)
  expect(joined(events)).toMatchObject({ text: 'Hello', finish: 'stop' })
  expect(events.slice(-2)).toEqual([
    { type: 'usage', model: 'm-1', usage: { input: 5, output: 2, total: 7, cachedInput: 0, reasoning: 0, raw: usage } },
    { type: 'finish', reason: 'stop' },
  ])
  expect(asked[0]).toMatchObject({ method: 'POST', url: '/v1/chat/completions' })
  expect(asked[0]!.headers).not.toHaveProperty('authorization')
})

test('deltas that arrive together are one event', async () => {
  const { model } = await modelOn(
    stream(
      [words('a'), words('b'), toolCall({ index: 0, id: 'x', function: { name: 'look', arguments: '{"a"' } })]
        .concat(toolCall({ index: 0, function: { arguments: ':1}' } }), finish('tool_calls'), done)
        .join(''),
    ),
  )
  expect(await read(model)).toEqual([
    { type: 'text-delta', text: 'ab' },
    { type: 'call-start', index: 0, id: 'x', name: 'look' },
    { type: 'call-delta', index: 0, args: '{"a":1}' },
    { type: 'finish', reason: 'tool-calls' },
  ])
})

test('token and headers are asked before each request and sent with it', async () => {
  let count = 0
  const { model, asked } = await modelOn(stream(finish('stop')), {
    token: async () => `t${(count += 1)}`,
    headers: () => ({ 'x-tenant': 'blue' }),
  })
  await read(model)
  await read(model)
  expect(asked.map(({ headers }) => headers.authorization)).toEqual(['Bearer t1', 'Bearer t2'])
  expect(asked[0]!.headers['x-tenant']).toBe('blue')
})

test('[G8] an answer without an end is cut, and never ends with finish', async () => {
  const insideAnEvent = stream(words('Hel'), finish('stop').slice(0, -10))
  for (const reply of [stream(words('Hel')), stream(words('Hel'), done), brokenStream(words('Hel')), insideAnEvent]) {
    const { model } = await modelOn(reply)
    const seen: ModelEvent[] = []
    await expect(read(model, {}, seen)).rejects.toMatchObject({ code: 'stream-cut' })
    expect(joined(seen)).toMatchObject({ text: 'Hel', finish: '' })
  }
})

test('an answer that ended is whole without [DONE], without a last blank line, and when the connection then breaks', async () => {
  for (const reply of [
    stream(words('Hi'), finish('stop')),
    stream(words('Hi'), finish('stop').trimEnd()),
    brokenStream(words('Hi'), finish('stop')),
  ]) {
    const { model } = await modelOn(reply)
    expect(joined(await read(model))).toMatchObject({ text: 'Hi', finish: 'stop' })
  }
})

test('a server that ignores stream and answers with one JSON body is understood', async () => {
  const message = {
    role: 'assistant',
    content: 'Hi',
    reasoning_content: 'hm',
    tool_calls: [{ id: 'c', type: 'function', function: { name: 'look', arguments: '{}' } }],
  }
  const { model } = await modelOn(json(200, { choices: [{ message, finish_reason: 'stop' }], usage: {} }))
  expect(joined(await read(model))).toMatchObject({
    text: 'Hi',
    reasoning: 'hm',
    calls: [{ id: 'c', name: 'look', args: '{}' }],
    finish: 'tool-calls',
  })
})

test('[G9] a connection that is open and silent is given up: soon where it can be re-attached, late where it cannot', async () => {
  for (const [id, patience] of [
    ['id: 1\n', 60_000],
    ['', 150_000],
  ] as const) {
    const { model, clock } = await modelOn((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(id + words('Hel'))
    })
    const seen: ModelEvent[] = []
    const reading = read(model, { key: 's:t' }, seen)
    let isOver = false
    reading.catch(() => {}).finally(() => (isOver = true))
    while (!seen.length) await new Promise(setImmediate)
    await clock.advance(patience / 2 - 1_000)
    expect(isOver).toBe(false)
    await clock.advance(patience / 2 + 1_000)
    await expect(reading).rejects.toMatchObject({ code: 'stream-cut' })
  }
})

test('[G9] a server that only says that it lives is waited for', async () => {
  let say = (_text: string): unknown => undefined
  const { model, clock } = await modelOn((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(`id: 1\n${words('Hel')}`)
    say = (text) => response.write(text)
  })
  const seen: ModelEvent[] = []
  const reading = read(model, { key: 's:t' }, seen)
  while (!seen.length) await new Promise(setImmediate)
  for (let comments = 0; comments < 20; comments += 1) {
    say(': thinking\n\n')
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setTimeout(resolve, 1))
    await clock.advance(20_000)
  }
  say(words('lo') + finish('stop') + done)
  await reading
  expect(joined(seen)).toMatchObject({ text: 'Hello', finish: 'stop' })
})

test('servers that never end their connections hold nothing up, and keep two at most', async () => {
  let closed = 0
  const { model } = await modelOn((response) => {
    response.on('close', () => (closed += 1))
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(words('Hi') + finish('stop') + done)
  })
  for (let turn = 0; turn < 5; turn += 1) {
    expect((await read(model)).at(-1)).toEqual({ type: 'finish', reason: 'stop' })
  }
  while (closed < 3) await new Promise(setImmediate)
  expect(closed).toBe(3)
})

test('a connection that is about to end is not cancelled, so that it can be used again', async () => {
  let end = (): unknown => undefined
  const endings: boolean[] = []
  const { model } = await modelOn((response) => {
    end = () => response.end()
    response.on('close', () => endings.push(response.writableFinished))
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(words('Hi') + finish('stop') + done)
  })
  await read(model)
  for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate)
  end()
  while (endings.length === 0) await new Promise(setImmediate)
  expect(endings).toEqual([true])
})

test('HTML instead of a stream is a sentence that names path and type', async () => {
  const { model } = await modelOn(html(200))
  await expect(read(model)).rejects.toMatchObject({
    code: 'bad-response',
    message: '/v1/chat/completions answered with text/html, not with an event stream: is the endpoint right?',
  })
})

test('other text, other JSON and broken chunks are bad responses too', async () => {
  const plain: Reply = (response) => response.writeHead(200, { 'content-type': 'text/plain' }).end('hello')
  const empty: Reply = (response) => response.writeHead(204).end()
  const redirect: Reply = (response) => response.writeHead(302, { location: '/elsewhere' }).end()
  for (const reply of [plain, empty, redirect, json(200, { hello: 1 }), json(200, 3), stream('data: nonsense\n\n')]) {
    const { model } = await modelOn(reply)
    await expect(read(model)).rejects.toMatchObject({ code: 'bad-response' })
  }
})

test('[T15] an event without end is refused before it fills the memory', async () => {
  const { model } = await modelOn((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('data: ')
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(100_000)));
      if (!response.destroyed) response.once('drain', more)
    }
    more()
  })
  await expect(read(model)).rejects.toMatchObject({ code: 'bad-response' })
})

test('a stop ends the stream at once, also before the first word and between tries', async () => {
  const hang: Reply = (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(words('Hi'))
  }
  const stop = new AbortController()
  const streaming = await modelOn(hang)
  const seen: ModelEvent[] = []
  const reading = read(streaming.model, { signal: stop.signal }, seen)
  while (seen.length === 0) await new Promise(setImmediate)
  stop.abort()
  await expect(reading).rejects.toMatchObject({ code: 'aborted' })
  await expect(read(streaming.model, { signal: stop.signal })).rejects.toMatchObject({ code: 'aborted' })

  const stopAsking = new AbortController()
  const signedOut = await modelOn(hang, {
    token: () => (queueMicrotask(() => stopAsking.abort()), new Promise(() => {})),
  })
  await expect(read(signedOut.model, { signal: stopAsking.signal })).rejects.toMatchObject({ code: 'aborted' })

  const stopWaiting = new AbortController()
  const busy = await modelOn(json(503, {}))
  const waiting = read(busy.model, { signal: stopWaiting.signal })
  await busy.clock.whenAsleep()
  stopWaiting.abort()
  await expect(waiting).rejects.toMatchObject({ code: 'aborted' })
  expect(busy.asked).toHaveLength(1)
})

test('whoever stops reading ends the connection', async () => {
  const closed = new AbortController()
  const { model } = await modelOn((response) => {
    response.on('close', () => closed.abort())
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(words('Hi'))
  })
  for await (const event of model.stream(request, { signal: new AbortController().signal })) {
    expect(event).toEqual({ type: 'text-delta', text: 'Hi' })
    break
  }
  while (!closed.signal.aborted) await new Promise(setImmediate)
})

test('[J9] a refused token is asked for again once, then the request is made again', async () => {
  let count = 0
  const token = () => `t${(count += 1)}`
  const fixed = await modelOn(json(401, {}), stream(words('Hi'), finish('stop')), { token })
  expect(joined(await read(fixed.model)).text).toBe('Hi')
  expect(fixed.asked.map(({ headers }) => headers.authorization)).toEqual(['Bearer t1', 'Bearer t2'])

  const refused = await modelOn(json(401, { error: { message: 'expired' } }), { token })
  await expect(read(refused.model)).rejects.toMatchObject({
    code: 'token-refused',
    details: { status: 401, serverMessage: 'expired' },
  })
  expect(refused.asked).toHaveLength(2)

  const anonymous = await modelOn(json(401, {}))
  await expect(read(anonymous.model)).rejects.toMatchObject({ code: 'token-refused' })
  expect(anonymous.asked).toHaveLength(1)
})

test('a token function that throws waits for a sign-in, or for the network when that is what failed', async () => {
  const broken = await modelOn(stream(), { token: () => Promise.reject(new Error('no session')) })
  await expect(read(broken.model)).rejects.toMatchObject({ code: 'token-refused' })
  const offline = await modelOn(stream(), { token: () => Promise.reject(new TypeError('Failed to fetch')) })
  await expect(read(offline.model)).rejects.toMatchObject({ code: 'network' })
})

test('a busy server is asked again, as late as it says, and each try is told', async () => {
  const { model, clock, asked } = await modelOn(
    json(429, {}, { 'retry-after': '2' }),
    json(503, {}, { 'retry-after': new Date(20_000).toUTCString() }),
    stream(words('Hi'), finish('stop')),
    { maxRetries: 2 },
  )
  const seen: ModelEvent[] = []
  const reading = read(model, {}, seen)
  await told(seen, 1)
  expect(clock.waits()).toEqual([2000])
  await clock.advance(2000)
  await told(seen, 2)
  expect(clock.waits()).toEqual([18_000])
  await clock.advance(18_000)
  await reading
  expect(seen.slice(0, 2)).toMatchObject([
    { type: 'retry', attempt: 1, delayMs: 2000 },
    { type: 'retry', attempt: 2, delayMs: 18_000 },
  ])
  expect(joined(seen).text).toBe('Hi')
  expect(asked).toHaveLength(3)
})

test('without a hint the waits grow and are spread, and tries come to an end', async () => {
  const { model, clock, asked } = await modelOn(json(500, { error: 'boom' }), { random: () => 1 })
  const seen: ModelEvent[] = []
  const reading = read(model, {}, seen)
  reading.catch(() => {})
  for (const [tries, wait] of [500, 1000].entries()) {
    await told(seen, tries + 1)
    expect(clock.waits()).toEqual([wait])
    await clock.advance(wait)
  }
  await expect(reading).rejects.toMatchObject({
    code: 'model-failed',
    details: { status: 500, serverMessage: 'boom' },
  })
  expect(asked).toHaveLength(3)
})

test('a server that wants an hour is not waited for', async () => {
  const { model, asked } = await modelOn(json(429, {}, { 'retry-after': '3600' }))
  await expect(read(model)).rejects.toMatchObject({
    code: 'rate-limited',
    details: { status: 429, retryAfterMs: 3_600_000 },
  })
  expect(asked).toHaveLength(1)
})

test('each refusal has its code, and is not repeated', async () => {
  const cases: [Reply, string][] = [
    [json(403, {}), 'forbidden'],
    [json(404, { error: { code: 'model_not_found' } }), 'model-unknown'],
    [html(404), 'bad-response'],
    [json(429, { error: { code: 'insufficient_quota' } }), 'quota-exceeded'],
    [json(402, {}), 'quota-exceeded'],
    [json(400, { error: { message: 'bad field' } }), 'model-failed'],
    [json(409, {}), 'model-failed'],
    [json(502, {}, { 'x-should-retry': 'false' }), 'model-failed'],
  ]
  for (const [reply, code] of cases) {
    const { model, asked } = await modelOn(reply)
    await expect(read(model)).rejects.toMatchObject({ code, details: { status: expect.any(Number) } })
    expect(asked).toHaveLength(1)
  }
})

test('[G9] a server that cannot be reached is the network, and is left to the turn', async () => {
  const model = createOpenAIModel({ endpoint: 'http://127.0.0.1:1/v1', clock: fakeClock() })
  await expect(read(model)).rejects.toMatchObject({ code: 'network' })
})

test('what no network can mend is not taken for a lost one', async () => {
  const nowhere = createOpenAIModel({ endpoint: '/v1', clock: fakeClock() })
  await expect(read(nowhere)).rejects.toMatchObject({ code: 'endpoint-missing' })
  const { model } = await modelOn(stream())
  await expect(read(model, {}, [], { ...request, extra: { seed: 1n } })).rejects.toThrow('BigInt')
})

test('an error in mid-stream keeps the words before it and has its code', async () => {
  const cases: [string, string][] = [
    [sse({ error: { message: 'overloaded', code: 503 } }), 'model-failed'],
    [sse({ error: { message: 'slow down', code: 'rate_limit_exceeded' } }), 'rate-limited'],
    [`event: error\n${sse({ message: 'boom' })}`, 'model-failed'],
    [sse({ object: 'error', message: 'boom' }), 'model-failed'],
    [sse({ choices: [{ error: { code: 429 }, delta: {} }] }), 'rate-limited'],
    [finish('error'), 'model-failed'],
  ]
  for (const [event, code] of cases) {
    const { model } = await modelOn(stream(words('Hi ') + event + finish('stop') + done))
    const seen: ModelEvent[] = []
    await expect(read(model, {}, seen)).rejects.toMatchObject({ code })
    expect(joined(seen)).toMatchObject({ text: 'Hi ', finish: '' })
  }
})

test('a server that knows no stream_options, or only max_completion_tokens, is asked as it wants', async () => {
  const { model, asked } = await modelOn(
    json(400, { error: { message: "Unknown field 'stream_options'." } }),
    json(400, { error: { message: "Unsupported parameter: use 'max_completion_tokens' instead." } }),
    stream(finish('stop')),
  )
  const limited = { ...request, maxOutputTokens: 9 }
  await read(model, {}, [], limited)
  await read(model, {}, [], limited)
  const bodies = asked.map(({ body }) => JSON.parse(body) as Record<string, unknown>)
  expect(bodies[0]).toMatchObject({ stream_options: { include_usage: true }, max_tokens: 9 })
  expect(bodies[1]).toMatchObject({ max_tokens: 9 })
  expect(bodies[1]).not.toHaveProperty('stream_options')
  expect(bodies[3]).toEqual({ model: 'default', messages: [], stream: true, max_completion_tokens: 9 })
})

test('[G8] a stream with ids is re-attached after its cursor, and is one answer', async () => {
  const { model, asked } = await modelOn(
    brokenStream(words('one', '1') + words(' two', '2')),
    stream(words(' three', '3'), finish('stop', '4'), done),
  )
  const seen: ModelEvent[] = []
  await expect(read(model, { key: 's:1' }, seen)).rejects.toMatchObject({ code: 'stream-cut' })
  const cursor = seen.at(-1)
  expect(cursor).toEqual({ type: 'cursor', after: '2' })
  await read(model, { key: 's:1', after: '2' }, seen)
  expect(joined(seen)).toMatchObject({ text: 'one two three', finish: 'stop' })
  expect(asked.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'POST /v1/chat/completions?key=s%3A1',
    'GET /v1/streams/s%3A1?after=2',
  ])
})

test('[G7] a step begun by a page with other tools is joined, not asked for again', async () => {
  const reused = json(409, { error: { message: 'This key already names another request.', code: 'key_reused' } })
  const { model, asked } = await modelOn(reused, stream(words('Hel', '1'), words('lo', '2'), finish('stop', '3')))
  expect(joined(await read(model, { key: 's:1' }))).toMatchObject({ text: 'Hello', finish: 'stop' })
  expect(asked.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'POST /v1/chat/completions?key=s%3A1',
    'GET /v1/streams/s%3A1',
  ])
  expect(asked[1]!.body).toBe('')
})

test('[G8] a stream re-attached behind its ending still ends as it said', async () => {
  const { model, asked } = await modelOn(
    stream(sse(delta({ tool_calls: [{ id: 'a', function: { name: 'look', arguments: '{}' } }] }, 'stop'), '7')),
    stream(sse({ choices: [], usage: { prompt_tokens: 1 } }, '8'), done),
  )
  const cursor = (await read(model, { key: 'k' })).find((event) => event.type === 'cursor')
  const rest = await read(model, { key: 'k', after: cursor!.after })
  expect(asked[1]!.url).toBe('/v1/streams/k?after=7')
  expect(rest.map((event) => event.type)).toEqual(['usage', 'cursor', 'finish'])
  expect(rest.at(-1)).toEqual({ type: 'finish', reason: 'tool-calls' })
})

test('[G8] a stream re-attached to nothing ends if its ending was seen, else it is lost', async () => {
  const { model } = await modelOn(stream())
  expect(await read(model, { key: 'k', after: '7\nstop' })).toEqual([{ type: 'finish', reason: 'stop' }])
  await expect(read(model, { key: 'k', after: '7' })).rejects.toMatchObject({
    code: 'stream-cut',
    details: { lost: true },
  })
  await expect(read(model, { key: 'k' })).rejects.toMatchObject({ code: 'stream-cut', details: { lost: false } })
})

test('[G8] no cursor passes a call that is not shown yet, nor an event that failed or did not come whole', async () => {
  const unnamed = sse(delta({ tool_calls: [{ index: 0, function: { arguments: '{' } }] }), '2')
  for (const event of [unnamed, sse({ error: 'boom' }, '2'), words('there', '2').slice(0, 40)]) {
    const { model } = await modelOn(stream(words('Hi', '1') + event))
    const seen: ModelEvent[] = []
    await expect(read(model, {}, seen)).rejects.toBeDefined()
    expect(seen.at(-1)).toEqual({ type: 'cursor', after: '1' })
  }
})

test('[G8] arguments go on after a re-attach under the index they began with', async () => {
  const { model } = await modelOn(stream(toolCall({ index: 1, function: { arguments: '1}' } }), finish('tool_calls')))
  expect(await read(model, { key: 'k', after: '3' })).toContainEqual({ type: 'call-delta', index: 1, args: '1}' })
})

test('[G8] a stream the server no longer keeps, or never did, is lost, so that it is asked for anew', async () => {
  for (const status of [302, 400, 403, 404, 405, 410, 422, 501]) {
    const { model } = await modelOn(json(status, {}))
    await expect(read(model, { key: 'k', after: '3' })).rejects.toMatchObject({
      code: 'stream-cut',
      details: { lost: true, status },
    })
  }
})

test('[G8] a server that is busy, or wants another token, still keeps the stream', async () => {
  for (const [status, code] of [
    [401, 'token-refused'],
    [408, 'model-failed'],
    [429, 'rate-limited'],
    [503, 'model-failed'],
  ] as const) {
    const { model } = await modelOn(json(status, {}), { maxRetries: 0 })
    await expect(read(model, { key: 'k', after: '3' })).rejects.toMatchObject({ code })
  }
})

test('stop tells the server, and never fails', async () => {
  const { model, asked } = await modelOn(json(500, {}), { token: () => 't' })
  await model.stop!('s:1')
  expect(asked[0]).toMatchObject({ method: 'DELETE', url: '/v1/streams/s%3A1' })
  expect(asked[0]!.headers.authorization).toBe('Bearer t')
  await createOpenAIModel({ endpoint: 'http://127.0.0.1:1', clock: fakeClock() }).stop!('k')
})

/** Until so many tries are told of, and the next is waited for. */
async function told(seen: readonly ModelEvent[], tries: number): Promise<void> {
  while (seen.length < tries) await new Promise(setImmediate)
}

async function modelOn(...last: [...Reply[], Reply | Partial<OpenAIModelOptions>]) {
  const replies = last.filter((each): each is Reply => typeof each === 'function')
  const options = last.find((each) => typeof each !== 'function')
  const server = await serve(...replies)
  const clock = fakeClock()
  const model: Model = createOpenAIModel({ endpoint: `${server.endpoint}/`, clock, ...options })
  return { model, clock, asked: server.asked }
}
