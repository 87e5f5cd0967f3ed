import { afterEach, expect, test, vi } from 'vitest'
import { handDrivenProvider } from '../test/hand-driven-provider.ts'
import { ask, errorOf, eventsOf, hello, openReader, wordsOf } from '../test/ask.ts'
import { createProxy, ProxyError, type ProxyOptions } from './index.ts'

afterEach(() => vi.useRealTimers())

function openProxy(options: Omit<ProxyOptions, 'models'> = {}) {
  const { provider, calls } = handDrivenProvider()
  return { proxy: createProxy({ models: { default: { provider, model: 'm' } }, ...options }), calls }
}

const keyed = { path: '/chat/completions?key=s1:t1.1' }
const attach = (after?: number) => ({
  method: 'GET',
  path: `/streams/s1%3At1.1${after === undefined ? '' : `?after=${after}`}`,
})

test.each([
  '/chat/completions',
  '/v1/chat/completions',
  '/api/agent/chat/completions',
  '/api/agent/v1/chat/completions',
])('POST %s streams events with ids from 1 and ends with [DONE]', async (path) => {
  const { proxy, calls } = openProxy()
  const response = await ask(proxy, hello, { path })
  calls[0]!.say('one ')
  calls[0]!.say('two')
  calls[0]!.end()
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  const events = await eventsOf(response)
  expect(events.map(({ id }) => id)).toEqual([1, 2, 3])
  expect(wordsOf(events)).toBe('one two')
  expect(events.at(-1)!.data).toBe('[DONE]')
})

test('without stream the answer is one completion', async () => {
  const { proxy } = openProxy()
  const response = await ask(proxy, { ...hello, stream: false })
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(await response.json()).toMatchObject({
    object: 'chat.completion',
    choices: [{ message: { content: 'whole' } }],
  })
})

test('an unknown route says what there is', async () => {
  const error = await errorOf(await ask(openProxy().proxy, undefined, { method: 'GET', path: '/v1/embeddings' }))
  expect(error).toMatchObject({ status: 404, code: 'route_not_found' })
  expect(error.message).toContain('POST /chat/completions')
})

test('[T12] the provider gets no header and no address of the caller', async () => {
  const { proxy, calls } = openProxy()
  await ask(proxy, { ...hello, stream: false }, { headers: { 'x-secret': 'a', authorization: 'Bearer b' } })
  expect(JSON.stringify(calls[0]!.request)).not.toMatch(/x-secret|Bearer|localhost/)
})

test('a page that comes back reads on after its cursor, from the same call', async () => {
  const { proxy, calls } = openProxy()
  const first = openReader(await ask(proxy, hello, keyed))
  calls[0]!.say('one ')
  calls[0]!.say('two ')
  expect((await first.next())!.id).toBe(1)
  await first.leave()
  const second = await ask(proxy, undefined, attach(1))
  calls[0]!.say('three')
  calls[0]!.end()
  const events = await eventsOf(second)
  expect(wordsOf(events)).toBe('two three')
  expect(events.map(({ id }) => id)).toEqual([2, 3, 4])
  expect(calls).toHaveLength(1)
})

test('the cursor may come as Last-Event-ID and the key as Idempotency-Key', async () => {
  const { proxy, calls } = openProxy()
  await ask(proxy, hello, { headers: { 'idempotency-key': 's1:t1.1' } })
  calls[0]!.say('one ')
  calls[0]!.say('two')
  calls[0]!.end()
  const events = await eventsOf(await ask(proxy, undefined, { ...attach(), headers: { 'last-event-id': '1' } }))
  expect(wordsOf(events)).toBe('two')
})

test('the same request under the same key joins the call under way and is not paid twice', async () => {
  const { proxy, calls } = openProxy()
  const [first, second] = await Promise.all([ask(proxy, hello, keyed), ask(proxy, hello, keyed)])
  expect(calls).toHaveLength(1)
  calls[0]!.say('once')
  calls[0]!.end()
  expect(wordsOf(await eventsOf(first))).toBe('once')
  expect(wordsOf(await eventsOf(second))).toBe('once')
})

