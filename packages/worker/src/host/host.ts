/**
 * The host: the worker's end of the wire. It opens stores and sessions, and answers one page.
 * One long file, because all of it is about one map: the sessions that are open here.
 */
import {
  changeEntry,
  DogearError,
  statusOf,
  toErrorData,
  type Fold,
  type SessionRecord,
  type Store,
} from '@dogear/core'
import { begunCalls } from '../fresh.ts'
import type { AgentSpec, Answers, OfSession, Question, SessionChoice, ToHost, ToPage, Wire } from '../protocol.ts'
import type { Suspects } from './attempts.ts'
import { changeSession } from './change-session.ts'
import { checkedStore } from './checked-store.ts'
import { rawSession } from './raw-session.ts'
import { findSessions, infoOf } from './find-sessions.ts'
import { openHosted, type HostedSession } from './hosted-session.ts'
import { dryRewind } from './dry-rewind.ts'
import { forkSession } from './fork.ts'
import { importSession } from './import-session.ts'
import { bodiesOf, knownRow, loadFold, loadPartly, newestBodies, otherAgent } from './load.ts'
import { lostSince, type Lost } from './lost.ts'
import type { OpenedStore, Platform } from './platform.ts'
import { createPageCalls, remoteAgent } from './remote-agent.ts'
import { deleteUnused, sweep } from './retention.ts'
import { runWithoutSession } from './run-without-session.ts'
import { snapshotOf } from './snapshots.ts'
import { nameOf, tellDeleted } from './tell-tabs.ts'
import { createWatches, toldStore } from './watch-sessions.ts'

