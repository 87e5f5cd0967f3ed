/** The owner's end of a session: entries are committed whole, then folded, then told to whoever listens. */
import { DogearError } from '../error.ts'
import type { Clock } from '../ports/clock.ts'
import type { Batch, Store } from '../ports/store.ts'
import { makeRoom, roomAfter } from './room.ts'
import { entryVersion, type Entry, type EntryBody, type Envelope } from './entry.ts'
import { foldAt, type Fold } from './fold.ts'
import type { Message } from './message.ts'
import { createPathReader } from './path-reader.ts'
import { reduce } from './reduce.ts'

/** An entry before it has its place: seq, parent and time are given when it is written. */
export type NewEntry = Unplaced<EntryBody> &
  Pick<Envelope, 'turnId' | 'stepId' | 'commandId'> & { readonly path?: Envelope['path'] }
type Unplaced<Body> = Body extends { parent: string | null } ? Omit<Body, 'parent'> : Body

export type NewEntries = readonly NewEntry[] | (() => readonly NewEntry[])

export interface Beside {
  /** Inbox rows these entries answer. */
  take?: readonly number[]
  dropPartials?: readonly string[]
  /** The end of something that has happened already: when the disk is full it may use the room kept for it. */
  must?: boolean
}

export interface Journal {
  readonly fold: Fold
  /** The calls that lead to the agent whose journal this is. */
  readonly path: readonly string[]
  /** This owner's: older ones are fenced. The head still has the last writer's until something is written. */
  readonly epoch: number
  /**
   * Resolves once the entries are committed and folded. What is appended before the running write ends shares the
   * next transaction. When the disk is full it waits for room. Rejects with `fenced` when another owner has taken over:
   * stop, never retry. After any failure the journal is over: what came later was decided in the belief that the failed
   * entries are there. A function is called when everything before it is folded, and anew for another try: what it
   * decides cannot be out of date.
   */
  append(entries: NewEntries, beside?: Beside): Promise<void>
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
  readonly store?: Pick<Store, 'append' | 'entriesAt' | 'sides' | 'saveSide'>
  readonly epoch: number
  readonly published?: (entries: readonly Entry[]) => void
  /** `published` folds into this very fold, entry by entry: what it reads of it is as it was at each. */
  readonly isFoldedThere?: boolean
  /** The disk is full: resolves when trying again is worth it, or when `signal` says so. Without it, that is a failure. */
  readonly full?: (refusal: DogearError, signal: AbortSignal) => Promise<void>
}