test('a finished answer is read again under its key, whole or after a cursor', async () => {
  const { proxy, calls } = openProxy()
  const first = await ask(proxy, hello, keyed)
  calls[0]!.say('one ')
  calls[0]!.say('two')
  calls[0]!.end()
  await first.text()
  expect(wordsOf(await eventsOf(await ask(proxy, hello, keyed)))).toBe('one two')
  expect(wordsOf(await eventsOf(await ask(proxy, hello, { path: `${keyed.path}&after=1` })))).toBe('two')
  expect(calls).toHaveLength(1)
})

test('a completion that was not streamed is not paid twice either', async () => {
  const { proxy, calls } = openProxy()
  const request = { ...hello, stream: false }
  const first = await (await ask(proxy, request, keyed)).json()
  expect(await (await ask(proxy, request, keyed)).json()).toEqual(first)
  expect(calls).toHaveLength(1)
})

test('another request under a known key is refused', async () => {
  const { proxy, calls } = openProxy()
  await ask(proxy, hello, keyed)
  const error = await errorOf(await ask(proxy, { ...hello, temperature: 1 }, keyed))
  expect(error).toMatchObject({ status: 409, code: 'key_reused' })
  expect(calls).toHaveLength(1)
})

test('an unknown stream is not found, and sending its request again starts it from the beginning', async () => {
  const { proxy, calls } = openProxy()
  expect(await errorOf(await ask(proxy, undefined, attach(7)))).toMatchObject({ status: 404, code: 'stream_not_found' })
  const response = await ask(proxy, hello, { path: `${keyed.path}&after=7` })
  calls[0]!.say('from the start')
  calls[0]!.end()
  expect(wordsOf(await eventsOf(response))).toBe('from the start')
})

test('a key of one person means nothing to another', async () => {
  const { proxy, calls } = openProxy({ authorize: (token) => token !== undefined && { subject: token } })
  const as = (name: string) => ({ headers: { authorization: `Bearer ${name}` } })
  await ask(proxy, hello, { ...keyed, ...as('ann') })
  expect((await ask(proxy, undefined, { ...attach(), ...as('bob') })).status).toBe(404)
  await ask(proxy, undefined, { ...attach(), method: 'DELETE', ...as('bob') })
  expect(calls[0]!.signal.aborted).toBe(false)
  await ask(proxy, hello, { ...keyed, ...as('bob') })
  expect(calls).toHaveLength(2)
})

test.each([
  [
    { subject: 'ann', key: 'bob"]' },
    { subject: 'ann","bob', key: '"]' },
  ],
  [
    { subject: '', key: 'ann:k' },
    { subject: 'ann', key: ':k' },
  ],
])('no subject and key together read like another pair: %j, %j', async (one, other) => {
  let subject = one.subject
  const { proxy, calls } = openProxy({ authorize: () => ({ subject }) })
  const path = (key: string) => `/chat/completions?key=${encodeURIComponent(key)}`
  await ask(proxy, hello, { path: path(one.key) })
  subject = other.subject
  await ask(proxy, { ...hello, temperature: 1 }, { path: path(other.key) })
  expect(calls).toHaveLength(2)
})

test('of two who listen one leaves: upstream goes on for the other, and the grace begins when both have left', async () => {
  vi.useFakeTimers()
  const { proxy, calls } = openProxy()
  const [first, second] = [
    openReader(await ask(proxy, hello, keyed)),
    openReader(await ask(proxy, undefined, attach())),
  ]
  await first.leave()
  await vi.advanceTimersByTimeAsync(60_000)
  calls[0]!.say('still here')
  expect(wordsOf([(await second.next())!])).toBe('still here')
  await second.leave()
  vi.advanceTimersByTime(29_999)
  expect(calls[0]!.signal.aborted).toBe(false)
  vi.advanceTimersByTime(1)
  expect(calls[0]!.signal.aborted).toBe(true)
})

