import { expect, test } from 'vitest'
import type { Store } from '@dogear/core'
import { faulty, type Fault } from './index.ts'

test('a write that fails on plan writes nothing; those around it do', async () => {
  const { written, store } = planned([{ nth: 2, fault: 'fail', code: 'storage-full' }])
  await store.saveSide('draft', 's', 'a', 1)
  await expect(store.saveSide('draft', 's', 'b', 2)).rejects.toMatchObject({ code: 'storage-full' })
  await store.saveSide('draft', 's', 'c', 3)
  expect(written).toEqual(['a', 'c'])
  expect(store.writes).toBe(3)
})

test('[X1] a write can be committed without anybody hearing of it', async () => {
  const { written, store } = planned([
    { nth: 1, fault: 'commit-fail' },
    { nth: 2, fault: 'commit-hang' },
  ])
  await expect(store.saveSide('draft', 's', 'a', 1)).rejects.toMatchObject({ code: 'storage-failed' })
  let settled = false
  void store.saveSide('draft', 's', 'b', 2).finally(() => (settled = true))
  await store.saveSide('draft', 's', 'c', 3)
  expect(written).toEqual(['a', 'b', 'c'])
  expect(settled).toBe(false)
})

test('a hanging write writes nothing', async () => {
  const { written, store } = planned([{ nth: 1, fault: 'hang' }])
  void store.saveSide('draft', 's', 'a', 1)
  await store.saveSide('draft', 's', 'b', 2)
  expect(written).toEqual(['b'])
})

test('a fault may be bound to one method, and reads are never counted', async () => {
  const { written, store } = planned([{ on: 'saveSide', nth: 1, fault: 'fail' }])
  await store.delete('s')
  expect(await store.side('draft', 's', 'a')).toBe('read')
  await expect(store.saveSide('draft', 's', 'a', 1)).rejects.toMatchObject({ code: 'storage-failed' })
  expect(written).toEqual(['deleted'])
  expect(store.writes).toBe(2)
})

function planned(plan: readonly Fault[]) {
  const written: string[] = []
  const store: Pick<Store, 'saveSide' | 'side' | 'delete'> = {
    saveSide: async (_kind, _sessionId, id) => void written.push(id),
    delete: async () => void written.push('deleted'),
    side: async () => 'read',
  }
  // Only these three methods are called here; a whole store is tested in the store package.
  return { written, store: faulty(store as Store, plan) }
}
