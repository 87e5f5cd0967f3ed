/** A device for tests: one store, any number of tabs on it, each a real client and host over a real message channel. */
import {
  defineAgent,
  type AgentDefinition,
  type Clock,
  type Lock,
  type SmartAgentOptions,
  type Store,
  type Transport,
} from '@dogear/core'
import { openMemoryStore } from '@dogear/store'
import { manualNetwork, memoryLock, memoryTransport, type ManualNetwork } from '@dogear/testing'
import { createClient, portWire, type Client, type HostWire, type Session, type Witness } from '@dogear/worker'
import { browserClock, serve, sha256, type Platform } from '@dogear/worker/host'

export interface Tab {
  readonly client: Client
  readonly warnings: string[]
  open(session?: string): Promise<Session>
  /** The tab is gone at once, as in a crash: nothing more is written by it, and its locks are free. */
  kill(): void
  /** Only the worker dies; the page lives on and starts another. */
  killWorker(): void
  /** Page and worker stop where they are, as in a frozen tab: its locks stay held, and what is said to it waits. */
  freeze(): void
  thaw(): void
  /** The browser puts the page away. */
  leave(): void
  /** The browser brings the page back from where it had put it. */
  restore(): void
}

export interface Device {
  readonly store: Store
  readonly network: ManualNetwork
  readonly lock: Lock
  /** What tabs tell each other over, open to any script of the origin. */
  readonly transport: Transport
  /** `disk`: the store as this tab alone finds it, slow or failing. */
  tab(options: SmartAgentOptions, disk?: Store): Tab
}

export interface DeviceOptions {
  readonly clock?: Clock
  readonly lock?: Lock
  /** Begins its ids: what two devices write into one store must not have the same. */
  readonly name?: string
  readonly witness?: Witness
}

export function device(
  store: Store = openMemoryStore(),
  { clock = browserClock, lock = memoryLock(), name = 'id', witness }: DeviceOptions = {},
): Device {
  const transport = memoryTransport()
  const network = manualNetwork()
  let lastId = 0
  const id = () => `${name}${(lastId += 1)}`

  function startHost(disk: Store) {
    const alive = new AbortController()
    const held = new Set<() => void>()
    const ice = freezer()
    const { port1, port2 } = new MessageChannel()
    const platform: Platform = {
      clock: {
        now: clock.now,
        elapsed: elapsedOn(clock),
        sleep: (ms, signal) => ice.wait(clock.sleep(ms, signal)),
        after: (ms, call) => clock.after(ms, () => ice.run(call)),
      },
      ids: { id },
      hash: sha256,
      network,
      transport: {
        open(name, receive) {
          const channel = transport.open(name, (message) => ice.run(() => receive(message)))
          alive.signal.addEventListener('abort', () => channel.close())
          return channel
        },
      },
      lock: {
        async acquire(name, options) {
          const signal = options.signal ? AbortSignal.any([options.signal, alive.signal]) : alive.signal
          const got = await ice.wait(lock.acquire(name, { ...options, signal }))
          if (got) held.add(got.release)
          // Given at the very moment of its death: the dead hold nothing.
          if (got && alive.signal.aborted) got.release()
          return got && { release: got.release, lost: ice.wait(got.lost) }
        },
      },
      createModel: () => {
        throw new Error('these tests give their own model')
      },
      openStore: async (_user, _onCleared, persist) =>
        persist ? { store: mortal(disk, alive.signal, ice), kept: true } : { store: openMemoryStore(), kept: false },
    }
    serve(
      {
        post: (message) => port2.postMessage(message),
        listen: (receive) => (port2.onmessage = (event) => ice.run(() => receive(event.data))),
      },
      platform,
    )
    const wire = portWire(port1)
    return {
      ice,
      wire: withListen(wire, (receive) => wire.listen((message) => ice.run(() => receive(message)))),
      kill() {
        alive.abort()
        port1.close()
        port2.close()
        for (const release of held) release()
      },
    }
  }

  return {
    store,
    network,
    lock,
    transport,
    tab(options, disk = store) {
      const warnings: string[] = []
      const agent: AgentDefinition = defineAgent({ name: 'tester', ...options })
      let host: ReturnType<typeof startHost> | undefined
      let letGo: (() => void) | undefined
      let isGone = false
      const client = createClient({
        // A page that is gone misses no worker.
        connect: async () => (isGone ? new Promise<HostWire>(() => {}) : (host = startHost(disk)).wire),
        id,
        now: () => Date.now(),
        elapsed: elapsedOn(clock),
        hold(name) {
          // Where it is refused nobody can tell that this page lives on.
          const ignore = () => {}
          lock.acquire(name, { wait: true }).then((held) => (letGo = held?.release), ignore)
        },
        warn: (message) => warnings.push(message),
        witness,
      })
      return {
        client,
        warnings,
        open: (session = 's1') => client.open(agent, { type: 'id', id: session }),
        kill() {
          isGone = true
          host?.kill()
          letGo?.()
        },
        killWorker: () => host?.kill(),
        freeze: () => host?.ice.freeze(),
        thaw: () => void host?.ice.thaw(),
        leave: () => host?.wire.post({ type: 'left' }),
        restore: () => host?.wire.post({ type: 'restored' }),
      }
    },
  }
}

