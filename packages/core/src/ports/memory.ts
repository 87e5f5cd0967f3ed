/**
 * Memory port: facts that outlive a session.
 *
 * Contract, run by one suite on every implementation:
 * - of one key in one scope there is one fact that holds; a new value makes the old one obsolete, the same value renews it;
 * - what is obsolete, or older than its `ttl`, is found only where obsolete facts are asked for;
 * - a promise resolves only once the write is kept.
 */
import type { MemoryFact, MemoryScope } from '../smart/memory.ts'

export interface MemoryStore {
  get(key: string, scope: MemoryScope): Promise<MemoryFact | undefined>
  upsert(fact: NewFact): Promise<void>
  markObsolete(key: string, scope: MemoryScope): Promise<void>
  /** The facts nearest to the query, best first. */
  semanticSearch(query: string, options: { scope: MemoryScope; limit: number }): Promise<MemoryFact[]>
  /** Newest first. */
  list(options: { scope: MemoryScope; limit?: number; withObsolete?: boolean }): Promise<MemoryFact[]>
}

/** Without more, half sure and as of now. */
export type NewFact = Pick<MemoryFact, 'key' | 'value' | 'scope'> & Partial<MemoryFact>
