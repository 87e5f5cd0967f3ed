import { expect, test } from 'vitest'
import { callTool, cappedText, resultLimit, resultText } from './result.ts'
import { createTool, type ToolContext, type ToolOptions } from './tool.ts'

test('[C13] text stays text, data becomes JSON, and nothing at all is said to be done', () => {
  expect(resultText('free rooms: 3')).toBe('free rooms: 3')
  expect(resultText({ rooms: [1, 2], price: null })).toBe('{"rooms":[1,2],"price":null}')
  expect(resultText(0)).toBe('0')
  expect(resultText(false)).toBe('false')
  expect(resultText(undefined)).toBe('Done.')
  expect(resultText(null)).toBe('Done.')
})

test('a result may hold big numbers, dates, maps, sets and things that describe themselves', () => {
  const result = {
    big: 12345678901234567890n,
    at: new Date(0),
    map: new Map([['rooms', new Set([1, 2])]]),
    own: { toJSON: () => ({ self: true }) },
  }
  expect(JSON.parse(resultText(result))).toEqual({
    big: '12345678901234567890',
    at: '1970-01-01T00:00:00.000Z',
    map: { rooms: [1, 2] },
    own: { self: true },
  })
})

test('a result of 10 MB is cut, and says how much is missing', () => {
  const text = resultText('x'.repeat(10_000_000))
  expect(text.length).toBeLessThan(resultLimit + 100)
  expect(text).toContain(`[cut: ${10_000_000 - resultLimit} more characters]`)
  const data = resultText(Array.from({ length: 100_000 }, (_, id) => ({ id, name: 'a room by the river' })))
  expect(data.length).toBeLessThan(resultLimit + 100)
})

test('a cut never leaves half a character, which servers refuse', () => {
  const text = resultText('x' + '🧭'.repeat(resultLimit))
  expect(() => encodeURIComponent(text)).not.toThrow()
})

test('[C18] an agent shows its model no more of a result than its profile allows, in characters and in tokens', () => {
  const limits = { maxToolResponseChars: 100, maxToolResponseTokens: 30 }
  expect(cappedText('x'.repeat(100), limits)).toBe('x'.repeat(100))
  expect(cappedText('x'.repeat(101), limits)).toBe(`${'x'.repeat(100)}\n[cut: 1 more characters]`)
  const onThePage = `${'x'.repeat(200)}\n[cut: 300 more characters]`
  expect(cappedText(onThePage, limits)).toBe(`${'x'.repeat(100)}\n[cut: 400 more characters]`)
  expect(cappedText('語'.repeat(60), limits)).toBe(`${'語'.repeat(45)}\n[cut: 15 more characters]`)
})

test('[C15] a tool is given its signal also as a cancellation token', async () => {
  const controller = new AbortController()
  const seen: boolean[] = []
  const look = (_args: unknown, { cancellationToken, signal }: ToolContext) => {
    seen.push(cancellationToken.isCancellationRequested)
    controller.abort()
    seen.push(cancellationToken.isCancellationRequested, signal.aborted)
  }
  await called({ func: look }, controller.signal)
  expect(seen).toEqual([false, true, true])
})

test.each([
  ['read', undefined, true],
  ['idempotent', undefined, true],
  ['once', undefined, false],
  ['page', undefined, false],
  ['once', yes, true],
  ['read', no, false],
  ['read', thrower(new Error('oops')), false],
] as const)(
  '[C15] a failed call of a %s tool, shouldRetry %s, may be tried again: %s',
  async (effect, shouldRetry, may) => {
    const reply = await called({ effect, retry: { maxRetries: 1, shouldRetry }, func: thrower(new Error('no')) })
    expect(reply.mayRetry).toBe(may)
  },
)

const cycle: Record<string, unknown> = { name: 'loop' }
cycle.self = { again: cycle }
const deep = Array.from({ length: 200 }).reduce<unknown>((inner) => ({ inner }), 1)

test.each([
  ['a function', { rooms: [{ book: () => {} }] }, 'a function at result.rooms[0].book.'],
  ['a symbol', { tag: Symbol('x') }, 'a symbol at result.tag.'],
  ['a cycle', cycle, 'a cycle at result.self.again.'],
  ['a depth without end', deep, 'more than 100 levels'],
  ['a function by itself', () => {}, 'a function at result.'],
])(
  '[C16] a tool that returns %s tells the model that it ran, and the developer where to look',
  async (_what, result, where) => {
    const reply = await called({ func: () => result })
    expect(reply).toMatchObject({ status: 'error', content: expect.stringContaining('it ran, but its result') })
    expect(reply.problem).toContain(where)
    expect(reply.problem).toContain('Return plain data')
  },
)

test('[C16] a result whose getter throws is an error result, not a failed turn', async () => {
  const result = {
    get price() {
      throw new Error('sold out')
    },
  }
  expect(await called({ func: () => result })).toMatchObject({
    status: 'error',
    content: expect.stringContaining('sold out'),
  })
})

test('[C16] whatever a tool throws becomes its result', async () => {
  expect(await called({ func: thrower(new Error('no rooms')) })).toMatchObject({
    status: 'error',
    content: 'Error executing tool: no rooms',
    problem: 'Tool "book" threw: no rooms',
  })
  expect(await called({ func: thrower('text') })).toMatchObject({ content: 'Error executing tool: text' })
  expect(await called({ func: thrower(undefined) })).toMatchObject({ content: 'Error executing tool: undefined' })
  const evil = Object.defineProperty({}, 'message', { get: thrower(new Error('again')) })
  expect(await called({ func: thrower(evil) })).toMatchObject({ status: 'error' })
})

test('a tool that obeys its signal is said to have stopped', async () => {
  const controller = new AbortController()
  controller.abort()
  const reply = await called({ func: (_args, { signal }) => signal.throwIfAborted() }, controller.signal)
  expect(reply.status).toBe('stopped')
})

test('the summary is a few words for the card; one that throws costs nothing else', async () => {
  const summary = (_args: unknown, rooms: string[]) => `${rooms.length} found`
  expect(await called({ func: () => ['a', 'b'], summary })).toMatchObject({ summary: '2 found', content: '["a","b"]' })
  const broken = await called({ func: () => 'fine', summary: thrower(new Error('oops')) })
  expect(broken).toEqual({ status: 'complete', content: 'fine', summary: undefined })
})

function yes(): boolean {
  return true
}

function no(): boolean {
  return false
}

function called(options: Partial<ToolOptions>, signal = new AbortController().signal) {
  const tool = createTool({ name: 'book', ...options } as ToolOptions)
  return callTool(tool, {}, { signal, callId: 'c', sessionId: 's', idempotencyKey: 's:c', attempt: 1 })
}

function thrower(value: unknown): () => never {
  return () => {
    throw value
  }
}
