/** A network that is there when the test says so. */
import type { Network } from '@dogear/core'

export interface ManualNetwork extends Network {
  goOnline(): void
  goOffline(): void
}

export function manualNetwork(online = true): ManualNetwork {
  const listeners = new Set<() => void>()
  return {
    isOnline: () => online,
    subscribe(changed) {
      // Wrapped, so that subscribing the same function twice gives two subscriptions.
      const listener = () => changed()
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    goOnline: () => set(true),
    goOffline: () => set(false),
  }

  function set(value: boolean): void {
    online = value
    for (const listener of listeners) listener()
  }
}
