/**
 * A session in this tab's host: its owner when it holds the lock, else a follower of the tab that does.
 * One long file, because owner and follower are one thing that changes sides at any moment.
 */
import {
  createDriver,
  DogearError,
  fromErrorData,
  makeRoom,
  openJournal,
  statusOf,
  toErrorData,
  type Command,
  type Driver,
  type Entry,
  type ErrorData,
  type Fold,
  type Partial,
  type RunAgent,
  type Store,
  type Waiting,
} from '@dogear/core'
import type { Attached, ToPage } from '../protocol.ts'
import { createAttempts, type AttemptsOptions } from './attempts.ts'
import { addDelta, createDeltas, wholeDelta } from './deltas.ts'
import { lockOf } from './lease.ts'
import { catchUp, newestBodies } from './load.ts'
import { createNeighbours, type NeighbourOptions } from './elsewhere.ts'
import { createOwnership } from './ownership.ts'
import { ownPage } from './own-page.ts'
import type { Platform } from './platform.ts'
import { nameOf, tellTabs } from './tell-tabs.ts'
import { readTold, type Told } from './told.ts'

export interface HostedSession {
  readonly fold: Fold
  readonly store: Store
  readonly kept: boolean
  /** Throws `session-newer` when only a newer script can read all of it. */
  assertReadable(): void
  /** Gives a page all it needs to show the session; what comes later is posted. */
  attach(tell: (attached: Attached) => void): Promise<void>
  /** Resolves once the command can no longer be lost. `isShown`: its person is at this tab. */
  send(command: Command, isShown: boolean): Promise<void>
  define(agent: RunAgent): void
  resume(): void
  /** Something was deleted: what waits for room may go on. */
  roomMade(): void
  /** The browser puts the page away. */
  left(): void
  /** It is back: nothing it knew need be true. */
  restored(): Promise<void>
  close(): void
}

export interface HostedOptions extends Pick<AttemptsOptions, 'life' | 'left' | 'suspects'> {
  readonly platform: Platform
  readonly store: Store
  readonly kept: boolean
  readonly fold: Fold
  /** Why this script can only show the session, when a newer one has written it. */
  readonly newer?: DogearError
  readonly user?: string
  readonly agent: RunAgent
  readonly post: (message: ToPage) => void
  /** Another tab deleted the session. */
  readonly deleted: () => void
  /** The browser has lost the end of the session: nothing is driven before a person goes on. */
  readonly isShort?: boolean
  /** The page's own name. */
  readonly page: string
  /** What it has of a call that a worker before this one began, or will have. */
  readonly begun: NeighbourOptions['begun']
}

/** How many entries may pass before the head is cached again, beside every turn's end. */
const cacheEvery = 200

