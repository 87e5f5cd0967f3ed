import { expect, test } from 'vitest'
import { number, object } from 'zod'
import type { Message } from '../session/message.ts'
import type { ToolContext, ToolOptions } from '../tools/tool.ts'
import { calls, resultsIn, run } from './turn.fixture.ts'

const hello: Message = { id: 'u', role: 'user', content: 'hello', meta: { status: 'complete', createdAt: 0 } }

test('[C14] arguments written almost right are mended before the tool runs, in a JSON Schema and in Zod', async () => {
  const ran: unknown[] = []
  const func = (args: unknown) => void ran.push(args)
  const parameters = { type: 'object', properties: { nights: { type: 'integer' } }, required: ['nights'] }
  for (const schema of [parameters, object({ nights: number().int() })]) {
    await told([calls(['book', { nights: '3' }])], { name: 'book', schema, func })
  }
  expect(ran).toEqual([{ nights: 3 }, { nights: 3 }])
})

test('[C14] arguments written twice over as text are read', async () => {
  const ran: unknown[] = []
  await told([calls(['book', '{"nights":3}'])], { name: 'book', func: (args) => void ran.push(args) })
  expect(ran).toEqual([{ nights: 3 }])
})

test('[C14] arguments that cannot be mended are told to the model with what is expected', async () => {
  const parameters = { type: 'object', properties: { nights: { type: 'integer' } }, required: ['nights'] }
  const results = await told([calls(['book', { nights: 'some' }])], { name: 'book', parameters, func: () => 'never' })
  expect(results).toEqual([
    'Invalid arguments for book: nights: must be integer, not string. Expected: { nights: integer }. Mend them and call again.',
  ])
})

test('[C14] where validation only warns, the tool runs with what the model wrote', async () => {
  const parameters = { type: 'object', properties: { nights: { type: 'integer' } } }
  const { result } = await run({
    messages: [hello],
    answers: [calls(['book', { nights: 'some' }])],
    options: { schemaValidation: 'warn', tools: [{ name: 'book', parameters, func: ({ nights }) => nights }] },
  })
  expect(resultsIn(result.messages)).toEqual(['some'])
})

test('[C15] a tool runs no more often than it may, also side by side, and what failed does not count', async () => {
  let runs = 0
  const book = {
    name: 'book',
    maxExecutionsPerRun: 2,
    func: () => {
      if ((runs += 1) === 1) throw new Error('no')
      return 'ok'
    },
  }
  const skipped = 'Skipped tool due to per-tool execution limit: book'
  expect(await told([calls('book'), calls('book', 'book', 'book'), calls('book')], book)).toEqual([
    'Error executing tool: no',
    'ok',
    'ok',
    skipped,
    skipped,
  ])
})

test('[C15] a cached result stands in for the same call, whatever the order of its arguments', async () => {
  let runs = 0
  const find = { name: 'find', cache: true, func: ({ city }: { city: string }) => `${city} ${(runs += 1)}` }
  const answers = [
    calls(['find', { city: 'Rome', of: 1 }]),
    calls(['find', { of: 1, city: 'Rome' }], ['find', { city: 'Oslo', of: 1 }]),
  ]
  const { result } = await run({ messages: [hello], answers, options: { tools: [find] } })
  expect(resultsIn(result.messages)).toEqual(['Rome 1', 'Rome 1', 'Oslo 2'])
  expect(result.messages.filter(({ role }) => role === 'tool').map(({ meta }) => meta.tool)).toMatchObject([
    { durationMs: 0 },
    { durationMs: 0, fromCache: true, args: { city: 'Rome', of: 1 } },
    {},
  ])
})

test('[C15] a cached result is forgotten after its time, a failure is never kept, and keyFn says what is the same', async () => {
  let runs = 0
  const count = () => `run ${(runs += 1)}`
  const short = { name: 'find', cache: { ttlMs: 100 }, retry: {}, func: count }
  const wait = { name: 'wait', effect: 'read' as const, retry: { maxRetries: 1, backoffMs: 200 }, func: failing(1) }
  expect(await told([calls('find'), calls('find'), calls('wait'), calls('find')], short, wait)).toEqual([
    'run 1',
    'run 1',
    'fine',
    'run 2',
  ])
  expect(await told([calls('find'), calls('find')], { name: 'find', cache: true, func: failing(1) })).toEqual([
    'Error executing tool: not yet',
    'fine',
  ])
  const keyed = { name: 'find', cache: { keyFn: ({ id }: { id: number }) => `${id % 2}` }, func: count }
  const odd = [calls(['find', { id: 1 }]), calls(['find', { id: 2 }]), calls(['find', { id: 3 }])]
  expect(await told(odd, keyed)).toEqual(['run 3', 'run 4', 'run 3'])
})

