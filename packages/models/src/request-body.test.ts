import fc from 'fast-check'
import { expect, expectTypeOf, test } from 'vitest'
import type OpenAI from 'openai'
import type { Message, MessageMeta, ModelRequest } from '@dogear/core'
import { createBodyWriter, type Dialect } from './request-body.ts'
import type { WireBody, WireChunk } from './wire.ts'

test('only fields of the wire are sent: no id, no meta, no provider data', () => {
  const body = bodyOf([
    { id: '1', role: 'system', content: 'Be kind.', meta },
    { id: '2', role: 'user', content: 'Hi', name: 'ann', meta: { ...meta, providerData: { secret: 1 } } },
    { id: '3', role: 'assistant', content: 'Hello', meta: { ...meta, reasoning: ['hm'] } },
  ])
  expect(body.messages).toEqual([
    { role: 'system', content: 'Be kind.' },
    { role: 'user', content: 'Hi', name: 'ann' },
    { role: 'assistant', content: 'Hello' },
  ])
})

test("a call and its result carry the provider's id, or ours when it gave none", () => {
  const body = bodyOf([
    assistant('', [callOf('s.0', 'call_9'), callOf('s.1')]),
    { id: 't0', role: 'tool', content: 'a', tool_call_id: 's.0', meta },
    { id: 't1', role: 'tool', content: [{ type: 'text', text: 'b' }], tool_call_id: 's.1', meta },
  ])
  expect(body.messages).toEqual([
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'call_9', type: 'function', function: { name: 'look', arguments: '{}' } },
        { id: 's.1', type: 'function', function: { name: 'look', arguments: '{}' } },
      ],
    },
    { role: 'tool', content: 'a', tool_call_id: 'call_9' },
    { role: 'tool', content: 'b', tool_call_id: 's.1' },
  ])
})

test('calls that share a provider id are told apart by ours; a later step may repeat one', () => {
  const body = bodyOf([
    assistant('', [callOf('s.0', 'x'), callOf('s.1', 'x')]),
    { id: 't', role: 'tool', content: '', tool_call_id: 's.1', meta },
    assistant('', [callOf('s2.0', 'x')]),
    { id: 'u', role: 'tool', content: '', tool_call_id: 's2.0', meta },
  ])
  expect(
    body.messages.flatMap((message) => ('tool_calls' in message ? message.tool_calls!.map(({ id }) => id) : [])),
  ).toEqual(['s.0', 's.1', 'x'])
  expect(body.messages.flatMap((message) => ('tool_call_id' in message ? message.tool_call_id : []))).toEqual([
    's.1',
    'x',
  ])
})

test('[C16] a name, arguments or an id that a server would refuse are sent as it takes them, whatever the model wrote', () => {
  const long = `${'a'.repeat(32)}.1.0.10.0`
  const calls = [
    { ...callOf('s.0'), function: { name: 'functions.look up', arguments: '{"city":"Lis' } },
    { ...callOf(long), function: { name: '', arguments: '' } },
    { ...callOf('s.2'), function: { name: 'look', arguments: '"{}"' } },
  ]
  const results = calls.map(({ id }) => ({ id: `${id}.r`, role: 'tool' as const, content: '', tool_call_id: id, meta }))
  const [answer, ...told] = bodyOf([assistant('', calls), ...results]).messages
  expect('tool_calls' in answer! && answer.tool_calls).toEqual([
    {
      id: 's.0',
      type: 'function',
      function: { name: 'functions_look_up', arguments: '{"invalid":"{\\"city\\":\\"Lis"}' },
    },
    { id: 'dogear_1', type: 'function', function: { name: 'unknown', arguments: '{}' } },
    { id: 's.2', type: 'function', function: { name: 'look', arguments: '{}' } },
  ])
  expect(told.map((message) => 'tool_call_id' in message && message.tool_call_id)).toEqual(['s.0', 'dogear_1', 's.2'])
})

