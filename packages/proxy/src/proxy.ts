/** The proxy: one request in, one response out, on any platform that has fetch. */
import { type Environment, fromEnv } from './from-env.ts'
import { answerPreflight, checkOrigin, checkOrigins, isPreflight } from './guard/origin.ts'
import { type Authorize, identify } from './guard/token.ts'
import type { Provider } from './providers/provider.ts'
import { asProxyError, ProxyError } from './proxy-error.ts'
import { fieldsFor, findAlias, forProvider, listModels, type ModelAlias, type Models } from './request/aliases.ts'
import { parseChatRequest } from './request/chat-request.ts'
import { readJson } from './request/read-json.ts'
import type { LiveStream } from './streams/live-stream.ts'
import { cursorOf, keyInPath, keyOf } from './streams/stream-name.ts'
import { type StreamLimits, Streams } from './streams/streams.ts'

export interface ProxyOptions {
  /** What a page may ask for, by alias. Without it, `default` as the environment says (see `fromEnv`). */
  readonly models?: Models
  /** Exact origins of the pages served. Without it, only pages and programs of this machine. */
  readonly origins?: readonly string[]
  /** On this machine, lets pages opened from disk in: those that send it as their bearer token. */
  readonly token?: string
  /** Decides who is calling. `false` answers 401. */
  readonly authorize?: Authorize
  /** The largest request accepted. Default 4 MB. */
  readonly maxBodyBytes?: number
  readonly streams?: StreamLimits
  /** Takes one line for every request refused or failed. Never a key, never anybody's words. */
  readonly log?: (line: string) => void
}

export type ProxyHandler = (request: Request) => Promise<Response>

export function createProxy(options: ProxyOptions = {}): ProxyHandler {
  const models = withProviders(options.models)
  checkOrigins(options.origins)
  const log = options.log ?? (() => undefined)
  const streams = new Streams(options.streams ?? {}, (error) => log(lineAbout(error)))

  return async (request) => {
    let headers = new Headers({ vary: 'Origin' })
    try {
      if (isPreflight(request)) return answerPreflight(request, options)
      headers = checkOrigin(request, options)
      const { subject } = await identify(request, options.authorize)
      return withHeaders(await route(request, subject), headers)
    } catch (error) {
      log(`${request.method} ${new URL(request.url).pathname}: ${lineAbout(error)}`)
      return withHeaders(asProxyError(error).toResponse(), headers)
    }
  }

  /** Routes are read from the end of the path, so that a mount point and `/v1` may stand before them. */
  async function route(request: Request, subject: string): Promise<Response> {
    const { pathname } = new URL(request.url)
    const [, streamKey] = /\/streams\/([^/]+)$/.exec(pathname) ?? []
    if (request.method === 'POST' && pathname.endsWith('/chat/completions')) return complete(request, subject)
    if (request.method === 'GET' && pathname.endsWith('/models')) return Response.json(listModels(models))
    if (request.method === 'GET' && streamKey !== undefined)
      return resume(request, { subject, key: keyInPath(streamKey) })
    if (request.method === 'DELETE' && streamKey !== undefined) {
      streams.stop({ subject, key: keyInPath(streamKey) })
      return new Response(null, { status: 204 })
    }
    throw new ProxyError(
      404,
      'route_not_found',
      'There is nothing here. This proxy answers POST /chat/completions, GET /models, GET and DELETE /streams/:key.',
    )
  }

  async function complete(request: Request, subject: string): Promise<Response> {
    const { text, json } = await readJson(request, options.maxBodyBytes ?? 4_000_000)
    const chat = parseChatRequest(json, fieldsFor(models, json))
    const alias = findAlias(models, chat.model)
    const asked = forProvider(chat, alias)
    const open = (signal: AbortSignal) =>
      chat.stream ? alias.provider.stream(asked, signal) : alias.provider.complete(asked, signal).then(asOnlyEvent)
    const key = keyOf(request)
    const cursor = cursorOf(request)
    const fingerprint = await sha256(text)
    const { stream, isNew } =
      key === undefined
        ? { stream: streams.startUnnamed(open), isNew: true }
        : streams.findOrStart({ subject, key }, fingerprint, open)
    if (!chat.stream) return answerWhole(stream, request.signal)
    // A new call counts its events from 1 again: a cursor into the old one would swallow its first words.
    return answer(stream, isNew ? 0 : cursor, request.signal)
  }

  async function resume(request: Request, name: { subject: string; key: string }): Promise<Response> {
    const stream = streams.find(name)
    if (stream !== undefined) return answer(stream, cursorOf(request), request.signal)
    throw new ProxyError(404, 'stream_not_found', 'This stream is not kept any more. Send its request again.')
  }
}

type ServedModels = Readonly<Record<string, ModelAlias & { readonly provider: Provider }>>

function withProviders(given: Models | undefined): ServedModels {
  let environment: Environment | undefined
  // Workers have no `process`; there, `fromEnv(env)` is called by hand.
  const ofProcess = () => (environment ??= fromEnv(globalThis.process?.env ?? {}))
  const entries = Object.entries(given ?? ofProcess().models)
  return Object.fromEntries(
    entries.map(([name, alias]) => [name, { ...alias, provider: alias.provider ?? ofProcess().provider }]),
  )
}

/** Listens before it waits: a stream that nobody listens to would end while upstream is still making up its mind. */
async function answer(stream: LiveStream, cursor: number, signal: AbortSignal): Promise<Response> {
  const body = stream.attach(cursor, signal)
  await stream.opened.catch((error: unknown) => {
    throw stream.failure ?? error
  })
  return new Response(body, {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    },
  })
}

/** A completion that was not streamed is a stream of one event: its key and its listeners work the same way. */
async function answerWhole(stream: LiveStream, signal: AbortSignal): Promise<Response> {
  const { body } = await answer(stream, 0, signal)
  const [, completion] = /^data: (.*)$/m.exec(await new Response(body).text()) ?? []
  if (stream.failure !== undefined) throw stream.failure
  return new Response(completion ?? '', {
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
  })
}

async function* asOnlyEvent(completion: object): AsyncGenerator<object> {
  yield completion
}

function withHeaders(response: Response, headers: Headers): Response {
  for (const [name, value] of headers) response.headers.set(name, value)
  response.headers.set('x-content-type-options', 'nosniff')
  return response
}

/** Only our own sentences are logged: a foreign error's text may quote a key. */
function lineAbout(error: unknown): string {
  if (error instanceof ProxyError) return `${error.status} ${error.code}: ${error.message}`
  return `500 proxy_failed: ${error instanceof Error ? error.name : typeof error}`
}

async function sha256(text: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
