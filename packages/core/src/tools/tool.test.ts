import { expect, test } from 'vitest'
import { date, number, object, string } from 'zod'
import { DogearError } from '../error.ts'
import { createTool, labelText, type Tool, type ToolContext, type ToolOptions } from './tool.ts'

const context: ToolContext = {
  signal: new AbortController().signal,
  idempotencyKey: 's:c',
  callId: 'c',
  sessionId: 's',
  attempt: 1,
  cancellationToken: { isCancellationRequested: false },
  requestApproval: async () => {},
  ask: async () => [],
  elicit: async () => ({ action: 'cancel' }),
}

test.each(['func', 'invoke', 'call', '_call', 'run', 'execute'] as const)(
  '[C13] a tool may be written with %s',
  async (name) => {
    const tool = createTool({ name: 'book', [name]: (args: unknown, { callId }: ToolContext) => [args, callId] })
    expect(await tool.func({ nights: 3 }, context)).toEqual([{ nights: 3 }, 'c'])
  },
)

test('[F31] a handler is given the context first', async () => {
  const tool = createTool({ name: 'book', handler: ({ callId }, args) => [callId, args] })
  expect(await tool.func('args', context)).toEqual(['c', 'args'])
})

test('[C13] a method keeps its object', async () => {
  class Hotel {
    name = 'book'
    free = 3
    invoke() {
      return this.free
    }
  }
  expect(await createTool(new Hotel()).func({}, context)).toBe(3)
})

test('a tool folded once is not folded again, and defaults are the careful ones', () => {
  const tool = createTool({ name: 'book_aRoom', func: () => 1 })
  expect(createTool(tool as unknown as ToolOptions)).toBe(tool)
  expect(tool).toMatchObject({
    label: 'Book a room',
    description: '',
    effect: 'once',
    needsApproval: false,
    destructive: false,
    openWorld: false,
    timeout: 60_000,
    parameters: { type: 'object', properties: {} },
    validate: undefined,
  })
})

test('[C13] a Zod schema describes itself to the model and checks what the model writes', async () => {
  const tool = createTool({
    name: 'book',
    schema: object({ nights: number().int().min(1), hotel: string().default('any') }),
    func: ({ nights }) => nights,
  })
  expect(tool.parameters).toMatchObject({ type: 'object', properties: { nights: { type: 'integer', minimum: 1 } } })
  expect(tool.parameters).not.toHaveProperty('$schema')
  expect(await checked(tool, { nights: 2 })).toEqual({ ok: true, value: { nights: 2, hotel: 'any' } })
  expect(await checked(tool, { nights: 0 })).toMatchObject({ ok: false, issues: [expect.stringMatching(/^nights: /)] })
})

test('[C13] JSON Schema may come as parameters, schema or inputSchema; no parameters means no arguments', () => {
  const schema = { type: 'object', properties: { nights: { type: 'integer' } } }
  const given = (options: Partial<ToolOptions>) => createTool({ name: 'book', func: () => 1, ...options }).parameters
  expect(given({ parameters: schema })).toEqual(schema)
  expect(given({ schema })).toEqual(schema)
  expect(given({ inputSchema: schema })).toEqual(schema)
  expect(given({ parameters: { properties: schema.properties } })).toEqual(schema)
  expect(given({ parameters: {} })).toEqual({ type: 'object', properties: {} })
})

test('a schema that cannot describe itself needs parameters beside it, and still does the checking', async () => {
  const schema = {
    '~standard': {
      version: 1 as const,
      vendor: 'own',
      validate: (value: unknown) =>
        value === 7 ? { value } : { issues: [{ message: 'must be 7', path: [{ key: 'n' }, 0] }] },
    },
  }
  expect(() => createTool({ name: 'book', schema, func: () => 1 })).toThrow('z.toJSONSchema(schema)')
  const tool = createTool({ name: 'book', schema, parameters: { type: 'object' }, func: () => 1 })
  expect(await checked(tool, 7)).toEqual({ ok: true, value: 7 })
  expect(await checked(tool, 8)).toEqual({ ok: false, issues: ['n.0: must be 7'] })
})

test('a Zod schema with a part JSON Schema cannot say is named, with the fix', () => {
  const make = () => createTool({ name: 'book', schema: object({ from: date() }), func: () => 1 })
  expect(make).toThrow(expect.objectContaining({ code: 'schema-not-describable' }))
  expect(make).toThrow('parameters:')
})

const func = (): number => 1

test.each([
  ['no name', { func }, 'name must be 1 to 64'],
  ['a name no provider takes', { name: 'book a room', func }, '"book a room"'],
  ['nothing to run', { name: 'book' }, 'has nothing to run'],
  ['a check that is missing', { name: 'book', effect: 'verify', func }, 'no check'],
  ['arguments that are no object', { name: 'book', parameters: { type: 'string' }, func }, 'object schema'],
  ['nothing at all', undefined, 'A tool is an object'],
])('a tool with %s is refused where it is written', (_what, options, says) => {
  const make = () => createTool(options as ToolOptions)
  expect(make).toThrow(DogearError)
  expect(make).toThrow(expect.objectContaining({ code: 'tool-invalid', message: expect.stringContaining(says) }))
})

test('a label is one phrase for every tense, or one for each', () => {
  expect(labelText('Book', 'doing')).toBe('Book')
  expect(labelText({ ask: 'Book?', doing: 'Booking', done: 'Booked' }, 'doing')).toBe('Booking')
  expect(labelText(undefined, 'ask')).toBe('')
})

async function checked(tool: Tool, args: unknown) {
  return tool.validate?.(args)
}
