/** Gets a server to answer: with a token, asked for again when refused, and by trying again when the server is busy. */
import { DogearError, describeError, type Clock, type ModelEvent } from '@dogear/core'
import { badResponse, offline, stopped, toFailure, unreachable, type Place } from './failure.ts'
import { readText } from './read-text.ts'
import { patience, watchSilence } from './silence.ts'

export interface Server {
  readonly token?: () => string | undefined | Promise<string | undefined>
  readonly headers?: () => Record<string, string> | Promise<Record<string, string>>
  readonly fetch: typeof fetch
  readonly clock: Clock
  readonly random: () => number
  readonly maxRetries: number
}

export interface Call extends Place {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly signal?: AbortSignal
  /** How long its first byte is waited for; see `patience`. */
  readonly patience?: number
  /** Made anew for each try. */
  readonly body?: () => string
  /** What of the call to change so that this failure will not come again, if anything can. May throw a better error. */
  readonly mend?: (failure: DogearError) => Partial<Call> | undefined
}

/** Resolves to an answer whose status is good; tells of each try that will be made again. */
export async function* connect(server: Server, first: Call): AsyncGenerator<ModelEvent, Response> {
  let call = first
  let isTokenFresh = server.token === undefined
  for (let attempt = 1; ;) {
    const response = await send(server, call)
    if (response.ok) return response
    const failure = await readFailure(response, call, server.clock)
    const mended = call.mend?.(failure)
    if (failure.code === 'token-refused' && !isTokenFresh) isTokenFresh = true
    else if (mended) call = { ...call, ...mended }
    else {
      const delayMs = attempt > server.maxRetries ? undefined : retryDelay(response, failure, attempt, server.random)
      if (delayMs === undefined) throw failure
      const { code, message: reason } = failure
      yield { type: 'retry', attempt, delayMs, reason, max: server.maxRetries, code, status: response.status }
      await server.clock.sleep(delayMs, call.signal)
      attempt += 1
    }
  }
}

export async function send(server: Server, call: Call): Promise<Response> {
  const { url, signal } = call
  const init = await toInit(server, call)
  // Not called as the server's method: a browser's fetch refuses that.
  const { fetch } = server
  if (!signal) return fetch(url, init)
  // A server that takes the question and never answers would hold the turn for ever.
  const dead = new AbortController()
  const silence = watchSilence(
    server.clock,
    () => call.patience ?? patience.answer,
    () => dead.abort(),
  )
  try {
    return await fetch(url, { ...init, signal: AbortSignal.any([signal, dead.signal]) })
  } catch (error) {
    throw signal.aborted ? stopped() : unreachable(url, error)
  } finally {
    silence.end()
  }
}

/** Outside of the fetch: what is wrong here is no lost network, and waiting for one would never end. */
async function toInit(server: Server, { method, signal, body }: Call): Promise<RequestInit> {
  if (signal?.aborted) throw stopped()
  const token = server.token && (await askFor('token', server.token, signal))
  const given = server.headers && (await askFor('headers', server.headers, signal))
  const headers: Record<string, string> = given ? Object.fromEntries(new Headers(given)) : {}
  if (token) headers['authorization'] = `Bearer ${token}`
  if (body) headers['content-type'] = 'application/json'
  headers['accept'] = 'text/event-stream'
  return {
    method,
    headers,
    // Seen here, not followed: a redirect would turn the POST into a GET, or carry the words to another host.
    redirect: 'manual',
    ...(method === 'GET' && { cache: 'no-store' }),
    // A stop must reach the server also while the page is being left.
    ...(method === 'DELETE' && { keepalive: true }),
    ...(body && { body: body() }),
  }
}

async function askFor<T>(what: string, ask: () => T | Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal?.aborted) throw stopped()
  let stop: (() => void) | undefined
  const stopping = new Promise<never>((_, reject) => {
    stop = () => reject(stopped())
    signal?.addEventListener('abort', stop)
  })
  try {
    return await Promise.race([ask(), stopping])
  } catch (error) {
    if (error instanceof DogearError) throw error
    const words = describeError(error)
    // A token that is itself fetched fails so when offline: the turn must wait for the network, not for a sign-in.
    if (/fetch|network|load failed/i.test(words)) throw offline(error)
    throw new DogearError('token-refused', `The agent's ${what}() threw: ${words}`, { cause: error })
  } finally {
    if (stop) signal?.removeEventListener('abort', stop)
  }
}

async function readFailure(response: Response, call: Call, clock: Clock): Promise<DogearError> {
  const { status, headers } = response
  if (response.type === 'opaqueredirect' || (status >= 300 && status < 400)) {
    return badResponse('redirects. Give the address it leads to as the endpoint.', call, { status })
  }
  const text = await readText(response, 65_536, clock).catch(() => '')
  return toFailure(status, parsed(text), call, retryAfter(headers, clock))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return /^\s*</.test(text) ? undefined : text.slice(0, 500)
  }
}

function retryAfter(headers: Headers, clock: Clock): number | undefined {
  const value = headers.get('retry-after')
  if (!value) return undefined
  const wait = Number(value) >= 0 ? Number(value) * 1000 : Date.parse(value) - clock.now()
  return Number.isNaN(wait) ? undefined : Math.max(0, wait)
}

const longestWait = 60_000

/** Undefined when trying again makes no sense: the fault is ours, the server says so, or nobody would wait that long. */
function retryDelay(
  { status, headers }: Response,
  { code, details }: DogearError,
  attempt: number,
  random: () => number,
): number | undefined {
  const isBusy = code === 'rate-limited' || (code === 'model-failed' && (status === 408 || status >= 500))
  if (!isBusy || headers.get('x-should-retry') === 'false') return undefined
  const asked = details['retryAfterMs']
  if (typeof asked === 'number') return asked <= longestWait ? asked : undefined
  return Math.min(500 * 2 ** (attempt - 1), 8000) * (0.5 + random() / 2)
}
