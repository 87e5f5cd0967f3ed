/** What traces need of a page, or of Node. */
import type { TracePlatform } from '@dogear/core'
import { browserClock as clock } from '@dogear/worker/host'

export const tracePlatform: TracePlatform = {
  clock,
  fetch: (url, init) => fetch(url, init),
  isPage: typeof document !== 'undefined',
  warn: (message) => console.warn(`[dogear] ${message}`),
}
