/** Forks a session: its path up to a message, written as a session of its own. */
import {
  DogearError,
  emptyHead,
  endOfStep,
  foldOf,
  forkEntries,
  nodeNamed,
  openJournal,
  pathOf,
  readTree,
  refuseUnlessIdle,
  type Fold,
  type NewEntry,
  type Store,
} from '@dogear/core'
import type { Question } from '../protocol.ts'
import { bodiesOf } from './load.ts'
import type { Platform } from './platform.ts'

export async function forkSession(
  { clock }: Platform,
  { store, fold }: { store: Store; fold: Fold },
  { into, at, title }: Extract<Question, { type: 'fork' }>,
): Promise<string> {
  const { head } = fold
  const isTaken = (await store.session(into))?.seq
  if (!isTaken) refuseUnlessIdle(head)
  const leaf = at === undefined ? head.leaf : endOfStep(fold, nodeNamed(fold, at).id)
  const path = pathOf({ ...fold, head: { ...head, leaf } }).map(({ id }) => id)
  const [tree, messages] = await Promise.all([readTree(store, head), bodiesOf(store, fold, path)])
  const entries = forkEntries({ head, tree, messages, into, title })
  if (isTaken) {
    // Asked again by a page whose worker died before it could answer.
    if (copied(await store.entries(into, 0, entries.length)) === copied(entries)) return into
    throw new DogearError('session-exists', `There is a session "${into}" already. Give another id, or none.`)
  }
  const { epoch } = await store.acquire(into, { agent: head.agent, at: clock.now() })
  await openJournal({ fold: foldOf(emptyHead(into, head.agent)), clock, store, epoch }).append(entries)
  return into
}

/** Which messages, of which session. */
function copied(entries: readonly NewEntry[]): string {
  return JSON.stringify(
    entries.flatMap((entry) =>
      entry.type === 'state-import' ? [entry.from, ...entry.messages.map(({ id }) => id)] : [],
    ),
  )
}
