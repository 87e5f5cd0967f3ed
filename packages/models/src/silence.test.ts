/** What is silent is given up, and what lives, however slowly, is not. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { fakeClock, type FakeClock } from '@dogear/testing'
import { createOpenAIModel } from './index.ts'
import { serve } from './http-server.fixture.ts'
import { done, finish, joined, read, words } from './sse.fixture.ts'

const minute = 60_000

test.each([
  ['asked', {}, 5 * minute],
  ['returned to', { after: '7' }, 0.5 * minute],
])(
  '[G9] a server that takes the request and never answers is given up when %s, as a lost network',
  async (_, how, limit) => {
    let closed = 0
    const { endpoint, asked } = await serve((response) => response.on('close', () => (closed += 1)))
    const clock = fakeClock()
    const reading = over(read(createOpenAIModel({ endpoint, clock }), { key: 's:t', ...how }))
    while (!asked.length) await loop()
    await clock.advance(limit - 1_000)
    await loop()
    expect(reading.isOver()).toBe(false)
    await clock.advance(1_000)
    await expect(reading.end).rejects.toMatchObject({ code: 'network' })
    while (closed === 0) await loop()
    expect(clock.waits()).toEqual([])
  },
)

test('[G9] stopped while nothing has come, it is stopped and not lost', async () => {
  const { endpoint, asked } = await serve(() => {})
  const clock = fakeClock()
  const stop = new AbortController()
  const reading = read(createOpenAIModel({ endpoint, clock }), { signal: stop.signal })
  while (!asked.length) await loop()
  stop.abort()
  await expect(reading).rejects.toMatchObject({ code: 'aborted' })
  expect(clock.waits()).toEqual([])
})

test('[O12] stopped long after its first byte, the request is ended', async () => {
  let closed = 0
  const { endpoint } = await serve((response) => {
    response.on('close', () => (closed += 1))
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(words('Hel'))
  })
  const stop = new AbortController()
  const seen: unknown[] = []
  const model = createOpenAIModel({ endpoint, clock: fakeClock() })
  const reading = over(read(model, { signal: stop.signal }, seen as never))
  while (!seen.length) await loop()
  stop.abort()
  await expect(reading.end).rejects.toMatchObject({ code: 'aborted' })
  while (closed === 0) await loop()
})

test.each([
  ['answer', 200, 'stream-cut'],
  ['refusal', 400, 'model-failed'],
])('[G9] a whole %s that never ends is given up', async (_, status, code) => {
  const { endpoint, asked } = await serve((response) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.write('{"choices":')
  })
  const clock = fakeClock()
  const reading = over(read(createOpenAIModel({ endpoint, clock })))
  while (!asked.length || !clock.waits().length) await loop()
  for (let turn = 0; turn < 20; turn += 1) await loop()
  for (let ticks = 0; ticks < 11; ticks += 1) await clock.advance(30_000)
  await expect(reading.end).rejects.toMatchObject({ code })
})

test('[G9] an answer that lives, however slowly it begins and goes on, is never cut', async () => {
  const gap = fc.integer({ min: 0, max: 28_000 })
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 4.9 * minute }),
      fc.array(fc.record({ gap, isWord: fc.boolean() }), { maxLength: 30 }),
      fc.boolean(),
      async (begins, pieces, isKept) => {
        const clock = fakeClock()
        const model = createOpenAIModel({
          endpoint: 'http://model',
          clock,
          fetch: slowly(clock, begins, pieces, isKept),
        })
        const reading = over(read(model, { key: 's:t' }))
        for (; !reading.isOver(); await loop()) await clock.advance(1_000)
        const text = pieces
          .filter(({ isWord }) => isWord)
          .map(() => 'word ')
          .join('')
        expect(joined(await reading.end)).toMatchObject({ text, finish: 'stop' })
      },
    ),
    { numRuns: 200 },
  )
})

interface Piece {
  readonly gap: number
  /** Else it only says that it lives. */
  readonly isWord: boolean
}

function slowly(clock: FakeClock, begins: number, pieces: readonly Piece[], isKept: boolean): typeof fetch {
  return async (_, init) => {
    await clock.sleep(begins, init?.signal ?? undefined)
    init?.signal?.throwIfAborted()
    const encoder = new TextEncoder()
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        const say = (text: string) => controller.enqueue(encoder.encode(text))
        say(isKept ? 'id: 1\ndata: {"choices":[]}\n\n' : ': hello\n\n')
        for (const { gap, isWord } of pieces) {
          await clock.sleep(gap)
          say(isWord ? words('word ') : ': thinking\n\n')
        }
        say(finish('stop') + done)
        controller.close()
      },
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  }
}

/** A promise that may be looked at, and whose failure waits for whoever does. */
function over<T>(end: Promise<T>) {
  let isOver = false
  end.catch(() => {}).finally(() => (isOver = true))
  return { end, isOver: () => isOver }
}

function loop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
