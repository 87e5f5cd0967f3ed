/** A session in this tab's host: its owner when it holds the lock, else a follower of the tab that does. */
import {
  createDriver,
  DogearError,
  openJournal,
  toErrorData,
  type Command,
  type Driver,
  type Entry,
  type ErrorData,
  type Fold,
  type Held,
  type Partial,
  type RunAgent,
  type Store,
  type Waiting,
} from '@dogear/core'
import type { Attached, PartialDelta, ToPage } from '../protocol.ts'
import { addDelta, createDeltas } from './deltas.ts'
import { catchUp, newestBodies } from './load.ts'
import type { Platform } from './platform.ts'

export interface HostedSession {
  readonly fold: Fold
  readonly store: Store
  /** Gives a page all it needs to show the session; what comes later is posted. */
  attach(tell: (attached: Attached) => void): Promise<void>
  /** Resolves once the command can no longer be lost. */
  send(command: Command): Promise<void>
  define(agent: RunAgent): void
  resume(): void
  close(): void
}

export interface HostedOptions {
  readonly platform: Platform
  readonly store: Store
  readonly kept: boolean
  readonly fold: Fold
  readonly user?: string
  readonly agent: RunAgent
  readonly post: (message: ToPage) => void
  /** Another tab deleted the session. */
  readonly deleted: () => void
  /** Whether the page still runs a call of a worker that died. */
  readonly isRunning: (callId: string) => boolean
}

/** What tabs tell each other: hints to look at the store, and what streams. */
type Told =
  | { readonly type: 'appended' }
  | { readonly type: 'deleted' }
  | { readonly type: 'wake' }
  | { readonly type: 'joined' }
  | { readonly type: 'delta'; readonly delta: PartialDelta }
  | { readonly type: 'partial'; readonly partial: Partial | null; readonly waiting: Waiting | null }
  | { readonly type: 'waiting'; readonly waiting: Waiting | null }

/** How many entries may pass before the head is cached again, beside every turn's end. */
const cacheEvery = 200

