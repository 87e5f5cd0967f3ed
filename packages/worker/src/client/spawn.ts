/** Starting a host: a worker from embedded text, from an address, or in this thread when neither may be. */
import { DogearError } from '@dogear/core'
import type { ToPage } from '../protocol.ts'
import type { HostWire } from './client.ts'

export interface SpawnOptions {
  /** The worker's source as a classic script, in parts, embedded in the page's own. */
  readonly text: readonly string[]
  /** A self-hosted worker file, for pages whose CSP forbids `blob:` workers. */
  readonly url?: string
  /** Where the worker file lies, for the last resort: it is imported and runs on the page's own thread. */
  readonly fallback?: string
  readonly warn: (message: string) => void
}

/** How long a worker may take to say that it runs. */
const startLimit = 10_000

export async function spawnHost(options: SpawnOptions): Promise<HostWire> {
  const { text, url, fallback, warn } = options
  let problem: unknown
  try {
    return await startWorker(url ?? URL.createObjectURL(new Blob([...text], { type: 'text/javascript' })))
  } catch (error) {
    problem = error
  }
  if (fallback === undefined) throw cannotStart(problem)
  try {
    const wire = await startHere(fallback)
    warn(`The worker could not be started, so the agent runs on the page's own thread. ${fix}`)
    return wire
  } catch {
    throw cannotStart(problem)
  }
}

const fix =
  "Allow it with the CSP directive worker-src blob:, or give worker: '/dogear-worker.js', a copy of dogear/dist/dogear-worker.js on your site."

function cannotStart(cause: unknown): DogearError {
  return new DogearError('worker-blocked', `The agent's worker could not be started. ${fix}`, { cause })
}

async function startWorker(address: string): Promise<HostWire> {
  const isBlob = address.startsWith('blob:')
  // A page opened from disk may not start a module from a blob; a file of its own has exports, and must be one.
  const worker = new Worker(trusted(address), { type: isBlob ? 'classic' : 'module', name: 'dogear' })
  if (isBlob) setTimeout(() => URL.revokeObjectURL(address), startLimit)
  await new Promise<void>((resolve, reject) => {
    setTimeout(() => reject(new Error('the worker did not start in time')), startLimit)
    worker.onerror = (event) =>
      reject(new Error(event.message || 'the worker was refused, by a Content Security Policy perhaps'))
    worker.onmessage = () => resolve()
  }).catch((error: unknown) => {
    worker.terminate()
    throw error
  })
  worker.onerror = null
  return wireOf(worker, () => worker.terminate())
}

async function startHere(address: string): Promise<HostWire> {
  const { serve } = (await import(/* @vite-ignore */ address)) as { serve: (port: MessagePort) => void }
  const { port1, port2 } = new MessageChannel()
  serve(port2)
  return portWire(port1)
}

export function portWire(port: MessagePort): HostWire {
  return wireOf(port, () => port.close())
}

function wireOf(port: Worker | MessagePort, terminate: () => void): HostWire {
  return {
    post: (message) => port.postMessage(message),
    listen: (receive) => (port.onmessage = (event: MessageEvent<ToPage>) => receive(event.data)),
    terminate,
  }
}

interface ScriptUrls {
  createScriptURL(url: string): string
}

let policy: ScriptUrls | undefined

/** The one Trusted Types policy, for the worker's address alone. */
function trusted(url: string): string {
  const types = (globalThis as { trustedTypes?: { createPolicy(name: string, rules: ScriptUrls): ScriptUrls } })
    .trustedTypes
  policy ??= types?.createPolicy('dogear', { createScriptURL: (address) => address })
  return policy ? policy.createScriptURL(url) : url
}
