/** A tab: a real client on its page, a real host in its worker, and a wire between them that dies with either. */
import { defineAgent, type Channel, type Held } from '@dogear/core'
import { createClient, type HostWire, type Session } from '@dogear/worker'
import { serve, sha256, type Platform } from '@dogear/worker/host'
import type { Channels } from './channels.ts'
import { copied } from './copied.ts'
import { storageError, type Connection, type Disk } from './disk.ts'
import type { ModelServer } from './model-server.ts'
import { toolsOf, type Underway } from './tools.ts'
import type { Mortal, World } from './world.ts'

export interface Outside {
  readonly disk: Disk
  readonly server: ModelServer
  readonly channels: Channels
}

export interface Tab {
  readonly page: Mortal
  /** Undefined until it is open, or when it could not be. */
  session(): Session | undefined
  isDead(): boolean
  isFrozen(): boolean
  kill(): void
  /** Calls that run on this page. */
  readonly underway: Underway
}

interface Worker {
  readonly wire: HostWire
  kill(): void
}

export function openTab(world: World, outside: Outside, name: string): Tab {
  const { time, random } = world
  let isDead = false
  let frozenUntil = 0
  let workers = 0
  let worker: Worker | undefined
  let session: Session | undefined
  let hold: Held | undefined
  let hasDriven = () => false
  const underway: Underway = new Set()

  const strike: Mortal['strike'] = (fault) => {
    if (fault === 'kill-tab') kill()
    else if (fault === 'kill-worker') worker?.kill()
    else frozenUntil = time.elapsed() + random.between(500, 30_000)
  }
  const page: Mortal = { name, isDead: () => isDead, frozenUntil: () => frozenUntil, strike }

  function kill(): void {
    if (isDead) return
    isDead = true
    hold?.release()
    underway.clear()
    worker?.kill()
  }

  function startWorker(): Worker {
    let isOver = false
    const actor: Mortal = {
      ...page,
      name: `${name}.${(workers += 1)}`,
      isDead: () => isOver,
    }
    const connection = outside.disk.connect(actor)
    const locks = mortalLock(world, actor)
    const channels: Channel[] = []
    const [pageEnd, workerEnd] = wirePair(world, page, actor)
    serve(workerEnd, platformOf(world, outside, { actor, connection, lock: locks.lock, channels }))
    const kill = () => {
      if (isOver) return
      world.log(() => `      ${actor.name} is dead`)
      isOver = true
      if (connection.epoch() === world.ledger.epoch()) desert()
      connection.breakOff()
      locks.releaseAll()
      for (const channel of channels) channel.close()
    }
    hasDriven = () => connection.epoch() > 0
    return { wire: { ...pageEnd, terminate: kill }, kill }
  }

  /** Until a worker of this page has driven again: robbed then, it knows no more than any other. */
  function desert(): void {
    // Without Web Locks nobody can tell that a page lives, nor what a frozen one is in.
    if (!world.story.hasLocks) return
    const since = time.elapsed()
    hasDriven = () => false
    for (const callId of underway) {
      world.ledger.deserted(callId, () => !isDead && frozenUntil < since && underway.has(callId) && !hasDriven())
    }
  }

  const agent = defineAgent({
    name: 'tester',
    endpoint: 'http://model.test',
    tools: toolsOf(world, page, underway),
    humanInTheLoop: { askUser: true },
    limits: { maxSteps: 1000, maxToolCalls: 1000 },
    ...(world.story.remembers && remembering),
  })
  const client = createClient({
    async connect() {
      await time.pass(world.latency(), page)
      worker = startWorker()
      return worker.wire
    },
    id: world.uniqueId,
    now: time.clockOf(page).now,
    elapsed: stopwatch(world),
    hold(lock) {
      if (world.story.hasLocks) void world.lock.acquire(lock, { wait: true }).then((held) => (hold = held))
    },
    warn: (message) => world.log(() => `      ${name} warns: ${message}`),
  })

  function open(): void {
    client.open(agent, { type: 'id', id: 's1' }).then(
      (opened) => {
        session = opened
        opened.listen((entry) => world.ledger.show(entry))
      },
      (error: Error) => {
        world.log(() => `      ${name} could not open the session: ${error.message}`)
        // The person sees why, and tries again.
        time.after(1000, page, open)
      },
    )
  }

  time.after(world.latency(), page, open)
  return {
    page,
    underway,
    session: () => session,
    isDead: () => isDead,
    isFrozen: () => frozenUntil > time.elapsed(),
    kill,
  }
}

