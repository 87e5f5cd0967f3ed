/** Moves in the tree of a session: to another branch, to other words, to another answer. Only while it is idle. */
import { DogearError } from '../error.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'
import type { Command } from '../session/command.ts'
import type { Fold } from '../session/fold.ts'
import type { Journal, NewEntry } from '../session/journal.ts'
import { isFromPerson } from '../session/message.ts'
import { bodyOf } from '../session/body.ts'
import type { Head, Node } from '../session/state.ts'
import { readTree, scopeOf } from '../session/tree.ts'
import { turnEntries, type Beginning } from './begin.ts'
import type { RunAgent } from './run.ts'

export interface Mover {
  readonly journal: Journal
  readonly store: Pick<Store, 'entries' | 'entriesAt'>
  readonly agent: RunAgent
  readonly clock: Clock
  /** Aborts when this host lets go of the session. */
  readonly signal: AbortSignal
}

type Moved<T extends Command['type']> = Omit<Extract<Command, { type: T }>, 'sessionId' | 'at'>

export async function gotoEntries({ journal, store }: Mover, command: Moved<'goto'>): Promise<NewEntry[]> {
  const { fold } = journal
  refuseUnlessIdle(fold.head)
  const { messageId, exact, commandId } = command
  const target = messageId === null ? null : nodeNamed(fold, messageId).id
  const tree = await readTree(store, fold.head)
  const leaf = target === null ? null : exact ? endOfStep(fold, target) : tree.leafBelow(target)
  return [{ type: 'cursor-set', commandId, ...tree.placeAt(leaf) }]
}

export async function editEntries(mover: Mover, { messageId, content, commandId }: Moved<'edit'>): Promise<NewEntry[]> {
  const { fold } = mover.journal
  refuseUnlessIdle(fold.head)
  if (content.length === 0) throw new DogearError('input-invalid', 'There is nothing to send: give it some text.')
  const node = nodeNamed(fold, messageId)
  if (!(await isWords(mover, node))) {
    throw new DogearError('input-invalid', 'Only the words of a person can be edited: give the id of a user message.')
  }
  return branchEntries(mover, node.parent, { commandId, content })
}

export async function regenerateEntries(
  mover: Mover,
  { messageId, commandId, model }: Moved<'regenerate'> & Pick<Beginning, 'model'>,
): Promise<NewEntry[]> {
  const { fold } = mover.journal
  refuseUnlessIdle(fold.head)
  let id = messageId === undefined ? fold.head.leaf : nodeNamed(fold, messageId).id
  while (id !== null) {
    const node = nodeNamed(fold, id)
    if (await isWords(mover, node)) return branchEntries(mover, id, { commandId, model })
    id = node.parent
  }
  throw new DogearError('input-invalid', 'There is no answer yet that could be given anew.')
}

/** A turn that goes on from an earlier place. Where it left from is kept with it. */
async function branchEntries(
  { journal, store, agent, clock }: Mover,
  leaf: string | null,
  begin: Beginning,
): Promise<NewEntry[]> {
  const { fold } = journal
  const tree = await readTree(store, fold.head)
  const back = { leaf: fold.head.leaf, scope: scopeOf(fold.head) }
  const first: NewEntry = { type: 'cursor-set', ...tree.placeAt(leaf) }
  return [first, ...turnEntries(fold, agent, clock, { ...begin, back })]
}

/**
 * The way back from a branch that ends before anything was said in it. What was said is kept and shown; so are new
 * words that others already wait behind.
 */
export function wayBack(fold: Fold, ending: readonly NewEntry[]): { entries: NewEntry[]; from?: string } {
  const { turn, queue, leaf } = fold.head
  if (!turn?.back || queue.length || leaf === null || ending.some(({ type }) => type === 'message-add')) {
    return { entries: [] }
  }
  const isSilent = leaf === `${turn.id}.u` || fold.nodes.get(leaf)?.turnId !== turn.id
  return isSilent ? { entries: [{ type: 'cursor-set', turnId: turn.id, ...turn.back }], from: leaf } : { entries: [] }
}

export function refuseUnlessIdle({ turn, queue }: Head): void {
  if (turn) throw new DogearError('not-idle', 'Wait until the answer is there, or stop it first.')
  // They were written for this branch: on another they would be sent to the wrong place.
  if (queue.length) throw new DogearError('not-idle', 'Words still wait to be sent: send them or take them back first.')
}

export function nodeNamed(fold: Fold, id: string): Node {
  const node = fold.nodes.get(id)
  if (!node) throw new DogearError('input-invalid', `This session has no message "${id}".`)
  return node
}

/** With the results of its calls: without them the model would be told that nothing was carried out. */
export function endOfStep({ nodes, head }: Fold, id: string): string {
  let end = id
  while (nodes.get(end)?.role !== 'user') {
    const result = head.nodes.findLast(({ parent, role }) => parent === end && role === 'tool')
    if (!result) break
    end = result.id
  }
  return end
}

/** What the model was told in a user's name is nobody's words. */
async function isWords({ journal: { fold }, store }: Mover, { id, role, seq, index }: Node): Promise<boolean> {
  if (role !== 'user') return false
  const [entry] = fold.bodies.has(id) ? [] : await store.entriesAt(fold.head.sessionId, [seq])
  const body = fold.bodies.get(id) ?? (entry && bodyOf(entry, index))
  return body !== undefined && isFromPerson(body)
}
