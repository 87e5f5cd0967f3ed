import { expect, test } from 'vitest'
import { measureSizes } from './sizes.ts'

const sizes = await measureSizes()

test.each(sizes)('the $part costs at most $budget bytes', ({ bytes, budget }) => {
  expect(bytes).toBeLessThanOrEqual(budget)
})
