/** A journal without what a fault may change: times, epochs, the mark where it went on, and that a tool that may was tried again. */
import type { Entry } from '@dogear/core'

export function normalJournal(entries: readonly Entry[]): unknown[] {
  const volatile = [
    'at',
    'epoch',
    'id',
    'seq',
    'createdAt',
    'openedAt',
    'lastUpdated',
    'resumedAt',
    'durationMs',
    'page',
  ]
  const isEntry = (value: unknown) => typeof value === 'object' && value !== null && 'seq' in value
  return JSON.parse(
    JSON.stringify(
      entries.filter((entry) => entry.type !== 'tool-intent' || entry.attempt === 1),
      function (this: unknown, key, value) {
        if (key === 'id' && !isEntry(this)) return value
        return volatile.includes(key) ? undefined : value
      },
    ),
  )
}
