import { expect, test } from 'vitest'
import { ask, eventsOf, openReader, wordsOf } from '../../../test/ask.ts'
import { converse, type DemoTool } from '../../../test/demo-conversation.ts'
import { createProxy } from '../../index.ts'
import { demoProvider } from './demo.ts'

const say = (content: string) => ({ messages: [{ role: 'user', content }], stream: true })
const open = (pace = 0) => createProxy({ models: { default: { model: 'demo', provider: demoProvider({ pace }) } } })
const lastWords = async (said: string, tools: DemoTool[] = []) => (await converse(said, tools)).texts.at(-1)!

test('the same words get the same answer, a word or two at a time', async () => {
  const [first, second] = [
    await eventsOf(await ask(open(), say('hello'))),
    await eventsOf(await ask(open(), say('hello'))),
  ]
  expect(wordsOf(first)).toBe(wordsOf(second))
  const deltas = first.slice(1, -2).map((event) => wordsOf([event]).trim().split(/\s+/).length)
  expect(Math.max(...deltas)).toBe(2)
})

test.each(['hello', 'Hi there', 'who are you?', 'what can you do', 'tell me the meaning of life'])(
  'asked "%s" it says plainly that it is a demo',
  async (said) => expect(await lastWords(said)).toMatch(/demo/),
)

test('what it does not know it does not invent: it says how to plug in a key', async () => {
  const text = await lastWords('Who won the match yesterday?')
  expect(text).toContain('OPENAI_API_KEY=… npm start')
  expect(text).toContain('OPENAI_API_KEY=… npx @dogear/proxy')
})

test.each(['hello', 'thanks', 'show me a long answer', 'plan a weekend in Lisbon', 'x', 'goodbye'])(
  'asked "%s" it raises its voice nowhere',
  async (said) => expect(await lastWords(said)).not.toContain('!'),
)

test('it counts to what it was asked, and no further than is fun', async () => {
  expect(await lastWords('Please count to 12')).toMatch(/^1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12\./)
  expect(await lastWords('count to 99999')).toContain('That is all 500 of them.')
  expect(await lastWords('can you count on a discount')).not.toMatch(/^1, 2/)
})

test('a long answer has every kind of formatting', async () => {
  const text = await lastWords('Show me a long answer')
  for (const mark of [
    '# ',
    '\n   - ',
    '- [x] ',
    '- [ ] ',
    '| :-- |',
    '```ts',
    '\n> ',
    '](https://',
    '\n---\n',
    '**',
    '*and*',
  ])
    expect(text).toContain(mark)
  expect(text.split(/\s+/).length).toBeGreaterThan(300)
})

test('stopped, it falls silent at once', async () => {
  const gone = new AbortController()
  const response = await ask(open(5), say('count to 500'), { signal: gone.signal })
  const reader = openReader(response)
  await reader.next()
  await reader.next()
  gone.abort()
  expect(await reader.next()).toBeUndefined()
})

test('the limit on tokens cuts it short, and it says so', async () => {
  const events = await eventsOf(await ask(open(), { ...say('hello'), max_tokens: 3 }))
  expect(JSON.parse(events.at(-2)!.data).choices[0].finish_reason).toBe('length')
})

test('usage comes last, when asked for', async () => {
  const request = { ...say('hello'), stream_options: { include_usage: true } }
  const usage = JSON.parse((await eventsOf(await ask(open(), request))).at(-2)!.data)
  expect(usage.choices).toEqual([])
  expect(usage.usage.total_tokens).toBe(usage.usage.prompt_tokens + usage.usage.completion_tokens)
})

const pageTitle = { name: 'page_title', run: () => 'The Lighthouse Shop' }

test('[J3] it reads the page with the page’s own tool and reports what that said', async () => {
  const { calls, texts } = await converse('What is this page?', [pageTitle])
  expect(calls).toEqual([{ name: 'page_title', args: {} }])
  expect(texts.at(-1)).toContain('The Lighthouse Shop')
})

test('[J3] of what is framed as a stranger’s words it reports the words', async () => {
  const framed = '<untrusted>\nThe Lighthouse Shop\n</untrusted>\nOthers may have written this.'
  const { texts } = await converse('What is this page?', [{ ...pageTitle, run: () => framed }])
  expect(texts.at(-1)).toContain('> The Lighthouse Shop\n')
})

