/** The driver: takes a session's commands from its inbox and runs its turns, for as long as this host owns it. */
import { DogearError } from '../error.ts'
import type { Clock } from '../ports/clock.ts'
import type { Hash } from '../ports/hash.ts'
import type { InboxRow, Store } from '../ports/store.ts'
import { foldAt, statusOf } from '../session/fold.ts'
import type { Request } from '../permission/request.ts'
import type { Journal, NewEntry } from '../session/journal.ts'
import type { Partial } from '../session/partial.ts'
import type { OpenCall, Waiting } from '../session/state.ts'
import type { CallReply } from '../tools/result.ts'
import { ruleId, ruleRecord, takeCommand } from './commands.ts'
import { turnEntries } from './begin.ts'
import { createDeadlines } from './deadlines.ts'
import { openCallsOf, reportId, type Elsewhere } from './elsewhere.ts'
import { provenResult } from './evidence.ts'
import { createHoldUp } from './hold-up.ts'
import type { Page } from './page.ts'
import { isDue, isInterrupted } from './queue.ts'
import { activeAgent } from '../agents/active-agent.ts'
import type { Run, RunAgent, TaskStop } from './run.ts'
import { titleByModel } from './title.ts'
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
  /** The disk is full: resolves when trying again is worth it, or `signal` aborts. */
  full(signal: AbortSignal): Promise<void>
  /** Lets go without writing anything: the next owner goes on from the journal. */
  close(): void
}

export interface DriverOptions {
  readonly journal: Journal
  readonly store: Pick<
    Store,
    | 'inbox'
    | 'partial'
    | 'savePartial'
    | 'entries'
    | 'entriesAt'
    | 'side'
    | 'saveSide'
    | 'rules'
    | 'saveRule'
    | 'deleteRule'
  >
  readonly agent: RunAgent
  readonly clock: Clock
  readonly hash: Hash
  readonly emit: (partial: Partial | null) => void
  readonly waits: (reason: Waiting | null) => void
  readonly page?: Page
  /** The end of a call was kept as evidence: whoever owns the session now may need it. */
  readonly proven: () => void
  /** This tab, as others know it. */
  readonly host?: string
  readonly elsewhere?: Elsewhere
  readonly warn: (message: string) => void
  /** The journal can no longer be written; `fenced` when another tab took over. */
  readonly failed: (error: unknown) => void
}

