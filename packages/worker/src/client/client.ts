/** The client: the page's end of the wire. It keeps a host alive and gives out sessions. */
import { describeError, fromErrorData, toErrorData, type AgentDefinition, type Snapshot } from '@dogear/core'
import { freshFor, pageLock } from '../fresh.ts'
import { createHandles } from '../handles.ts'
import type { AgentSpec, Answers, Question, SessionChoice, ToHost, ToPage, Wire } from '../protocol.ts'
import type { NamedSnapshot, Session } from '../session.ts'
import type { SessionInfo } from '../session-info.ts'
import { createClientSession, type ClientSession } from './client-session.ts'
import { watchLeaving } from './left.ts'
import { createPersistence } from './persistence.ts'
import { createPlaces } from './places.ts'
import type { Runs, RunsWire } from './runs.ts'
import { createWitness, type Witness } from './witness.ts'

export interface Client {
  /**
   * Without an id: the newest session of this agent and user, or a new one. `opened` sees it before whoever asked for it
   * does, and so each of its forks.
   */
  open(agent: AgentDefinition, session?: SessionChoice, opened?: Opened): Promise<Session>
  /** What needs no open session. */
  ask<T extends Question>(question: T): Promise<Answers[T['type']]>
  /** The list now, and whenever something in it changes, in whichever tab, until what this returns is called. */
  watch(question: Watching['question'], listener: (sessions: readonly SessionInfo[]) => void): () => void
  import(agent: AgentDefinition, snapshot: Snapshot | NamedSnapshot, opened?: Opened): Promise<Session>
  /** Refused when it is another agent's; without `name`, whichever agent's it is. */
  delete(
    agent: Pick<AgentDefinition, 'user' | 'persistSession'> & { readonly name?: string },
    sessionId: string,
  ): Promise<void>
  /** Deletes everything kept for this agent's user on this device. */
  clear(agent: AgentDefinition): Promise<void>
  /** Runs without sessions, for the pages that want them: `createRuns` is given, so that the others need not load it. */
  runs(create: (wire: RunsWire) => Runs): Runs
}

type Watching = Extract<ToHost, { type: 'watch' }>

/** Whether a session is among those that go. Two users may each have one of the same id. */
type IsGone = (agent: AgentDefinition, sessionId: string) => boolean

export type Opened = (session: Session) => Promise<void>

export interface HostWire extends Wire<ToHost, ToPage> {
  terminate(): void
}

export interface ClientOptions {
  /** Starts a host; called again when it has died. */
  readonly connect: () => Promise<HostWire>
  readonly id: () => string
  readonly now: () => number
  /** Milliseconds on a clock that nobody can set. Default: `performance.now()`. */
  readonly elapsed?: () => number
  /** Holds the lock of this name for as long as the page lives: how others know that it does. */
  readonly hold?: (lock: string) => void
  readonly warn: (message: string) => void
  /** All that was kept for a user is deleted, by this tab or another. */
  readonly cleared?: (user: string | undefined) => void
  /** Tells a store that the browser emptied from a new one. */
  readonly witness?: Witness
  /** Whether the browser is asked to keep what is stored: `true`, also where it asks the person; `false`, never. */
  readonly persistentStorage?: boolean
}

/** A host that has not answered for this many pings is dead. */
const silentPings = 3
const pingEvery = 1000