test('[G8] whoever comes back after a failure in mid-answer reads the rest and the failure, and pays for nothing', async () => {
  const { proxy, calls } = openProxy()
  const first = openReader(await ask(proxy, hello, keyed))
  calls[0]!.say('one ')
  expect((await first.next())!.id).toBe(1)
  await first.leave()
  calls[0]!.say('two')
  calls[0]!.fail(new ProxyError(502, 'upstream_cut', 'It broke off.'))
  for (let visit = 0; visit < 2; visit++) {
    const events = await eventsOf(await ask(proxy, undefined, attach(1)))
    expect(events.map(({ id }) => id)).toEqual([2, 3])
    expect(JSON.parse(events[1]!.data)).toMatchObject({ error: { code: 'upstream_cut' } })
  }
  expect(calls).toHaveLength(1)
})

test('stop ends upstream, tells those who listen, and forgets the stream', async () => {
  const { proxy, calls } = openProxy()
  const response = await ask(proxy, hello, keyed)
  calls[0]!.say('one')
  expect((await ask(proxy, undefined, { ...attach(), method: 'DELETE' })).status).toBe(204)
  expect(calls[0]!.signal.aborted).toBe(true)
  const events = await eventsOf(response)
  expect(events.map(({ data }) => data)).not.toContain('[DONE]')
  expect((await ask(proxy, undefined, attach())).status).toBe(404)
})

test('stopping what is not there is no error', async () => {
  expect((await ask(openProxy().proxy, undefined, { ...attach(), method: 'DELETE' })).status).toBe(204)
})

test('without a key upstream ends as soon as its listener leaves', async () => {
  const { proxy, calls } = openProxy()
  const reader = openReader(await ask(proxy))
  calls[0]!.say('one')
  await reader.next()
  await reader.leave()
  expect(calls[0]!.signal.aborted).toBe(true)
})

test('with a key upstream goes on for the grace period, and a return within it keeps it', async () => {
  vi.useFakeTimers()
  const { proxy, calls } = openProxy({ streams: { grace: 30_000 } })
  await openReader(await ask(proxy, hello, keyed)).leave()
  vi.advanceTimersByTime(29_999)
  expect(calls[0]!.signal.aborted).toBe(false)
  const second = openReader(await ask(proxy, undefined, attach()))
  vi.advanceTimersByTime(60_000)
  expect(calls[0]!.signal.aborted).toBe(false)
  await second.leave()
  vi.advanceTimersByTime(30_000)
  expect(calls[0]!.signal.aborted).toBe(true)
  expect((await ask(proxy, undefined, attach())).status).toBe(404)
})

test('a caller that goes away before upstream has answered counts as gone', async () => {
  const gone = new AbortController()
  const { proxy, calls } = openProxy()
  const response = await ask(proxy, hello, { signal: gone.signal })
  gone.abort()
  expect(calls[0]!.signal.aborted).toBe(true)
  expect(await response.text()).toBe('')
})

test('a failure in mid-answer becomes an error event, and asking again is a new try', async () => {
  const { proxy, calls } = openProxy()
  const response = await ask(proxy, hello, keyed)
  calls[0]!.say('one')
  calls[0]!.fail(new ProxyError(502, 'upstream_cut', 'It broke off.'))
  const events = await eventsOf(response)
  expect(events.map(({ data }) => JSON.parse(data))).toMatchObject([
    { choices: [{ delta: { content: 'one' } }] },
    { error: { code: 'upstream_cut', message: 'It broke off.' } },
  ])
  await ask(proxy, hello, keyed)
  expect(calls).toHaveLength(2)
})

test('a failure nobody foresaw says nothing of itself, to the caller or to the log', async () => {
  const lines: string[] = []
  const { proxy, calls } = openProxy({ log: (line) => lines.push(line) })
  const response = await ask(proxy)
  calls[0]!.fail(new Error('sk-canary at 10.0.0.7'))
  expect(await response.text()).toMatch(/"code":"proxy_failed"/)
  expect(lines.join()).toMatch(/500 proxy_failed: Error/)
  expect(lines.join()).not.toContain('canary')
})

