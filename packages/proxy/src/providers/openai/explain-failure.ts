/** Turns what the provider said into a sentence of ours: its own text may hold a key, an id or an address. */
import { APIConnectionError, APIConnectionTimeoutError, APIError } from 'openai'
import { ProxyError } from '../../proxy-error.ts'

export function explainFailure(error: unknown): ProxyError {
  if (error instanceof ProxyError) return error
  if (error instanceof APIConnectionTimeoutError) return failures.timeout()
  if (error instanceof APIConnectionError) return failures.unreachable()
  if (error instanceof APIError) return explainAnswer(error)
  // What is left came out of reading the body: a connection cut, or text that is no JSON.
  return error instanceof SyntaxError ? failures.garbled() : failures.cut()
}

function explainAnswer(error: APIError): ProxyError {
  const said = `${error.code ?? ''} ${error.type ?? ''}`
  const status = error.status ?? statusWithin(error)
  const retryAfter = secondsToWait(error.headers)
  if (status === 402 || said.includes('insufficient_quota')) return failures.quota()
  if (said.includes('context_length_exceeded')) return failures.tooLong()
  if (said.includes('model_not_found') || status === 404) return failures.model()
  if (said.includes('invalid_api_key') || status === 401) return failures.key()
  if (status === 403) return failures.forbidden()
  if (status === 429 || said.includes('rate_limit')) return failures.rate(retryAfter)
  if (status === 503 || status === 529) return failures.overloaded(retryAfter)
  if (status !== undefined && status >= 300 && status < 400) return failures.redirect()
  if (status !== undefined && status >= 400 && status < 500) return failures.refused()
  return failures.failed()
}

const failures = {
  key: () =>
    problem(
      502,
      'provider_key_rejected',
      "The provider refused the proxy's key. Check OPENAI_API_KEY on the proxy and start it again.",
    ),
  forbidden: () =>
    problem(
      502,
      'provider_forbidden',
      "The provider does not let the proxy's key use this model. Check the key's permissions, or choose another model.",
    ),
  quota: () =>
    problem(
      402,
      'insufficient_quota',
      "The provider's account has no credit left. Add credit there, or use another key.",
    ),
  model: () =>
    problem(
      502,
      'upstream_model_not_found',
      'The provider does not know the model behind this alias. Set MODEL on the proxy to one that it offers.',
    ),
  tooLong: () =>
    problem(
      400,
      'context_length_exceeded',
      'The conversation is too long for this model. Shorten it or start a new one.',
    ),
  refused: () =>
    problem(
      400,
      'upstream_refused',
      'The provider refused the request as invalid. Its tools, messages or settings do not fit this model.',
    ),
  redirect: () =>
    problem(
      502,
      'upstream_redirected',
      'The provider sent the request elsewhere, which the proxy does not follow. Set OPENAI_BASE_URL to the final address.',
    ),
  garbled: () =>
    problem(
      502,
      'upstream_malformed',
      'The provider answered with something that could not be read. Check OPENAI_BASE_URL on the proxy.',
    ),
  rate: (retryAfter?: number) =>
    passing(
      429,
      'rate_limit_exceeded',
      'The provider is asked too often just now. Wait a moment and try again.',
      retryAfter,
    ),
  overloaded: (retryAfter?: number) =>
    passing(
      503,
      'upstream_overloaded',
      'The provider is overloaded just now. Wait a moment and try again.',
      retryAfter,
    ),
  failed: () => passing(502, 'upstream_failed', 'The provider failed on its side. Try again.'),
  cut: () => passing(502, 'upstream_cut', "The provider's answer broke off before its end. Try again."),
  timeout: () => passing(504, 'upstream_timeout', 'The provider did not answer in time. Try again.'),
  unreachable: () =>
    passing(
      502,
      'upstream_unreachable',
      "The provider could not be reached. Check OPENAI_BASE_URL and the proxy's own connection.",
    ),
}

function problem(status: number, code: string, message: string): ProxyError {
  return new ProxyError(status, code, message)
}

/** A failure that may be gone at the next try. */
function passing(status: number, code: string, message: string, retryAfter?: number): ProxyError {
  return new ProxyError(status, code, message, { retry: true, ...(retryAfter === undefined ? {} : { retryAfter }) })
}

/** An error inside a stream has no HTTP status; OpenRouter writes the number into `code`. */
function statusWithin(error: APIError): number | undefined {
  const code = Number(error.code)
  return code >= 300 && code < 600 ? code : undefined
}

function secondsToWait(headers: Headers | undefined): number | undefined {
  const value = headers?.get('retry-after')
  if (!value) return undefined
  const seconds = Number.isNaN(Number(value)) ? (Date.parse(value) - Date.now()) / 1000 : Number(value)
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : undefined
}
