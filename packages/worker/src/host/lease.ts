/** A lock as a row in the store, where there are no Web Locks: its holder renews it, and who sees it stand still takes it. */
import type { Clock, Held, Ids, Lock, Store } from '@dogear/core'
import type { OpenedStore, Platform } from './platform.ts'

export interface LeaseOptions {
  readonly store: Pick<Store, 'side' | 'swapSide'>
  /** The session whose locks these are: its rows go with it. */
  readonly sessionId: string
  readonly clock: Clock
  readonly ids: Ids
}

const renewEvery = 2_000
const lookEvery = 500
/** So often looked at and never renewed, its holder is gone: three renewals missed, by the time of whoever looks. */
const looksUnchanged = 13

export function leaseLock({ store, sessionId, clock, ids }: LeaseOptions): Lock {
  const read = (name: string) => store.side('lease', sessionId, name) as Promise<string | undefined>
  const swap = (name: string, from?: string, to?: string) => store.swapSide('lease', sessionId, name, from, to)

  function hold(name: string, first: string): Held {
    const released = new AbortController()
    let value = first
    const lost = (async () => {
      const [holder] = first.split(' ')
      for (let beat = 1; ; beat += 1) {
        await clock.sleep(renewEvery, released.signal)
        if (released.signal.aborted) return new Promise<void>(() => {})
        const next = `${holder} ${beat}`
        // A disk that fails does not take the lock away; another holder's row does.
        const isMine = await swap(name, value, next).catch(() => undefined)
        if (isMine) value = next
        if (isMine === false) return undefined
        // Let go while it was being renewed.
        if (released.signal.aborted) await swap(name, value).catch(() => {})
      }
    })()
    return {
      lost,
      release() {
        if (released.signal.aborted) return
        released.abort()
        void swap(name, value).catch(() => {})
      },
    }
  }

  return {
    async acquire(name, { signal, wait, steal = false }) {
      const mine = `${ids.id()} 0`
      let seen: string | undefined
      let unchanged = 0
      while (!signal?.aborted) {
        const value = await read(name)
        unchanged = value === seen ? unchanged + 1 : 0
        seen = value
        const isFree = value === undefined || steal || unchanged >= looksUnchanged
        if (isFree && (await swap(name, value, mine))) {
          const held = hold(name, mine)
          if (!signal?.aborted) return held
          held.release()
        } else if (!isFree && !wait) return undefined
        // At once where another was quicker: it may be gone as quickly.
        else if (!isFree) await clock.sleep(lookEvery, signal)
      }
      return undefined
    },
  }
}

/** Web Locks where they may be used; a plain `http:` page has none, and a sandboxed frame is refused them. */
export function lockOf({ lock, clock, ids }: Platform, { store, kept }: OpenedStore, sessionId: string): Lock {
  const lease = kept ? leaseLock({ store, sessionId, clock, ids }) : freeLock
  return {
    acquire: (name, options) =>
      lock.acquire(name, options).catch((error: unknown) => {
        if ((error as Error).name === 'SecurityError') return lease.acquire(name, options)
        throw error
      }),
  }
}

/** A store that lives and dies with its page is no other tab's. */
const freeLock: Lock = { acquire: async () => ({ release: () => {}, lost: new Promise<void>(() => {}) }) }
