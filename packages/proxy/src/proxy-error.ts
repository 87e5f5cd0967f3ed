/** What a caller is told when something goes wrong: one sentence, in OpenAI's error shape. */

export class ProxyError extends Error {
  override readonly name = 'ProxyError'

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly options: { readonly retry?: boolean; readonly retryAfter?: number } = {},
  ) {
    super(message)
  }

  toJSON(): { error: { message: string; type: string; code: string } } {
    return { error: { message: this.message, type: typeOf(this.status), code: this.code } }
  }

  toResponse(): Response {
    const headers = new Headers({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      // OpenAI's clients retry every 409 and 5xx by themselves: a refused key would be asked about three times.
      'x-should-retry': String(this.options.retry ?? false),
    })
    if (this.options.retryAfter !== undefined) headers.set('retry-after', String(this.options.retryAfter))
    if (this.status === 401) headers.set('www-authenticate', 'Bearer')
    return new Response(JSON.stringify(this), { status: this.status, headers })
  }
}

/** An unforeseen failure keeps its text to itself: it may hold a key, an address or somebody's words. */
export function asProxyError(error: unknown): ProxyError {
  if (error instanceof ProxyError) return error
  return new ProxyError(500, 'proxy_failed', 'The proxy failed on this request. Try again; its log names the error.')
}

function typeOf(status: number): string {
  if (status === 401) return 'authentication_error'
  if (status === 402) return 'insufficient_quota'
  if (status === 403) return 'permission_error'
  if (status === 429) return 'rate_limit_error'
  return status < 500 ? 'invalid_request_error' : 'server_error'
}
