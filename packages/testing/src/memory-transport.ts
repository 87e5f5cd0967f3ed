/** A broadcast in memory: give the same one to every host that should hear the others. */
import type { Transport } from '@dogear/core'

export function memoryTransport(): Transport {
  const channels = new Map<string, Set<(message: unknown) => void>>()

  return {
    open(name, receive) {
      const receivers = channels.get(name) ?? new Set()
      channels.set(name, receivers)
      // Wrapped, so that a function opened twice counts as two tabs.
      const receiver = (message: unknown) => receive(message)
      receivers.add(receiver)
      return {
        post(message) {
          if (!receivers.has(receiver)) return
          for (const other of receivers) {
            // Cloned and later, as between tabs: what cannot be cloned must fail here too.
            const copy = structuredClone(message)
            if (other !== receiver) queueMicrotask(() => receivers.has(other) && other(copy))
          }
        },
        close: () => void receivers.delete(receiver),
      }
    },
  }
}
