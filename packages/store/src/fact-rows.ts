/** The rows of a memory in IndexedDB: reading a fact and writing what took its place is one transaction. */
import type { FactRows } from '@dogear/core'
import type { Connection } from './connection.ts'
import type { Write } from './indexed-db-store.ts'
import { keysUnder, type FactRow } from './schema.ts'

export function factRows(read: Connection['read'], write: Write): FactRows {
  return {
    async all(scope) {
      const rows = await read((database) => database.getAll('memory', keysUnder(scope)))
      return rows.map(({ fact }) => fact)
    },
    change: (key, scope, next) =>
      write(['memory'], async (transaction) => {
        const memory = transaction.objectStore('memory')
        const row = await memory.get([scope, holding(key)])
        const rows = next(row?.fact).map((fact): FactRow => ({
          scope,
          key: fact.obsolete ? obsolete(key) : holding(key),
          fact,
        }))
        await Promise.all([memory.delete([scope, holding(key)]), ...rows.map(async (each) => memory.put(each))])
      }),
  }
}

function holding(key: string): string {
  return `+${key}`
}

function obsolete(key: string): string {
  return `-${key}`
}