export function serve(wire: Wire<ToPage, ToHost>, platform: Platform): void {
  /** Changes that are to be seen in the list before whoever made them hears of it. */
  const changing = new Map<string, () => void>()
  const post = (message: ToPage) => {
    if (message.type === 'entries') for (const { commandId = '' } of message.entries) changing.get(commandId)?.()
    wire.post(message)
    if (message.type === 'entries' && unshown.has(message.sessionId)) releaseWhenIdle(message.sessionId)
  }
  const warn = (message: string) => post({ type: 'warning', message })
  const page = createPageCalls(post)
  const stores = new Map<string, Promise<CheckedStore>>()
  const runs = new Map<string, AbortController>()
  const suspects: Suspects = { last: Promise.resolve() }
  const sessions = new Map<string, { hosted: HostedSession; spec: AgentSpec }>()
  /** Sessions that the page no longer shows, each with what calls off its release. */
  const unshown = new Map<string, () => void>()
  /** Of which agents sessions are being deleted, or will be. */
  const sweeping = new Set<string>()
  const watches = createWatches({
    platform,
    // What was cleared is not opened anew to be looked at.
    list: async (question) => (cleared.has(keyOf(question)) ? [] : answerers.sessions(question)),
    told: (ref, list) => post({ type: 'listed', ref, sessions: list }),
  })
  /** Stores that were emptied, and not opened since. */
  const cleared = new Set<string>()

  async function storeOf(place: Place): Promise<Store> {
    return (await openedStore(place)).store
  }

  async function openedStore(place: Place): Promise<CheckedStore> {
    const key = keyOf(place)
    let opening = stores.get(key)
    cleared.delete(key)
    if (!opening) stores.set(key, (opening = openStore(place)))
    try {
      return await opening
    } catch (error) {
      // Tried again the next time.
      stores.delete(key)
      throw error
    }
  }

  async function openStore({ user, persistSession = true }: Place): Promise<CheckedStore> {
    const onCleared = () => {
      closeAllOf(user)
      post({ type: 'user-cleared', user })
    }
    const opened = await platform.openStore(user, onCleared, persistSession)
    if (opened.warning) warn(opened.warning)
    let isEnded = false
    const checked = Object.entries(checkedStore(opened.store, warn)).map(([name, method]) => [
      name,
      (...args: never[]) => (isEnded ? new Promise(() => {}) : (method as (...given: never[]) => unknown)(...args)),
    ])
    // The cast: the same methods, until the end.
    const store = toldStore(Object.fromEntries(checked) as never, () => watches.changed(user))
    return { ...opened, store, raw: opened.store, end: () => (isEnded = true) }
  }

  async function open(message: Opening): Promise<Opened> {
    const { agent: spec, session: choice, page: pageId, witnessed, life, left } = message
    const { store, kept } = await openedStore(spec)
    const agent = remoteAgent(spec, page, platform.createModel, () => store.memory(platform.clock.now))
    const sessionId = await chosen(store, spec.name, choice, platform)
    const lost = kept ? await lostSince(store, witnessed, sessionId) : undefined
    const loaded = await loadPartly(store, sessionId, spec.name)
    // What they call on the page is another user's by now.
    for (const each of unshown.keys()) if (sessions.get(each)?.spec.user !== spec.user) close(each)
    callOff(sessionId)
    // Looked at after the wait: opened twice at once, one session would compete with itself for its lock.
    const before = sessions.get(sessionId)
    if (before && keyOf(before.spec) === keyOf(spec)) {
      if (before.spec.name !== spec.name) throw otherAgent(sessionId, before.spec.name, spec.name)
      sessions.set(sessionId, { hosted: before.hosted, spec })
      before.hosted.define(agent)
      return { hosted: before.hosted, lost }
    }
    close(sessionId)
    const hosted = openHosted({
      platform,
      store,
      kept,
      ...loaded,
      user: spec.user,
      agent,
      post,
      deleted() {
        close(sessionId)
        post({ type: 'session-deleted', user: spec.user, sessionId })
      },
      isShort: lost?.isShort,
      life,
      left: (lives) => page.call<string[]>(left, [lives]),
      suspects,
      page: pageId,
      begun: (callId, entry, signal) => page.call(begunCalls, [callId, entry], signal),
    })
    sessions.set(sessionId, { hosted, spec })
    watches.changed(spec.user)
    sweepSoon(spec)
    return { hosted, lost }
  }

  /** Never while a turn runs: deleting takes the disk from it. */
  function sweepSoon(spec: AgentSpec): void {
    const { user, name: agent, retention } = spec
    const key = JSON.stringify([keyOf(spec), agent])
    if (!retention || sweeping.has(key)) return
    sweeping.add(key)
    const isFree = () => ![...sessions.values()].some(({ hosted }) => statusOf(hosted.fold.head) === 'busy')
    const sweepNow = async () => {
      if (!isFree()) return platform.clock.after(sweepIn, () => void sweepNow())
      try {
        const keeping = { platform, opened: await openedStore(spec), user }
        const goesOn = (sessionId: string) => {
          if (isFree() && unshown.has(sessionId)) close(sessionId)
          return isFree() && !sessions.has(sessionId)
        }
        const gone = await sweep(keeping, { agent, retention, goesOn })
        // The page has seen them, and must not take them for lost.
        for (const sessionId of gone) post({ type: 'session-deleted', user, sessionId })
        if (gone.length) tellRoomMade()
      } catch {
        // Tried again when the next session is opened.
      } finally {
        sweeping.delete(key)
      }
    }
    platform.clock.after(sweepIn, () => void sweepNow())
  }

  function tellRoomMade(): void {
    for (const { hosted } of sessions.values()) hosted.roomMade()
  }

  /** A turn goes on without anybody who looks; what rests is let go after a while, so that it is quickly shown again. */
  function releaseWhenIdle(sessionId: string, atLeast = 0): void {
    const open = sessions.get(sessionId)
    if (!open) return
    callOff(sessionId)
    const { hosted, spec } = open
    const { head } = hosted.fold
    const wait = spec.idleShutdownAfter ?? (hosted.kept ? idleFor : 0)
    const release = async () => {
      const isAwaited = await hosted.store.inbox(sessionId).then(
        ({ length }) => length > 0,
        () => false,
      )
      // Shown again in the meantime; or at work, whose end comes here again.
      if (unshown.get(sessionId) !== off || statusOf(head) === 'busy') return
      if (isAwaited) releaseWhenIdle(sessionId, takenIn)
      else close(sessionId)
    }
    const after = Math.max(wait, atLeast, head.queue.length && takenIn)
    const off = platform.clock.after(after, () => void release())
    unshown.set(sessionId, off)
  }

  function callOff(sessionId: string): void {
    unshown.get(sessionId)?.()
    unshown.delete(sessionId)
  }

  function close(sessionId: string): void {
    callOff(sessionId)
    const open = sessions.get(sessionId)
    open?.hosted.close()
    if (sessions.delete(sessionId)) watches.changed(open?.spec.user)
  }

  function isOpenFor(user: string | undefined): (sessionId: string) => boolean {
    return (sessionId) => sessions.has(sessionId) && sessions.get(sessionId)?.spec.user === user
  }

  function closeAllOf(user: string | undefined): void {
    for (const [sessionId, { spec }] of sessions) if (spec.user === user) close(sessionId)
    for (const key of [keyOf({ user }), keyOf({ user, persistSession: false })]) {
      stores.delete(key)
      cleared.add(key)
    }
    watches.renew((question) => question.user === user)
  }

  function hostedNamed(sessionId: string): HostedSession {
    const session = sessions.get(sessionId)
    if (!session) throw new DogearError('session-closed', `Session "${sessionId}" is not open in this tab.`)
    return session.hosted
  }

  const answerers: { [T in Question['type']]: (question: Extract<Question, { type: T }>) => Promise<Answers[T]> } = {
    older({ sessionId, nodes }) {
      const { store, fold } = hostedNamed(sessionId)
      return bodiesOf(store, fold, nodes)
    },
    entries: ({ sessionId, from, to }) => hostedNamed(sessionId).store.entries(sessionId, from, to),
    async snapshot({ sessionId, tag }) {
      const { store, fold, assertReadable } = hostedNamed(sessionId)
      assertReadable()
      const spec = sessions.get(sessionId)?.spec
      const snapshot = await snapshotOf(store, fold, { tag, at: platform.clock.now(), spec })
      await store.saveSnapshot(sessionId, tag, snapshot)
      return snapshot
    },
    snapshots: ({ sessionId }) => hostedNamed(sessionId).store.snapshots(sessionId),
    async 'delete-snapshot'({ sessionId, tag }) {
      await hostedNamed(sessionId).store.saveSnapshot(sessionId, tag, undefined)
      tellRoomMade()
      return null
    },
    async sessions({ agent, query, ...place }) {
      const { user } = place
      const opened = await openedStore(place)
      const { store } = opened
      const isOpen = isOpenFor(user)
      const empty = (row: SessionRecord) => {
        // One that begins right now has no words yet either.
        if (row.createdAt > platform.clock.now() - emptyFor) return
        deleteUnused({ platform, opened, user }, row).catch(() => {})
      }
      const rows = await findSessions(store, agent, query, { empty, isOpen })
      return Promise.all(rows.map((row) => infoOf(store, row, isOpen(row.id))))
    },
    async session({ agent, sessionId, ...place }) {
      const store = await storeOf(place)
      const row = await store.session(sessionId)
      if (!row?.seq || ![undefined, row.agent].includes(agent)) return undefined
      return infoOf(store, row, isOpenFor(place.user)(sessionId))
    },
    async change({ agent, command, ...place }) {
      const { user } = place
      const { commandId, sessionId } = command
      changeEntry(command)
      const opened = await openedStore(place)
      await knownRow(opened.store, agent, sessionId)
      const open = sessions.get(sessionId)
      if (open?.spec.user !== user || !open) {
        await changeSession({ platform, opened, name: nameOf(user, sessionId) }, command)
        return null
      }
      const taken = new Promise<void>((resolve) => changing.set(commandId, resolve))
      await open.hosted.send(command, false)
      // Saved in any case; its owner may be a tab that is asleep.
      await Promise.race([taken, platform.clock.sleep(ownerAnswersIn)])
      changing.delete(commandId)
      return null
    },
    async messages(question) {
      const { store, fold } = await loadedFrom(question)
      return newestBodies(store, fold, Infinity)
    },
    async export(question) {
      const { store, fold } = await loadedFrom(question)
      return snapshotOf(store, fold, { at: platform.clock.now(), spec: sessions.get(question.sessionId)?.spec })
    },
    async raw({ sessionId, ...place }) {
      return rawSession((await openedStore(place)).raw, sessionId)
    },
    rewind: ({ sessionId, messageId }) => dryRewind(hostedNamed(sessionId), sessions.get(sessionId)?.spec, messageId),
    async fork(question) {
      const open = sessions.get(question.sessionId)
      if (open && open.spec.user === question.user) {
        open.hosted.assertReadable()
        return forkSession(platform, open.hosted, question)
      }
      return forkSession(platform, await loadedFrom(question), question)
    },
    async import(question) {
      return importSession(await storeOf(question), question, { platform, warn })
    },
    rules: async ({ agent, ...place }) => (await storeOf(place)).rules(agent),
    async revoke({ id, ...place }) {
      await (await storeOf(place)).deleteRule(id)
      return null
    },
    async delete({ agent, sessionId, ...place }) {
      const store = await storeOf(place)
      const row = await store.session(sessionId)
      const open = sessions.get(sessionId)
      const isHere = open && keyOf(open.spec) === keyOf(place)
      // Of a row that cannot be read nobody knows whose it is.
      const owner = row?.agent || (isHere && open.spec.name)
      if (agent !== undefined && owner && owner !== agent) throw otherAgent(sessionId, owner, agent)
      if (isHere) close(sessionId)
      await store.delete(sessionId)
      tellDeleted(platform, place.user, sessionId)
      tellRoomMade()
      return null
    },
    async clear({ user }) {
      const { raw, end } = await openedStore({ user })
      closeAllOf(user)
      end()
      await raw.clear()
      return null
    },
  }

  /** As it lies on the disk, whether it is open or not. */
  async function loadedFrom({ agent, sessionId, ...place }: OfSession): Promise<{ store: Store; fold: Fold }> {
    const store = await storeOf(place)
    const row = await knownRow(store, agent, sessionId)
    return { store, fold: await loadFold(store, sessionId, row.agent) }
  }

  async function run(message: Extract<ToHost, { type: 'run' }>): Promise<void> {
    const { runId, agent } = message
    const controller = new AbortController()
    runs.set(runId, controller)
    try {
      const { signal } = controller
      await runWithoutSession(message, { platform, page, post, warn, signal, store: await storeOf(agent) })
    } finally {
      runs.delete(runId)
    }
  }

  async function receive(message: ToHost): Promise<void> {
    switch (message.type) {
      case 'run': {
        const { ref } = message
        try {
          await run(message)
          post({ type: 'answer', ref, answer: null })
        } catch (error) {
          post({ type: 'refusal', ref, error: toErrorData(error) })
        }
        return
      }
      case 'open': {
        const { ref } = message
        try {
          const { hosted, lost } = await open(message)
          const { sessionId } = hosted.fold.head
          await hosted.attach((attached) => post({ type: 'attached', ref, sessionId, lost: lost?.error, ...attached }))
        } catch (error) {
          post({ type: 'refusal', ref, error: toErrorData(error) })
        }
        return
      }
      case 'ask': {
        const { ref, question } = message
        try {
          const answerer = answerers[question.type] as (asked: Question) => Promise<unknown>
          post({ type: 'answer', ref, answer: await answerer(question) })
        } catch (error) {
          post({ type: 'refusal', ref, error: toErrorData(error) })
        }
        return
      }
      case 'command': {
        const { commandId, sessionId } = message.command
        try {
          await hostedNamed(sessionId).send(message.command, message.isShown)
          post({ type: 'saved', commandId })
        } catch (error) {
          post({ type: 'unsaved', commandId, error: toErrorData(error) })
        }
        return
      }
      case 'watch':
        return watches.begin(message.ref, message.question)
      case 'unwatch':
        return watches.end(message.ref)
      case 'close':
        runs.get(message.sessionId)?.abort()
        return releaseWhenIdle(message.sessionId)
      case 'resume':
        return sessions.get(message.sessionId)?.hosted.resume()
      case 'left':
        for (const { hosted } of sessions.values()) hosted.left()
        return watches.left()
      case 'restored':
        for (const { hosted } of sessions.values()) void hosted.restored()
        return watches.renew()
      case 'ping':
        return post({ type: 'pong', sent: message.sent, heard: platform.clock.elapsed() })
      default:
        page.receive(message)
    }
  }

  wire.listen((message) => void receive(message))
}

type Opening = Extract<ToHost, { type: 'open' }>

interface Opened {
  readonly hosted: HostedSession
  readonly lost?: Lost
}

/** Where a session is kept: in its user's database, or in memory. */
type Place = Pick<AgentSpec, 'user' | 'persistSession'>

function keyOf({ user, persistSession = true }: Place): string {
  return JSON.stringify([user ?? '', persistSession])
}

interface CheckedStore extends OpenedStore {
  /** As it lies there. */
  readonly raw: Store
  /** What a turn still does while it is being let go must not make the deleted database anew. */
  readonly end: () => void
}

/** How long a change waits to be seen. */
const ownerAnswersIn = 2_000
/** How long a session that rests is kept at hand when no page shows it. */
const idleFor = 300_000
/** Words that were just saved are taken up by then. */
const takenIn = 1_000
/** What is shown first goes before what is deleted. */
const sweepIn = 5_000
const emptyFor = 3_600_000

async function chosen(store: Store, agent: string, choice: SessionChoice, platform: Platform): Promise<string> {
  if (choice.type === 'id') return choice.id
  const [newest] = choice.type === 'last' ? await findSessions(store, agent, { limit: 1 }) : []
  return newest?.id ?? platform.ids.id()
}