export function createClient(options: ClientOptions): Client {
  const { connect, id, now, warn, elapsed = () => performance.now() } = options
  const { cleared = () => {}, witness = createWitness(undefined, String) } = options
  const persistence = createPersistence(options.persistentStorage)
  const sessions = new Map<
    string,
    { session: ClientSession; agent: AgentDefinition; uses: number; opened?: Opened | undefined }
  >()
  const asked = new Map<
    number,
    { resolve: (answer: never) => void; reject: (error: unknown) => void; message: ToHost }
  >()
  const lists = new Map<number, { listener: (sessions: readonly SessionInfo[]) => void; message: Watching }>()
  const page = id()
  const handles = createHandles(
    (message) => wire?.post(message),
    (proven) => elapsed() - (proven + ahead) < freshFor,
  )
  /** Not attached yet. */
  const opening = new Set<{ readonly agent: AgentDefinition }>()
  const placeOf = createPlaces((agent) => [...opening, ...sessions.values()].some((open) => open.agent === agent))
  /** Of the host there is now. */
  let life = ''
  const isBusy = () => [...sessions.values()].some(({ session }) => session.status.value === 'busy')
  const isLeft = watchLeaving(() => (isBusy() ? life : ''))
  const left = handles.keep('left', ([lives]) => isLeft(lives as string[]))
  let runs: Runs | undefined
  /** Which question was the last one before a session was closed: one asked earlier may have found it still open. */
  const closedAfter = new Map<string, number>()
  let wire: HostWire | undefined
  let connecting: Promise<void> | undefined
  let lastRef = 0
  let unanswered = 0
  /** By how much this page's clock is ahead of its host's, at the least: nothing looks younger than it is. */
  let ahead = -Infinity
  let pinging: ReturnType<typeof setInterval> | undefined

  options.hold?.(pageLock(page))
  globalThis.addEventListener?.('pagehide', (event) => {
    if (event.persisted) wire?.post({ type: 'left' })
  })
  globalThis.addEventListener?.('pageshow', (event) => {
    if (event.persisted) wire?.post({ type: 'restored' })
  })

  async function connected(): Promise<void> {
    if (wire) return
    connecting ??= start().finally(() => (connecting = undefined))
    await connecting
  }

  async function start(): Promise<void> {
    const next = await connect()
    wire = next
    life = id()
    next.listen((message) => wire === next && receive(message))
    unanswered = 0
    ahead = -Infinity
    // Before all else: what its clock shows is needed for the first call.
    next.post({ type: 'ping', sent: elapsed() })
    pinging = setInterval(ping, pingEvery)
    // A pending timer would keep a Node process alive.
    if (typeof pinging === 'object') (pinging as { unref?: () => void }).unref?.()
  }

  /** No event tells that a worker has died: only its silence does. */
  function ping(): void {
    if (!wire || globalThis.document?.visibilityState === 'hidden') return
    // Nothing is wanted of it: whether it lives is looked at when something is.
    if (sessions.size + asked.size + lists.size === 0) return void (unanswered = 0)
    unanswered += 1
    if (unanswered > silentPings) return restart()
    wire.post({ type: 'ping', sent: elapsed() })
  }

  function restart(): void {
    warn('The worker stopped answering and was started anew. Nothing is lost.')
    wire?.terminate()
    wire = undefined
    clearInterval(pinging)
    handles.disconnect()
    runs?.lost()
    for (const { session } of sessions.values()) session.detach()
    const unanswered = [...asked.values()]
    void connected().then(
      async () => {
        await Promise.all([...sessions.keys()].map(reattach))
        // After the sessions they are about: a host that does not know a session yet would refuse.
        for (const { message } of unanswered) if (message.type !== 'run') wire?.post(message)
        for (const { message } of lists.values()) wire?.post(message)
      },
      (error: unknown) => {
        for (const { session } of sessions.values()) session.fail(toErrorData(error))
        for (const { reject } of unanswered) reject(error)
      },
    )
  }

  async function reattach(sessionId: string): Promise<void> {
    const open = sessions.get(sessionId)
    if (!open) return
    try {
      await attach(open.agent, { type: 'id', id: sessionId })
    } catch (error) {
      open.session.fail(toErrorData(error))
    }
  }

  async function ask<T>(message: (ref: number) => ToHost): Promise<T> {
    await connected()
    const ref = (lastRef += 1)
    const sent = message(ref)
    return new Promise<T>((resolve, reject) => {
      asked.set(ref, { resolve: resolve, reject, message: sent })
      wire?.post(sent)
    }).finally(() => asked.delete(ref))
  }

  function question<T extends Question>(value: T): Promise<Answers[T['type']]> {
    return ask((ref) => ({ type: 'ask', ref, question: value }))
  }

  async function attach(agent: AgentDefinition, choice: SessionChoice): Promise<ClientSession> {
    if (choice.type === 'id') closeOfOther(agent, choice.id)
    const spec: AgentSpec = handles.define(agent, placeOf(agent))
    const begun = { agent }
    opening.add(begun)
    const message = await ask<Extract<ToPage, { type: 'attached' }>>((ref) => ({
      type: 'open',
      ref,
      agent: spec,
      session: choice,
      page,
      witnessed: witness.read(agent.user),
      life,
      left,
    })).finally(() => opening.delete(begun))
    const { sessionId, ref } = message
    const known = sessions.get(sessionId)
    if (!known && (closedAfter.get(sessionId) ?? 0) >= ref) return attach(agent, { type: 'id', id: sessionId })
    const session = known?.session ?? newSession(agent, sessionId)
    sessions.set(sessionId, { uses: 0, ...known, session, agent })
    session.attach(message)
    if (message.lost) witness.forget(agent.user, message.lost.details?.missing as string[])
    else if (message.kept && message.head.seq) witness.note(agent.user, sessionId, message.head.seq)
    return session
  }

  /** Sessions of two users may have one id: whoever still holds the first must not be shown the second. */
  function closeOfOther(agent: AgentDefinition, sessionId: string): void {
    const open = sessions.get(sessionId)
    if (!open || open.agent.user === agent.user) return
    open.uses = 1
    open.session.close()
  }

  /** A session opened twice is one session: it is let go when both have closed it. */
  async function use(attaching: Promise<ClientSession>, opened?: Opened): Promise<Session> {
    const session = await attaching
    const open = sessions.get(session.id)
    if (open) {
      open.uses += 1
      open.opened ??= opened
    }
    await opened?.(session)
    return session
  }

  /** Emptied only when they are deleted: a session that begins anew before would be deleted too. */
  async function forget(isGone: IsGone, deletion: Question): Promise<void> {
    const gone = letGo(isGone)
    for (const { id: sessionId } of gone) wire?.post({ type: 'close', sessionId })
    try {
      await question(deletion)
    } finally {
      for (const session of gone) session.wipe()
    }
  }

  function letGo(isGone: IsGone): ClientSession[] {
    return [...sessions.values()].flatMap(({ session, agent }) => {
      if (!isGone(agent, session.id)) return []
      sessions.delete(session.id)
      return session
    })
  }

  function newSession(agent: AgentDefinition, sessionId: string): ClientSession {
    const session = createClientSession({
      sessionId,
      agent,
      id,
      now,
      post: (message) => wire?.post(message),
      ask: question,
      async fork({ id: into = id(), ...options } = {}) {
        const { user, persistSession } = agent
        const forked = await question({ type: 'fork', user, persistSession, sessionId, into, ...options })
        return use(attach(agent, { type: 'id', id: forked }), sessions.get(sessionId)?.opened)
      },
      warn,
      persistence,
      reopen() {
        if (!sessions.has(sessionId)) sessions.set(sessionId, { session, agent, uses: 1 })
        void reattach(sessionId)
      },
      closed() {
        const open = sessions.get(sessionId)
        if (open && (open.uses -= 1) > 0) return false
        if (sessions.delete(sessionId)) {
          closedAfter.set(sessionId, lastRef)
          wire?.post({ type: 'close', sessionId })
        }
        return true
      },
    })
    return session
  }

  function receive(message: ToPage): void {
    unanswered = 0
    switch (message.type) {
      case 'attached':
        return asked.get(message.ref)?.resolve(message as never)
      case 'answer':
        return asked.get(message.ref)?.resolve(message.answer as never)
      case 'refusal':
        return asked.get(message.ref)?.reject(fromErrorData(message.error))
      case 'listed':
        return lists.get(message.ref)?.listener(message.sessions)
      case 'call':
      case 'call-abort':
        return handles.receive(message)
      case 'pong':
        ahead = Math.max(ahead, (message.sent ?? -Infinity) - (message.heard ?? 0))
        return
      case 'warning':
        return warn(message.message)
      case 'saved':
      case 'unsaved':
        for (const { session } of sessions.values()) session.receive(message)
        return
      case 'session-deleted':
        witness.forget(message.user, [message.sessionId])
        return letGo(({ user }, id) => user === message.user && id === message.sessionId).forEach((session) =>
          session.wipe(),
        )
      case 'user-cleared':
        witness.forget(message.user)
        letGo(({ user }) => user === message.user).forEach((session) => session.wipe())
        return cleared(message.user)
      default: {
        // Also of a session that was closed while it worked.
        if (message.type === 'entries')
          for (const entry of message.entries) if (entry.type === 'tool-result') handles.settled(entry.callId)
        runs?.receive(message)
        const open = sessions.get(message.sessionId)
        open?.session.receive(message)
        const last = message.type === 'entries' ? message.entries.at(-1) : undefined
        if (last && open?.session.kept.peek()) witness.note(open.agent.user, message.sessionId, last.seq + 1)
      }
    }
  }

  return {
    runs: (create) => (runs ??= create({ id, handles, ask, post: (message) => wire?.post(message) })),
    open: (agent, choice = { type: 'last' }, opened) => use(attach(agent, choice), opened),
    ask: question,
    watch(asking, listener) {
      const ref = (lastRef += 1)
      const message: Watching = { type: 'watch', ref, question: asking }
      lists.set(ref, { listener, message })
      connected().then(
        () => lists.has(ref) && wire?.post(message),
        (error: unknown) => warn(describeError(error)),
      )
      return () => {
        lists.delete(ref)
        wire?.post({ type: 'unwatch', ref })
      }
    },
    async import(agent, snapshot, opened) {
      const { name, version, user, persistSession } = agent
      const tools = agent.tools.map((tool) => tool.name)
      const place = { user, persistSession }
      const sessionId = await question({ type: 'import', into: id(), ...place, agent: name, version, tools, snapshot })
      return use(attach(agent, { type: 'id', id: sessionId }), opened)
    },
    delete({ name: agent, user, persistSession = true }, sessionId) {
      witness.forget(user, [sessionId])
      const isGone: IsGone = (open, openId) =>
        openId === sessionId &&
        open.user === user &&
        (open.persistSession ?? true) === persistSession &&
        [undefined, open.name].includes(agent)
      return forget(isGone, { type: 'delete', agent, user, persistSession, sessionId })
    },
    async clear({ user }) {
      witness.forget(user)
      await forget((open) => open.user === user, { type: 'clear', user })
      cleared(user)
    },
  }
}