export function createDriver(options: DriverOptions): Driver {
  const { journal, store, clock } = options
  const { sessionId } = journal.fold.head
  let agent = options.agent
  let running: { id: string; controller: AbortController; stopping?: Stopping } | undefined
  let recovering = journal.fold.head.turn !== null
  let shown: Partial | null = null
  const holdUp = createHoldUp(clock, options.hash, options.waits)
  let lastWork: Promise<unknown> = Promise.resolve()
  let isDraining = false
  let mustDrain = false
  let isClosed = false
  const closing = new AbortController()
  let stopTimer = () => {}
  let hasBegun = false
  const reports = new Map<string, InboxRow>()
  const awaited = new Map<string, () => void>()
  const tasks = new Map<string, TaskStop>()

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
        await weighEvidence()
        await expire()
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
    if (isReport(row)) return
    if (running?.stopping?.take.includes(row.key)) return
    const outcome = await alone(() =>
      takeCommand({ journal, store, agent, clock, hash: options.hash, signal: closing.signal }, row),
    )
    if (outcome !== 'stop') return
    const stopping = { commandId: row.command.commandId, take: [row.key] }
    if (row.command.type !== 'stop-task') return stop(stopping)
    const task = taskStop(row.command.task)
    task.stopping = stopping
    task.controller.abort()
    // A call that waits for its page looks again, and finds that it is skipped.
    holdUp.hint()
  }

  function taskStop(task: string): TaskStop {
    let stopped = tasks.get(task)
    if (!stopped) tasks.set(task, (stopped = { controller: new AbortController() }))
    return stopped
  }

  /** Left in the inbox until the call's result is written: this host may die before. */
  function isReport(row: InboxRow): boolean {
    const { commandId, type } = row.command
    const isOpen = openCallsOf(journal.fold.head).some(({ call }) => reportId(call) === commandId)
    if (type !== 'report' || !isOpen) return false
    reports.set(commandId, row)
    awaited.get(commandId)?.()
    return true
  }

  async function report(call: OpenCall): Promise<CallReply | undefined> {
    const id = reportId(call)
    if (!reports.has(id)) {
      await new Promise<void>((resolve) => {
        awaited.set(id, resolve)
        void isOver(call)
          // Its last words may be in the inbox. Unread, they are weighed when they are read.
          .then(async () => (await store.inbox(sessionId)).forEach(isReport))
          .catch(() => {})
          .then(resolve)
      })
      awaited.delete(id)
    }
    const command = reports.get(id)?.command
    return command?.type === 'report' ? command.reply : undefined
  }

  async function isOver({ intent }: OpenCall): Promise<void> {
    // What the page of an owner before this one knew when it was robbed of the session is kept or reported by then.
    if (intent?.page !== undefined) await options.page?.outlived(intent.page)
    if (intent) await options.elsewhere?.over(intent)
  }

  /** One after the other: two that read the queue before either has changed it would lose words. */
  function alone<T>(work: () => Promise<T>): Promise<T> {
    const done = lastWork.then(work)
    lastWork = done.catch(() => {})
    return done
  }

  function stop(stopping: Stopping): void {
    // It ended by itself in the meantime: looked at again, the command finds nothing to stop.
    if (!journal.fold.head.turn) {
      mustDrain = true
      return
    }
    running ??= start()
    running.stopping = stopping
    holdUp.over()
    running.controller.abort()
  }

  /** What a person is asked about may be known by now: then they need not answer. */
  async function weighEvidence(): Promise<void> {
    for (const { id, kind, callId, path = [] } of journal.fold.head.requests) {
      if (kind !== 'outcome') continue
      const { turn } = foldAt(journal.fold, path).head
      const call = turn?.calls.find((open) => open.callId === callId)
      const result = call && provenResult(call, await store.side('evidence', sessionId, callId))
      const isOpen = journal.fold.head.requests.some((open) => open.id === id) && !running?.stopping
      if (!isOpen) continue
      const at = { turnId: turn?.id, path }
      if (result) await journal.append([{ type: 'tool-result', callId, result, ...at }], { must: true })
      // Withdrawn: the turn goes on, and reads it as it reads any report.
      else if (call && reports.has(reportId(call))) {
        const resolution = { type: 'cancel' } as const
        await journal.append([{ type: 'request-close', requestId: id, status: 'cancelled', resolution, ...at }])
      }
    }
  }

  /** What nobody has answered in its time is answered with no, also when that was up while no tab was open. */
  async function expire(): Promise<void> {
    stopTimer()
    const { requests, turn } = journal.fold.head
    const isOver = ({ expiresAt = Infinity }: Request) => expiresAt <= clock.now()
    const over = requests.filter(isOver)
    if (over.length && !running?.stopping) {
      const entries = over.map(({ id: requestId, kind, path }): NewEntry => {
        const isAsked = kind === 'question'
        const resolution = isAsked ? ({ type: 'cancel' } as const) : ({ type: 'reject', comment: tooLate } as const)
        const status = isAsked ? 'cancelled' : 'rejected'
        return { type: 'request-close', turnId: turn?.id, requestId, status, resolution, ...(path && { path }) }
      })
      await journal.append(entries)
    }
    const next = Math.min(...journal.fold.head.requests.map(({ expiresAt = Infinity }) => expiresAt))
    if (next < Infinity)
      stopTimer = clock.after(Math.max(0, Math.min(next - clock.now(), longestWait)), () => void drain())
  }

  /** Starts what the journal says is due: an open turn, or the next one queued. */
  async function goOn(): Promise<void> {
    const { head } = journal.fold
    if (isInterrupted(head) && !isClosed && !running?.stopping)
      stop({ commandId: head.queue[0]?.commandId ?? '', take: [] })
    if (running || isClosed) return
    if (isDue(head)) await journal.append(turnEntries(journal.fold, agent, clock, { queued: true }))
    if (journal.fold.head.turn && statusOf(journal.fold.head) === 'busy') running ??= start()
  }

  function start() {
    const controller = new AbortController()
    const current: NonNullable<typeof running> = { id: journal.fold.head.turn?.id ?? '', controller }
    const run: Run = {
      journal,
      agent: () => activeAgent(agent, journal.fold.head),
      clock,
      startedAt: clock.elapsed(),
      hash: options.hash,
      signal: controller.signal,
      recovering,
      ready: new Map(),
      deadlines: createDeadlines(clock),
      settling: new Set(),
      emit,
      shown: () => shown,
      stopping: () => current.stopping,
      taskStop,
      loadPartial: (stepId) => store.partial(sessionId, stepId),
      // Not kept, it costs a reload a second of words; failing, it must not cost the answer.
      savePartial: (partial) => store.savePartial({ ...partial, sessionId, epoch: journal.epoch }).catch(() => {}),
      alone,
      loadEvidence: (callId) => store.side('evidence', sessionId, callId),
      async saveEvidence(callId, evidence) {
        await store.saveSide('evidence', sessionId, callId, evidence)
        options.proven()
      },
      wait: (reason) => holdUp.wait(reason, controller.signal, current.id),
      asksAt: agent.checkpoint,
      page: options.page,
      isBegun: () => hasBegun || !(hasBegun = true),
      host: options.host,
      kept: {
        rules: (name) => store.rules(name),
        add: (set) => store.saveRule(ruleRecord(set, clock.now())),
        drop: (name, rule) => store.deleteRule(ruleId(name, rule)),
      },
      elsewhere: options.elsewhere,
      report,
      reports,
      warn: options.warn,
    }
    recovering = false
    // A tick later, so that a stop that starts its own run is in place before the run looks for it.
    void Promise.resolve()
      .then(() => runTurn(run))
      .then(
        () => {
          if (running === current) running = undefined
          holdUp.over()
          reports.clear()
          tasks.clear()
          void titleByModel({ ...run, signal: closing.signal })
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
    holdUp.over()
    options.emit(partial)
  }

  function fail(error: unknown): void {
    if (isClosed) return
    isClosed = true
    stopTimer()
    closing.abort()
    running?.controller.abort()
    options.failed(error)
  }

  async function full(signal: AbortSignal): Promise<void> {
    // Aborted by a result that need not wait.
    await holdUp.wait('space', signal, sessionId).catch(() => holdUp.over())
    if (isClosed) throw letGo
  }

  return {
    wake() {
      // Somebody is there: a turn that is held up tries again for them.
      if (holdUp.reason) holdUp.hint()
      void drain()
    },
    define(next) {
      agent = next
      holdUp.hint()
    },
    nudge: holdUp.hint,
    shown: () => shown,
    waiting: () => holdUp.reason,
    full,
    close() {
      isClosed = true
      stopTimer()
      closing.abort()
      running?.controller.abort(letGo)
      holdUp.hint()
    },
  }
}

type Stopping = NonNullable<ReturnType<Run['stopping']>>

const tooLate = 'Nobody answered in time.'

/** A timer takes no more than 32 bits. */
const longestWait = 2 ** 31 - 1

const letGo = new DogearError('session-closed', 'This tab let go of the session.')
