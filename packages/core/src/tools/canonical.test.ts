import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { argsHash, canonicalText } from './canonical.ts'

const hash = { sha256: (text: string) => createHash('sha256').update(text).digest('hex') }

test('[G5] equal arguments have one text, whatever the order of their keys', () => {
  expect(canonicalText({ b: 1, a: [{ d: 2, c: 'x' }] })).toBe('{"a":[{"c":"x","d":2}],"b":1}')
  expect(canonicalText({ a: undefined, b: 1 })).toBe(canonicalText({ b: 1 }))
})

test('[G5] arguments that differ anywhere have different hashes, and so have two tools', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
      const isSame = canonicalText(one) === canonicalText(other)
      expect(isSame).toBe(JSON.stringify(sorted(one)) === JSON.stringify(sorted(other)))
      expect(argsHash(hash, 'book', one) === argsHash(hash, 'book', other)).toBe(isSame)
      expect(argsHash(hash, 'book', one)).not.toBe(argsHash(hash, 'pay', one))
    }),
  )
})

test('[G5] what a schema may make of arguments is told apart too: dates, big numbers, maps and sets', () => {
  const values = [
    new Date(0),
    new Date(1),
    1n,
    2n,
    1,
    '1',
    NaN,
    Infinity,
    null,
    new Map([['a', 1]]),
    new Map([['a', 2]]),
    new Set([1]),
    new Set([2]),
    [1],
    new Uint8Array([1]),
    new Uint8Array([2]),
    {},
    [],
  ]
  expect(new Set(values.map(canonicalText)).size).toBe(values.length)
})

test('[T14] a key named __proto__ is a key like any other', () => {
  expect(canonicalText(JSON.parse('{"__proto__":{"a":1}}'))).toBe('{"__proto__":{"a":1}}')
})

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const keys = Object.keys(value).toSorted()
  return { keys: keys.map((key) => [key, sorted((value as Record<string, unknown>)[key])]) }
}
