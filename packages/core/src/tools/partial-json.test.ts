import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readPartialJson } from './partial-json.ts'

test.each([
  ['', undefined],
  ['{', {}],
  ['{"ci', {}],
  ['{"city"', {}],
  ['{"city":', {}],
  ['{"city": "Lis', { city: 'Lis' }],
  ['{"city": "a\\', { city: 'a' }],
  ['{"city": "a\\u00e', { city: 'a' }],
  ['{"city": "a\\u00e9', { city: 'aé' }],
  ['{"ok": tr', {}],
  ['{"ok": true, "n": 12', { ok: true, n: 12 }],
  ['{"list": [1, 2, {"a": nul', { list: [1, 2, {}] }],
  ['{"list": [1,', { list: [1] }],
  ['not json', undefined],
  ['{"a": "x"} and more', { a: 'x' }],
])('[C56] of %s that much is read', (text, value) => {
  expect(readPartialJson(text)).toEqual(value)
})

test('[C56] any beginning of any JSON is read without failing, and the whole as JSON.parse reads it', () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), (text, at) => {
      expect(readPartialJson(text)).toEqual(JSON.parse(text))
      readPartialJson(text.slice(0, at % (text.length + 1)))
    }),
  )
})

test('[C56] text that opens more than it closes ends', () => {
  expect(readPartialJson('['.repeat(100_000))).toBeDefined()
  expect(Object.keys(readPartialJson('{"__proto__": {"a": 1}}') as object)).toEqual(['__proto__'])
})
