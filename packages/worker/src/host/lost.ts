/** What a page has seen in the store, and the store no longer has. */
import { DogearError, toErrorData, type ErrorData, type Store } from '@dogear/core'
import type { Witnessed } from '../client/witness.ts'

export interface Lost {
  readonly error: ErrorData
  /** The session at hand has lost its end: going on from there might repeat what was done after it. */
  readonly isShort: boolean
}

export async function lostSince(store: Store, witnessed: Witnessed, sessionId: string): Promise<Lost | undefined> {
  const rows = await Promise.all(witnessed.map(([id]) => store.session(id)))
  const missing = witnessed.filter((_, at) => !rows[at]).map(([id]) => id)
  const isShort = witnessed.some(([id, seq], at) => id === sessionId && (rows[at]?.seq ?? seq) < seq)
  if (missing.length === 0 && !isShort) return undefined
  const what = [
    ...(missing.length ? [`${missing.length} of the newest sessions`] : []),
    ...(isShort ? ['the end of this one'] : []),
  ].join(' and ')
  const error = new DogearError(
    'history-lost',
    `The browser has lost ${what}: it was short of space, its files were damaged, or somebody deleted them. ` +
      'What is left is shown, and session.resume() goes on from there.',
    { details: { missing } },
  )
  return { error: toErrorData(error), isShort }
}
