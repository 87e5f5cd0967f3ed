import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ModelRequest } from '../ports/model.ts'
import type { Message } from '../session/message.ts'
import { asked } from './turn.fixture.ts'

test('[C10] results stand in the order of their calls, whichever came first', async () => {
  const [request] = await asked({ messages: [user('go'), calling('a', 'b'), result('b'), result('a'), user('and?')] })
  expect(ids(request)).toEqual(['go', 'm-a', 'a.r', 'b.r', 'and?'])
})

test('[C12] a call without a result is closed, so that no provider refuses the conversation', async () => {
  const [request] = await asked({ messages: [user('go'), calling('a', 'b'), result('b'), user('and?')] })
  expect(request?.messages[2]).toMatchObject({
    role: 'tool',
    tool_call_id: 'a',
    content: expect.stringContaining('No result'),
  })
})

test('an answer that was cut off, an empty one and an unfinished last one are not sent', async () => {
  const [request] = await asked({ messages: [user('go'), answer('', 'stopped'), answer('Once', 'stopped')] })
  expect(ids(request)).toEqual(['go'])
})

test('the system message holds the instructions and what the built-in tools need, and the tools come in one order', async () => {
  const [request] = await asked({
    messages: [user('go')],
    options: {
      instructions: async () => 'Be kind.',
      useTodoList: true,
      humanInTheLoop: { askUser: { promptOverride: 'Ask little.' } },
      tools: [{ name: 'book', description: 'Books', func: () => 1 }],
    },
  })
  const [system] = request?.messages ?? []
  expect(system).toMatchObject({ role: 'system' })
  expect(system?.content).toMatch(/^Be kind\.\n\n.*manage_todo_list.*\n\nAsk little\.$/s)
  expect(request?.tools?.map(({ name }) => name)).toEqual(['manage_todo_list', 'ask_user_question', 'book'])
})

test('[C52] a tool that was not asked for is not offered', async () => {
  const [request] = await asked({ messages: [user('go')] })
  expect(request).not.toHaveProperty('tools')
  expect(ids(request)).toEqual(['go'])
})

test('any history becomes a conversation every provider takes', async () => {
  const id = fc.constantFrom('a', 'b', 'c', 'd')
  const part = fc.oneof(
    fc.constant(user('words')),
    fc.constantFrom(answer('text'), answer('')),
    fc.uniqueArray(id, { minLength: 1, maxLength: 3 }).map((calls) => calling(...calls)),
    id.map((call) => result(call)),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 12 }), async (parts) => {
      const messages = [...parts, user('last')].map((message, index) => ({ ...message, id: `m${index}` }))
      const [request] = await asked({ messages })
      expectValid(request?.messages ?? [])
    }),
  )
})

function expectValid(messages: readonly Message[]): void {
  for (let index = 0; index < messages.length; index += 1) {
    const { role, content, tool_calls: calls } = messages[index] as Message
    expect(role).not.toBe('tool')
    expect(Boolean(content?.length || calls?.length)).toBe(true)
    for (const { id } of calls ?? []) expect(messages[(index += 1)]).toMatchObject({ role: 'tool', tool_call_id: id })
  }
  expect(messages.at(-1)?.role).toBe('user')
}

function ids(request: ModelRequest | undefined): string[] {
  return (request?.messages ?? []).map(({ id }) => id)
}

function user(id: string): Message {
  return { id, role: 'user', content: id, meta }
}

function answer(text: string, status: Message['meta']['status'] = 'complete'): Message {
  return { id: `m-${text}`, role: 'assistant', content: text, meta: { ...meta, status } }
}

function calling(...calls: string[]): Message {
  const toolCalls = calls.map((id) => ({ id, type: 'function' as const, function: { name: 'book', arguments: '{}' } }))
  return { id: `m-${calls[0]}`, role: 'assistant', content: null, tool_calls: toolCalls, meta }
}

function result(call: string): Message {
  return { id: `${call}.r`, role: 'tool', content: 'ok', tool_call_id: call, meta }
}

const meta: Message['meta'] = { status: 'complete', createdAt: 0 }
