/** Loading a session: its cached head, the entries since, and the bodies a page shows first. */
import {
  bodyOf,
  DogearError,
  emptyHead,
  entryVersion,
  foldOf,
  pathOf,
  reduce,
  type Entry,
  type Fold,
  type Message,
  type Store,
} from '@dogear/core'

/** How many of the newest messages are loaded when a session opens. */
const bodiesAtOnce = 50

export async function loadFold(store: Store, sessionId: string, agent: string): Promise<Fold> {
  const record = await store.session(sessionId)
  if (record && record.agent !== agent) throw otherAgent(sessionId, record.agent, agent)
  if (record && record.minReader > entryVersion) throw newerSession(sessionId)
  const fold = foldOf((record && (await store.head(sessionId))) ?? emptyHead(sessionId, agent))
  await catchUp(store, fold)
  return fold
}

export function otherAgent(sessionId: string, owner: string, agent: string): DogearError {
  return new DogearError(
    'session-agent-mismatch',
    `Session "${sessionId}" belongs to agent "${owner}", not "${agent}". Open it with that agent, or choose another id.`,
  )
}

/** Folds what others have appended, and gives it. */
export async function catchUp(store: Store, fold: Fold): Promise<Entry[]> {
  const entries = await store.entries(fold.head.sessionId, fold.head.seq)
  for (const entry of entries) {
    if (entry.v > entryVersion) throw newerSession(fold.head.sessionId)
    reduce(fold, entry)
  }
  return entries
}

export async function newestBodies(store: Store, fold: Fold): Promise<Message[]> {
  return bodiesOf(
    store,
    fold,
    pathOf(fold)
      .slice(-bodiesAtOnce)
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
  return nodes.flatMap((node) => {
    const entry = bySeq.get(node.seq)
    return fold.bodies.get(node.id) ?? (entry && bodyOf(entry, node.index)) ?? []
  })
}

function newerSession(sessionId: string): DogearError {
  return new DogearError(
    'session-newer',
    `Session "${sessionId}" was written by a newer version of this page. Reload to continue.`,
  )
}
