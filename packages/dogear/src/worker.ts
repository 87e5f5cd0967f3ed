/** The worker: everything that drives sessions, in one file that serves a page from a worker or from its own thread. */
import { DogearError } from '@dogear/core'
import { createOpenAIModel } from '@dogear/models'
import { openIndexedDbStore, openMemoryStore } from '@dogear/store'
import {
  browserClock,
  browserIds,
  browserLock,
  browserNetwork,
  browserTransport,
  serve as serveHost,
  sha256,
  type OpenedStore,
  type Platform,
} from '@dogear/worker/host'

const platform: Platform = {
  clock: browserClock,
  ids: browserIds,
  hash: sha256,
  network: browserNetwork,
  lock: browserLock,
  transport: browserTransport,
  createModel: (options) => createOpenAIModel({ ...options, clock: browserClock }),
  openStore,
}

/** Either end a page may be reached by: a worker's own scope, or a port on the page's thread. */
interface Port {
  postMessage(message: unknown): void
  onmessage: ((event: MessageEvent) => void) | null
}

export function serve(port: Port): void {
  serveHost(
    {
      post: (message) => port.postMessage(message),
      listen: (receive) => (port.onmessage = (event) => receive(event.data)),
    },
    platform,
  )
}

async function openStore(user: string | undefined, onCleared: () => void, persist: boolean): Promise<OpenedStore> {
  // Node has no such storage, and nobody there expects it.
  const isHere = 'document' in globalThis || 'WorkerGlobalScope' in globalThis
  if (!persist || !isHere) return { store: openMemoryStore(), kept: false }
  try {
    return { store: await openIndexedDbStore({ user, onCleared }), kept: true }
  } catch (error) {
    if (!(error instanceof DogearError) || error.code !== 'storage-blocked') throw error
    return {
      store: openMemoryStore(),
      kept: false,
      warning: `${error.message} Until then sessions are kept in memory and end with the page.`,
    }
  }
}

if ('DedicatedWorkerGlobalScope' in globalThis) {
  const scope = globalThis as unknown as Port
  serve(scope)
  // The first word: the page waits for it to know that this worker was allowed to start.
  scope.postMessage({ type: 'pong' })
}
