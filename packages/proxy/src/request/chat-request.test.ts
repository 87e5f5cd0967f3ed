import { expect, test } from 'vitest'
import { parseChatRequest } from './chat-request.ts'

const messages = [{ role: 'user', content: 'hello' }]

test('a whole conversation with tools, images and reasoning is accepted as it is', () => {
  const request = {
    model: 'default',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'developer', content: [{ type: 'text', text: 'Be kind.' }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'low' } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        reasoning_content: 'Hm.',
        tool_calls: [{ id: '1', type: 'function', function: { name: 'look', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: '1', content: 'a cat' },
    ],
    tools: [{ type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } }],
    tool_choice: { type: 'function', function: { name: 'look' } },
    stream: true,
    stream_options: { include_usage: true },
    response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' }, strict: true } },
    max_completion_tokens: 100,
    temperature: 0.5,
    stop: ['.'],
    reasoning_effort: 'low',
    parallel_tool_calls: true,
    metadata: { purpose: 'test' },
  }
  expect(parseChatRequest(request)).toEqual(request)
})

test.each([
  'api_base',
  'base_url',
  'baseURL',
  'api_key',
  'organization',
  'headers',
  'extra_headers',
  'extra_body',
  'url',
  'web_search_options',
  'functions',
  'models',
  'route',
  'provider',
  'service_tier',
  'store',
  'constructor',
])('[T12] the field "%s" is refused by name', (field) => {
  expect(() => parseChatRequest({ model: 'default', messages, [field]: 'x' })).toThrow(
    `does not accept the field "${field}"`,
  )
})

test('[T14] a field called __proto__ is refused and changes nothing', () => {
  const request: unknown = JSON.parse('{"messages":[{"role":"user","content":"a"}],"__proto__":{"polluted":true}}')
  expect(() => parseChatRequest(request)).toThrow()
  expect(({} as Record<string, unknown>).polluted).toBeUndefined()
})

test.each([
  [{ messages: [{ role: 'user', content: 'a', url: 'http://evil.example' }] }, 'messages.0.url'],
  [{ messages, tools: [{ type: 'function', function: { name: 'a' }, server_url: 'x' }] }, 'tools.0.server_url'],
  [{ messages, tool_choice: { type: 'function', function: { name: 'a', x: 1 } } }, 'tool_choice.function.x'],
])('[T12] a field hidden inside is refused by its path', (request, path) => {
  expect(() => parseChatRequest(request)).toThrow(`"${path}"`)
})

test.each(['https://evil.example/a.png', 'http://169.254.169.254/', 'file:///etc/passwd', ''])(
  '[T12] an image is data, never an address: %j',
  (url) => {
    const content = [{ type: 'image_url', image_url: { url } }]
    expect(() => parseChatRequest({ messages: [{ role: 'user', content }] })).toThrow('must be a data: URL')
  },
)

test.each([
  [{}, 'field "messages" is missing or has the wrong type'],
  [{ messages: [] }, 'must hold at least one message'],
  [{ messages: [{ role: 'wizard', content: 'a' }] }, 'field "messages.0.role"'],
  [{ messages, n: 5 }, 'field "n"'],
  [{ messages, max_tokens: -1 }, 'field "max_tokens"'],
  [{ messages, tools: [{ type: 'mcp', server_url: 'https://evil.example' }] }, 'field "tools.0'],
  [{ messages, stream: 'yes' }, 'field "stream"'],
])('%j is refused with a sentence that names the field', (request, sentence) => {
  expect(() => parseChatRequest(request)).toThrow(sentence)
})

test('the model is "default" when none is named', () => {
  expect(parseChatRequest({ messages }).model).toBe('default')
})