/** So little room that every turn is summed up, and what is learnt is kept for the user. */
const remembering = {
  summarization: { enable: true, summaryTriggerTokens: 60 },
  context: { policy: 'summary_only', lastTurnsToKeep: 1 },
  memory: { scope: 'user', writePolicy: 'always' },
} as const

interface Parts {
  readonly actor: Mortal
  readonly connection: Connection
  readonly lock: Platform['lock']
  readonly channels: Channel[]
}

function platformOf(world: World, outside: Outside, { actor, connection, lock, channels }: Parts): Platform {
  const { time, network } = world
  return {
    clock: { ...time.clockOf(actor), elapsed: stopwatch(world) },
    ids: { id: world.uniqueId },
    hash: sha256,
    lock,
    network: {
      isOnline: network.isOnline,
      subscribe: (changed) => network.subscribe(() => time.after(0, actor, changed)),
    },
    transport: {
      open(name, receive) {
        const channel = outside.channels.open(actor, name, receive)
        channels.push(channel)
        return channel
      },
    },
    createModel: () => outside.server.modelFor(actor, connection.epoch),
    async openStore() {
      const fault = world.point(actor, 'store.open', ['slow', 'blocked', 'failed'])
      await time.pass(fault === 'slow' ? world.random.between(1000, 8000) : world.latency(), actor)
      if (fault === 'blocked' || fault === 'failed') throw storageError(fault)
      return { store: connection.store, kept: true }
    },
  }
}

/** Every thread counts from a moment of its own. */
function stopwatch({ time, random }: World): () => number {
  const origin = random.between(0, 1_000_000)
  return () => origin + time.elapsed()
}

/** Locks of one worker: given late, told late when they are lost, and free at once when it dies. */
function mortalLock(world: World, worker: Mortal): { lock: Platform['lock']; releaseAll: () => void } {
  const { time, random } = world
  const waiting = new Set<AbortController>()
  const held = new Set<Held>()
  return {
    lock: {
      acquire: (name, options) =>
        new Promise((resolve, reject) => {
          const fault = world.point(worker, 'lock.acquire', ['slow'])
          if (worker.isDead()) return
          if (!world.story.hasLocks) return reject(new DOMException('There are no Web Locks here.', 'SecurityError'))
          const { signal } = options
          const leave = new AbortController()
          waiting.add(leave)
          signal?.addEventListener('abort', () => leave.abort())
          void world.lock.acquire(name, { ...options, signal: leave.signal }).then((got) => {
            waiting.delete(leave)
            if (worker.isDead()) return got?.release()
            const mine = got && {
              release: () => {
                if (!worker.isDead()) got.release()
              },
              lost: got.lost.then(() => time.pass(random.between(0, 3000), worker)),
            }
            if (got) held.add(got)
            time.after(fault ? random.between(500, 5000) : world.latency(), worker, () => {
              world.point(worker, got ? 'lock is held' : 'lock is not held')
              if (!worker.isDead()) resolve(mine)
            })
          })
        }),
    },
    releaseAll() {
      for (const leave of waiting) leave.abort()
      for (const lock of held) lock.release()
    },
  }
}

type WorkerEnd = Parameters<typeof serve>[0]

/** Messages in order, copied as between threads, for as long as both ends live. */
function wirePair(world: World, page: Mortal, worker: Mortal): [Omit<HostWire, 'terminate'>, WorkerEnd] {
  const toWorker = pipe<Parameters<HostWire['post']>[0]>(world, page, worker)
  const toPage = pipe<Parameters<WorkerEnd['post']>[0]>(world, worker, page)
  return [
    { post: toWorker.post, listen: toPage.listen },
    { post: toPage.post, listen: toWorker.listen },
  ]
}

function pipe<T extends { readonly type: string }>(world: World, from: Mortal, to: Mortal) {
  const { time } = world
  const early: T[] = []
  let receive = (message: T): void => void early.push(message)
  let arrivesAt = 0
  return {
    post(message: T): void {
      if (from.isDead() || to.isDead()) return
      const copy = copied(message)
      arrivesAt = Math.max(arrivesAt, time.elapsed() + world.latency())
      time.after(arrivesAt - time.elapsed(), to, () => {
        const isTool = message.type === 'call' && 'proven' in message && message.proven !== undefined
        if (message.type !== 'ping' && message.type !== 'pong') {
          world.point(to, `hears ${message.type}`, isTool ? ['robbed'] : [])
        }
        // Frozen at this very moment, it hears it when it thaws.
        time.after(0, to, () => to.isDead() || receive(copy))
      })
    },
    listen(listener: (message: T) => void): void {
      receive = listener
      early.splice(0).forEach(listener)
    },
  }
}
