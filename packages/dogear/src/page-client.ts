/** The one client of a page, started when the first session is opened. */
import workerText from 'virtual:dogear-worker'
import { forgetUser, userPrefix } from '@dogear/widgets'
import { hostHere } from './host-here.ts'
import { createClient, createWitness, spawnHost, type Client } from '@dogear/worker'

export interface HostOptions {
  /** Address of a self-hosted `dogear-worker.js`, for a page whose CSP forbids `blob:` workers. The first agent's counts. */
  worker?: string
  /** Folder of the files beside the script, for what is loaded only when needed. */
  assets?: string
  /**
   * Whether the browser is asked to keep this origin's storage for good, once the first words are saved; its answer is
   * `session.persisted`. By default only where nobody is bothered by it; `true`: also in Firefox, which asks the person;
   * `false`: never. The first agent's counts.
   */
  persistentStorage?: boolean
}

let client: Client | undefined
let ofScript: HostOptions = {}

/** What a script tag knows of its own files, for every agent of its page. */
export function setHostOptions(options: HostOptions): void {
  ofScript = options
}

export function pageClient({
  worker = ofScript.worker,
  assets = ofScript.assets,
  persistentStorage = ofScript.persistentStorage,
}: HostOptions): Client {
  client ??= createClient({
    connect: () =>
      globalThis.document
        ? spawnHost({
            text: workerText,
            url: worker === undefined ? undefined : new URL(worker, document.baseURI).href,
            fallback: fallbackAddress(worker, assets),
            warn,
          })
        : hostHere(),
    id: newId,
    now: () => Date.now(),
    hold,
    warn,
    cleared: forgetUser,
    // Under the user's prefix: it goes with all else when they log out.
    witness: createWitness(localStorageIfAny(), (user) => `${userPrefix(user)}witness`),
    persistentStorage,
  })
  return client
}

/** The mere getter throws in a sandboxed frame, or with all site data blocked. */
function localStorageIfAny(): Storage | undefined {
  try {
    return globalThis.document && localStorage
  } catch {
    return undefined
  }
}

/** Where the browser refuses it, nobody can tell whether this page lives on: it may, for all that others know. */
function hold(lock: string): void {
  if (globalThis.document) navigator.locks?.request(lock, () => new Promise(() => {})).catch(() => {})
}

export function newId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

function fallbackAddress(worker: string | undefined, assets: string | undefined): string | undefined {
  if (assets !== undefined)
    return new URL('dogear-worker.js', new URL(`${assets.replace(/\/*$/, '')}/`, document.baseURI)).href
  return worker === undefined ? undefined : new URL(worker, document.baseURI).href
}

export function warn(message: string): void {
  console.warn(`[dogear] ${message}`)
}
