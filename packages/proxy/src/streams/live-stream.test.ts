import { expect, onTestFinished, test, vi } from 'vitest'
import { LiveStream, type LiveStreamOptions } from './live-stream.ts'

const never = new AbortController().signal

function openStream(events: AsyncIterable<object>, options: Partial<LiveStreamOptions> = {}) {
  return new LiveStream({
    open: async () => events,
    isResumable: true,
    maxBytes: 10_000,
    grace: 0,
    onLost: () => undefined,
    onFailure: () => undefined,
    ...options,
  })
}

/** Until all that can go on has. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 2000; turn++) await Promise.resolve()
}

const textOf = (body: ReadableStream<Uint8Array<ArrayBuffer>>) => new Response(body).text()

test('[T15] upstream waits for a reader that does not read, once nothing is kept any more', async () => {
  let made = 0
  async function* long() {
    while (made < 1000) yield { number: ++made, padding: 'x'.repeat(100) }
  }
  const stream = openStream(long(), { isResumable: false, maxBytes: 1000 })
  const reader = stream.attach(0, never).getReader()
  const madeSoFar = async () => {
    await settled()
    return made
  }
  await reader.read()
  const afterOne = await madeSoFar()
  expect(afterOne).toBeLessThan(20)
  await reader.read()
  const afterTwo = await madeSoFar()
  expect(afterTwo).toBeGreaterThan(afterOne)
  expect(afterTwo).toBeLessThan(40)
  await reader.cancel()
  expect(await madeSoFar()).toBeLessThanOrEqual(afterTwo + 1)
})

test('[T15] past what is kept, the faster of two listeners waits for the slower, and goes on when that one leaves', async () => {
  let made = 0
  async function* long() {
    while (made < 200) yield { number: ++made, padding: 'x'.repeat(100) }
  }
  const stream = openStream(long(), { maxBytes: 1000 })
  const [fast, slow] = [stream.attach(0, never), stream.attach(0, never).getReader()]
  const whole = textOf(fast)
  await settled()
  expect(made).toBeLessThan(20)
  await slow.read()
  await settled()
  expect(made).toBeGreaterThan(10)
  expect(made).toBeLessThan(40)
  await slow.cancel()
  expect((await whole).match(/^id: /gm)).toHaveLength(201)
})

test('[T15] an answer that grows too large while nobody listens is ended: nobody could come back to it', async () => {
  const upstream: AbortSignal[] = []
  let [made, lost] = [0, 0]
  async function* long() {
    while (made < 1000) yield { number: ++made, padding: 'x'.repeat(100) }
  }
  const stream = openStream(long(), {
    open: async (signal) => (upstream.push(signal), long()),
    maxBytes: 1000,
    grace: 30_000,
    onLost: () => (lost += 1),
  })
  await stream.attach(0, never).cancel()
  await settled()
  expect([upstream[0]?.aborted, lost, made < 20]).toEqual([true, 1, true])
})

test('a listener that leaves while it waits for the next event leaves nothing behind, and its place is kept', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  let say = (_word: string) => {}
  const words = new ReadableStream<object>({
    start: (controller) => void (say = (word) => controller.enqueue({ word })),
  })
  const stream = openStream(words, { grace: 30_000 })
  const reader = stream.attach(0, never).getReader()
  say('one')
  await reader.read()
  const waiting = reader.read()
  await vi.advanceTimersByTimeAsync(1)
  await reader.cancel()
  expect(await waiting).toEqual({ done: true, value: undefined })
  // What is left is the grace alone.
  expect(vi.getTimerCount()).toBe(1)
  say('two')
  const again = stream.attach(1, never).getReader()
  expect(new TextDecoder().decode((await again.read()).value)).toBe('id: 2\ndata: {"word":"two"}\n\n')
  await again.cancel()
})

test('[G9] a listener hears that the stream lives while upstream thinks', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  let answer = () => {}
  async function* slow() {
    await new Promise<void>((resolve) => (answer = resolve))
    yield { word: 'one' }
  }
  const reader = openStream(slow()).attach(0, never).getReader()
  const heard = async () => new TextDecoder().decode((await reader.read()).value)
  const first = heard()
  await vi.advanceTimersByTimeAsync(10_000)
  expect(await first).toBe(': thinking\n\n')
  const next = heard()
  await vi.advanceTimersByTimeAsync(5_000)
  answer()
  expect(await next).toContain('data: {"word":"one"}')
})

test('two listeners read the same frames, each at its own pace', async () => {
  async function* three() {
    for (const word of ['one', 'two', 'three']) yield { word }
  }
  const stream = openStream(three())
  const [whole, rest] = [stream.attach(0, never), stream.attach(2, never)]
  expect(await textOf(whole)).toBe(
    'id: 1\ndata: {"word":"one"}\n\nid: 2\ndata: {"word":"two"}\n\nid: 3\ndata: {"word":"three"}\n\nid: 4\ndata: [DONE]\n\n',
  )
  expect(await textOf(rest)).toBe('id: 3\ndata: {"word":"three"}\n\nid: 4\ndata: [DONE]\n\n')
})

test('a cursor past the end waits for what comes after it, and ends with the stream', async () => {
  async function* one() {
    yield { word: 'one' }
  }
  expect(await textOf(openStream(one()).attach(99, never))).toBe('')
})

test('a refusal to open is told to whoever waits, and to nobody else', async () => {
  const failures: unknown[] = []
  const open = () => Promise.reject(new Error('refused'))
  const stream = openStream([] as never, { open, onFailure: (error) => failures.push(error) })
  await expect(stream.opened).rejects.toThrow('refused')
  expect(failures).toEqual([])
})

test('a line break inside a word cannot end an event early', async () => {
  async function* tricky() {
    yield { word: 'a\n\ndata: [DONE]\n\n' }
  }
  const text = await textOf(openStream(tricky()).attach(0, never))
  expect(text.split('\n\n')).toHaveLength(3)
})