test('pictures of a person are sent; an assistant speaks in text', () => {
  const parts = [
    { type: 'text', text: 'what is this?' },
    { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
  ] as const
  const body = bodyOf([
    { id: '1', role: 'user', content: parts, meta },
    { id: '2', role: 'assistant', content: [{ type: 'text', text: 'A cat.' }], meta },
  ])
  expect(body.messages).toEqual([
    { role: 'user', content: parts },
    { role: 'assistant', content: 'A cat.' },
  ])
})

test('extra fields are added, and cannot replace the conversation', () => {
  const body = bodyOf([], {
    tools: [{ name: 'look', description: 'Looks', parameters: { type: 'object' } }],
    toolChoice: 'none',
    maxOutputTokens: 10,
    temperature: 0,
    extra: { reasoning_effort: 'low', model: 'other', messages: ['x'], stream: false },
  })
  expect(body).toEqual({
    reasoning_effort: 'low',
    model: 'default',
    messages: [],
    tools: [{ type: 'function', function: { name: 'look', description: 'Looks', parameters: { type: 'object' } } }],
    tool_choice: 'none',
    max_tokens: 10,
    temperature: 0,
    stream: true,
    stream_options: { include_usage: true },
  })
  expect(bodyOf([], { tools: [], toolChoice: 'auto' })).not.toHaveProperty('tool_choice')
})

test('a conversation that goes on, turns back or was changed in its place is written as if for the first time', () => {
  const call = fc.constantFrom('s.0', 's.1', `${'a'.repeat(40)}.0`)
  const message = fc.oneof(
    fc.constantFrom<Message['content']>('one', 'two', [{ type: 'text', text: 'three' }]).map(user),
    fc.uniqueArray(call, { minLength: 1 }).map((ids) =>
      assistant(
        '',
        ids.map((id) => callOf(id)),
      ),
    ),
    call.map((id): Message => ({ id: `${id}.r`, role: 'tool', content: 'a', tool_call_id: id, meta })),
    fc.constant<Message>({ id: 's', role: 'system', content: 'Be kind.', meta }),
  )
  const move = fc.record({ back: fc.nat(4), more: fc.array(message, { maxLength: 3 }), change: fc.nat(9) })
  fc.assert(
    fc.property(fc.array(move, { maxLength: 12 }), (moves) => {
      const write = createBodyWriter()
      let messages: Message[] = []
      for (const { back, more, change } of moves) {
        messages = [...messages.slice(0, Math.max(0, messages.length - back)), ...more.map((one) => ({ ...one }))]
        const changed = messages[change]
        if (changed?.role === 'user') {
          const words = 'other words'
          if (Array.isArray(changed.content)) Object.assign(changed.content[0], { text: words })
          else Object.assign(changed, { content: words })
        }
        const request = { model: 'default', messages }
        expect(write(request, dialect)).toBe(createBodyWriter()(request, dialect))
      }
    }),
  )
})

test("our wire is OpenAI's: its client would send our body, and we read each chunk it knows", () => {
  expectTypeOf<WireBody>().toExtend<OpenAI.ChatCompletionCreateParamsStreaming>()
  expectTypeOf<OpenAI.ChatCompletionChunk>().toExtend<WireChunk>()
  expectTypeOf<OpenAI.ChatCompletion>().toExtend<WireChunk>()
})

const meta: MessageMeta = { status: 'complete', createdAt: 0 }

const dialect: Dialect = { usageInStream: true, tokenLimit: 'max_tokens' }

function bodyOf(messages: Message[], more: { [Field in keyof ModelRequest]?: ModelRequest[Field] } = {}): WireBody {
  return JSON.parse(createBodyWriter()({ model: 'default', messages, ...more }, dialect)) as WireBody
}

function user(content: Message['content']): Message {
  return {
    id: 'u',
    role: 'user',
    content: Array.isArray(content) ? content.map((part) => ({ ...part })) : content,
    meta,
  }
}

function assistant(content: string, calls: Message['tool_calls']): Message {
  return { id: 'a', role: 'assistant', content, tool_calls: calls, meta }
}

function callOf(id: string, providerId?: string) {
  return {
    id,
    type: 'function' as const,
    function: { name: 'look', arguments: '{}' },
    ...(providerId && { providerId }),
  }
}
