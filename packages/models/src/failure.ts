/** What went wrong with a server, as one `DogearError`: a code to branch on, and the server's own words in `details`. */
import { DogearError, type ErrorCode } from '@dogear/core'

/** Where something was asked for, for the sentence that names it. */
export interface Place {
  readonly url: string
  readonly model?: string
}

/** A server's refusal, by its status and by the error object in its body, of which either may be missing. */
export function toFailure(status: number | undefined, body: unknown, place: Place, retryAfterMs?: number): DogearError {
  const server = readServerError(body)
  // Between proxy and provider: what came is kept, and there is nothing to return to.
  if (server.code.includes('upstream_cut')) return cutOff({ lost: true, status }, server.message)
  const known = status ?? server.status
  const code = codeOf(known, server)
  return new DogearError(code, sentences[code](place, known), {
    // For the developer: a proxy says here what to set, and where.
    cause: server.message,
    details: {
      status: known,
      ...(server.message && { serverMessage: server.message }),
      ...(server.code && { serverCode: server.code }),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    },
  })
}

export function badResponse(problem: string, { url }: Place, details: Record<string, unknown> = {}): DogearError {
  return new DogearError('bad-response', `${pathOf(url)} ${problem}`, { details })
}

export function stopped(): DogearError {
  return new DogearError('aborted', 'Stopped.')
}

export function cutOff(details: Record<string, unknown> = {}, cause?: unknown): DogearError {
  return new DogearError('stream-cut', 'The answer broke off before its end. Ask for it again.', { details, cause })
}

/** Why a fetch was rejected: it says the same for an address that can never be asked as for a lost network. */
export function unreachable(url: string, cause: unknown): DogearError {
  try {
    void new Request(url)
    return offline(cause)
  } catch {
    return new DogearError('endpoint-missing', `"${url}" is no address. Give the endpoint as a whole URL.`, { cause })
  }
}

export function offline(cause: unknown): DogearError {
  const advice = 'Check the connection, and that the endpoint is right and allows this origin.'
  return new DogearError('network', `The server cannot be reached. ${advice}`, { cause })
}

interface ServerError {
  readonly message?: string
  readonly code: string
  readonly status?: number
}

type FailureCode = Extract<
  ErrorCode,
  'token-refused' | 'forbidden' | 'model-unknown' | 'bad-response' | 'quota-exceeded' | 'rate-limited' | 'model-failed'
>

const sentences: Record<FailureCode, (place: Place, status: number | undefined) => string> = {
  'token-refused': () => 'The server refused the token. Sign in again, or check what token() returns.',
  forbidden: () => "The server does not allow this. Check the proxy's allowed origins and this user's rights.",
  'model-unknown': ({ model }) => `The server has no model named "${model}". GET …/models lists the names it knows.`,
  'bad-response': ({ url }) => `Nothing answers at ${pathOf(url)}: is the endpoint right?`,
  'quota-exceeded': () => 'The model account has no quota left. Add credit, or wait until it renews.',
  'rate-limited': () => 'The model is asked too often. Wait a moment, then try again.',
  'model-failed': (_, status) =>
    status !== undefined && status >= 400 && status < 500 && status !== 408
      ? `The server did not accept the request (${status}). Its reason is in details.serverMessage.`
      : `The model failed${status ? ` (${status})` : ''}. Try again.`,
}

/** Words before numbers: one server says 429 for "slow down" and for "your account is empty". */
function codeOf(status: number | undefined, { code }: ServerError): FailureCode {
  if (/insufficient_quota|billing|insufficient_(balance|credit)/.test(code) || status === 402) return 'quota-exceeded'
  if (/model_not_found|model_unknown|unknown_model/.test(code)) return 'model-unknown'
  if (/rate_limit/.test(code) || status === 429) return 'rate-limited'
  if (/invalid_api_key|authentication/.test(code) || status === 401) return 'token-refused'
  if (status === 403) return 'forbidden'
  return status === 404 ? 'bad-response' : 'model-failed'
}

/** OpenAI says `{ error: { message, code, type } }`; others leave out the wrapper, the object, or both. */
function readServerError(body: unknown): ServerError {
  const outer = toRecord(Array.isArray(body) ? body[0] : body)
  const { message, code, type, status } = toRecord(outer['error'] ?? outer['detail'] ?? outer)
  return {
    ...(typeof message === 'string' && { message }),
    code: [code, type].filter((word) => typeof word === 'string').join(' '),
    status: [status, code].map(Number).find((number) => number >= 400 && number < 600),
  }
}

function toRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : { message: value }
}

/** Without the host, which a visitor's screen need not show, and without the key in the query. */
function pathOf(url: string): string {
  return url.replace(/^\w+:\/\/[^/]+/, '').replace(/\?.*/, '')
}
