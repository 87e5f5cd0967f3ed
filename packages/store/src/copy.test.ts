import { expect, test } from 'vitest'
import { copy } from './copy.ts'

const shared = { word: 'kept' }
const cycle: { self?: unknown } = {}
cycle.self = cycle

test.each([
  ['plain data', { list: [1, 'two', null, { deep: [true, undefined] }], none: undefined, big: 2n }],
  ['numbers JSON cannot write', [NaN, -0, Infinity]],
  ['holes', [1, , 3]], // oxlint-disable-line no-sparse-arrays
  ['an object without a prototype', Object.assign(Object.create(null), { word: 'kept' })],
  [
    'an instance',
    new (class Point {
      x = 1
    })(),
  ],
  ['a date, a map, bytes', { date: new Date(5), map: new Map([['a', new Set([1])]]), bytes: new Uint8Array([1]) }],
  ['the same object twice', [shared, shared]],
  ['a cycle', cycle],
  ['an own __proto__', JSON.parse('{"a":{"__proto__":{"polluted":true}}}')],
])('%s is copied as structuredClone copies it', (_name, value) => {
  const result = copy(value)
  expect(result).toStrictEqual(structuredClone(value))
  expect(result).not.toBe(value)
})

test('the copy shares nothing with its original', () => {
  const original = { list: [{ word: 'kept' }] }
  const result = copy(original)
  original.list[0]!.word = 'changed'
  original.list.push({ word: 'new' })
  expect(result).toEqual({ list: [{ word: 'kept' }] })
})

test('what cannot be stored is named in the failure', () => {
  expect(() => copy({ call: () => 1 })).toThrow(expect.objectContaining({ code: 'storage-failed' }))
})
