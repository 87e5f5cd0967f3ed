/** A session on the page: folds the same entries as its host, and shows them as signals. */
import {
  describeError,
  DogearError,
  emptyHead,
  foldOf,
  fromErrorData,
  matcherOf,
  pathOf,
  reduce,
  statusOf,
  textOf,
  toErrorData,
  type AgentDefinition,
  type Command,
  type CommandBody,
  type Entry,
  type ErrorData,
  type Fold,
  type HookInput,
  type Message,
  type Partial,
  type PermissionMode,
  type Waiting,
} from '@dogear/core'
import { batch, computed, signal } from '@preact/signals-core'
import { addDelta } from '../host/deltas.ts'
import type { Answers, Attached, Question, ToHost, ToPage } from '../protocol.ts'
import type { Branches, Connection, Session, Turn } from '../session.ts'
import { branchesOf, noBranches } from './branches.ts'
import { createListeners } from './listeners.ts'
import type { Persistence } from './persistence.ts'
import { createTurns } from './turns.ts'

export interface ClientSession extends Session {
  attach(attached: Attached & { readonly lost?: ErrorData }): void
  receive(
    message: Exclude<Extract<ToPage, { sessionId: string } | { commandId: string }>, { type: 'session-deleted' }>,
  ): void
  fail(error: ErrorData): void
  /** The host is gone; what is sent meanwhile waits for the next. */
  detach(): void
  /** The session was deleted: whoever still holds it finds nothing in it, and may begin anew. */
  wipe(): void
}

export interface ClientSessionOptions {
  readonly sessionId: string
  readonly agent: AgentDefinition
  readonly id: () => string
  readonly now: () => number
  readonly post: (message: ToHost) => void
  readonly ask: <T extends Question>(question: T) => Promise<Answers[T['type']]>
  readonly fork: Session['fork']
  /** Opens the session anew, after it was deleted or could not be opened. */
  readonly reopen: () => void
  /** Says whether nobody on this page uses the session any more. */
  readonly closed: () => boolean
  /** For the developer's console. */
  readonly warn: (message: string) => void
  readonly persistence: Persistence
}

const olderAtOnce = 50

