/** A session's row: how it is born, who may append under it, and what it becomes. */
import { DogearError, entryVersion, newerSession, type Batch, type Entry, type SessionRecord } from '@dogear/core'

/** The row under its next owner. What of it cannot be read is made anew; how long the journal is, the journal knows best. */
export function acquired(
  row: SessionRecord | undefined,
  sessionId: string,
  { agent, at }: { agent: string; at: number },
  last?: { readonly seq: number; readonly epoch: unknown },
): SessionRecord {
  if (count(row?.minReader, 0) > entryVersion) throw newerSession(sessionId)
  const known = count(last?.epoch, 0)
  const { asks, status, title, titledBy, tag, archived } = row ?? ({} as Partial<SessionRecord>)
  return {
    ...(Array.isArray(asks) && { asks }),
    ...(typeof status === 'string' && { status }),
    ...(typeof title === 'string' && { title }),
    ...(typeof titledBy === 'string' && { titledBy }),
    ...(typeof tag === 'string' && { tag }),
    ...(typeof archived === 'boolean' && { archived }),
    id: sessionId,
    agent: typeof row?.agent === 'string' ? row.agent : agent,
    seq: last ? last.seq + 1 : 0,
    // Past any that an owner may have had without writing.
    epoch: count(row?.epoch, row || last ? known + 1000 : 0) + 1,
    createdAt: count(row?.createdAt, at),
    updatedAt: count(row?.updatedAt, at),
    messageCount: count(row?.messageCount, 0),
    waiting: count(row?.waiting, 0),
    minReader: count(row?.minReader, 0),
  }
}

function count(value: unknown, otherwise: number): number {
  return Number.isSafeInteger(value) ? (value as number) : otherwise
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
  return Object.assign({ updatedAt: row.updatedAt }, record, {
    id: row.id,
    agent: row.agent,
    seq: row.seq + entries.length,
    epoch: row.epoch,
    createdAt: row.createdAt,
    minReader: entries.reduce((version, entry) => Math.max(version, entry.v), row.minReader),
  })
}
