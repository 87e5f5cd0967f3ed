/** Tools on other tabs' pages: the owner finds them and watches over their tabs; a tab runs what the journal gives it. */
import {
  callsBefore,
  callsFor,
  describeError,
  DogearError,
  pageOf,
  reportId,
  runForOwner,
  type Authority,
  type Command,
  type Elsewhere,
  type Fold,
  type Held,
  type CallReply,
  type Intent,
  type Lock,
  type OpenCall,
  type RunAgent,
  type RunTool,
  type Sought,
  toolSought,
} from '@dogear/core'
import { pageLock } from '../fresh.ts'
import type { Platform } from './platform.ts'
import { parts, type Part, type Told, type ToolFacts } from './told.ts'

export interface Neighbours extends Elsewhere {
  hear(told: Told): Promise<void>
  /** The journal was read, then: runs what is this tab's to run, and stops what nobody waits for. */
  look(readAt: number): void
  /** Another tab drives: it is told what becomes of the calls that a worker before this one began on this page. */
  rejoin(): void
  /** From then on other tabs know this one to be alive, as long as it is. */
  live(): Promise<unknown>
  /** From then on they know, as long as it lives, that this worker keeps what it hears of the calls it drove. */
  drive(): void
  /** This tab drives no longer: it forgets what others have. */
  reset(): void
  close(): void
}

export interface NeighbourOptions {
  readonly platform: Platform
  readonly lock: Lock
  /** Of the session: this tab's own locks are named after it. */
  readonly name: string
  readonly host: string
  readonly page: string
  readonly fold: Fold
  readonly agent: () => RunAgent
  readonly tell: (told: Told) => void
  /** Reads what the owner has written. */
  readonly follow: () => Promise<void>
  /** The same, also where this tab drives and need not know that it no longer does. */
  readonly look: () => Promise<void>
  /** A tab has what was sought. */
  readonly found: () => void
  /** What its page has of a call, or will have. */
  readonly begun: (callId: string, entry: string, signal: AbortSignal) => Promise<CallReply>
  /** Resolves once the report is in the inbox. */
  readonly send: (report: Command) => Promise<void>
}

/** How long a tab may take to tell something of its tool. */
const answersIn = 5_000
const tryAgainAfter = 2_000
const lookAgainAfter = 100

