/** The messages of a session's path, read once: a step of a long session must not cost more than one of a short. */
import type { Store } from '../ports/store.ts'
import { pathOf, type Fold } from './fold.ts'
import type { Message } from './message.ts'
import { bodyOf } from './body.ts'
import type { Node } from './state.ts'

/** Reads from the first message to the leaf. Bodies that are not loaded come from the store. */
export function createPathReader(fold: Fold, store?: Pick<Store, 'entriesAt'>): () => Promise<Message[]> {
  let known: { readonly leaf: string | null; readonly messages: Message[] } = { leaf: null, messages: [] }

  return async () => {
    const { leaf } = fold.head
    const path = pathOf(fold, known.leaf)
    // Not after a move to another branch, whose path never comes by the leaf known before.
    const isContinued = (path[0]?.parent ?? leaf) === known.leaf
    const before = isContinued ? known.messages : []
    const { length } = before
    const missing = store ? path.filter((node) => !fold.bodies.has(node.id)) : []
    if (missing.length && store) await load(fold, store, missing)
    // Another reading may have gone on with them while this one waited.
    const messages = missing.length ? before.slice(0, length) : before
    for (const node of path) {
      const body = node.cut ? undefined : fold.bodies.get(node.id)
      if (body) messages.push(body)
    }
    known = { leaf, messages }
    return [...messages]
  }
}

async function load(fold: Fold, store: Pick<Store, 'entriesAt'>, missing: readonly Node[]): Promise<void> {
  const entries = await store.entriesAt(fold.head.sessionId, [...new Set(missing.map((node) => node.seq))])
  const bySeq = new Map(entries.map((entry) => [entry.seq, entry]))
  for (const node of missing) {
    const entry = bySeq.get(node.seq)
    const body = entry && bodyOf(entry, node.index)
    if (body) fold.bodies.set(node.id, body)
  }
}
