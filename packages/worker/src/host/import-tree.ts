/** The branches of a snapshot, which may come from a file: what was said beside the path that is shown, and what was cut off in it. */
import {
  emptyHead,
  isCut,
  pathOf,
  scopeOf,
  type Fold,
  type Message,
  type NewEntry,
  type SessionPart,
  type TreeEntry,
} from '@dogear/core'

const nothing = scopeOf(emptyHead('', ''))

export function treeOf(part: SessionPart | undefined, messages: readonly Message[]): TreeEntry[] {
  const known = new Map(messages.map((message) => [message.id, message]))
  return (part?.tree ?? []).map((step) =>
    step.type === 'cursor-set'
      ? { type: 'cursor-set', leaf: step.leaf, scope: { ...nothing, ...step.scope } }
      : {
          type: 'state-import',
          messages: step.messages.flatMap((each) => (typeof each === 'string' ? (known.get(each) ?? []) : each)),
          plan: null,
        },
  )
}

/** What the tree shows, with what was cut off; undefined when the snapshot's messages are no longer those of its tree. */
export function shownIn(fold: Fold, messages: readonly Message[]): Message[] | undefined {
  const path = pathOf(fold)
  const said = path.filter(({ cut }) => !cut)
  // One that could not be read when it was exported would cost all branches.
  const known = messages.filter(({ meta }) => !isCut(meta))
  const isSame = said.length === known.length && said.every(({ id }, index) => id === known[index]?.id)
  return isSame ? path.flatMap(({ id }) => fold.bodies.get(id) ?? []) : undefined
}

/** An imported state with its branches. What an open turn has said stays with the turn. */
export function withTree([held, ...rest]: readonly NewEntry[], tree: readonly TreeEntry[], shown: readonly Message[]) {
  if (held?.type !== 'state-import') return []
  const own = new Set<string | null>(shown.slice(held.messages.length).map(({ id }) => id))
  const branches = tree.flatMap((entry): NewEntry | [] => {
    if (entry.type === 'cursor-set') return own.has(entry.leaf) ? [] : entry
    return { ...entry, messages: entry.messages.filter(({ id }) => !own.has(id)) }
  })
  const last = tree.at(-1)
  // The state has these itself.
  const { plan, compaction, reflections } = nothing
  const scope = { ...(last?.type === 'cursor-set' ? last.scope : nothing), plan, compaction, reflections }
  const leaf = held.messages.at(-1)?.id ?? null
  return [...branches, { type: 'cursor-set' as const, leaf, scope }, { ...held, messages: [] }, ...rest]
}