export function createNeighbours(options: NeighbourOptions): Neighbours {
  const { platform, lock, host, fold, tell } = options
  const { clock, ids, hash } = platform
  const closed = new AbortController()
  let driving = new AbortController()
  const known = new Map<string, RunTool>()
  const deaths = new Map<string, Promise<void>>()
  const asked = new Map<string, (told: Extract<Told, { type: 'told' }>) => void>()
  /** By `reportId`, until the owner has taken the report: a call is begun once, however often the journal shows it. */
  const running = new Map<string, { controller: AbortController; done: Promise<void> }>()
  let isClosing = false
  let life: Promise<Held | undefined> | undefined
  const lockName = (of: string) => `${options.name}:host:${of}`

  function gone(of: string): Promise<void> {
    return once(of, async (signal) => {
      await outlived(lock, lockName(of), signal)
      for (const [key, tool] of known) if (tool.host === of) known.delete(key)
    })
  }

  /** A page outlives its worker, and the next one reports. While the worker that drove lives, it has kept what it knows. */
  async function over(intent: Intent): Promise<void> {
    const page = pageOf(intent) ?? ''
    if (intent.host !== undefined) await gone(intent.host)
    // Twice: another tab that looks holds it for a moment.
    else if (!(await isFree(lockName(page))) && !(await isFree(lockName(page), lookAgainAfter))) return
    await once(pageLock(page), (signal) => outlived(platform.lock, pageLock(page), signal))
  }

  async function isFree(name: string, wait = 0): Promise<boolean> {
    if (wait) await clock.sleep(wait)
    const free = await platform.lock.acquire(name, { wait: false }).catch(() => undefined)
    free?.release()
    return free !== undefined
  }

  function once(of: string, wait: (signal: AbortSignal) => Promise<void>): Promise<void> {
    let death = deaths.get(of)
    if (!death) deaths.set(of, (death = wait(driving.signal)))
    return death
  }

  /** Asked again when it fails: that one look was refused says nothing of who is looked at. */
  async function outlived(by: Lock, name: string, signal: AbortSignal): Promise<void> {
    for (;;) {
      try {
        const held = await by.acquire(name, { wait: true, signal })
        return held ? held.release() : await new Promise(() => {})
      } catch (error) {
        // No page can be told to live on: none is waited for.
        if ((error as Error).name === 'SecurityError') return
        await clock.sleep(tryAgainAfter, signal)
      }
    }
  }

  /** Only of a tab that lives: an intent for a dead one would be asked about for nothing. */
  async function learn(sought: Sought, of: string, facts: ToolFacts): Promise<void> {
    const free = await lock.acquire(lockName(of), { wait: false })
    if (free) return free.release()
    if (known.has(keyOf(sought))) return
    known.set(keyOf(sought), { ...facts, ...functions(sought, of, facts), host: of } as unknown as RunTool)
    void gone(of)
    options.found()
  }

  function functions(sought: Sought, of: string, { asks }: ToolFacts): object {
    const askAbout = (part: Part) => [part, (value: unknown) => ask({ ...sought, host: of, part, value })]
    return { ...Object.fromEntries(asks.map(askAbout)), call: () => {} }
  }

  async function ask(question: Omit<Extract<Told, { type: 'ask' }>, 'type' | 'ref'>): Promise<unknown> {
    const ref = ids.id()
    const over = new AbortController()
    try {
      const answer = new Promise<Extract<Told, { type: 'told' }>>((resolve) => asked.set(ref, resolve))
      tell({ type: 'ask', ref, ...question })
      const told = await Promise.race([answer, clock.sleep(answersIn, over.signal)])
      if (told && told.problem === undefined) return told.value
      throw new DogearError('tool-unknown', told?.problem ?? `The tab that has ${question.name} does not answer.`)
    } finally {
      asked.delete(ref)
      over.abort()
    }
  }

  /** The tool as this page has it, when it is one that another tab may use. */
  async function ownTool(sought: Sought): Promise<RunTool | undefined> {
    await options.follow()
    const tool = toolSought(options.agent(), fold.head, sought)
    return tool?.tasks || tool?.handoff ? undefined : tool
  }

  async function offer(sought: Sought): Promise<void> {
    const tool = await ownTool(sought)
    if (!tool) return
    if (await live()) tell({ type: 'found', host, ...whose(sought), tool: factsOf(tool) })
  }

  function live(): Promise<Held | undefined> {
    return (life ??= lock.acquire(lockName(host), { wait: true, signal: closed.signal }))
  }

  async function answer({ ref, part, value, ...sought }: Extract<Told, { type: 'ask' }>): Promise<void> {
    try {
      const tool = await ownTool(sought)
      const judge = tool?.[part] as ((given: unknown) => unknown) | undefined
      tell(judge ? { type: 'told', ref, value: await judge(value) } : { type: 'told', ref, problem: 'It is gone.' })
    } catch (error) {
      tell({ type: 'told', ref, problem: describeError(error) })
    }
  }

  function begin(call: OpenCall, run: (signal: AbortSignal) => Promise<CallReply>): void {
    const id = reportId(call)
    if (running.has(id)) return
    const controller = new AbortController()
    running.set(id, { controller, done: run(controller.signal).then((reply) => report(id, reply)) })
  }

  /** Reported whatever it takes: the tool has run. */
  async function report(commandId: string, reply: CallReply): Promise<void> {
    const { sessionId } = fold.head
    for (;;) {
      try {
        return await options.send({ type: 'report', commandId, sessionId, at: clock.now(), reply })
      } catch {
        if (isClosing) return
        await clock.sleep(tryAgainAfter)
      }
    }
  }

  /** A tab that froze on its way to the tool asks the journal whether the call still waits for it. */
  function authorityOver(id: string, readAt: number): Authority {
    return {
      provenAt: () => readAt,
      async confirm() {
        for (;;) {
          const at = platform.clock.elapsed()
          try {
            await options.look()
            return callsFor(fold.head, host).some(({ call }) => reportId(call) === id) ? at : undefined
          } catch {
            if (isClosing) return undefined
            await clock.sleep(tryAgainAfter)
          }
        }
      },
    }
  }

  return {
    over,
    live,
    drive: () => void platform.lock.acquire(lockName(options.page), { wait: false }).catch(() => {}),
    tool: (sought) => known.get(keyOf(sought)),
    seek: (sought) => tell({ type: 'seek', ...sought }),
    async hear(told) {
      if (told.type === 'seek') await offer(told)
      if (told.type === 'found') await learn(whose(told), told.host, told.tool)
      if (told.type === 'ask' && told.host === host) await answer(told)
      if (told.type === 'told') asked.get(told.ref)?.(told)
    },
    look(readAt) {
      const mine = callsFor(fold.head, host)
      const wanted = new Set([...mine, ...callsBefore(fold.head, host)].map(({ call }) => reportId(call)))
      for (const [id, { controller }] of running) {
        if (wanted.has(id)) continue
        controller.abort()
        running.delete(id)
      }
      for (const given of mine) {
        const authority = authorityOver(reportId(given.call), readAt)
        const owner = { agent: options.agent(), head: fold.head, hash }
        begin(given.call, (signal) => runForOwner(owner, given, { signal, authority }))
      }
    },
    rejoin() {
      for (const { call } of callsBefore(fold.head, host)) {
        const { callId, intent, asked = [] } = call
        begin(call, (signal) => options.begun(callId, `${intent?.attempt}.${asked.length}`, signal))
      }
    },
    reset() {
      driving.abort()
      driving = new AbortController()
      known.clear()
      deaths.clear()
    },
    close() {
      isClosing = true
      driving.abort()
      // What still runs here goes on, and its tab counts as living until that is reported.
      void Promise.all([...running.values()].map(({ done }) => done)).then(async () => {
        closed.abort()
        const held = await life
        held?.release()
      })
    },
  }
}

function keyOf({ path, agent = '', name }: Sought): string {
  return JSON.stringify([path, agent, name])
}

/** Nothing else of what was said. */
function whose({ path, agent, name }: Sought): Sought {
  return { path, agent, name }
}

/** As data that crosses any channel. */
function factsOf(tool: RunTool): ToolFacts {
  const asks = parts.filter((part) => typeof tool[part] === 'function')
  return { ...(dataOf(tool) as ToolFacts), asks }
}

function dataOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const fields = Object.entries(value).filter(([, field]) => typeof field !== 'function')
  return Object.fromEntries(fields.map(([key, field]) => [key, dataOf(field)]))
}
