/** Memory: facts kept beside the conversation. */

export interface MemoryFact {
  readonly key: string
  readonly value: string
  /** From 0 to 1. */
  readonly confidence: number
  readonly scope: MemoryScope
  readonly sourceTurn?: number
  /** Milliseconds it stays true. */
  readonly ttl?: number
  readonly tags?: readonly string[]
  /** Set when a newer fact has the same key. */
  readonly obsolete?: boolean
  /** ISO time. */
  readonly lastUpdatedAt: string
}

export type MemoryScope = 'session' | 'user' | 'workspace' | 'tenant'
