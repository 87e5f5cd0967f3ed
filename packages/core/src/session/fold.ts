/** A fold: the head of a session, and the bodies of those messages that are loaded. */
import type { Message } from './message.ts'
import type { Head, Node, Status } from './state.ts'

export interface Fold {
  head: Head
  /** Nodes by id; holds the very objects of `head.nodes`. */
  readonly nodes: Map<string, Node>
  /** Message bodies by node id, as far as they are loaded. */
  readonly bodies: Map<string, Message>
}

export function emptyHead(sessionId: string, agent: string): Head {
  return {
    v: 1,
    sessionId,
    agent,
    seq: 0,
    epoch: 0,
    nodes: [],
    leaf: null,
    plan: null,
    requests: [],
    queue: [],
    usage: { totals: {} },
    turn: null,
    lastEnd: null,
    commands: [],
    refused: [],
    settings: {},
    slices: {},
  }
}

export function foldOf(head: Head): Fold {
  return { head, nodes: new Map(head.nodes.map((node) => [node.id, node])), bodies: new Map() }
}

/** From the first message to the leaf, or from the one after `since` if that is on the way. */
export function pathOf(fold: Fold, since: string | null = null): Node[] {
  const path: Node[] = []
  let id = fold.head.leaf
  while (id !== since && id !== null) {
    const node = fold.nodes.get(id)
    if (!node) break
    path.push(node)
    id = node.parent
  }
  return path.reverse()
}

/** `paused` is when nothing can go on before a person decides. */
export function statusOf(head: Head): Status {
  const { turn } = head
  if (!turn) return 'idle'
  if (turn.openStep) return 'busy'
  const undone = turn.calls.filter((call) => !call.done)
  const isResting = undone.length > 0 && undone.every((call) => call.request && !call.decision)
  return isResting ? 'paused' : 'busy'
}
