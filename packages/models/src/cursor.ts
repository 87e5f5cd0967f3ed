/**
 * Where to re-attach a stream: the id of the last event read and, once it was said, why the answer ends.
 * Without the ending, a stream re-attached behind it would look cut for ever.
 */
import type { FinishReason } from '@dogear/core'

/** An event's id has no line break, so that a second line cannot be part of it. */
export function toCursor(id: string, finish: FinishReason | undefined): string {
  return finish ? `${id}\n${finish}` : id
}

export function idOf(cursor: string): string {
  return cursor.split('\n', 1)[0] ?? ''
}

export function finishOf(cursor: string): FinishReason | undefined {
  // Only `toCursor` writes a second line.
  return cursor.split('\n')[1] as FinishReason | undefined
}
