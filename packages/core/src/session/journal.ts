/** The owner's end of a session: entries are committed whole, then folded, then told to whoever listens. */
import { DogearError } from '../error.ts'
import type { Clock } from '../ports/clock.ts'
import type { Batch, Store } from '../ports/store.ts'
import { entryVersion, type Entry, type EntryBody, type Envelope } from './entry.ts'
import { foldAt, type Fold } from './fold.ts'
import type { Message } from './message.ts'
import { createPathReader } from './path-reader.ts'
import { reduce } from './reduce.ts'

/** An entry before it has its place: seq, parent and time are given when it is written. */
export type NewEntry = Unplaced<EntryBody> &
  Pick<Envelope, 'turnId' | 'stepId' | 'commandId'> & { readonly path?: Envelope['path'] }
type Unplaced<Body> = Body extends { parent: string | null } ? Omit<Body, 'parent'> : Body

export interface Beside {
  /** Inbox rows these entries answer. */
  take?: readonly number[]
  dropPartials?: readonly string[]
}

export interface Journal {
  readonly fold: Fold
  /** The calls that lead to the agent whose journal this is. */
  readonly path: readonly string[]
  /** This owner's: older ones are fenced. The head still has the last writer's until something is written. */
  readonly epoch: number
  /**
   * Resolves once the entries are committed and folded. What is appended before the running write ends shares the
   * next transaction. Rejects with `fenced` when another owner has taken over: stop, never retry. After any failure
   * the journal is over: what came later was decided in the belief that the failed entries are there.
   */
  append(entries: readonly NewEntry[], beside?: Beside): Promise<void>
  /** The bodies of the path, from the first message to the leaf. */
  messages(): Promise<Message[]>
  /** Resolves at the next commit. */
  changed(): Promise<void>
  /** The same journal, for the agent that works for this call: what it appends is written under its path. */
  child(worker: string): Journal
}

export interface JournalOptions {
  readonly fold: Fold
  readonly clock: Clock
  /** Writes one batch; absent for a journal that lives and dies with its fold. */
  readonly store?: Pick<Store, 'append' | 'entriesAt'>
  readonly epoch: number
  readonly published?: (entries: readonly Entry[]) => void
}

export function openJournal({ fold, clock, store, epoch, published }: JournalOptions): Journal {
  let waiting: Pending[] = []
  let writing = false
  let listeners: (() => void)[] = []
  let broken: { readonly by: unknown } | undefined

  async function write(): Promise<void> {
    writing = true
    while (waiting.length) {
      const batch = waiting
      waiting = []
      try {
        if (broken) throw broken.by
        const at = { epoch, at: clock.now() }
        const entries = placed(
          fold,
          batch.flatMap((pending) => pending.entries),
          at,
        )
        if (store) await commit(store, fold, { entries, ...at }, batch)
        for (const entry of entries) reduce(fold, entry)
        published?.(entries)
        for (const pending of batch) pending.resolve()
      } catch (error) {
        broken ??= { by: error }
        for (const pending of batch) pending.reject(error)
      }
      const told = listeners
      listeners = []
      for (const tell of told) tell()
    }
    writing = false
  }

  function append(entries: readonly NewEntry[], beside: Beside = {}): Promise<void> {
    return new Promise((resolve, reject) => {
      waiting.push({ entries, beside, resolve, reject })
      if (!writing) {
        writing = true
        // One tick later: results that arrive together are written together.
        void Promise.resolve().then(write)
      }
    })
  }

  function journalAt(path: readonly string[]): Journal {
    const own = foldAt(fold, path)
    return {
      fold: own,
      path,
      epoch,
      append: path.length
        ? (entries, beside) =>
            append(
              // What is a child's own already stays its own.
              entries.map((entry) => ({ path, ...entry })),
              beside,
            )
        : append,
      messages: createPathReader(own, store),
      changed: () => new Promise((resolve) => listeners.push(resolve)),
      child: (worker) => journalAt([...path, worker]),
    }
  }

  return journalAt(ownPath)
}