export function openHosted(options: HostedOptions): HostedSession {
  const { platform, store, fold, post } = options
  const { sessionId } = fold.head
  const name = nameOf(options.user, sessionId)
  const closed = new AbortController()
  const channel = platform.transport.open(name, (message) => void hear(message as Told).catch(failed))
  const deltas = createDeltas(platform.clock, (delta) => {
    post({ type: 'delta', sessionId, delta })
    channel.post({ type: 'delta', delta } satisfies Told)
  })
  const stopListening = platform.network.subscribe(() => platform.network.isOnline() && driver?.nudge())
  let agent = options.agent
  let held: Held | undefined
  let driver: Driver | undefined
  /** As a follower: what the owner told of its partial. */
  let followed: { partial: Partial | null; waiting: Waiting | null } = { partial: null, waiting: null }
  /** Kept for a page that attaches after it was told. */
  let failure: ErrorData | null = null
  let cachedAt = fold.head.seq
  let catching: Promise<void> | undefined
  let owning: Promise<void> | undefined
  let driving: Promise<void> = Promise.resolve()

  /** Waits in line for the lock, once however often it is asked for, then drives for as long as it is held. */
  function own(): Promise<void> {
    owning ??= takeLock().finally(() => (owning = undefined))
    return owning
  }

  async function takeLock(): Promise<void> {
    if (!held) {
      const lock = await platform.lock.acquire(name, { wait: true, signal: closed.signal })
      if (!lock) return
      if (closed.signal.aborted) return lock.release()
      held = lock
      void lock.lost.then(() => lost(lock))
    }
    await drive()
  }

  /** Looks for what is due also when the lock is held already: there may have been nothing to drive before. */
  function goOn(): Promise<void> {
    return held ? drive() : own()
  }

  /** Taken away by another tab: from now on this one waits behind it. */
  function lost(lock: Held): void {
    if (held === lock) resign()
    if (!closed.signal.aborted) void own().catch(failed)
  }

  /** One at a time: two would raise the epoch twice and fence each other. */
  function drive(): Promise<void> {
    driving = driving.catch(() => {}).then(startDriving)
    return driving
  }

  /** Starts driving, unless there is nothing yet to drive: a session begins with its first command. */
  async function startDriving(): Promise<void> {
    if (!held || driver) return
    const isNew = fold.head.seq === 0
    if (isNew && !(await store.session(sessionId)) && !(await store.inbox(sessionId)).length) return
    // Let go in the meantime: raising the epoch now would fence the tab that has the lock.
    if (!held || closed.signal.aborted) return
    const record = await store.acquire(sessionId, { agent: fold.head.agent, at: platform.clock.now() })
    await follow()
    const journal = openJournal({ fold, clock: platform.clock, store, epoch: record.epoch, published })
    if (isNew && fold.head.seq === 0) {
      await journal.append([{ type: 'session-start', agent: agent.name, version: agent.version, sessionId }])
    }
    if (!held || closed.signal.aborted) return
    // What the last owner told of itself died with it.
    if (followed.waiting) tellWaiting(null)
    followed = { partial: null, waiting: null }
    failure = null
    driver = createDriver({
      journal,
      store,
      agent,
      clock: platform.clock,
      hash: platform.hash,
      emit: (partial) => deltas.show(partial),
      waits(waiting) {
        post({ type: 'waiting', sessionId, waiting })
        channel.post({ type: 'waiting', waiting } satisfies Told)
      },
      isRunning: options.isRunning,
      warn: (message) => post({ type: 'warning', message }),
      failed,
    })
    driver.wake()
  }

  function published(entries: readonly Entry[]): void {
    const isAnswered = entries.some(
      (entry) => entry.type === 'turn-end' || (entry.type === 'message-add' && entry.stepId !== undefined),
    )
    if (isAnswered) deltas.drop()
    post({ type: 'entries', sessionId, entries })
    channel.post({ type: 'appended' } satisfies Told)
    const isDue = entries.some((entry) => entry.type === 'turn-end') || fold.head.seq - cachedAt >= cacheEvery
    if (!isDue) return
    cachedAt = fold.head.seq
    // A cache: when it cannot be written the journal is read from its start.
    void store.saveHead(fold.head).catch(() => {})
  }

  function failed(error: unknown): void {
    resign()
    if (error instanceof DogearError && error.code === 'fenced') return void follow().catch(failed)
    failure = toErrorData(error)
    post({ type: 'session-failed', sessionId, error: failure })
  }

  /** Another tab drives from now on. This one takes over again when its person sends something and nobody else does. */
  function resign(): void {
    driver?.close()
    driver = undefined
    const lock = held
    held = undefined
    // Not before: an epoch being raised right now would fence whoever gets the lock.
    if (lock) void driving.catch(() => {}).then(() => lock.release())
    deltas.drop()
  }

  async function hear(told: Told): Promise<void> {
    if (told.type === 'deleted') return options.deleted()
    if (told.type === 'wake') return driver ? driver.wake() : held && drive()
    if (told.type === 'joined' && driver) {
      return channel.post({ type: 'partial', partial: driver.shown(), waiting: driver.waiting() } satisfies Told)
    }
    if (driver) return
    if (told.type === 'appended') return follow()
    if (told.type === 'waiting') tellWaiting(told.waiting)
    if (told.type === 'partial') {
      tellWaiting(told.waiting)
      followed = { ...followed, partial: told.partial }
      if (told.partial) post({ type: 'delta', sessionId, delta: wholeDelta(told.partial) })
    }
    if (told.type === 'delta') {
      const partial = addDelta(followed.partial, told.delta)
      if (!partial) return channel.post({ type: 'joined' } satisfies Told)
      followed = { ...followed, partial }
      post({ type: 'delta', sessionId, delta: told.delta })
    }
  }

  function tellWaiting(waiting: Waiting | null): void {
    followed = { ...followed, waiting }
    post({ type: 'waiting', sessionId, waiting })
  }

  /** One reader at a time: two would fold the same entries twice. */
  async function follow(): Promise<void> {
    while (catching) await catching
    catching = (async () => {
      const entries = await catchUp(store, fold)
      if (entries.length) post({ type: 'entries', sessionId, entries })
    })()
    try {
      await catching
    } finally {
      catching = undefined
    }
  }

  void own().catch(failed)
  // What was appended between the loading and the listening was told to nobody here.
  void follow().catch(failed)
  channel.post({ type: 'joined' } satisfies Told)

  return {
    fold,
    store,
    async attach(tell) {
      const step = fold.head.turn?.openStep?.id
      const keptPartial = step === undefined ? null : await store.partial(sessionId, step)
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
    async send(command) {
      await store.send(command)
      if (driver) return driver.wake()
      channel.post({ type: 'wake' } satisfies Told)
      void goOn().catch(failed)
    },
    define(next) {
      agent = next
      driver?.define(next)
    },
    resume() {
      if (driver) return driver.nudge()
      void follow().then(goOn).catch(failed)
    },
    close() {
      closed.abort()
      stopListening()
      resign()
      channel.close()
    },
  }
}

/** Tells the tabs that show this session that it is gone. */
export function tellDeleted({ transport }: Platform, user: string | undefined, sessionId: string): void {
  const channel = transport.open(nameOf(user, sessionId), () => {})
  channel.post({ type: 'deleted' } satisfies Told)
  channel.close()
}

/** Of the lock and the channel. Encoded: one user's name must not spell those of another's session. */
function nameOf(user: string | undefined, sessionId: string): string {
  return `dogear:${encodeURIComponent(user ?? '')}:${sessionId}`
}

function wholeDelta({ stepId, text, reasoning, calls, resumedAt }: Partial): PartialDelta {
  return { stepId, textAt: 0, text, reasoningAt: 0, reasoning, calls, resumedAt }
}
