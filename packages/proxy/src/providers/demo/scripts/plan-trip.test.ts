import { expect, test } from 'vitest'
import { converse, type DemoTool } from '../../../../test/demo-conversation.ts'

const said = 'Plan a weekend in Lisbon'

const todo: DemoTool = { name: 'manage_todo_list', run: () => ({ status: 'ok', version: 1 }) }

const question: DemoTool = {
  name: 'ask_user_question',
  run: ({ questions }) => ({
    status: 'answered',
    answers: questions.map((each: any, index: number) => ({
      question: each.question,
      header: each.header,
      values: [each.options[index].label],
      freeText: null,
      notes: null,
    })),
  }),
}

const search: DemoTool = {
  name: 'search_hotels',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' }, budget: { type: 'string' } },
    required: ['city'],
  },
  run: () => ({
    hotels: [
      { name: 'Casa Graça', area: 'Graça' },
      { name: 'Chiado Rooms', area: 'Chiado', price: 140 },
    ],
  }),
}

const book: DemoTool = {
  name: 'book_hotel',
  parameters: {
    type: 'object',
    properties: { hotel: { type: 'string' }, nights: { type: 'integer' } },
    required: ['hotel', 'nights'],
  },
  run: ({ hotel, nights }) => ({ confirmation: 'LX-1', hotel, nights }),
}

const all = [todo, question, search, book]

test('with every tool it plans, asks, searches, proposes, finishes the plan and sums up', async () => {
  const { calls, texts, reasoning } = await converse(said, all)
  expect(calls.map(({ name }) => name)).toEqual([
    'manage_todo_list',
    'ask_user_question',
    'manage_todo_list',
    'search_hotels',
    'manage_todo_list',
    'book_hotel',
    'manage_todo_list',
  ])
  expect(reasoning).toContain('Lisbon')
  expect(texts.at(-1)).toContain('your stay at **Chiado Rooms** is arranged')
  expect(texts.at(-1)).toContain('confirmation: LX-1')
})

test('[C24] its plan has ids from 1, never two steps in progress, and ends with all completed', async () => {
  const { calls } = await converse(said, all)
  const plan = new Map<number, any>()
  for (const { name, args } of calls) {
    if (name !== 'manage_todo_list') continue
    for (const step of args.todoList) plan.set(step.id, step)
    expect([...plan.values()].filter(({ status }) => status === 'in-progress').length).toBeLessThan(2)
  }
  expect(calls[0]!.args.operation).toBe('write')
  expect([...plan.keys()]).toEqual([1, 2, 3, 4])
  expect([...plan.values()].map(({ status }) => status)).toEqual(Array(4).fill('completed'))
  for (const step of plan.values()) expect(Object.values(step).every((field) => field !== '')).toBe(true)
})

test('the answers steer the search, and the arguments fit the tools', async () => {
  const { calls } = await converse(said, all)
  const argsOf = (tool: string) => calls.find(({ name }) => name === tool)!.args
  expect(argsOf('search_hotels')).toEqual({ city: 'Lisbon', budget: 'Modest' })
  expect(argsOf('book_hotel')).toEqual({ hotel: 'Chiado Rooms', nights: 2 })
})

test('[C52] it asks one to four questions, each with options and a short header', async () => {
  const { calls } = await converse(said, all)
  const { questions } = calls.find(({ name }) => name === 'ask_user_question')!.args
  expect(questions).toHaveLength(2)
  for (const { header, options } of questions) {
    expect(header.length).toBeLessThanOrEqual(12)
    expect(options.length).toBeGreaterThanOrEqual(2)
  }
})

test('[C48] a declined booking is told as declined, and its plan step is blocked', async () => {
  const declined = { ...book, run: () => 'Tool call rejected: too expensive' }
  const { calls, texts } = await converse(said, [todo, question, search, declined])
  expect(texts.at(-1)).toContain(
    'You declined the booking at **Chiado Rooms**, so nothing is reserved. You said: “too expensive”',
  )
  const room = calls.at(-1)!.args.todoList.find(({ id }: { id: number }) => id === 3)
  expect(room).toMatchObject({ status: 'blocked', evidence: 'Declined by you' })
})

test('a booking that failed is told as failed', async () => {
  const failing = { ...book, run: () => ({ status: 'error', error: 'Fully booked.' }) }
  const { texts } = await converse(said, [todo, question, search, failing])
  expect(texts.at(-1)).toContain('did not go through: Fully booked. Nothing is reserved.')
})

test('[C54] a cancelled question is acknowledged, not taken for an answer', async () => {
  const cancelled = { ...question, run: () => ({ status: 'cancelled', message: 'not now' }) }
  const { texts } = await converse(said, [todo, cancelled, search, book])
  expect(texts.join('\n')).toContain('No answer is fine')
  expect(texts.at(-1)).toContain('You skipped my questions')
})

test('a search that finds nothing books nothing', async () => {
  const { calls, texts } = await converse(said, [todo, question, { ...search, run: () => [] }, book])
  expect(calls.map(({ name }) => name)).not.toContain('book_hotel')
  expect(texts.at(-1)).toContain('found no place to stay in Lisbon, so nothing is booked')
})

test.each([[[]], [[todo]], [[question]], [[search]], [[book]], [[todo, book]], [[question, search]]])(
  'tools that are not offered are passed over',
  async (tools) => {
    const { calls, texts } = await converse(said, tools)
    expect(new Set(calls.map(({ name }) => name))).toEqual(new Set(tools.map(({ name }) => name)))
    expect(texts.at(-1)).toContain('### Saturday')
  },
)

test.each([
  ['plan a weekend in porto', 'Porto', 2],
  ['Three nights in New York, please', 'New York', 3],
  ['A trip to Rome', 'Rome', 2],
  ['Plan a trip', 'Lisbon', 2],
])('"%s" is about %s, for %i nights', async (words, city, nights) => {
  const { calls, texts } = await converse(words, [book])
  expect(calls[0]!.args).toEqual({ hotel: `Casa ${city}`, nights })
  expect(texts.at(-1)).toContain(`Casa ${city}`)
})
