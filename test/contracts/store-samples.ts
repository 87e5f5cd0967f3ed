/** Made-up sessions for the store's contract: small, whole, and different where a test looks. */
import {
  emptyHead,
  emptyPartial,
  type Batch,
  type Command,
  type Entry,
  type Envelope,
  type Head,
  type Snapshot,
} from '@dogear/core'

export function entryAt(seq: number, { epoch = 1, ...rest }: Partial<Envelope & { title: string }> = {}): Entry {
  const entry = { v: 1, seq, id: `${epoch}-${seq}`, at: seq, epoch, path: [], title: `title ${seq}` }
  return { ...entry, type: 'title-set', source: 'person', ...rest }
}

export function entriesFrom(seq: number, count: number, epoch = 1): Entry[] {
  return Array.from({ length: count }, (_, index) => entryAt(seq + index, { epoch }))
}

/** One entry that holds any value: what an extension may put into the journal. */
export function entryHolding(seq: number, value: unknown): Entry {
  return { v: 1, seq, id: `slice-${seq}`, at: seq, epoch: 1, path: [], type: 'slice-set', extension: 'any', value }
}

export function batchOf(sessionId: string, entries: readonly Entry[], rest: Partial<Batch> = {}): Batch {
  const [first] = entries
  return {
    sessionId,
    epoch: first?.epoch ?? 1,
    expectedSeq: first?.seq ?? 0,
    entries,
    record: { updatedAt: 1_000, messageCount: entries.length, waiting: 0 },
    ...rest,
  }
}

export function commandFor(sessionId: string, commandId: string): Command {
  return { type: 'send', content: `words of ${commandId}`, when: 'now', commandId, sessionId, at: 1 }
}

export function headOf(sessionId: string, { epoch = 1, seq = 0, title = 'A trip' } = {}): Head {
  return {
    ...emptyHead(sessionId, 'concierge'),
    seq,
    epoch,
    title,
  }
}

export function partialOf(sessionId: string, stepId: string, { epoch = 1, text = 'Three nig' } = {}) {
  return { ...emptyPartial(stepId), text, sessionId, epoch }
}

export function snapshotOf(sessionId: string, tag: string, createdAt = 1): Snapshot {
  return {
    schemaVersion: 1,
    state: { messages: [], plan: null, usage: { perRequest: [], totals: {} }, title: `${sessionId} at ${tag}` },
    runtimeHint: { name: 'concierge', tools: [] },
    metadata: { createdAt, tag, sessionId, paused: false },
  }
}
