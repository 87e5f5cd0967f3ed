/** Ids that count: the same run gives the same ids. */
import type { Ids } from '@dogear/core'

/** `id-1`, `id-2` …; another `seed` keeps the ids of two hosts apart. */
export function countingIds(seed = 'id'): Ids {
  let count = 0
  return { id: () => `${seed}-${(count += 1)}` }
}
