/** A snapshot as a new session: checked, folded once on trial, and only then kept. */
import {
  DogearError,
  driftOf,
  emptyHead,
  foldOf,
  importState,
  isEntry,
  isEntryType,
  openJournal,
  reduce,
  type Entry,
  type Fold,
  type JournalOptions,
  type NewEntries,
  type NewEntry,
  type Store,
} from '@dogear/core'
import type { Question } from '../protocol.ts'
import { shownIn, treeOf, withTree } from './import-tree.ts'
import type { Platform } from './platform.ts'
import { checkSnapshot, wholeSnapshot } from './snapshots.ts'

type Import = Extract<Question, { type: 'import' }>

/** Gives the new session's id. */
export async function importSession(
  store: Store,
  { into, agent, snapshot, version, tools }: Import,
  { platform, warn }: { platform: Platform; warn: (message: string) => void },
): Promise<string> {
  // Asked again by a page whose worker died before it could answer.
  if ((await store.session(into))?.seq) return into
  const whole = await wholeSnapshot(store, snapshot)
  const { title, from, settings, queue, ...state } = checkSnapshot(whole, agent)
  const hint = whole.runtimeHint
  // One of a session that was not open does not say its version.
  const was = hint && { ...hint, version: hint.version ?? version }
  const drift = driftOf(was, { name: agent, version, tools: tools.map((name) => ({ name })) })
  if (drift) warn(`This snapshot was taken of another agent: ${JSON.stringify(drift)}. It goes on with this one.`)
  const { clock, hash, ids } = platform
  const empty = () => foldOf(emptyHead(into, agent))
  const branches = () => treeOf(whole.session, state.messages)
  const shown = shownIn(await tried(branches, { fold: empty(), clock }), state.messages)
  const messages = shown ?? state.messages
  const imported = importState({ ...state, messages }, { agent: { name: agent }, hash, ids }, { begin: false, from })
  const { entries, turnId } = imported
  const stopped = { turnId: ids.id() }
  const first: NewEntry[] = [
    { type: 'session-start', agent, sessionId: into },
    ...(shown ? withTree(entries, branches(), shown) : entries),
    { type: 'meta-set', ...settings },
    { type: 'queue-set', queue },
    // Words that wait although nothing runs wait for a person, who had stopped what they wait for.
    ...(turnId === undefined && queue.length
      ? [
          { type: 'turn-start' as const, ...stopped, origin: 'import' as const, tainted: true },
          { type: 'turn-end' as const, ...stopped, terminalReason: 'aborted_streaming' as const },
        ]
      : []),
    // An open turn brings along who has the word.
    ...(turnId === undefined && state.agent ? [{ type: 'agent-set' as const, agent: state.agent.name }] : []),
    ...(title === undefined ? [] : [{ type: 'title-set' as const, title, source: 'person' as const }]),
  ]
  await tried(first, { fold: empty(), clock })
  const { epoch } = await store.acquire(into, { agent, at: clock.now() })
  await openJournal({ fold: empty(), clock, store, epoch }).append(first)
  return into
}

/** What cannot be read back, or not be folded, must not be kept: nobody could open it. */
async function tried(given: NewEntries, { fold, clock }: Pick<JournalOptions, 'fold' | 'clock'>): Promise<Fold> {
  let type = 'tree'
  const published = (entries: readonly Entry[]) => {
    for (const entry of entries) {
      type = entry.type
      if (!isEntryType(type) || !isEntry(entry, entry.seq)) throw new TypeError(type)
      reduce(fold, entry)
    }
  }
  await openJournal({ fold, clock, epoch: 0, published, isFoldedThere: true })
    .append(given)
    .catch(() => {
      throw new DogearError('snapshot-invalid', `This snapshot cannot be read: something is wrong with its ${type}.`)
    })
  return fold
}
