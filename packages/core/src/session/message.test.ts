import { expect, test } from 'vitest'
import { textOf, toParts, type Message } from './message.ts'

const meta: Message['meta'] = { status: 'complete', createdAt: 0 }

test('an answer is drawn as reasoning, text and calls, in that order', () => {
  const message: Message = {
    id: 'm',
    role: 'assistant',
    content: 'I will book.',
    tool_calls: [{ id: 'c', type: 'function', function: { name: 'book', arguments: '{}' } }],
    meta: { ...meta, reasoning: ['hm'] },
  }
  expect(toParts(message)).toEqual([
    { type: 'reasoning', text: 'hm' },
    { type: 'text', text: 'I will book.' },
    { type: 'tool-call', callId: 'c', tool: 'book', args: '{}' },
  ])
})

test('a result is drawn with its tool, and parts keep their images', () => {
  const result: Message = {
    id: 'c.r',
    role: 'tool',
    content: 'ok',
    tool_call_id: 'c',
    meta: { ...meta, tool: { name: 'book', args: {} } },
  }
  expect(toParts(result)).toEqual([{ type: 'tool-result', callId: 'c', tool: 'book', text: 'ok' }])
  const picture: Message = {
    id: 'u',
    role: 'user',
    content: [
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url: 'data:,' } },
    ],
    meta,
  }
  expect(toParts(picture)).toEqual([
    { type: 'text', text: 'What is this?' },
    { type: 'image', url: 'data:,' },
  ])
  expect(textOf(picture)).toBe('What is this?')
  expect(textOf({ content: null })).toBe('')
})
