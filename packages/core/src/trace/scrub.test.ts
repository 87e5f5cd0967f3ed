import { expect, test } from 'vitest'
import { scrub, scrubText } from './scrub.ts'

test.each([
  'sk-proj-abcdefgh12345678',
  'AIzaSyA1234567890abcdef',
  'ghp_abcdefgh12345678',
  'Bearer abcdefgh.12345678',
  'eyJhbGciOiJI.eyJzdWIiOiIx.SflKxwRJSM',
])('[C63] %s does not leave, wherever it stands', (secret) => {
  expect(JSON.stringify(scrub({ a: [`it is ${secret}, keep it`] }))).not.toContain(secret.slice(-8))
})

test('[C63] what is named like a secret does not leave, as a field or inside of text', () => {
  const args = {
    user: 'ada',
    password: 'horse',
    headers: { Authorization: 'Basic 123', 'x-api-key': 'k' },
    clientSecret: 1,
  }
  expect(scrub(args)).toEqual({
    user: 'ada',
    password: '[redacted]',
    headers: { Authorization: '[redacted]', 'x-api-key': '[redacted]' },
    clientSecret: '[redacted]',
  })
  expect(JSON.parse(scrubText('{"user":"ada","password":"ho\\"rse","tokens":3}'))).toEqual({
    user: 'ada',
    password: '[redacted]',
    tokens: 3,
  })
  expect(scrubText('login?user=ada&token=horse&x=1')).toBe('login?user=ada&token=[redacted]&x=1')
})

test('[C63] words stay as they are', () => {
  const text = 'Ask for the task-force in Lisbon: three nights, 12 tokens, no password.'
  expect(scrubText(text)).toBe(text)
})

test('[C63] anything becomes plain JSON', () => {
  const loop: Record<string, unknown> = { when: new Date(0), big: 10n, run: () => {}, none: null }
  loop.self = loop
  loop.twice = [loop.when, loop.when]
  expect(JSON.parse(JSON.stringify(scrub(loop)))).toEqual({
    when: '1970-01-01T00:00:00.000Z',
    big: '10',
    none: null,
    self: '[circular]',
    twice: ['1970-01-01T00:00:00.000Z', '1970-01-01T00:00:00.000Z'],
  })
})