export function openHosted(options: HostedOptions): HostedSession {
  const { platform, store, fold, post } = options
  const { clock } = platform
  const { sessionId } = fold.head
  const name = nameOf(options.user, sessionId)
  const channel = platform.transport.open(name, (message) => {
    const told = readTold(message)
    if (told) hear(told).catch(failed)
  })
  const tell = (told: Told) => channel.post(told)
  const deltas = createDeltas(clock, (delta) => {
    post({ type: 'delta', sessionId, delta })
    tell({ type: 'delta', delta })
  })
  const stopListening = platform.network.subscribe(() => platform.network.isOnline() && driver?.nudge())
  const host = `${options.page}.${platform.ids.id()}`
  const lock = lockOf(platform, options, sessionId)
  const neighbours = createNeighbours({
    platform,
    lock,
    name,
    host,
    page: options.page,
    fold,
    agent: () => agent,
    tell,
    follow: async () => (driver ? undefined : follow()),
    look,
    found: () => driver?.nudge(),
    begun: options.begun,
    async send(report) {
      // Deleted meanwhile: nobody is to find a word of it.
      if (!(await store.session(sessionId))) return
      await store.send(report).catch(async (error: unknown) => {
        // What was kept free for its result.
        const isFull = error instanceof DogearError && error.code === 'storage-full'
        if (!isFull || !(await makeRoom(store, sessionId))) throw error
        await store.send(report)
      })
      ownership.urge(false)
    },
  })
  const ownership = createOwnership({
    name,
    host,
    lock,
    clock,
    tell,
    begin,
    end,
    robbed() {
      tell({ type: 'wake' })
      join().catch(failed)
    },
    isIdle: () => !fold.head.turn && fold.head.queue.length === 0,
    isAtWork: () => statusOf(fold.head) === 'busy',
    isAwaited: async () => (await store.inbox(sessionId)).length > 0,
    failed,
  })
  const attempts = createAttempts({ ...options, clock, ids: platform.ids })
  let agent = options.agent
  let driver: Driver | undefined
  let epoch = 0
  /** As a follower: what the owner told of its partial. */
  let followed: { partial: Partial | null; waiting: Waiting | null } = { partial: null, waiting: null }
  /** Kept for a page that attaches after it was told. */
  let failure: ErrorData | null = null
  let cachedAt = fold.head.seq
  let catching: Promise<void> | undefined

  /** Starts driving, unless there is nothing yet to drive: a session begins with its first command. */
  async function begin(isHeld: () => boolean): Promise<void> {
    if (driver) return driver.wake()
    const isNew = fold.head.seq === 0
    if (isNew && !(await store.session(sessionId)) && !(await store.inbox(sessionId)).length) return
    // Before the epoch: a script that cannot read the journal must leave its owner alone.
    await follow()
    await attempts.begin(fold)
    // Let go in the meantime: raising the epoch now would fence the tab that has the lock.
    if (!isHeld()) return
    const askedAt = platform.clock.elapsed()
    const record = await store.acquire(sessionId, { agent: fold.head.agent, at: clock.now() })
    epoch = record.epoch
    const own = ownPage({
      platform,
      store,
      page: options.page,
      provenAt: askedAt,
      isOwner: async () => {
        await look().catch(failed)
        return driver !== undefined && epoch === record.epoch
      },
    })
    await follow()
    const full = (refusal: DogearError, signal: AbortSignal) => driver?.full(signal) ?? Promise.reject(refusal)
    const journal = openJournal({ fold, clock, store: own.store, epoch: record.epoch, published, full })
    if (isNew && fold.head.seq === 0) {
      const { name, version, modelName: model } = agent
      await journal.append([{ type: 'session-start', agent: name, version, sessionId, model }])
    }
    if (!isHeld()) return
    neighbours.drive()
    // What the last owner told of itself died with it.
    if (followed.waiting) tellWaiting(null)
    followed = { partial: null, waiting: null }
    if (failure) post({ type: 'entries', sessionId, entries: [] })
    failure = null
    driver = createDriver({
      journal,
      store,
      agent,
      clock,
      hash: platform.hash,
      emit: (partial) => deltas.show(partial),
      waits(waiting) {
        post({ type: 'waiting', sessionId, waiting })
        tell({ type: 'waiting', waiting })
      },
      page: own.page,
      proven: () => tellTabs(platform, options.user, sessionId, { type: 'wake' }),
      host,
      elsewhere: neighbours,
      warn: (message) => post({ type: 'warning', message }),
      failed,
    })
    driver.wake()
  }

  function end(): void {
    attempts.end()
    driver?.close()
    driver = undefined
    neighbours.reset()
    deltas.drop()
  }

  function published(entries: readonly Entry[]): void {
    const isAnswered = entries.some(
      (entry) => entry.type === 'turn-end' || (entry.type === 'message-add' && entry.stepId !== undefined),
    )
    if (isAnswered) deltas.drop()
    attempts.written(entries)
    post({ type: 'entries', sessionId, entries })
    // The last words of a driver that has failed: a page takes entries for a sign that it goes on.
    if (failure) post({ type: 'session-failed', sessionId, error: failure })
    tell({ type: 'appended' })
    const isDue = entries.some((entry) => entry.type === 'turn-end') || fold.head.seq - cachedAt >= cacheEvery
    if (!isDue) return
    cachedAt = fold.head.seq
    // A cache: when it cannot be written the journal is read from its start.
    void store.saveHead(fold.head).catch(() => {})
  }

  function failed(error: unknown): void {
    ownership.resign()
    // Another tab drives from now on; this one waits in line behind it.
    if (error instanceof DogearError && error.code === 'fenced') return void join().catch(failed)
    failure = toErrorData(error)
    // Written by a newer script: this one shows what it could read, and touches nothing.
    if (failure.code === 'session-newer') ownership.close()
    post({ type: 'session-failed', sessionId, error: failure })
  }

  function isParked(): boolean {
    return failure?.code === 'session-parked'
  }

  async function hear(told: Told): Promise<void> {
    if (told.type === 'deleted') return (await store.session(sessionId)) ? undefined : options.deleted()
    if (told.type === 'who') return tell({ type: 'here' })
    if (failure?.code === 'session-newer') return
    ownership.hear(told)
    if (driver ? told.type !== 'seek' : told.type !== 'found') await neighbours.hear(told)
    if (told.type === 'joined' && driver) {
      // It may have the tool that a call waits for.
      if (driver.waiting() === 'page') driver.nudge()
      return tell({ type: 'partial', partial: driver.shown(), waiting: driver.waiting() })
    }
    // Also told to one that drives: another tab has taken over, and this one was frozen when it did.
    if (told.type === 'appended') return look()
    if (driver) return
    // Said by an owner alone.
    if (told.type === 'partial' || told.type === 'pong') neighbours.rejoin()
    if (told.type === 'waiting') tellWaiting(told.waiting)
    if (told.type === 'partial') {
      tellWaiting(told.waiting)
      followed = { ...followed, partial: told.partial }
      if (told.partial) post({ type: 'delta', sessionId, delta: wholeDelta(told.partial) })
    }
    if (told.type === 'delta') {
      const partial = addDelta(followed.partial, told.delta)
      if (!partial) return tell({ type: 'joined' })
      followed = { ...followed, partial }
      post({ type: 'delta', sessionId, delta: told.delta })
    }
  }

  function tellWaiting(waiting: Waiting | null): void {
    followed = { ...followed, waiting }
    post({ type: 'waiting', sessionId, waiting })
  }

  /** What others may have done; an owner writes nothing more once it finds that it no longer is. */
  async function look(): Promise<void> {
    if (!driver) return follow()
    const record = await store.session(sessionId)
    if (!driver) return follow()
    if (record?.epoch !== epoch) failed(new DogearError('fenced', 'Another tab drives this session.'))
  }

  /** One reader at a time: two would fold the same entries twice. */
  async function follow(): Promise<void> {
    while (catching) await catching
    catching = (async () => {
      const readAt = platform.clock.elapsed()
      const { entries, newer } = await catchUp(store, fold)
      if (entries.length) post({ type: 'entries', sessionId, entries })
      if (newer) throw newer
      if (entries.length && failure) tellFollowed(failure, entries)
      neighbours.look(readAt)
      ownership.attend()
    })()
    try {
      await catching
    } finally {
      catching = undefined
    }
  }

  /** A page takes entries for a sign that the session goes on. */
  function tellFollowed(error: ErrorData, entries: readonly Entry[]): void {
    // What this tab itself had written when it failed.
    if (!isParked() && entries.every((entry) => entry.epoch <= epoch)) {
      return post({ type: 'session-failed', sessionId, error })
    }
    // Another tab goes on with it: this one waits behind it as before.
    failure = null
    ownership.goOn().catch(failed)
  }

  /** Gets in line, and looks what has come meanwhile: whoever sent it may have died before it told the owner. */
  async function join(): Promise<void> {
    ownership.goOn().catch(failed)
    await follow()
    if (!driver && (await store.inbox(sessionId)).length) ownership.urge(false)
  }

  function resume(): void {
    if (driver) return driver.nudge()
    // The tab that drives may be one that nobody looks at.
    tell({ type: 'wake' })
    const counted = isParked() ? attempts.forget(sessionId) : Promise.resolve()
    counted.then(join).catch(failed)
  }

  // Before anybody is told that it is open: what they send would be saved, and never answered here.
  if (options.newer) failed(options.newer)
  else {
    // What was appended between the loading and the listening was told to nobody here.
    const joining = options.isShort ? follow() : join()
    joining.catch(failed)
  }
  tell({ type: 'joined' })

  /** A call that needs a click runs in the tab that was clicked. */
  async function withHost(command: Command): Promise<Command> {
    const request = command.type === 'resolve' && fold.head.requests.find(({ id }) => id === command.requestId)
    if (!request || !request.gesture || request.path) return command
    await neighbours.live()
    return { ...command, host }
  }

  /** What a newer script wrote is not for this one to add to, or to copy by halves. */
  function assertReadable(): void {
    if (failure?.code === 'session-newer') throw fromErrorData(failure)
  }

  return {
    fold,
    store,
    kept: options.kept,
    assertReadable,
    async attach(tell) {
      const step = fold.head.turn?.openStep?.id
      // Only words on their way: without them the session opens all the same.
      const keptPartial = step === undefined ? null : await store.partial(sessionId, step).catch(() => null)
      let seq
      let bodies
      // Read again when the session grew meanwhile: a head must not name what is missing.
      do {
        ;({ seq } = fold.head)
        bodies = await newestBodies(store, fold)
      } while (fold.head.seq !== seq)
      // From here on without a wait: a page that is not attached yet hears nothing of what comes between.
      const openStep = fold.head.turn?.openStep?.id
      const partials = [driver?.shown(), followed.partial, keptPartial]
      const partial = partials.find((each) => each?.stepId === openStep) ?? null
      const waiting = driver ? driver.waiting() : followed.waiting
      tell({ head: fold.head, bodies, partial, waiting, kept: options.kept, failure })
    },
    async send(command, isShown) {
      assertReadable()
      try {
        await store.send(await withHost(command))
      } finally {
        // Also when it failed: it may have been written, and nobody heard of it.
        if (driver) driver.wake()
        else ownership.urge(isShown && command.type === 'send')
      }
    },
    define(next) {
      agent = next
      if (driver) driver.define(next)
      // A call may wait for a tool that this page has from now on.
      else tell({ type: 'joined' })
    },
    resume,
    // What is parked, or has lost its end, waits for a person.
    roomMade: () => void ((driver || failure?.code === 'storage-full') && resume()),
    left: ownership.leave,
    async restored() {
      try {
        if (fold.head.seq > 0 && !(await store.session(sessionId))) return options.deleted()
        await look()
        await join()
        tell({ type: 'joined' })
      } catch (error) {
        failed(error)
      }
    },
    close() {
      stopListening()
      ownership.close()
      neighbours.close()
      channel.close()
    },
  }
}