test('[C15] a failed call is tried again after longer and longer waits, with the same key', async () => {
  const seen: [number, string][] = []
  const fail = failing(2)
  const book = {
    name: 'book',
    effect: 'idempotent' as const,
    retry: { maxRetries: 3 },
    func: (_args: unknown, { attempt, idempotencyKey }: ToolContext) => {
      seen.push([attempt, idempotencyKey])
      return fail()
    },
  }
  const { result, naps } = await run({ messages: [hello], answers: [calls('book')], options: { tools: [book] } })
  expect(resultsIn(result.messages)).toEqual(['fine'])
  expect(seen).toEqual([1, 2, 3].map((attempt) => [attempt, 't:t.1.0']))
  expect(naps).toEqual([250, 500])
})

test('[C15] after its last try a call has failed, once', async () => {
  const book = { name: 'book', effect: 'read' as const, retry: { maxRetries: 1 }, func: failing(9) }
  expect(await told([calls('book')], book)).toEqual(['Error executing tool: not yet'])
})

test('[C15] a late read is tried again; a late once is not, whatever its shouldRetry says', async () => {
  let runs = 0
  const func = () => ((runs += 1), new Promise(() => {}))
  const retry = { maxRetries: 2, shouldRetry: () => true }
  await told([calls('look')], { name: 'look', effect: 'read', timeout: 10, retry, func })
  expect(runs).toBe(3)
  runs = 0
  expect(await told([calls('pay')], { name: 'pay', timeout: 10, retry, func })).toEqual([
    'pay did not answer within 0.01 s. Whether it took effect is not known.',
  ])
  expect(runs).toBe(1)
})

test('[C15] a tool that failed too often in a row is given up until the turn ends', async () => {
  const outcomes = ['no', 'fine', 'no', 'no']
  const func = () => {
    const outcome = outcomes.shift()
    if (outcome === 'no') throw new Error('no')
    return outcome
  }
  const book = { name: 'book', retry: { circuitBreakerThreshold: 2 }, func }
  const results = await told(
    Array.from({ length: 5 }, () => calls('book')),
    book,
  )
  expect(results.slice(1)).toEqual([
    'fine',
    'Error executing tool: no',
    'Error executing tool: no',
    'book failed 2 times in a row and is not tried again in this turn.',
  ])
})

test('[C16] [C18] after a failure the model is told to look at its plan again, unless that is switched off', async () => {
  const todoList = [{ id: 1, title: 'Book', status: 'in-progress' }]
  const answers = [calls(['manage_todo_list', { operation: 'write', todoList }]), calls('book'), calls('look')]
  const tools = [
    { name: 'book', func: failing(9) },
    { name: 'look', func: () => 'seen' },
  ]
  const lastWords = async (planning: object, isPlanned = true) => {
    const given = isPlanned ? answers : answers.slice(1)
    const { asked } = await run({ messages: [hello], answers: given, options: { tools, planning } })
    return asked.map(({ messages }) => messages.at(-1)?.content)
  }
  const notice = expect.stringContaining('A tool failed')
  const words = await lastWords({ mode: 'todo' })
  expect(words[2]).toEqual(notice)
  expect(words.filter((said) => typeof said === 'string' && said.includes('A tool failed'))).toHaveLength(1)
  expect(await lastWords({ mode: 'todo', replanPolicy: 'never' })).not.toContainEqual(notice)
  expect(await lastWords({ mode: 'todo' }, false)).not.toContainEqual(notice)
})

test('[O13] an agent gives its tools their time, unless they have their own', async () => {
  const hang = () => new Promise(() => {})
  const tools = [
    { name: 'slow', func: hang },
    { name: 'own', timeout: 20, func: hang },
  ]
  const toolTimeout = (name: string) => (name === 'slow' ? 1_000 : 5_000)
  const { asked } = await run({ messages: [hello], answers: [calls('slow', 'own')], options: { tools, toolTimeout } })
  expect(resultsIn(asked[1]!.messages)).toEqual([
    expect.stringContaining('slow did not answer within 1 s'),
    expect.stringContaining('own did not answer within 0.02 s'),
  ])
})

test('[C18] a result is cut to what the profile shows the model', async () => {
  const find = { name: 'find', func: () => 'x'.repeat(50) }
  const toolResponses = { maxToolResponseChars: 10 }
  const { result } = await run({
    messages: [hello],
    answers: [calls('find')],
    options: { tools: [find], toolResponses },
  })
  expect(resultsIn(result.messages)).toEqual(['xxxxxxxxxx\n[cut: 40 more characters]'])
})

/** The results of a turn in which the model calls these tools. */
async function told(answers: Parameters<typeof run>[0]['answers'], ...tools: ToolOptions[]): Promise<unknown[]> {
  const { asked } = await run({ messages: [hello], answers, options: { tools } })
  return resultsIn(asked.at(-1)?.messages ?? [])
}

/** Throws so often, then works. */
function failing(times: number): () => string {
  let left = times
  return () => {
    if ((left -= 1) >= 0) throw new Error('not yet')
    return 'fine'
  }
}
