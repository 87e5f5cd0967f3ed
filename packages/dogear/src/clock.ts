/** The clock of a page, or of Node. */
import type { Clock } from '@dogear/core'

export const clock: Clock = {
  now: () => Date.now(),
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