interface Pending {
  readonly entries: readonly NewEntry[]
  readonly beside: Beside
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

interface Written {
  readonly epoch: number
  readonly at: number
  readonly entries: readonly Entry[]
}

function placed(fold: Fold, entries: readonly NewEntry[], { epoch, at }: Omit<Written, 'entries'>): Entry[] {
  let { seq } = fold.head
  const own = { leaf: fold.head.leaf }
  const tips: Record<string, typeof own> = {}
  return entries.map((entry) => {
    const { path = ownPath } = entry
    const tip = path.length ? (tips[path.join()] ??= { leaf: leafAt(fold, path) }) : own
    const parent = hasParent(entry) && { parent: tip.leaf }
    // The spread comes last: in V8, adding keys to an object that a spread began takes microseconds.
    const written = { v: entryVersion, seq, id: `${epoch}.${seq}`, at, epoch, path, ...parent, ...entry }
    seq += 1
    tip.leaf = leafAfter(entry, tip.leaf)
    return written as Entry
  })
}

/** To be written again, in another journal. */
export function unplaced(entry: Entry): NewEntry {
  const { v: _v, seq: _seq, id: _id, at: _at, epoch: _epoch, ...rest } = entry
  if (!('parent' in rest)) return rest
  const { parent: _parent, ...body } = rest
  return body
}

function leafAt(fold: Fold | undefined, [key, ...rest]: readonly string[]): string | null {
  return key === undefined ? (fold?.head.leaf ?? null) : leafAt(fold?.children.get(key), rest)
}

/** The session's own agent wrote it. */
const ownPath: readonly string[] = []

function hasParent({ type }: NewEntry): boolean {
  return type === 'message-add' || type === 'tool-result'
}

function leafAfter(entry: NewEntry, leaf: string | null): string | null {
  if (entry.type === 'message-add') return entry.message.id
  if (entry.type === 'tool-result') return `${entry.callId}.r`
  if (entry.type === 'state-import') return entry.messages.at(-1)?.id ?? leaf
  return entry.type === 'cursor-set' ? entry.leaf : leaf
}

async function commit(
  store: Pick<Store, 'append'>,
  fold: Fold,
  { epoch, at, entries }: Written,
  batch: readonly Pending[],
): Promise<void> {
  const take = batch.flatMap((pending) => pending.beside.take ?? [])
  const dropPartials = batch.flatMap((pending) => pending.beside.dropPartials ?? [])
  const answer = await store.append({
    sessionId: fold.head.sessionId,
    epoch,
    expectedSeq: fold.head.seq,
    entries,
    record: recordAfter(fold, entries, at),
    ...(take.length > 0 && { take }),
    ...(dropPartials.length > 0 && { dropPartials }),
  })
  if (answer === 'fenced') {
    throw new DogearError('fenced', 'Another tab has taken over this session. This tab follows it from now on.')
  }
}

/** What the session's row says once these entries are in. */
function recordAfter({ head }: Fold, entries: readonly Entry[], updatedAt: number): Batch['record'] {
  let { title } = head
  let messageCount = head.nodes.length
  const waiting = new Set(head.requests.map((request) => request.id))
  for (const entry of entries) {
    if (entry.type === 'request-open') waiting.add(entry.request.id)
    if (entry.type === 'request-close') waiting.delete(entry.requestId)
    if (entry.path.length) continue
    if (entry.type === 'title-set') title = entry.title
    if (entry.type === 'message-add' || entry.type === 'tool-result') messageCount += 1
    if (entry.type === 'state-import') messageCount += entry.messages.length
    if (entry.type === 'turn-end') waiting.clear()
  }
  const { tag, archived } = head.settings
  return { updatedAt, messageCount, waiting: waiting.size, title, tag, archived }
}
