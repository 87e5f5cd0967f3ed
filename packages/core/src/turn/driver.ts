/** The driver: takes a session's commands from its inbox and runs its turns, for as long as this host owns it. */
import { DogearError } from '../error.ts'
import type { Clock } from '../ports/clock.ts'
import type { Hash } from '../ports/hash.ts'
import type { InboxRow, Store } from '../ports/store.ts'
import { statusOf } from '../session/fold.ts'
import type { Journal } from '../session/journal.ts'
import type { Partial } from '../session/partial.ts'
import type { Waiting } from '../session/state.ts'
import { takeCommand } from './commands.ts'
import { turnEntries } from './begin.ts'
import { createDeadlines } from './deadlines.ts'
import { activeAgent } from '../agents/active-agent.ts'
import type { Run, RunAgent } from './run.ts'
import { runTurn } from './turn.ts'

export interface Driver {
  /** Something may be waiting in the inbox. */
  wake(): void
  /** The page defined its agent anew: a call that waited for its tool may go on. */
  define(agent: RunAgent): void
  /** A hint that what held the turn up may be over: back online, a new token. */
  nudge(): void
  /** What streams now, for somebody who joins in the middle. */
  shown(): Partial | null
  waiting(): Waiting | null
  /** Lets go without writing anything: the next owner goes on from the journal. */
  close(): void
}

export interface DriverOptions {
  readonly journal: Journal
  readonly store: Pick<Store, 'inbox' | 'partial' | 'savePartial'>
  readonly agent: RunAgent
  readonly clock: Clock
  readonly hash: Hash
  readonly emit: (partial: Partial | null) => void
  readonly waits: (reason: Waiting | null) => void
  /** Whether the page still runs a call of a worker that died. */
  readonly isRunning: (callId: string) => boolean
  readonly warn: (message: string) => void
  /** The journal can no longer be written; `fenced` when another tab took over. */
  readonly failed: (error: unknown) => void
}

/** How long a held-up turn waits for a hint before it tries by itself. */
const tryAgainAfter = { network: 5_000, token: 60_000, space: 30_000, page: 600_000 } as const

export function createDriver(options: DriverOptions): Driver {
  const { journal, store, clock } = options
  const { sessionId } = journal.fold.head
  let agent = options.agent
  let running: { controller: AbortController; stopping?: { commandId: string; take: number[] } } | undefined
  let recovering = journal.fold.head.turn !== null
  let shown: Partial | null = null
  let waiting: Waiting | null = null
  let nudged: (() => void)[] = []
  let isDraining = false
  let mustDrain = false
  let isClosed = false

  async function drain(): Promise<void> {
    if (isDraining) {
      mustDrain = true
      return
    }
    isDraining = true
    try {
      do {
        mustDrain = false
        for (const row of await store.inbox(sessionId)) {
          if (isClosed) return
          await take(row)
        }
        // Inside the loop: a turn that ends while this looks for what is due would wake nobody.
        await goOn()
      } while (mustDrain)
    } catch (error) {
      fail(error)
    } finally {
      isDraining = false
    }
  }

  async function take(row: InboxRow): Promise<void> {
    if (running?.stopping?.take.includes(row.key)) return
    const outcome = await takeCommand({ journal, agent, clock }, row)
    if (outcome === 'stop') stop(row.command.commandId, [row.key])
    if (outcome === 'interrupt') stop(row.command.commandId, [])
  }

  function stop(commandId: string, take: number[]): void {
    // It ended by itself in the meantime: looked at again, the command finds nothing to stop.
    if (!journal.fold.head.turn) {
      mustDrain = true
      return
    }
    running ??= start()
    running.stopping = { commandId, take }
    running.controller.abort()
  }

  /** Starts what the journal says is due: an open turn, or the next one queued. */
  async function goOn(): Promise<void> {
    if (running || isClosed) return
    const { head } = journal.fold
    if (!head.turn && head.queue.length) await journal.append(turnEntries(journal.fold, agent, clock, { queued: true }))
    if (journal.fold.head.turn && statusOf(journal.fold.head) === 'busy') running ??= start()
  }

  function start() {
    const controller = new AbortController()
    const current: NonNullable<typeof running> = { controller }
    const run: Run = {
      journal,
      agent: () => activeAgent(agent, journal.fold.head),
      clock,
      startedAt: clock.now(),
      hash: options.hash,
      signal: controller.signal,
      recovering,
      ready: new Map(),
      deadlines: createDeadlines(clock),
      settling: new Set(),
      emit,
      shown: () => shown,
      stopping: () => current.stopping,
      loadPartial: (stepId) => store.partial(sessionId, stepId),
      // Not kept, it costs a reload a second of words; failing, it must not cost the answer.
      savePartial: (partial) => store.savePartial({ ...partial, sessionId, epoch: journal.epoch }).catch(() => {}),
      wait: (reason) => wait(reason, controller.signal),
      isRunning: options.isRunning,
      warn: options.warn,
    }
    recovering = false
    // A tick later, so that a stop that starts its own run is in place before the run looks for it.
    void Promise.resolve()
      .then(() => runTurn(run))
      .then(
        () => {
          if (running === current) running = undefined
          return drain()
        },
        (error: unknown) => {
          if (running === current) running = undefined
          fail(error)
        },
      )
    return current
  }

  function emit(partial: Partial | null): void {
    shown = partial
    options.emit(partial)
  }

  async function wait(reason: Waiting, signal: AbortSignal): Promise<void> {
    // What is aborted already tells nobody again, and the wait would last to its limit.
    signal.throwIfAborted()
    setWaiting(reason)
    const over = new AbortController()
    const hint = new Promise<void>((resolve) => nudged.push(resolve))
    const stopped = new Promise<void>((resolve) =>
      signal.addEventListener('abort', () => resolve(), { once: true, signal: over.signal }),
    )
    await Promise.race([hint, stopped, clock.sleep(tryAgainAfter[reason], over.signal)])
    over.abort()
    setWaiting(null)
    signal.throwIfAborted()
  }

  function setWaiting(reason: Waiting | null): void {
    if (waiting === reason) return
    waiting = reason
    options.waits(reason)
  }

  function nudge(): void {
    const hints = nudged
    nudged = []
    for (const hint of hints) hint()
  }

  function fail(error: unknown): void {
    if (isClosed) return
    isClosed = true
    running?.controller.abort()
    options.failed(error)
  }

  return {
    wake: () => void drain(),
    define(next) {
      agent = next
      nudge()
    },
    nudge,
    shown: () => shown,
    waiting: () => waiting,
    close() {
      isClosed = true
      running?.controller.abort(new DogearError('session-closed', 'This tab let go of the session.'))
    },
  }
}
