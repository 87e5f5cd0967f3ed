/** A session's row: how it is born, who may append under it, and what it becomes. */
import { DogearError, type Batch, type Entry, type SessionRecord } from '@dogear/core'

/** The row under its next owner. */
export function acquired(
  row: SessionRecord | undefined,
  sessionId: string,
  { agent, at }: { agent: string; at: number },
): SessionRecord {
  if (row) return { ...row, epoch: row.epoch + 1 }
  return {
    id: sessionId,
    agent,
    seq: 0,
    epoch: 1,
    createdAt: at,
    updatedAt: at,
    messageCount: 0,
    waiting: 0,
    minReader: 0,
  }
}

export function assertContiguous({ expectedSeq, entries }: Batch): void {
  const gap = entries.findIndex((entry, index) => entry.seq !== expectedSeq + index)
  if (gap === -1) return
  throw new DogearError(
    'storage-failed',
    `Entry ${gap} of this batch has seq ${entries[gap]?.seq}, not ${expectedSeq + gap}. Number entries from expectedSeq without a gap.`,
  )
}

export function mayAppend(row: SessionRecord, batch: Batch): boolean {
  return row.epoch === batch.epoch && row.seq === batch.expectedSeq
}

/**
 * Whether a refused batch is one that was written before: its commit happened, and the answer was lost with the connection.
 * Ids are derived, so two owners can write the same id at the same place; only the epoch tells whose entry stands there.
 */
export function isWritten(stored: readonly (Entry | undefined)[], { entries }: Batch): boolean {
  return (
    entries.length > 0 &&
    entries.every((entry, index) => stored[index]?.id === entry.id && stored[index].epoch === entry.epoch)
  )
}

export function appended(row: SessionRecord, { record, entries }: Batch): SessionRecord {
  // Assigned, not spread before its other keys, each of which would take V8 a microsecond.
  return Object.assign({}, record, {
    id: row.id,
    agent: row.agent,
    seq: row.seq + entries.length,
    epoch: row.epoch,
    createdAt: row.createdAt,
    minReader: entries.reduce((version, entry) => Math.max(version, entry.v), row.minReader),
  })
}
