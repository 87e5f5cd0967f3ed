import { expect, test } from 'vitest'
import type { ModelEvent } from '../ports/model.ts'
import { addToPartial, emptyPartial } from '../session/partial.ts'
import { hasWords } from './step.ts'
import { run } from './turn.fixture.ts'

test('an answer is put together from its pieces, calls by their index', () => {
  const events: ModelEvent[] = [
    { type: 'reasoning-delta', text: 'hm' },
    { type: 'text-delta', text: 'one' },
    { type: 'call-start', index: 0, id: 'p0', name: 'a' },
    { type: 'call-start', index: 1, name: 'b' },
    { type: 'call-delta', index: 1, args: '{"n":' },
    { type: 'call-delta', index: 0, args: '{}' },
    { type: 'call-delta', index: 1, args: '1}' },
    { type: 'retry', attempt: 1, delayMs: 1, reason: 'busy' },
    { type: 'refusal-delta', text: 'no' },
    { type: 'cursor', after: '7' },
    { type: 'usage', usage: { input: 1, output: 2, total: 3, cachedInput: 0, reasoning: 0 }, model: 'm' },
    { type: 'finish', reason: 'tool-calls' },
  ]
  expect(events.reduce(addToPartial, emptyPartial('t.1'))).toMatchObject({
    text: 'one',
    reasoning: 'hm',
    refusal: 'no',
    after: '7',
    model: 'm',
    finish: 'tool-calls',
    calls: [
      { index: 0, id: 'p0', name: 'a', args: '{}' },
      { index: 1, name: 'b', args: '{"n":1}' },
    ],
  })
})

test('an answer has words once anything of it could be shown', () => {
  expect(hasWords(emptyPartial('t.1'))).toBe(false)
  expect(hasWords({ ...emptyPartial('t.1'), reasoning: 'hm' })).toBe(true)
  expect(hasWords({ ...emptyPartial('t.1'), calls: [{ index: 0, name: 'a', args: '' }] })).toBe(true)
})

test.each([
  ['length', 'max_output_tokens'],
  ['refusal', 'refusal'],
  ['stop', 'completed'],
] as const)('an answer that ends with %s ends the turn with %s', async (reason, terminalReason) => {
  const words: ModelEvent[] = [
    { type: 'text-delta', text: 'words' },
    { type: 'finish', reason },
  ]
  const { result } = await run({ messages: [], answers: [words] })
  expect(result).toMatchObject({ terminalReason, content: 'words' })
})
