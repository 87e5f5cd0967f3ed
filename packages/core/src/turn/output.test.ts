import { object, string } from 'zod'
import { expect, test } from 'vitest'
import type { ModelEvent } from '../ports/model.ts'
import { textOf, type Message } from '../session/message.ts'
import { defineAgent, type SmartAgentOptions } from '../agents/agent.ts'
import { calls, run } from './turn.fixture.ts'

const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const lisbon = { city: 'Lisbon' }

test('[C56] a call of response with what was asked for ends the turn, and is its output', async () => {
  const { result, asked } = await answered([response(lisbon)])
  expect(result).toMatchObject({ terminalReason: 'completed', output: lisbon, outputError: undefined })
  expect(asked).toHaveLength(1)
  expect(asked[0]?.tools).toMatchObject([{ name: 'response', parameters: schema }])
  expect(result.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
})

test('[C56] the output is what the schema makes of the arguments', async () => {
  const outputSchema = object({ city: string().transform((city) => city.toUpperCase()) })
  const { result } = await answered([response(lisbon)], { outputSchema })
  expect(result.output).toEqual({ city: 'LISBON' })
})

test('[C56] arguments that do not fit are a result the model can mend', async () => {
  const { result, asked } = await answered([response({ city: 5 }), response(lisbon)])
  expect(result.output).toEqual(lisbon)
  expect(textOf(asked[1]?.messages.at(-1) as Message)).toContain('city: must be string')
})

test('[C56] a model that cannot mend them is asked three times, and the turn ends with why', async () => {
  const { result, asked } = await answered(Array.from({ length: 9 }, () => response({})))
  expect(asked).toHaveLength(3)
  expect(result).toMatchObject({ terminalReason: 'structured_output_retry_exhausted', output: undefined })
  expect(result.outputError).toContain('city')
})

test('[C56] tries that fail beside calls that still run end the turn too, once those are done', async () => {
  const both = [...call(0, 'response', {}), ...call(1, 'look', {}), finish('tool-calls')]
  const { result, asked } = await answered([both, both, both, both], { tools: [look] })
  expect(asked).toHaveLength(3)
  expect(result).toMatchObject({ terminalReason: 'structured_output_retry_exhausted', output: undefined })
  expect(result.outputError).toContain('no answer that fits the output schema')
})

test.each([
  ['the JSON itself', JSON.stringify(lisbon)],
  ['JSON in a fence', `Here it is:\n\n\`\`\`json\n${JSON.stringify(lisbon)}\n\`\`\`\nEnjoy!`],
  ['JSON among words', `I would say ${JSON.stringify(lisbon)}.`],
])('[C56] a text that is %s is taken as the output', async (_what, text) => {
  const { result, asked } = await answered([says(text)])
  expect(asked).toHaveLength(1)
  expect(result).toMatchObject({ output: lisbon, terminalReason: 'completed' })
})

test('[C56] any other text is answered by a message of a user, marked as nobody’s words, at most twice', async () => {
  const { result, asked } = await answered([says('Lisbon!'), response(lisbon)])
  expect(result).toMatchObject({ output: lisbon, terminalReason: 'completed' })
  expect(asked[1]?.messages.at(-1)).toMatchObject({ role: 'user', meta: { origin: 'system' } })
  const never = await answered([says('no'), says('no'), says('no'), says('no')])
  expect(never.asked).toHaveLength(3)
  expect(never.result).toMatchObject({ terminalReason: 'structured_output_retry_exhausted', content: 'no' })
  expect(never.result.output).toBeUndefined()
})

test('[C56] words and calls that fail count together', async () => {
  const { asked } = await answered([says('no'), response({}), says('no'), says('no')])
  expect(asked).toHaveLength(3)
})

test('[C56] an answer given before the results it speaks of is not taken yet', async () => {
  const both = [...call(0, 'look', {}), ...call(1, 'response', lisbon), finish('tool-calls')]
  const { result, asked } = await answered([both, response({ city: 'Porto' })], { tools: [look] })
  expect(asked).toHaveLength(2)
  expect(asked[1]?.messages.at(-1)).toMatchObject({ role: 'tool', meta: { status: 'skipped' } })
  expect(result.output).toEqual({ city: 'Porto' })
})

test('[C56] beside a change of the plan it is taken at once', async () => {
  const plan = call(0, 'manage_todo_list', { operation: 'read' })
  const both = [...plan, ...call(1, 'response', lisbon), finish('tool-calls')]
  const { result, asked } = await answered([both], { useTodoList: true })
  expect(asked).toHaveLength(1)
  expect(result.output).toEqual(lisbon)
})

test('[C56] nothing is asked for while a person is waited for', async () => {
  const { result, asked } = await answered([calls('look')], { tools: [{ ...look, needsApproval: true }] })
  expect(asked).toHaveLength(1)
  expect(result).toMatchObject({ terminalReason: 'paused', output: undefined, outputError: undefined })
})

test('[C56] a refusal, an answer cut at its length and a turn without steps left are not asked again', async () => {
  const cut = await answered([[{ type: 'text-delta', text: '{"ci' }, finish('length')]])
  expect(cut).toMatchObject({ asked: { length: 1 }, result: { terminalReason: 'max_output_tokens' } })
  const last = await answered([says('no')], { limits: { maxSteps: 1 } })
  expect(last.asked).toHaveLength(1)
  expect(last.result).toMatchObject({ terminalReason: 'structured_output_retry_exhausted', output: undefined })
})

test('[C56] when the calls are used up the answer can still be given', async () => {
  const { result, asked } = await answered([calls('look'), response(lisbon)], {
    tools: [look],
    limits: { maxToolCalls: 1 },
  })
  expect(asked[1]).toMatchObject({ toolChoice: 'auto' })
  expect(textOf(asked[1]?.messages.at(-1) as Message)).toContain('by calling response')
  expect(result.output).toEqual(lisbon)
})

test('[C56] natively the schema goes with the request, and there is one try', async () => {
  const output = { schema, strategy: 'native' } as const
  const good = await answered([says(JSON.stringify(lisbon))], { outputSchema: undefined, output })
  expect(good.asked[0]).toMatchObject({
    extra: { response_format: { type: 'json_schema', json_schema: { name: 'response', schema } } },
  })
  expect(good.asked[0]?.tools).toBeUndefined()
  expect(good.result.output).toEqual(lisbon)
  const bad = await answered([says('{}'), says('{}')], { outputSchema: undefined, output })
  expect(bad.asked).toHaveLength(1)
  expect(bad.result).toMatchObject({ terminalReason: 'structured_output_retry_exhausted', output: undefined })
  expect(bad.result.outputError).toContain('city')
})

test('[C56] a tool of the page cannot take the name', () => {
  expect(() => defineAgent({ outputSchema: schema, tools: [{ ...look, name: 'response' }] })).toThrow(/two tools/)
  expect(() => defineAgent({ outputSchema: { type: 'array' } })).toThrow(/object schema/)
})

const look = { name: 'look', func: () => 'seen' }
const hello: Message = { id: 'u', role: 'user', content: 'where?', meta: { status: 'complete', createdAt: 0 } }

function answered(answers: readonly (readonly ModelEvent[])[], options: SmartAgentOptions = {}) {
  return run({ messages: [hello], answers, options: { outputSchema: schema, ...options } })
}

function response(args: unknown): ModelEvent[] {
  return [...call(0, 'response', args), finish('tool-calls')]
}

function call(index: number, name: string, args: unknown): ModelEvent[] {
  return [
    { type: 'call-start', index, name },
    { type: 'call-delta', index, args: JSON.stringify(args) },
  ]
}

function says(text: string): ModelEvent[] {
  return [{ type: 'text-delta', text }, finish('stop')]
}

function finish(reason: 'stop' | 'tool-calls' | 'length'): ModelEvent {
  return { type: 'finish', reason }
}