test('an answer too large to keep goes on for those who listen, but cannot be returned to', async () => {
  const { proxy, calls } = openProxy({ streams: { maxBytes: 400 } })
  const response = await ask(proxy, hello, keyed)
  for (let count = 0; count < 20; count++) calls[0]!.say('twelve words ')
  calls[0]!.end()
  const events = await eventsOf(response)
  expect(wordsOf(events)).toBe('twelve words '.repeat(20))
  expect(events.map(({ id }) => id)).toEqual(Array.from({ length: 21 }, (_, index) => index + 1))
  expect((await ask(proxy, undefined, attach(1))).status).toBe(404)
})

test('the oldest finished stream makes room for a new one; streams under way are never thrown out', async () => {
  const { proxy, calls } = openProxy({ streams: { max: 2 } })
  const post = (key: string) => ask(proxy, hello, { path: `/chat/completions?key=${key}` })
  const status = async (key: string) => (await ask(proxy, undefined, { method: 'GET', path: `/streams/${key}` })).status
  const first = await post('a')
  calls[0]!.end()
  await first.text()
  await post('b')
  await post('c')
  expect(await status('a')).toBe(404)
  await post('d')
  expect([await status('b'), await status('c'), await status('d')]).toEqual([200, 200, 404])
})

test('[T12] who sends many keys throws out their own streams, not those of others', async () => {
  const { proxy, calls } = openProxy({
    streams: { max: 3 },
    authorize: (token) => token !== undefined && { subject: token },
  })
  const as = (name: string) => ({ headers: { authorization: `Bearer ${name}` } })
  const post = async (name: string, key: string) => {
    const response = await ask(proxy, hello, { path: `/chat/completions?key=${key}`, ...as(name) })
    calls.at(-1)!.end()
    await response.text()
  }
  await post('ann', 'a')
  for (let key = 0; key < 50; key++) await post('mallory', `m${key}`)
  const status = async (name: string, key: string) =>
    (await ask(proxy, undefined, { method: 'GET', path: `/streams/${key}`, ...as(name) })).status
  expect(await status('ann', 'a')).toBe(200)
  expect([await status('mallory', 'm49'), await status('mallory', 'm48'), await status('mallory', 'm47')]).toEqual([
    200, 200, 404,
  ])
})

test('[T15] beyond what can be kept, streams under way answer all the same, and end with those who listen', async () => {
  const { proxy, calls } = openProxy({ streams: { max: 3 } })
  const readers = []
  for (let key = 0; key < 50; key++)
    readers.push(openReader(await ask(proxy, hello, { path: `/chat/completions?key=k${key}` })))
  for (const [index, reader] of readers.entries()) {
    calls[index]!.say('here')
    expect(wordsOf([(await reader.next())!])).toBe('here')
    await reader.leave()
  }
  expect(calls.map(({ signal }) => signal.aborted)).toEqual(Array.from({ length: 50 }, (_, index) => index >= 3))
})

test('a finished stream is forgotten after its time', async () => {
  vi.useFakeTimers()
  const { proxy, calls } = openProxy({ streams: { keepFor: 1000 } })
  const response = await ask(proxy, hello, keyed)
  calls[0]!.end()
  await response.text()
  vi.advanceTimersByTime(1000)
  expect((await ask(proxy, undefined, attach())).status).toBe(200)
  vi.advanceTimersByTime(1)
  expect((await ask(proxy, undefined, attach())).status).toBe(404)
})

test.each(['-1', 'x', '1.5', '9999999999999'])('the cursor "%s" is refused', async (after) => {
  const error = await errorOf(await ask(openProxy().proxy, hello, { path: `${keyed.path}&after=${after}` }))
  expect(error).toMatchObject({ status: 400, code: 'cursor_invalid' })
})

test.each([`/streams/${'k'.repeat(513)}`, '/streams/%ff'])('the key of %s is refused', async (path) => {
  expect(await errorOf(await ask(openProxy().proxy, undefined, { method: 'GET', path }))).toMatchObject({
    status: 400,
    code: 'key_invalid',
  })
})
