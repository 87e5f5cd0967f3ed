import { expect, test } from 'vitest'
import { createAnswer } from './answer.ts'
import { joined } from './sse.fixture.ts'
import type { WireCallDelta, WireChunk, WireDelta } from './wire.ts'

test('reasoning is read under each of the names servers give it, once', () => {
  const cases: WireDelta[] = [
    { reasoning_content: 'hm' },
    { reasoning: 'hm' },
    { reasoning: 'hm', reasoning_content: 'hm' },
    { reasoning: 'hm', reasoning_details: [{ text: 'hm' }] },
    { reasoning_details: [{ text: 'h' }, { summary: 'm' }] },
    { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }] },
    { content: [{ type: 'thinking', thinking: 'hm' }] },
  ]
  for (const delta of cases) expect(answerOf(delta)).toMatchObject({ reasoning: 'hm', text: '' })
})

test('content in parts is text', () => {
  expect(
    answerOf({ content: [{ type: 'text', text: 'a' }, { type: 'reference' }, { type: 'text', text: 'b' }] }).text,
  ).toBe('ab')
})

test('a refusal ends as one, in its own words', () => {
  expect(answerOf({ refusal: 'I' }, { refusal: ' cannot' })).toMatchObject({ refusal: 'I cannot', finish: 'refusal' })
})

test('every reason to end is one of four', () => {
  const reasons = {
    stop: 'stop',
    end_turn: 'stop',
    length: 'length',
    content_filter: 'refusal',
    tool_calls: 'tool-calls',
    function_call: 'tool-calls',
  }
  for (const [reason, expected] of Object.entries(reasons)) {
    expect(answerOf({ choices: [{ delta: {}, finish_reason: reason }] }).finish).toBe(expected)
  }
})

test('deltas of a call are joined by index, whether id and name come once or every time', () => {
  const once: WireCallDelta[] = [
    { index: 0, id: 'a', function: { name: 'look', arguments: '' } },
    { index: 0, function: { arguments: '{"x"' } },
    { index: 0, id: '', function: { name: '', arguments: ':1}' } },
  ]
  const always = ['', '{"x"', ':1}'].map((args) => ({ index: 0, id: 'a', function: { name: 'look', arguments: args } }))
  const mintedIds: WireCallDelta[] = [
    { index: 0, id: 'a', function: { name: 'look', arguments: '{"x"' } },
    { index: 0, id: 'b', function: { name: null, arguments: ':1}' } },
  ]
  for (const deltas of [once, always, mintedIds]) {
    expect(callsOf(...deltas)).toEqual([{ id: 'a', name: 'look', args: '{"x":1}' }])
  }
})

test('parallel calls stay apart by index, also when their deltas are mixed', () => {
  const calls = callsOf(
    { index: 0, id: 'a', function: { name: 'one', arguments: '{' } },
    { index: 1, id: 'b', function: { name: 'two', arguments: '[' } },
    { index: 0, function: { arguments: '}' } },
    { index: 1, function: { arguments: ']' } },
  )
  expect(calls).toEqual([
    { id: 'a', name: 'one', args: '{}' },
    { id: 'b', name: 'two', args: '[]' },
  ])
})

test('parallel calls stay apart when the index is missing or always 0', () => {
  const two = [
    { id: 'a', name: 'one', args: '{}' },
    { id: 'b', name: 'two', args: '[]' },
  ]
  for (const index of [undefined, null, 0]) {
    const calls = callsOf(
      { index, id: 'a', function: { name: 'one', arguments: '{' } },
      { index, function: { arguments: '}' } },
      { index, id: 'b', function: { name: 'two', arguments: '[' } },
      { index, function: { arguments: ']' } },
    )
    expect(calls).toEqual(two)
  }
})

test('whole calls without index and id, one chunk each, are as many calls', () => {
  const whole: WireCallDelta = { function: { name: 'look', arguments: '{}' } }
  expect(callsOf(whole, whole)).toHaveLength(2)
})

test('arguments sent as an object become text', () => {
  expect(callsOf({ index: 0, function: { name: 'look', arguments: { x: 1 } } })[0]!.args).toBe('{"x":1}')
})

test('[G8] a call whose name comes late is held back, and so is the cursor', () => {
  const answer = createAnswer({ url: '/x' })
  answer.add(chunkOf({ tool_calls: [{ index: 0, id: 'a', function: { arguments: '{' } }] }))
  expect(answer.take()).toEqual([])
  expect(answer.isShown()).toBe(false)
  answer.add(chunkOf({ tool_calls: [{ index: 0, function: { name: 'look', arguments: '}' } }] }))
  expect(answer.isShown()).toBe(true)
  expect(joined(answer.take()).calls).toEqual([{ id: 'a', name: 'look', args: '{}' }])
})

test('a call that is never named is a bad response', () => {
  expect(() => callsOf({ index: 0, id: 'a', function: { arguments: '{}' } })).toThrow('without naming it')
})

test('usage is told once, whether it comes in every chunk, with the end or after it', () => {
  const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 }
  const stop = { delta: {}, finish_reason: 'stop' }
  const streams: WireChunk[][] = [
    [
      { choices: [{ delta: {} }], usage: { prompt_tokens: 1 } },
      { choices: [stop], usage },
    ],
    [
      { choices: [stop], usage: null },
      { choices: [], usage },
    ],
    [
      { choices: [stop], usage },
      { choices: [], usage },
    ],
  ]
  for (const chunks of streams) {
    const answer = createAnswer({ url: '/x' })
    const events = chunks.flatMap((chunk) => {
      answer.add(chunk)
      return answer.take()
    })
    expect(joined([...events, ...answer.end()]).usage).toMatchObject([{ input: 3, output: 4, total: 7 }])
  }
})

test('reasoning counted beside the output is output too, and cached input has two names', () => {
  const answer = answerOf(
    { content: 'x' },
    {
      choices: [{ delta: {}, finish_reason: 'stop' }],
      usage: {
        prompt_tokens: 307,
        completion_tokens: 26,
        total_tokens: 560,
        prompt_cache_hit_tokens: 306,
        completion_tokens_details: { reasoning_tokens: 227 },
      },
    },
  )
  expect(answer.usage).toMatchObject([{ input: 307, output: 253, total: 560, cachedInput: 306, reasoning: 227 }])
})

test('a second choice is not mixed into the first', () => {
  expect(answerOf({ content: 'a' }, { choices: [{ index: 1, delta: { content: 'b' } }] }).text).toBe('a')
})

function callsOf(...deltas: WireCallDelta[]) {
  return answerOf(...deltas.map((delta) => ({ tool_calls: [delta] }))).calls
}

/** The answer made of these deltas or whole chunks; ends with `stop` unless a chunk ended it. */
function answerOf(...deltas: (WireDelta | WireChunk)[]) {
  const answer = createAnswer({ url: '/x' })
  for (const delta of deltas) answer.add('choices' in delta ? delta : chunkOf(delta as WireDelta))
  if (!answer.finish()) answer.add({ choices: [{ delta: {}, finish_reason: 'stop' }] })
  return joined(answer.end())
}

function chunkOf(delta: WireDelta): WireChunk {
  return { choices: [{ index: 0, delta }] }
}
