/** Decides whether a page may call at all, and writes the CORS headers that let it read the answer. */
import { ProxyError } from '../proxy-error.ts'
import { bearerOf, isSameSecret } from './token.ts'
import { isLoopbackHost, isLoopbackOrigin } from './loopback.ts'

export interface OriginRules {
  /** Exact origins. Without them only this machine is served. */
  readonly origins?: readonly string[] | undefined
  /** Lets a page opened from disk (`Origin: null`) in, on this machine only. */
  readonly token?: string | undefined
}

/** Browsers compare origins letter by letter: an entry that can never match is a mistake to hear of at the start. */
export function checkOrigins(origins: readonly string[] = []): void {
  for (const origin of origins) {
    if (URL.canParse(origin) && new URL(origin).origin === origin) continue
    throw new ProxyError(
      500,
      'origin_invalid',
      `"${origin}" is not an origin. Write scheme, host and port only, such as https://example.com, with nothing after.`,
    )
  }
}

/** Throws when the request may not pass; otherwise gives the headers every answer to it carries. */
export function checkOrigin(request: Request, rules: OriginRules): Headers {
  if (rules.origins === undefined) checkHost(request)
  const origin = request.headers.get('origin')
  if (origin === null) checkWithoutOrigin(request)
  else if (!isAllowed(origin, request, rules)) throw refusal(origin, rules)
  return corsHeaders(origin)
}

/** The answer to a preflight, which carries no token: a page from disk shows its own with the request itself. */
export function answerPreflight(request: Request, rules: OriginRules): Response {
  const headers = checkOrigin(request, rules)
  headers.set('access-control-allow-methods', 'GET, POST, DELETE')
  headers.set('access-control-allow-headers', 'authorization, content-type, idempotency-key, last-event-id')
  headers.set('access-control-max-age', '600')
  if (request.headers.get('access-control-request-private-network') === 'true')
    headers.set('access-control-allow-private-network', 'true')
  return new Response(null, { status: 204, headers })
}

export function isPreflight(request: Request): boolean {
  return request.method === 'OPTIONS' && request.headers.has('access-control-request-method')
}

/** A name that an attacker points at 127.0.0.1 (DNS rebinding) arrives here with that name as its Host. */
export function checkHost(request: Request): void {
  const hosts = [new URL(request.url).host, request.headers.get('host') ?? 'localhost']
  if (hosts.every(isLoopbackHost)) return
  throw new ProxyError(
    403,
    'host_not_allowed',
    'This proxy answers only on this machine. To serve a site, give it the exact origins: origins: ["https://example.com"], or --origin https://example.com.',
  )
}

/** Programs and same-origin GETs send no Origin; another site's page that hides it is told by Sec-Fetch-Site. */
function checkWithoutOrigin(request: Request): void {
  const site = request.headers.get('sec-fetch-site')
  if (site === null || site === 'same-origin' || site === 'none') return
  throw new ProxyError(403, 'origin_not_allowed', 'Another site may not call this proxy without saying its origin.')
}

function isAllowed(origin: string, request: Request, { origins, token }: OriginRules): boolean {
  if (origins !== undefined) return origin !== 'null' && origins.includes(origin)
  if (origin !== 'null') return isLoopbackOrigin(origin)
  if (token === undefined) return false
  return isPreflight(request) || isSameSecret(bearerOf(request), token)
}

function refusal(origin: string, { origins }: OriginRules): ProxyError {
  if (origin === 'null' && origins === undefined)
    return new ProxyError(
      403,
      'origin_not_allowed',
      'A page opened from disk needs the token of the printed script tag. Copy the tag again; it changes with every start.',
    )
  return new ProxyError(
    403,
    'origin_not_allowed',
    'Pages of this origin may not call this proxy. Add it, exactly as the browser sends it, to origins or with --origin.',
  )
}

function corsHeaders(origin: string | null): Headers {
  const headers = new Headers({ vary: 'Origin' })
  if (origin === null) return headers
  headers.set('access-control-allow-origin', origin)
  headers.set('access-control-expose-headers', 'Retry-After, X-Should-Retry')
  return headers
}
