/** Loading a session: its cached head, the entries since, and the bodies a page shows first. */
import {
  bodyOf,
  DogearError,
  emptyHead,
  entryVersion,
  foldOf,
  isEntryType,
  lostMessage,
  newerSession,
  pathOf,
  reduce,
  type Entry,
  type Fold,
  type Message,
  type SessionRecord,
  type Store,
} from '@dogear/core'

/** How many of the newest messages are loaded when a session opens. */
const bodiesAtOnce = 50

export async function loadFold(store: Store, sessionId: string, agent: string): Promise<Fold> {
  const { fold, newer } = await loadPartly(store, sessionId, agent)
  if (newer) throw newer
  return fold
}

/** A session that a newer script has written is given as far as this one can read it, with `newer`. */
export async function loadPartly(store: Store, sessionId: string, agent: string): Promise<Loaded> {
  const record = await store.session(sessionId)
  if (record && record.agent !== agent) throw otherAgent(sessionId, record.agent, agent)
  // A head that a newer script cached may hold what this one cannot read.
  const isNewer = record !== undefined && record.minReader > entryVersion
  const fold = foldOf((record && !isNewer && (await store.head(sessionId))) || emptyHead(sessionId, agent))
  const { newer } = await catchUp(store, fold)
  return { fold, newer: isNewer ? newerSession(sessionId) : newer }
}

interface Loaded {
  readonly fold: Fold
  readonly newer?: DogearError
}

/** Of a session that must be there, and this agent's. */
export async function knownRow(store: Store, agent: string | undefined, sessionId: string): Promise<SessionRecord> {
  const row = await store.session(sessionId)
  if (!row) {
    throw new DogearError(
      'session-missing',
      `There is no session "${sessionId}" on this device. agent.sessions.list() gives those there are.`,
    )
  }
  if (agent !== undefined && row.agent !== agent) throw otherAgent(sessionId, row.agent, agent)
  return row
}

export function otherAgent(sessionId: string, owner: string, agent: string): DogearError {
  return new DogearError(
    'session-agent-mismatch',
    `Session "${sessionId}" belongs to agent "${owner}", not "${agent}". Open it with that agent, or choose another id.`,
  )
}

/** Folds what others have appended, and gives it; `newer` when only a newer script could read on. */
export async function catchUp(store: Store, fold: Fold): Promise<{ entries: Entry[]; newer?: DogearError }> {
  const entries = await store.entries(fold.head.sessionId, fold.head.seq)
  const unreadable = entries.findIndex((entry) => entry.v > entryVersion || !isEntryType(entry.type))
  const readable = unreadable === -1 ? entries : entries.slice(0, unreadable)
  for (const entry of readable) reduce(fold, entry)
  return { entries: readable, ...(unreadable !== -1 && { newer: newerSession(fold.head.sessionId) }) }
}

export async function newestBodies(store: Store, fold: Fold, count = bodiesAtOnce): Promise<Message[]> {
  return bodiesOf(
    store,
    fold,
    pathOf(fold)
      .slice(-count)
      .map((node) => node.id),
  )
}

export async function bodiesOf(store: Store, fold: Fold, ids: readonly string[]): Promise<Message[]> {
  const nodes = ids.flatMap((id) => fold.nodes.get(id) ?? [])
  const missing = nodes.filter((node) => !fold.bodies.has(node.id))
  const entries = missing.length
    ? await store.entriesAt(fold.head.sessionId, [...new Set(missing.map((node) => node.seq))])
    : []
  const bySeq = new Map(entries.map((entry) => [entry.seq, entry]))
  return nodes.map((node) => {
    const entry = bySeq.get(node.seq)
    const body = fold.bodies.get(node.id) ?? (entry && bodyOf(entry, node.index))
    // A page that waits for a message that is nowhere would ask for it for ever.
    return body?.id === node.id ? body : lostMessage(node.id)
  })
}
