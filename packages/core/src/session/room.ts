/** Room for results: no call begins before its result has a place, also on a disk that is full by then. */
import type { Entry } from './entry.ts'
import type { Head } from './state.ts'
import type { Store } from '../ports/store.ts'

/** For how many results there must be room once these entries are in; undefined when that needs no change. */
export function roomAfter(head: Head, entries: readonly Entry[], ballast: number): number | undefined {
  if (entries.some(({ type, path }) => type === 'turn-end' && !path.length)) {
    return head.turn?.toolCallCount ? 0 : undefined
  }
  if (!entries.some(({ type }) => type === 'tool-intent')) return undefined
  const begun = new Set(begunCalls(head))
  for (const entry of entries) {
    if (entry.type === 'tool-intent') begun.add(entry.callId)
    if (entry.type === 'tool-result') begun.delete(entry.callId)
  }
  return begun.size > ballast ? begun.size : undefined
}

/** Gives the room of one result free, on a full disk; false when there is none left. */
export async function makeRoom(store: Pick<Store, 'sides' | 'saveSide'>, sessionId: string): Promise<boolean> {
  const last = (await store.sides('ballast', sessionId)).at(-1)
  if (last) await store.saveSide('ballast', sessionId, last.id, undefined)
  return last !== undefined
}

function begunCalls({ turn, children }: Head): string[] {
  const own = turn?.calls.filter(({ intent, done }) => intent && !done).map(({ callId }) => callId) ?? []
  return [...own, ...Object.values(children).flatMap(begunCalls)]
}
