/** A memory over rows of facts: what a key, a scope and a new value mean is the same wherever they are kept. */
import type { MemoryStore } from '../ports/memory.ts'
import { holds, newestFacts, searchFacts, succeeded } from './facts.ts'
import type { MemoryFact, MemoryScope } from './memory.ts'

/** Where the facts are kept: of one key in one scope a row for the fact that holds, and one for an obsolete one. */
export interface FactRows {
  all(scope: MemoryScope): Promise<MemoryFact[]>
  /** Puts what `next` makes of the fact that holds in its place, as one write. */
  change(key: string, scope: MemoryScope, next: (fact: MemoryFact | undefined) => readonly MemoryFact[]): Promise<void>
}

/** Without rows of its own it lives as long as its page or process. */
export function createMemory(now: () => number, rows: FactRows = rowsInMemory()): MemoryStore {
  const holding = async (scope: MemoryScope) => (await rows.all(scope)).filter((fact) => holds(fact, now()))
  return {
    get: async (key, scope) => (await holding(scope)).find((fact) => fact.key === key),
    upsert(given) {
      const fact = { confidence: 0.5, lastUpdatedAt: new Date(now()).toISOString(), ...given }
      return rows.change(fact.key, fact.scope, (before) => succeeded(before, fact))
    },
    markObsolete: (key, scope) => rows.change(key, scope, (fact) => (fact ? [{ ...fact, obsolete: true }] : [])),
    semanticSearch: async (query, { scope, limit }) => searchFacts(await holding(scope), query, limit),
    list: async ({ scope, limit, withObsolete }) =>
      newestFacts(await (withObsolete ? rows.all(scope) : holding(scope)), limit),
  }
}

function rowsInMemory(): FactRows {
  const rows = new Map<string, MemoryFact>()
  const place = (key: string, scope: MemoryScope, obsolete = false) => JSON.stringify([scope, key, obsolete])
  return {
    // Copies: what a reader does to a fact is not what is remembered.
    all: async (scope) => [...rows.values()].filter((fact) => fact.scope === scope).map((fact) => ({ ...fact })),
    async change(key, scope, next) {
      const facts = next(rows.get(place(key, scope)))
      rows.delete(place(key, scope))
      for (const fact of facts) rows.set(place(key, scope, fact.obsolete), { ...fact })
    },
  }
}
