import { expect, test } from 'vitest'
import { normalizeUsage } from './normalize-usage.ts'

test.each([
  ['OpenAI', { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13, prompt_tokens_details: { cached_tokens: 3 } }],
  ['Anthropic', { input_tokens: 9, output_tokens: 4, cache_read_input_tokens: 3 }],
  ['LangChain', { input_tokens: 9, output_tokens: 4, total_tokens: 13, input_token_details: { cache_read: 3 } }],
  ['Gemini', { promptTokenCount: 9, candidatesTokenCount: 4, totalTokenCount: 13, cachedContentTokenCount: 3 }],
  ['our models', { input: 9, output: 4, total: 13, cachedInput: 3, reasoning: 0 }],
])('[C3] what %s says a call cost has one shape', (_who, raw) => {
  expect(normalizeUsage(raw)).toMatchObject({
    prompt_tokens: 9,
    completion_tokens: 4,
    total_tokens: 13,
    prompt_tokens_details: { cached_tokens: 3 },
    raw,
  })
})

test.each([undefined, null, 'free', {}, { model: 'm' }])('[C3] %j is no usage', (raw) => {
  expect(normalizeUsage(raw)).toBeUndefined()
})
