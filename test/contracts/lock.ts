/** The contract of the Lock port: what ownership relies on, whatever stands behind it. */
import type { Lock } from '@dogear/core'
import { describe, expect, test } from 'vitest'

/** `makers` are two tabs: each call gives a fresh pair that competes. */
export function lockContract(implementation: string, tabs: () => [Lock, Lock] | Promise<[Lock, Lock]>): void {
  const freshName = () => `lock-${crypto.randomUUID()}`

  describe(`${implementation}: a lock`, () => {
    test('[G6] has one holder, whoever asks', async () => {
      const [one, other] = await tabs()
      const name = freshName()
      const held = await one.acquire(name, { wait: true })
      expect(held).toBeDefined()
      expect(await other.acquire(name, { wait: false })).toBeUndefined()
      expect(await one.acquire(name, { wait: false })).toBeUndefined()
      held?.release()
    })

    test('[G6] goes to one of those who wait when it is released, and to the others after it', async () => {
      const [one, other] = await tabs()
      const name = freshName()
      let holders = 0
      const visit = async (lock: Lock) => {
        const held = await lock.acquire(name, { wait: true })
        holders += 1
        expect(holders).toBe(1)
        await new Promise((resolve) => setTimeout(resolve, 1))
        holders -= 1
        held?.release()
      }
      await Promise.all([visit(one), visit(other), visit(one), visit(other)])
    })

    test('of another name is another lock', async () => {
      const [one, other] = await tabs()
      const held = [await one.acquire(freshName(), { wait: false }), await other.acquire(freshName(), { wait: false })]
      expect(held.every(Boolean)).toBe(true)
      for (const each of held) each?.release()
    })

    test('no longer wanted is not waited for, and goes to the next', async () => {
      const [one, other] = await tabs()
      const name = freshName()
      const held = await one.acquire(name, { wait: true })
      const leaving = new AbortController()
      const left = other.acquire(name, { wait: true, signal: leaving.signal })
      const next = one.acquire(name, { wait: true })
      leaving.abort()
      expect(await left).toBeUndefined()
      held?.release()
      const got = await next
      expect(got).toBeDefined()
      got?.release()
    })

    test('[G6] that is stolen tells the one who held it, whose release frees nothing', async () => {
      const [one, other] = await tabs()
      const name = freshName()
      const held = await one.acquire(name, { wait: true })
      const stolen = await other.acquire(name, { wait: true, steal: true })
      expect(stolen).toBeDefined()
      await held?.lost
      held?.release()
      expect(await one.acquire(name, { wait: false })).toBeUndefined()
      stolen?.release()
      const again = await one.acquire(name, { wait: true })
      expect(again).toBeDefined()
      again?.release()
    })
  })
}
