/** Ballast: records that hold nothing but room, deleted when a result must be written to a full disk. */
import { resultLimit } from '@dogear/core'

/** Two bytes a character, and a little for what stands around the result. */
const bytes = 2 * resultLimit + 4096

/** What is missing until there are so many. */
export function ballastIds(kept: readonly string[], count: number): string[] {
  const ids: string[] = []
  for (let next = 0; kept.length + ids.length < count; next += 1) {
    if (!kept.includes(`${next}`)) ids.push(`${next}`)
  }
  return ids
}

/** Random: a disk that compresses would keep no room by zeroes. */
export function ballast(): Uint8Array {
  const room = new Uint8Array(bytes)
  const atOnce = 65_536
  for (let at = 0; at < bytes; at += atOnce) crypto.getRandomValues(room.subarray(at, at + atOnce))
  return room
}
