import { expect, test } from 'vitest'
import { createHoldUp } from './hold-up.ts'

const hash = { sha256: () => 'ffffffff' }
const clock = { now: () => 0, elapsed: () => 0, sleep: () => new Promise<void>(() => {}), after: () => () => {} }

test('[O12] what was stopped before it begins to wait does not wait, and shows nothing', async () => {
  const shown: unknown[] = []
  const holdUp = createHoldUp(clock, hash, (reason) => shown.push(reason))
  await expect(holdUp.wait('network', AbortSignal.abort(new Error('stopped')), 'seed')).rejects.toThrow('stopped')
  expect(shown).toEqual([])
})

test('[O12] a stop ends a wait that is under way', async () => {
  const controller = new AbortController()
  const holdUp = createHoldUp(clock, hash, () => {})
  const waiting = holdUp.wait('network', controller.signal, 'seed')
  controller.abort(new Error('stopped'))
  await expect(waiting).rejects.toThrow('stopped')
})