test('[J3] with no tool to read the page it says so and shows how to give it one', async () => {
  expect(await lastWords('what is this page')).toContain('func: () => document.title')
})

const weather: DemoTool = {
  name: 'get_weather',
  description: 'Current weather for a place',
  parameters: {
    type: 'object',
    properties: { location: { type: 'string' }, unit: { type: 'string', enum: ['celsius', 'fahrenheit'] } },
    required: ['location', 'unit'],
  },
  run: () => ({ temperature: 21, sky: 'clear' }),
}

test('a tool whose name is spoken of is tried, with arguments that fit its schema', async () => {
  const { calls, texts } = await converse('What is the weather in Paris?', [pageTitle, weather])
  expect(calls).toEqual([{ name: 'get_weather', args: { location: 'Paris', unit: 'celsius' } }])
  expect(texts.at(-1)).toContain('temperature: 21, sky: clear')
})

test.each([
  [
    'Tool call rejected: not today',
    'You declined `get_weather`, so nothing was done. I noted what you said: “not today”',
  ],
  ['{"status":"error","error":"station closed"}', 'did not work: station closed'],
  ['Error executing tool: station closed', 'did not work: station closed'],
  ['No result: the call was not carried out.', 'did not work: the call was not carried out.'],
  ['{"status":"error","error":{"reason":"fog"}}', 'did not work: reason: fog'],
  ['', 'had nothing to say'],
])('a tool that returned %j is reported truthfully', async (result, sentence) => {
  expect(await lastWords('weather in Paris', [{ ...weather, run: () => result }])).toContain(sentence)
})

test('a cart tool gets the thing that was named', async () => {
  const cart: DemoTool = {
    name: 'addToCart',
    description: 'Puts a product into the cart',
    parameters: {
      type: 'object',
      properties: { product: { type: 'string' }, quantity: { type: 'integer', minimum: 1 } },
      required: ['product', 'quantity'],
    },
    run: () => 'ok',
  }
  const { calls } = await converse('Add the blue teapot to my cart', [cart])
  expect(calls).toEqual([{ name: 'addToCart', args: { product: 'blue teapot', quantity: 1 } }])
})

test('[K8] what the loop does not allow is told so, and in plan mode it shows its plan first', async () => {
  const denied = 'Not allowed in this mode. Do without it, or say what you need.'
  expect(await lastWords('weather in Paris', [{ ...weather, run: () => denied }])).toContain('is not allowed here')
  let mayWrite = false
  const exit = (result: string): DemoTool => ({
    name: 'exit_plan_mode',
    run: () => ((mayWrite = result.startsWith('The person agreed')), result),
  })
  const note: DemoTool = { name: 'add_note', run: () => (mayWrite ? 'noted' : denied) }
  const agreed = await converse('Add a note', [note, exit('The person agreed. Carry out the plan now.')])
  expect(agreed.calls.map(({ name }) => name)).toEqual(['add_note', 'exit_plan_mode', 'add_note'])
  expect(agreed.texts.at(-1)).toContain('noted')
  mayWrite = false
  const declined = await converse('Add a note', [note, exit('Tool call rejected: not yet')])
  expect(declined.calls.map(({ name }) => name)).toEqual(['add_note', 'exit_plan_mode'])
  expect(declined.texts.at(-1)).toContain('not yet')
})

test('[J5] asked to ask, it asks, and takes no answer for an answer', async () => {
  const asking = (result: object) => [{ name: 'ask_user_question', run: () => result }]
  const answers = [{ header: 'Morning', values: ['Early and quiet'], freeText: null }]
  expect(await lastWords('Ask me something', asking({ status: 'answered', answers }))).toContain('Early and quiet')
  expect(await lastWords('Ask me something', asking({ status: 'cancelled', message: 'no' }))).toContain('skipped')
})

test('told to use no tools, it uses none', async () => {
  const tools = [{ type: 'function', function: { name: 'page_title' } }]
  const response = await ask(open(), { ...say('what is this page'), tools, tool_choice: 'none' })
  expect(await response.text()).not.toContain('tool_calls')
})

test('what the loop says in the person’s name is not taken for the person', async () => {
  const notice = { role: 'user', content: '[System Notice] Tool-call limit reached.' }
  const response = await ask(open(), { messages: [...say('count to 3').messages, notice], stream: true })
  expect(wordsOf(await eventsOf(response))).toMatch(/^1, 2, 3\./)
})