export function createClientSession(options: ClientSessionOptions): ClientSession {
  const { sessionId, agent, post } = options
  // Its id may by now be that of another user's session, which would answer.
  const ask: typeof options.ask = async (question) => {
    if (isClosed) throw fromErrorData(closedError)
    return options.ask(question)
  }
  let fold: Fold = foldOf(emptyHead(sessionId, agent.name))
  const turns = createTurns()
  const listeners = createListeners(
    (from, to) => ask({ type: 'entries', sessionId, from, to }),
    (error) => options.warn(`A listener of session "${sessionId}" threw (${describeError(error)}).`),
  )
  const mine = new Set<string>()
  let isWiped = false
  let isClosed = false

  const head = signal(fold.head)
  const loaded = signal<readonly Message[]>([])
  const open = signal<readonly Message[]>([])
  const partial = signal<Partial | null>(null)
  const waiting = signal<Waiting | null>(null)
  const hasOlder = signal(false)
  const branches = signal<Branches>(noBranches)
  let loading: string | null = null
  const unsaved = signal<readonly { commandId: string; text: string }[]>([])
  const answeredElsewhere = signal<{ requestId: string; by?: string } | null>(null)
  const failure = signal<ErrorData | null>(null)
  const isAttached = signal(false)
  const kept = signal(true)
  const isOnline = signal(true)
  const noticeNetwork = () => {
    isOnline.value = globalThis.navigator?.onLine ?? true
    // Seen again or online again: the worker hears of the one, never of the other.
    if (waiting.value && isOnline.value && globalThis.document?.visibilityState === 'visible') session.resume()
  }
  noticeNetwork()
  globalThis.addEventListener?.('online', noticeNetwork)
  globalThis.addEventListener?.('offline', noticeNetwork)
  globalThis.document?.addEventListener('visibilitychange', noticeNetwork)

  /** A new object, because the fold changes its own in place. */
  function show(): void {
    head.value = { ...fold.head }
    const path = pathOf(fold)
    branches.value = branchesOf(fold.head, path)
    let from = path.length
    while (from > 0 && fold.bodies.has(path[from - 1]?.id ?? '')) from -= 1
    // Another branch, of which little is loaded yet; of which nothing is, what was shown stays until it is.
    if (from > 0 && path.length - from < olderAtOnce) loadBranch()
    if (from > 0 && from === path.length) return
    hasOlder.value = from > 0
    const turnId = fold.head.turn?.id
    const before: Message[] = []
    const now: Message[] = []
    for (const node of path.slice(from)) {
      const body = fold.bodies.get(node.id) as Message
      if (turnId !== undefined && node.turnId === turnId) now.push(body)
      else before.push(body)
    }
    loaded.value = before
    open.value = now
  }

  function loadBranch(): void {
    const { leaf } = fold.head
    if (loading === leaf) return
    loading = leaf
    const done = () => (loading = loading === leaf ? null : loading)
    session.loadOlder().then(done, (error: unknown) => {
      done()
      failure.value = toErrorData(error)
    })
  }

  function foldEntry(entry: Entry): void {
    if (entry.seq < fold.head.seq) return
    if (entry.type === 'request-close' && !entry.request && !(entry.commandId && mine.has(entry.commandId))) {
      answeredElsewhere.value = { requestId: entry.requestId, by: entry.by }
    }
    reduce(fold, entry)
    listeners.tell([entry])
    if (entry.type === 'turn-start' && kept.value && mine.has(entry.turnId ?? '')) options.persistence.saved()
    const endsPartial =
      entry.type === 'turn-end' || (entry.type === 'message-add' && entry.stepId === partial.value?.stepId)
    if (endsPartial) partial.value = null
    if (entry.commandId !== undefined) forget(entry.commandId)
    turns.settle(fold)
  }

  function forget(commandId: string): void {
    if (unsaved.value.some((words) => words.commandId === commandId)) {
      unsaved.value = unsaved.value.filter((words) => words.commandId !== commandId)
    }
  }

  function command(body: CommandBody): Turn {
    const sent: Command = { ...body, commandId: options.id(), sessionId, at: options.now() }
    if (isClosed) return turns.refuse(sent, closedError)
    mine.add(sent.commandId)
    if (body.type === 'send') {
      unsaved.value = [...unsaved.value, { commandId: sent.commandId, text: wordsOf(body.content) }]
    }
    const turn = turns.add(sent)
    if (isWiped) options.reopen()
    // Not to a host that does not know the session yet: `attach` sends what is not saved.
    else if (isAttached.value) submit(sent)
    return turn
  }

  /** Asked here, where the hooks are: the worker may not outlive the page. */
  function tellEnd(): void {
    const told = { session_id: sessionId, permission_mode: session.mode.value, agent_type: agent.name, reason: 'other' }
    for (const { event, name, matcher, run } of agent.hooks ?? []) {
      if (event !== 'SessionEnd' || !matcherOf(matcher).test(told.reason)) continue
      const input = { ...told, hook_event_name: event } as HookInput
      Promise.resolve()
        .then(() => run(input, undefined, { signal: new AbortController().signal }))
        .catch((error: unknown) => options.warn(`Hook ${name} failed: ${describeError(error)}`))
    }
  }

  function submit(command: Command): void {
    try {
      post({ type: 'command', command, isShown: globalThis.document?.visibilityState !== 'hidden' })
    } catch (error) {
      refuse(command.commandId, { code: 'input-invalid', message: describeError(error) })
    }
  }

  /** Nothing is kept of what nobody could take, and the session goes on without it. */
  function refuse(commandId: string, error: ErrorData): void {
    if (!turns.lost(commandId, error)) return
    if (error.code === 'input-invalid') forget(commandId)
    else failure.value = error
  }

  const connection = computed<Connection>(() => {
    if (failure.value) return { type: 'failed', error: failure.value }
    if (!isAttached.value) return { type: 'connecting' }
    return { type: isOnline.value && waiting.value !== 'network' ? 'online' : 'offline' }
  })

  const session: ClientSession = {
    id: sessionId,
    agent,
    status: computed(() => statusOf(head.value)),
    waiting,
    messages: loaded,
    pending: open,
    partial,
    calls: computed(() => head.value.turn?.calls ?? []),
    plan: computed(() => head.value.plan),
    requests: computed(() => head.value.requests),
    queued: computed(() => head.value.queue),
    usage: computed(() => head.value.usage),
    mode: computed(() => (head.value.settings.mode as PermissionMode | undefined) ?? agent.permissions.mode),
    rules: computed(() => head.value.rules ?? []),
    connection,
    kept,
    persisted: options.persistence.persisted,
    title: computed(() => head.value.title),
    settings: computed(() => head.value.settings),
    lastEnd: computed(() => head.value.lastEnd),
    unsaved,
    answeredElsewhere,
    hasOlder,
    branches,

    async loadOlder() {
      const path = pathOf(fold)
      const missing = path.filter((node) => !fold.bodies.has(node.id)).slice(-olderAtOnce)
      if (!missing.length) return
      const bodies = await ask({ type: 'older', sessionId, nodes: missing.map((node) => node.id) })
      for (const body of bodies) fold.bodies.set(body.id, body)
      batch(show)
      turns.settle(fold)
    },
    send: (content, { when = 'later' } = {}) => command({ type: 'send', content, when }),
    add: (message) => command({ type: 'add', message }),
    editQueued: (target, { content, when }) => command({ type: 'requeue', target, content, when }),
    unqueue: (target) => command({ type: 'unqueue', target }).saved,
    stop: () => command({ type: 'stop' }).saved,
    stopTask: (task) => command({ type: 'stop-task', task }).saved,
    resume() {
      if (isClosed) return
      // Said again if it still fails.
      failure.value = null
      if (isAttached.value) post({ type: 'resume', sessionId })
      else options.reopen()
    },
    retry: ({ model } = {}) => command({ type: 'retry', model }),
    compact: () => command({ type: 'compact' }),
    goto: (messageId, { exact } = {}) => command({ type: 'goto', messageId, ...(exact && { exact }) }),
    edit: (messageId, content) => command({ type: 'edit', messageId, content }),
    regenerate: (messageId) => command({ type: 'regenerate', messageId }),
    async rewind(messageId, { dryRun } = {}) {
      if (dryRun) return ask({ type: 'rewind', sessionId, messageId })
      const turn = command({ type: 'rewind', messageId })
      const { refused } = await turn
      const { undone = [], notUndone = [], unknown = [], commandId = '' } = fold.head.rewound ?? {}
      if (commandId !== turn.id) return { undone: [], notUndone: [], unknown: [], refused }
      return { undone, notUndone, unknown }
    },
    fork: options.fork,
    resolve: (requestId, resolution) => command({ type: 'resolve', requestId, resolution }),
    approve: (requestId, { args, always } = {}) => session.resolve(requestId, { type: 'approve', args, always }),
    resolveAll: (requestIds, resolution) => command({ type: 'resolve-all', requestIds, resolution }),
    reject: (requestId, comment) => session.resolve(requestId, { type: 'reject', comment }),
    answer: (requestId, answers, notes) => session.resolve(requestId, { type: 'answer', answers, notes }),
    editPlan: (change) => command({ type: 'plan', change }),
    rename: (title) => command({ type: 'rename', title }).saved,
    setMode: (mode) => session.set({ mode }),
    async revokeRule(rule) {
      const given = fold.head.rules?.filter((set) => set.rule === rule) ?? []
      await Promise.all(given.map((set) => command({ ...set, type: 'rule', decision: null }).saved))
    },
    async set(settings) {
      const turn = command({ type: 'set', settings })
      // Whether a mode is allowed only the session's owner knows.
      if (settings?.mode === undefined) return turn.saved
      const { refused } = await turn
      if (refused !== undefined) throw new DogearError('input-invalid', refused)
    },
    listen: (listener) => listeners.add(listener, fold.head.seq),
    snapshot: ({ tag }) => ask({ type: 'snapshot', sessionId, tag }),
    snapshots: async () => {
      const kept = await ask({ type: 'snapshots', sessionId })
      return kept.map((record) => ({ ...record, sessionId }))
    },
    deleteSnapshot: async (tag) => void (await ask({ type: 'delete-snapshot', sessionId, tag })),
    close() {
      if (!options.closed()) return
      globalThis.removeEventListener?.('online', noticeNetwork)
      globalThis.removeEventListener?.('offline', noticeNetwork)
      globalThis.document?.removeEventListener('visibilitychange', noticeNetwork)
      isClosed = true
      tellEnd()
      turns.close(closedError)
    },

    attach(attached) {
      batch(() => {
        const older = fold.bodies
        fold = foldOf(attached.head)
        for (const [nodeId, body] of older) if (fold.nodes.has(nodeId)) fold.bodies.set(nodeId, body)
        for (const body of attached.bodies) fold.bodies.set(body.id, body)
        partial.value = attached.partial
        waiting.value = attached.waiting
        kept.value = attached.kept
        failure.value = attached.failure ?? attached.lost ?? null
        isAttached.value = true
        listeners.reach(fold.head.seq)
        for (const commandId of fold.head.commands) forget(commandId)
        show()
      })
      isWiped = false
      turns.settle(fold)
      // A worker that died may not have kept these: the inbox drops what it has already.
      turns.unsaved().forEach(submit)
    },
    receive(message) {
      batch(() => {
        switch (message.type) {
          case 'entries':
            // Its host could not attach it, and goes on all the same: what came before these is missing here.
            if (!isAttached.value) return
            failure.value = null
            message.entries.forEach(foldEntry)
            show()
            return
          case 'delta':
            // Words arrive, whatever the browser believes.
            isOnline.value = true
            partial.value = addDelta(partial.value, message.delta) ?? partial.value
            return
          case 'waiting':
            waiting.value = message.waiting
            return
          case 'saved':
            return turns.saved(message.commandId)
          case 'unsaved':
            return refuse(message.commandId, message.error)
          case 'session-failed':
            failure.value = message.error
            // Saved, and for a newer script to answer: nobody here would ever hear of it.
            if (message.error.code === 'session-newer') turns.close(message.error)
            return
        }
      })
    },
    fail(error) {
      failure.value = error
    },
    detach() {
      isAttached.value = false
    },
    wipe() {
      batch(() => {
        fold = foldOf(emptyHead(sessionId, agent.name))
        listeners.restart()
        partial.value = null
        waiting.value = null
        unsaved.value = []
        answeredElsewhere.value = null
        failure.value = null
        show()
      })
      turns.close({ code: 'session-missing', message: 'This session was deleted.' })
      isWiped = true
    },
  }
  return session
}

/** Whatever was given: its host says what is wrong with it. */
function wordsOf(content: Message['content']): string {
  try {
    return textOf({ content })
  } catch {
    return ''
  }
}

const closedError: ErrorData = {
  code: 'session-closed',
  message: 'This session was closed here. What was saved is not lost: open it again to go on.',
}
