/** A fold: the head of a session, and the bodies of those messages that are loaded. */
import type { Message } from './message.ts'
import type { Head, Node, OpenCall, Status } from './state.ts'

export interface Fold {
  head: Head
  /** Nodes by id; holds the very objects of `head.nodes`. */
  readonly nodes: Map<string, Node>
  /** Message bodies by node id, as far as they are loaded. */
  readonly bodies: Map<string, Message>
  /** The folds of agents at work for an open call; their heads are the very objects of `head.children`. */
  readonly children: Map<string, Fold>
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
    compaction: null,
    reflections: [],
    facts: [],
    cache: {},
    requests: [],
    queue: [],
    usage: { totals: {} },
    turn: null,
    lastEnd: null,
    children: {},
    commands: [],
    refused: [],
    settings: {},
    slices: {},
  }
}

export function foldOf(head: Head): Fold {
  return {
    head,
    nodes: new Map(head.nodes.map((node) => [node.id, node])),
    bodies: new Map(),
    children: new Map(Object.entries(head.children).map(([callId, child]) => [callId, foldOf(child)])),
  }
}

/** The fold of the agent that this path of calls leads to, begun when there is none. */
export function foldAt(fold: Fold, path: readonly string[]): Fold {
  const [callId, ...rest] = path
  if (callId === undefined) return fold
  let child = fold.children.get(callId)
  if (!child) {
    child = foldOf(emptyHead(fold.head.sessionId, fold.head.agent))
    fold.children.set(callId, child)
    ;(fold.head.children as Record<string, Head>)[callId] = child.head
  }
  return foldAt(child, rest)
}

/** From the first message to the leaf, or from the one after `since` if that is on the way. */
export function pathOf(fold: Fold, since: string | null = null): Node[] {
  const { nodes } = fold.head
  const path: Node[] = []
  let id = fold.head.leaf
  for (let at = nodes.length - 1; id !== since && id !== null; at -= 1) {
    // Mostly the one that was written before it, which need not be looked up.
    const node: Node | undefined = nodes[at]?.id === id ? nodes[at] : fold.nodes.get(id)
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
  if (turn.openStep || turn.interrupted) return 'busy'
  if (head.requests.some(({ kind }) => kind === 'checkpoint')) return 'paused'
  const undone = turn.calls.filter((call) => !call.done)
  return undone.length > 0 && undone.every((call) => isWaiting(head, call)) ? 'paused' : 'busy'
}

/** Whether a call waits for a person: its own request is open, or the work of others for it rests on one. */
export function isWaiting({ children }: Head, { callId, request, decision }: OpenCall): boolean {
  if (request && !decision) return true
  const statuses = Object.keys(children)
    .filter((key) => callOfWorker(key) === callId)
    .map((key) => statusOf(children[key] as Head))
  return statuses.includes('paused') && !statuses.includes('busy')
}

/** Names an agent that works for a call, where several may: `call`, `call#1`, `call#2` … */
export function workerKey(callId: string, index: number): string {
  return index ? `${callId}#${index}` : callId
}

export function callOfWorker(key: string | undefined): string | undefined {
  return key?.split('#')[0]
}
