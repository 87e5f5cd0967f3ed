/** The ports as a browser has them. */
import type { Clock, Hash, Ids, Lock, Network, Store, Transport } from '@dogear/core'
import type { ModelMaker } from './remote-agent.ts'

/** All a host needs of the outside: the ports, and how to open a store and a model. */
export interface Platform {
  readonly clock: Clock
  readonly ids: Ids
  readonly hash: Hash
  readonly network: Network
  /** May reject with a `SecurityError`: then a row in the store stands in for the lock. */
  readonly lock: Lock
  readonly transport: Transport
  readonly createModel: ModelMaker
  /**
   * `onCleared` is told when another tab deleted all that is kept for this user. With `persist: false` nothing may reach
   * a disk.
   */
  readonly openStore: (user: string | undefined, onCleared: () => void, persist: boolean) => Promise<OpenedStore>
}

export interface OpenedStore {
  readonly store: Store
  /** False for a store that lives and dies with the page. */
  readonly kept: boolean
  /** For the developer, when the store is not the one that was hoped for. */
  readonly warning?: string
}

export const browserClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve()
      const wake = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', wake)
        resolve()
      }
      const timer = setTimeout(wake, Math.min(ms, longestTimeout))
      signal?.addEventListener('abort', wake)
    }),
  after(ms, call) {
    const timer = setTimeout(call, Math.min(ms, longestTimeout))
    return () => clearTimeout(timer)
  },
}

/** A timer set for longer, for ever say, would go off at once. */
const longestTimeout = 2 ** 31 - 1

export const browserIds: Ids = {
  id: () =>
    Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(''),
}

export const browserNetwork: Network = {
  isOnline: () => globalThis.navigator?.onLine ?? true,
  subscribe(changed) {
    globalThis.addEventListener?.('online', changed)
    globalThis.addEventListener?.('offline', changed)
    return () => {
      globalThis.removeEventListener?.('online', changed)
      globalThis.removeEventListener?.('offline', changed)
    }
  },
}

export const browserTransport: Transport = {
  open(name, receive) {
    if (typeof BroadcastChannel === 'undefined') return { post: () => {}, close: () => {} }
    const channel = new BroadcastChannel(name)
    channel.onmessage = (event: MessageEvent<unknown>) => receive(event.data)
    return { post: (message) => channel.postMessage(message), close: () => channel.close() }
  },
}

/** Needs a secure context: rejects with a `SecurityError` where the page may not use it. */
export const browserLock: Lock = {
  async acquire(name, options) {
    if (!globalThis.navigator?.locks) throw new DOMException('There are no Web Locks here.', 'SecurityError')
    return webLock.acquire(name, options)
  },
}

const webLock: Lock = {
  acquire: (name, { signal, wait, steal }) =>
    new Promise((resolve, reject) => {
      const options: LockOptions = steal ? { steal } : wait ? { signal } : { ifAvailable: true }
      let release = () => {}
      let lose = () => {}
      const lost = new Promise<void>((done) => (lose = done))
      const held = new Promise<void>((done) => (release = done))
      navigator.locks
        .request(name, options, (lock) => {
          if (!lock) return resolve(undefined)
          resolve({ release, lost })
          return held
        })
        .then(undefined, (error: unknown) => {
          // Stolen after it was held, or no longer wanted before.
          lose()
          const { name: reason } = error as DOMException
          if (reason === 'AbortError') resolve(undefined)
          else reject(error)
        })
    }),
}
