/** Messages with their branches as the first entries of another journal: where each goes on, and what holds there. */
import type { EntryBody } from './entry.ts'
import type { Message } from './message.ts'
import type { Place } from './state.ts'
import type { Tree } from './tree.ts'

export type TreeEntry = Extract<EntryBody, { type: 'state-import' }> | ({ readonly type: 'cursor-set' } & Place)

/** In the order they were written: each behind one that came before it. */
export function treeEntries(
  written: readonly { readonly message: Message; readonly parent: string | null }[],
  tree: Tree,
): TreeEntry[] {
  // A plan may be older than the first message.
  let place = tree.placeAt(null)
  const entries: TreeEntry[] = [{ type: 'cursor-set', ...place }]
  let together: Message[] = []

  function move(to: Place): void {
    if (together.length) entries.push({ type: 'state-import', messages: together, plan: null })
    together = []
    entries.push({ type: 'cursor-set', ...to })
  }

  for (const { message, parent } of written) {
    if (parent !== place.leaf) move((place = tree.placeAt(parent)))
    together.push(message)
    const here = tree.placeAt(message.id)
    // Where it changed and not only at the end: going back in the copy finds what held there.
    if (here.scope !== place.scope) move(here)
    place = here
  }
  move(place)
  return entries
}