/** A dead host's calls never come back: what it had not committed is lost, as memory is. */
function mortal(store: Store, alive: AbortSignal, ice: Freezer): Store {
  return new Proxy(store, {
    get(target, key: keyof Store) {
      const method = target[key] as ((...args: unknown[]) => unknown) | undefined
      if (!method) return undefined
      return (...args: unknown[]) => {
        if (alive.aborted) return new Promise(() => {})
        const result = method.apply(target, args)
        if (!(result instanceof Promise)) return result
        return ice.wait(result).then((value) => (alive.aborted ? new Promise(() => {}) : value))
      }
    },
  })
}

function withListen(wire: HostWire, listen: HostWire['listen']): HostWire {
  return { ...wire, listen }
}

type Freezer = ReturnType<typeof freezer>

/** While frozen nothing that comes from outside reaches the tab; thawed, it comes in the order it was said. */
function freezer() {
  const waiting: (() => void)[] = []
  let isFrozen = false
  function run(work: () => void): void {
    if (isFrozen || waiting.length) waiting.push(work)
    else work()
  }
  return {
    run,
    wait: <T>(promise: Promise<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        promise.then(
          (value) => run(() => resolve(value)),
          (error: unknown) => run(() => reject(error)),
        )
      }),
    freeze: () => void (isFrozen = true),
    /** One after the other, each with all it causes, as events come. */
    async thaw() {
      isFrozen = false
      while (!isFrozen && waiting.length) {
        waiting[0]!()
        waiting.shift()
        await new Promise((resolve) => setImmediate(resolve))
      }
    },
  }
}

export interface HastyClock extends Clock {
  readonly times: number
}

/** A clock on which all waits are so many times shorter. */
export function hastyClock(times: number): HastyClock {
  return {
    times,
    now: browserClock.now,
    elapsed: browserClock.elapsed,
    sleep: (ms, signal) => browserClock.sleep(ms / times, signal),
    after: (ms, call) => browserClock.after(ms / times, call),
  }
}

/** Of a thread, from a moment of its own, at the pace of the waits. */
function elapsedOn(clock: Clock): () => number {
  const { times = 1 } = clock as Partial<HastyClock>
  const from = Math.random() * 1e6
  return () => from + performance.now() * times
}

/** Waits until a session shows what the test waits for. */
export async function until(seen: () => boolean | Promise<boolean>, what = 'it'): Promise<void> {
  for (let tries = 0; tries < 1000; tries += 1) {
    if (await seen()) return
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  throw new Error(`${what} did not happen within 5 s`)
}
