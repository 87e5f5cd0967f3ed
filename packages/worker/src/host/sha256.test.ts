import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sha256 } from './sha256.ts'

test('the hash of any text is the one the platform gives', () => {
  const reference = (text: string) => createHash('sha256').update(text).digest('hex')
  for (const length of [0, 1, 55, 56, 63, 64, 65, 119, 120, 1_000_000]) {
    const text = 'a'.repeat(length)
    expect(sha256.sha256(text)).toBe(reference(text))
  }
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
      expect(sha256.sha256(text)).toBe(reference(text))
    }),
  )
})
