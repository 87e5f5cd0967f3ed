/** What every memory must do, wherever it keeps its facts. */
import type { MemoryStore, NewFact } from '@dogear/core'
import { beforeEach, describe, expect, test } from 'vitest'

export function memoryContract(name: string, open: (now: () => number) => Promise<MemoryStore>): void {
  describe(`memory in ${name}`, () => {
    let now = 0
    let memory: MemoryStore

    beforeEach(async () => {
      now = Date.UTC(2030, 0, 1)
      memory = await open(() => now)
    })

    const fact = (key: string, value: string, more: Partial<NewFact> = {}): NewFact => ({
      key,
      value,
      scope: 'user',
      ...more,
    })

    test('[C40] a fact is half sure and as of now unless it says otherwise', async () => {
      await memory.upsert(fact('city', 'Lisbon'))
      await memory.upsert(fact('name', 'Ada', { confidence: 0.9, tags: ['person'], sourceTurn: 3 }))
      const lastUpdatedAt = '2030-01-01T00:00:00.000Z'
      expect(await memory.get('city', 'user')).toEqual({ ...fact('city', 'Lisbon'), confidence: 0.5, lastUpdatedAt })
      expect(await memory.get('name', 'user')).toMatchObject({ confidence: 0.9, tags: ['person'], sourceTurn: 3 })
      expect(await memory.get('other', 'user')).toBeUndefined()
    })

    test('[C40] a new value makes the old one obsolete, the same value renews it', async () => {
      await memory.upsert(fact('city', 'Lisbon'))
      now += 1_000
      await memory.upsert(fact('city', 'Lisbon'))
      expect(await memory.list({ scope: 'user', withObsolete: true })).toMatchObject([
        { value: 'Lisbon', lastUpdatedAt: '2030-01-01T00:00:01.000Z' },
      ])
      now += 1_000
      await memory.upsert(fact('city', 'Porto'))
      expect(await memory.get('city', 'user')).toMatchObject({ value: 'Porto' })
      expect(await memory.list({ scope: 'user' })).toMatchObject([{ value: 'Porto' }])
      const all = await memory.list({ scope: 'user', withObsolete: true })
      expect(all).toMatchObject([{ value: 'Porto' }, { value: 'Lisbon', obsolete: true }])
    })

    test('[C40] a value that comes back holds again', async () => {
      for (const city of ['Lisbon', 'Porto', 'Lisbon']) await memory.upsert(fact('city', city))
      expect(await memory.get('city', 'user')).toMatchObject({ value: 'Lisbon' })
      expect(await memory.get('city', 'user')).not.toHaveProperty('obsolete')
    })

    test('[C40] what is marked obsolete is read no more', async () => {
      await memory.upsert(fact('city', 'Lisbon'))
      await memory.markObsolete('city', 'user')
      await memory.markObsolete('nothing', 'user')
      expect(await memory.get('city', 'user')).toBeUndefined()
      expect(await memory.list({ scope: 'user' })).toEqual([])
      expect(await memory.semanticSearch('Lisbon city', { scope: 'user', limit: 5 })).toEqual([])
      expect(await memory.list({ scope: 'user', withObsolete: true })).toMatchObject([{ value: 'Lisbon' }])
    })

    test('[C40] a fact holds no longer than its ttl', async () => {
      await memory.upsert(fact('code', '7', { ttl: 1_000 }))
      now += 999
      expect(await memory.get('code', 'user')).toMatchObject({ value: '7' })
      now += 1
      expect(await memory.get('code', 'user')).toBeUndefined()
      expect(await memory.list({ scope: 'user' })).toEqual([])
    })

    test('[C40] scopes are apart, also for keys that look alike', async () => {
      await memory.upsert(fact('city', 'Lisbon'))
      await memory.upsert(fact('city', 'Porto', { scope: 'workspace' }))
      await memory.upsert(fact('city2', 'Faro'))
      await memory.markObsolete('city', 'workspace')
      expect(await memory.get('city', 'user')).toMatchObject({ value: 'Lisbon' })
      expect(await memory.get('city', 'workspace')).toBeUndefined()
      expect(await memory.get('city2', 'user')).toMatchObject({ value: 'Faro' })
    })

    test('[C40] a list is newest first, and as long as asked for', async () => {
      for (const key of ['one', 'two', 'three']) {
        await memory.upsert(fact(key, 'x'))
        now += 1_000
      }
      expect((await memory.list({ scope: 'user' })).map(({ key }) => key)).toEqual(['three', 'two', 'one'])
      expect((await memory.list({ scope: 'user', limit: 2 })).map(({ key }) => key)).toEqual(['three', 'two'])
    })

    test('[C40] a search gives what shares words with the query, best first', async () => {
      await memory.upsert(fact('hotel', 'the Grand in Lisbon'))
      await memory.upsert(fact('food', 'no fish', { tags: ['diet'] }))
      await memory.upsert(fact('flight', 'to Lisbon on a very early and very long Monday morning'))
      const found = (query: string, limit = 5) => memory.semanticSearch(query, { scope: 'user', limit })
      expect((await found('Which hotel in Lisbon?')).map(({ key }) => key)).toEqual(['hotel', 'flight'])
      expect((await found('Which hotel in Lisbon?', 1)).map(({ key }) => key)).toEqual(['hotel'])
      expect((await found('my diet')).map(({ key }) => key)).toEqual(['food'])
      expect(await found('weather')).toEqual([])
    })

    test('[C40] writes made together are all kept', async () => {
      await Promise.all(['a', 'b', 'c', 'c'].map((key, index) => memory.upsert(fact(key, String(index)))))
      expect((await memory.list({ scope: 'user' })).map(({ key }) => key).sort()).toEqual(['a', 'b', 'c'])
      expect(await memory.list({ scope: 'user', withObsolete: true })).toHaveLength(4)
    })

    test('what a reader does to a fact is not remembered', async () => {
      await memory.upsert(fact('city', 'Lisbon'))
      Object.assign((await memory.get('city', 'user'))!, { value: 'Mars' })
      expect(await memory.get('city', 'user')).toMatchObject({ value: 'Lisbon' })
    })
  })
}
