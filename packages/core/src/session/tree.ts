/** The tree of a session as its journal tells it: which way was gone last, and what held at each message. */
import type { Store } from '../ports/store.ts'
import { emptyHead, foldOf, pathOf } from './fold.ts'
import { reduce } from './reduce.ts'
import type { Entry } from './entry.ts'
import type { Head, Place, Scope } from './state.ts'

export interface Tree {
  /** Where a walk down from here ends: at every message by the child that was visited last. */
  leafBelow(id: string): string
  /** What held when this message was the last of the path, for the last time. */
  placeAt(leaf: string | null): Place
}

const entriesAtOnce = 1000

/**
 * Folds the whole journal once more. A head keeps no history of plans and summaries: it is written with every turn,
 * while moving to another branch is a person's rare act. `see` is told each entry on the way.
 */
export async function readTree(
  store: Pick<Store, 'entries'>,
  { sessionId, agent, seq }: Head,
  see: (entry: Entry) => void = () => {},
): Promise<Tree> {
  const fold = foldOf(emptyHead(sessionId, agent))
  const visited = new Map<string | null, string>()
  let scope = scopeOf(fold.head)
  const scopes = new Map<string | null, Scope>([[null, scope]])

  function take(entry: Entry): void {
    const known = fold.head.nodes.length
    reduce(fold, entry)
    if (isChanged(scope, fold.head)) scope = scopeOf(fold.head)
    scopes.set(fold.head.leaf, scope)
    const way = entry.type === 'cursor-set' ? pathOf(fold) : fold.head.nodes.slice(known)
    for (const { parent, id } of way) visited.set(parent, id)
    see(entry)
  }

  for (let from = 0; from < seq; from += entriesAtOnce) {
    const entries = await store.entries(sessionId, from, Math.min(from + entriesAtOnce, seq))
    entries.forEach(take)
    fold.bodies.clear()
  }
  return {
    leafBelow(id) {
      let leaf = id
      for (let next = visited.get(leaf); next !== undefined; next = visited.get(leaf)) leaf = next
      return leaf
    },
    placeAt(leaf) {
      let at = leaf
      // One of many messages that were imported at once: what came with them holds at the last of them.
      while (at !== null && !scopes.has(at)) at = fold.nodes.get(at)?.parent ?? null
      return { leaf, scope: scopes.get(at) ?? scope }
    },
  }
}

/** What belongs to the path. */
export function scopeOf({ plan, compaction, reflections, slices, activeAgent }: Scope): Scope {
  return { plan, compaction, reflections, slices, ...(activeAgent !== undefined && { activeAgent }) }
}

function isChanged(scope: Scope, head: Head): boolean {
  return (['plan', 'compaction', 'reflections', 'slices', 'activeAgent'] as const).some(
    (key) => scope[key] !== head[key],
  )
}
