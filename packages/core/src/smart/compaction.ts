/** Compaction: what a model is shown of a conversation that has grown too long for it. */

export interface CompactionRecord {
  readonly id: string
  /** The last message the summary speaks for. */
  readonly upTo: string
  /** What the model reads in place of what was archived. */
  readonly summary: string
  /** The tool messages whose content is replaced by a marker, of this compaction and of all before it. */
  readonly archived: readonly string[]
  readonly trigger: 'auto' | 'manual'
  readonly tokensBefore: number
  readonly tokensAfter: number
  readonly messagesCompressed: number
  readonly durationMs?: number
}