export function openJournal(options: JournalOptions): Journal {
  const { fold, clock, store, epoch, published, full } = options
  let waiting: Pending[] = []
  let writing = false
  let listeners: (() => void)[] = []
  let broken: { readonly by: unknown } | undefined
  /** For how many results this owner knows to have room. */
  let ballast = 0
  let isFull = false
  /** Set while this waits for room: what must be written need not. */
  let hurry = () => {}

  async function write(): Promise<void> {
    writing = true
    while (waiting.length) {
      const batch = nextBatch()
      waiting = waiting.filter((pending) => !batch.includes(pending))
      try {
        if (broken) throw broken.by
        const refusal = await commit(batch)
        if (refusal) {
          await roomFor(batch, refusal)
          continue
        }
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

  function nextBatch(): readonly Pending[] {
    const first = isFull ? waiting.filter(({ beside }) => beside.must) : []
    const queue = first.length ? first : waiting
    const later = queue.findIndex(({ entries }, index) => index > 0 && typeof entries === 'function')
    return later < 0 ? queue : queue.slice(0, later)
  }

  /** Gives the error when there is no room; nothing is written then. */
  async function commit(batch: readonly Pending[]): Promise<DogearError | undefined> {
    const at = { epoch, at: clock.now() }
    const entries = placed(
      fold,
      batch.flatMap(({ entries: given }) => (typeof given === 'function' ? given() : given)),
      at,
    )
    try {
      const room = roomAfter(fold.head, entries, ballast)
      if (store) await save(store, fold, { entries, ...at, ballast: room }, batch)
      ballast = room ?? ballast
    } catch (error) {
      if (!full || !(error instanceof DogearError) || error.code !== 'storage-full') throw error
      return error
    }
    isFull = false
    if (!options.isFoldedThere) for (const entry of entries) reduce(fold, entry)
    published?.(entries)
    return undefined
  }

  /** On a full disk the results of what has run go first, into the room kept for them; all else waits. */
  async function roomFor(batch: readonly Pending[], refusal: DogearError): Promise<void> {
    const isMust = ({ beside }: Pending) => beside.must === true
    waiting = [...batch, ...waiting]
    isFull = true
    try {
      if (waiting.some(isMust)) {
        const isMade = store && (await makeRoom(store, fold.head.sessionId))
        if (isMade) ballast = 0
        if (isMade || !batch.every(isMust)) return
      }
      const over = new AbortController()
      hurry = () => over.abort()
      await full?.(refusal, over.signal)
      isFull = over.signal.aborted
    } catch (error) {
      broken ??= { by: error }
    } finally {
      hurry = () => {}
    }
  }

  function append(entries: NewEntries, beside: Beside = {}): Promise<void> {
    return new Promise((resolve, reject) => {
      waiting.push({ entries, beside, resolve, reject })
      if (beside.must) hurry()
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
            append(typeof entries === 'function' ? () => under(path, entries()) : under(path, entries), beside)
        : append,
      messages: createPathReader(own, store),
      changed: () => new Promise((resolve) => listeners.push(resolve)),
      child: (worker) => journalAt([...path, worker]),
    }
  }

  return journalAt(ownPath)
}

/** What is a child's own already stays its own. */
function under(path: readonly string[], entries: readonly NewEntry[]): NewEntry[] {
  return entries.map((entry) => ({ path, ...entry }))
}

interface Pending {
  readonly entries: NewEntries
  readonly beside: Beside
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

interface Written {
  readonly epoch: number
  readonly at: number
  readonly entries: readonly Entry[]
  readonly ballast?: number
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

async function save(
  store: Pick<Store, 'append'>,
  fold: Fold,
  { epoch, at, entries, ballast }: Written,
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
    ...(ballast !== undefined && { ballast }),
  })
  if (answer === 'fenced') {
    throw new DogearError('fenced', 'Another tab has taken over this session. This tab follows it from now on.')
  }
}

/** What the session's row says once these entries are in. */
function recordAfter({ head }: Fold, entries: readonly Entry[], updatedAt: number): Batch['record'] {
  let { title, titledBy } = head
  let { tag, archived } = head.settings
  let messageCount = head.nodes.length
  let isAtWork = head.turn !== null
  const waiting = new Map(head.requests.map((request) => [request.id, request.label ?? request.tool]))
  for (const entry of entries) {
    if (entry.type === 'request-open') waiting.set(entry.request.id, entry.request.label ?? entry.request.tool)
    if (entry.type === 'request-close') waiting.delete(entry.requestId)
    if (entry.path.length) continue
    if (entry.type === 'title-set') ({ title, source: titledBy } = entry)
    if (entry.type === 'meta-set') ({ tag = tag, archived = archived } = entry)
    if (entry.type === 'message-add' || entry.type === 'tool-result') messageCount += 1
    if (entry.type === 'state-import') messageCount += entry.messages.length
    if (entry.type === 'turn-start') isAtWork = true
    if (entry.type !== 'turn-end') continue
    isAtWork = false
    waiting.clear()
  }
  // A new name or tag is no news: the session keeps its place in the list.
  const isNews = !entries.length || entries.some(({ type }) => type !== 'title-set' && type !== 'meta-set')
  const asks = waiting.size ? [...new Set(waiting.values())] : undefined
  const status = !isAtWork ? 'idle' : waiting.size ? 'paused' : 'busy'
  const counts = { messageCount, waiting: waiting.size, asks, status } as const
  const record = { ...counts, title, titledBy, tag: tag ?? undefined, archived }
  return isNews ? { updatedAt, ...record } : record
}
