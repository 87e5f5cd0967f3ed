/** A device for tests: one store, any number of tabs on it, each a real client and host over a real message channel. */
import { defineAgent, type AgentDefinition, type SmartAgentOptions, type Store } from '@dogear/core'
import { openMemoryStore } from '@dogear/store'
import { manualNetwork, memoryLock, memoryTransport, type ManualNetwork } from '@dogear/testing'
import { createClient, portWire, type Client, type Session } from '@dogear/worker'
import { browserClock, serve, sha256, type Platform } from '@dogear/worker/host'

export interface Tab {
  readonly client: Client
  readonly warnings: string[]
  open(session?: string): Promise<Session>
  /** The tab is gone at once, as in a crash: nothing more is written by it, and its locks are free. */
  kill(): void
  /** Only the worker dies; the page lives on and starts another. */
  killWorker(): void
}

export interface Device {
  readonly store: Store
  readonly network: ManualNetwork
  /** `disk`: the store as this tab alone finds it, slow or failing. */
  tab(options: SmartAgentOptions, disk?: Store): Tab
}

export function device(store: Store = openMemoryStore()): Device {
  const lock = memoryLock()
  const transport = memoryTransport()
  const network = manualNetwork()
  let lastId = 0
  const id = () => `id${(lastId += 1)}`

  function startHost(disk: Store) {
    const alive = new AbortController()
    const held = new Set<() => void>()
    const { port1, port2 } = new MessageChannel()
    const platform: Platform = {
      clock: browserClock,
      ids: { id },
      hash: sha256,
      network,
      transport: {
        open(name, receive) {
          const channel = transport.open(name, receive)
          alive.signal.addEventListener('abort', () => channel.close())
          return channel
        },
      },
      lock: {
        async acquire(name, options) {
          const signal = options.signal ? AbortSignal.any([options.signal, alive.signal]) : alive.signal
          const got = await lock.acquire(name, { ...options, signal })
          if (got) held.add(got.release)
          // Given at the very moment of its death: the dead hold nothing.
          if (got && alive.signal.aborted) got.release()
          return got
        },
      },
      createModel: () => {
        throw new Error('these tests give their own model')
      },
      openStore: async () => ({ store: mortal(disk, alive.signal), kept: true }),
    }
    serve(
      {
        post: (message) => port2.postMessage(message),
        listen: (receive) => (port2.onmessage = (event) => receive(event.data)),
      },
      platform,
    )
    return {
      wire: portWire(port1),
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
    tab(options, disk = store) {
      const warnings: string[] = []
      const agent: AgentDefinition = defineAgent({ name: 'tester', ...options })
      let host: ReturnType<typeof startHost> | undefined
      const client = createClient({
        connect: async () => (host = startHost(disk)).wire,
        id,
        now: () => Date.now(),
        warn: (message) => warnings.push(message),
      })
      return {
        client,
        warnings,
        open: (session = 's1') => client.open(agent, { type: 'id', id: session }),
        kill: () => host?.kill(),
        killWorker: () => host?.kill(),
      }
    },
  }
}

/** A dead host's calls never come back: what it had not committed is lost, as memory is. */
function mortal(store: Store, alive: AbortSignal): Store {
  return new Proxy(store, {
    get(target, key: keyof Store) {
      const method = target[key] as ((...args: unknown[]) => unknown) | undefined
      if (!method) return undefined
      return (...args: unknown[]) => {
        if (alive.aborted) return new Promise(() => {})
        const result = method.apply(target, args)
        if (!(result instanceof Promise)) return result
        return result.then((value) => (alive.aborted ? new Promise(() => {}) : value))
      }
    },
  })
}

/** Waits until a session shows what the test waits for. */
export async function until(seen: () => boolean, what = 'it'): Promise<void> {
  for (let tries = 0; tries < 1000; tries += 1) {
    if (seen()) return
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  throw new Error(`${what} did not happen within 5 s`)
}
