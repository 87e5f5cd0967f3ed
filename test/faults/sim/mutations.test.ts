/** A simulator that notices nothing proves nothing: each safeguard is taken out once, and must be missed. */
import { expect, test } from 'vitest'
import { firstFailure, mutations } from './mutations.mjs'

test.each(mutations)('the simulator notices when $name', async (mutation) => {
  expect(await firstFailure(mutation)).toBeDefined()
})
