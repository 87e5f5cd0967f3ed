import { expect, test } from 'vitest'
import { fromEnv } from './from-env.ts'

test.each([
  [{}, 'demo', 'the demo model'],
  [{ OPENAI_API_KEY: '' }, 'demo', 'the demo model'],
  [{ OPENAI_API_KEY: 'sk-a' }, 'gpt-5.4-mini', 'gpt-5.4-mini at api.openai.com. MODEL is not set'],
  [{ OPENAI_API_KEY: 'sk-a', MODEL: 'gpt-5' }, 'gpt-5', 'gpt-5 at api.openai.com. Change it with MODEL'],
  [{ OPENAI_BASE_URL: 'http://localhost:11434/v1', MODEL: 'llama3.2' }, 'llama3.2', 'llama3.2 at localhost:11434.'],
  [
    { OPENAI_API_KEY: 'sk-a', OPENAI_BASE_URL: 'https://openrouter.ai/api/v1', MODEL: 'x/y' },
    'x/y',
    'x/y at openrouter.ai.',
  ],
])('[J10] %j is served by %s', (env, model, serves) => {
  const environment = fromEnv(env)
  expect(environment.models.default!.model).toBe(model)
  expect(environment.serves).toContain(serves)
})

test('the start-up line shows neither key nor a password in the address', () => {
  const env = { OPENAI_API_KEY: 'sk-canary', OPENAI_BASE_URL: 'https://user:canary@llm.example/v1', MODEL: 'm' }
  expect(fromEnv(env).serves).not.toContain('canary')
})

test('an address that is none is said', () => {
  expect(() => fromEnv({ OPENAI_BASE_URL: 'localhost' })).toThrow('OPENAI_BASE_URL is not an address')
})
