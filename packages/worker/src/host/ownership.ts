/**
 * Which tab drives a session: the one that holds its lock. The lock follows the person, and is taken from a tab that no
 * longer answers. All of it are hints for speed: what fences an old owner is the epoch in the store.
 */
import type { Clock, Held, Lock } from '@dogear/core'
import type { Told } from './told.ts'

export interface Ownership {
  /** Drives when the lock is held, else waits in line for it. */
  goOn(): Promise<void>
  /** Lets go; to drive again, `goOn`. */
  resign(): void
  /** Lets go unless at work: asleep with the lock in hand, this tab would keep every other waiting until they steal it. */
  leave(): void
  /** This tab sent something, and does not drive; its person is here when it is shown. */
  urge(isShown: boolean): void
  /** The session is at work, and this tab does not drive: whoever does must be alive. */
  attend(): void
  hear(told: Told): void
  close(): void
}

export interface OwnershipOptions {
  readonly name: string
  /** This tab, among those of the session. */
  readonly host: string
  readonly lock: Lock
  readonly clock: Clock
  readonly tell: (told: Told) => void
  /** Begins to drive, or looks at the inbox again when it drives already. */
  readonly begin: (isHeld: () => boolean) => Promise<void>
  readonly end: () => void
  /** Another tab has the lock: what this one was about to take from the inbox is that one's to take. */
  readonly robbed: () => void
  /** Whether no turn is open or queued. */
  readonly isIdle: () => boolean
  /** Whether an owner has something to do, as far as the journal was read here. */
  readonly isAtWork: () => boolean
  /** Whether something waits in the inbox; a claim without it is nobody's. */
  readonly isAwaited: () => Promise<boolean>
  readonly failed: (error: unknown) => void
}

/** How long a command may lie in the inbox, or a session be at work, before a tab asks whether anybody drives. */
const patience = 2_000
/** So many pings without an answer, each given so long, and the lock is taken. */
const silentPings = 3
const pingLasts = 3_000
/** How long a lock is kept for the tab that claimed it: longer than a lease takes to be seen as taken. */
const offerLasts = 3_000

export function createOwnership(options: OwnershipOptions): Ownership {
  const { name, host, lock, clock, tell, failed } = options
  const closed = new AbortController()
  let line = new AbortController()
  let held: Held | undefined
  let owning: Promise<void> | undefined
  let driving: Promise<void> = Promise.resolve()
  /** Kept for another tab: nothing is driven here meanwhile. */
  let isOffered = false
  let isClaiming = false
  let isWatching = false
  let isAnswered = false

  /** Waits in line, once however often it is asked for; a thief goes before the line. */
  function own(steal = false): Promise<void> {
    if (owning && !steal) return owning
    line.abort()
    const taking = takeLock(steal).finally(() => {
      if (owning === taking) owning = undefined
    })
    return (owning = taking)
  }

  async function takeLock(steal: boolean): Promise<void> {
    // Offered, and taken without this tab having noticed yet, as a lease is.
    if (steal && held) resign()
    if (!held) {
      const { signal } = (line = new AbortController())
      const got = await lock.acquire(name, steal ? { wait: true, steal } : { wait: true, signal })
      if (!got) return
      if (signal.aborted) return got.release()
      held = got
      // What is lost from here on is to be waited for anew, also while this still begins to drive.
      owning = undefined
      isOffered = false
      void got.lost.then(() => lost(got))
    }
    await drive()
  }

  /** Taken away by another tab. */
  function lost(one: Held): void {
    if (held !== one) return
    resign()
    if (!closed.signal.aborted) options.robbed()
  }

  function isHeld(): boolean {
    return held !== undefined && !isOffered && !closed.signal.aborted
  }

  /** One at a time: two would raise the epoch twice and fence each other. */
  function drive(): Promise<void> {
    driving = driving.catch(() => {}).then(() => (isHeld() ? options.begin(isHeld) : undefined))
    return driving
  }

  function resign(): void {
    options.end()
    const released = held
    held = undefined
    isOffered = false
    // Not before: an epoch being raised right now would fence whoever gets the lock.
    if (released) void driving.catch(() => {}).then(() => released.release())
  }

  /** Not released, which would give it to the first in line: the one that claimed it steals it. */
  async function offer(to: string): Promise<void> {
    if (!(await options.isAwaited())) return
    if (!isHeld() || !options.isIdle()) return wake()
    isOffered = true
    options.end()
    await driving.catch(() => {})
    tell({ type: 'yours', host: to })
    await clock.sleep(offerLasts, closed.signal)
    if (!isOffered) return
    // Whoever claimed it is gone.
    isOffered = false
    await drive()
  }

  function wake(): void {
    if (held) drive().catch(failed)
  }

  /** For a tab in line only: what has failed here, or lost its end, is not for this one to drive unasked. */
  function mayBeLeftAlone(): boolean {
    return owning !== undefined && options.isAtWork()
  }

  function watch(): void {
    if (isWatching) return
    isWatching = true
    ping()
      .catch(failed)
      .finally(() => (isWatching = false))
  }

  /** Judged by waits, not by the time of day: a tab that was frozen itself has heard nobody, and asks anew. */
  async function ping(): Promise<void> {
    await clock.sleep(patience, closed.signal)
    let silent = 0
    while (!isHeld() && !closed.signal.aborted && (mayBeLeftAlone() || (await options.isAwaited()))) {
      if (silent === silentPings) return own(true)
      isAnswered = false
      tell({ type: 'ping' })
      await clock.sleep(pingLasts, closed.signal)
      silent = isAnswered ? 0 : silent + 1
    }
  }

  return {
    goOn: () => (held ? drive() : own()),
    resign,
    leave: () => void (options.isIdle() && resign()),
    urge(isShown) {
      if (closed.signal.aborted) return
      if (isHeld()) return wake()
      own().catch(failed)
      isClaiming = isShown
      tell(isShown ? { type: 'claim', host } : { type: 'wake' })
      watch()
    },
    attend() {
      if (mayBeLeftAlone()) watch()
    },
    hear(told) {
      // Another tab wrote: where this one holds the lock, it was to drive and had nothing to drive yet, or is fenced.
      if (told.type === 'wake' || told.type === 'appended') wake()
      if (told.type === 'ping' && held) {
        tell({ type: 'pong' })
        // What it asks about lies in the inbox, and the word of it may have been lost.
        wake()
      }
      if (told.type === 'pong') isAnswered = true
      if (told.type === 'claim' && held) offer(told.host).catch(failed)
      if (told.type === 'yours' && told.host === host && isClaiming && !isHeld()) {
        isClaiming = false
        own(true).catch(failed)
      }
    },
    close() {
      closed.abort()
      line.abort()
      resign()
    },
  }
}
