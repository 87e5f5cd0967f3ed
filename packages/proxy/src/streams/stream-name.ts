/** Where a request says which stream it means and how far it has read. */
import { ProxyError } from '../proxy-error.ts'

const maxLength = 512

/** `?key=` first: not every OpenAI-like server lets a page send the header across origins. */
export function keyOf(request: Request): string | undefined {
  const key = new URL(request.url).searchParams.get('key') ?? request.headers.get('idempotency-key')
  return key === null || key === '' ? undefined : checkKey(key)
}

export function keyInPath(encoded: string): string {
  try {
    return checkKey(decodeURIComponent(encoded))
  } catch {
    throw new ProxyError(400, 'key_invalid', 'The stream key in the address is not readable. Encode it as a URL part.')
  }
}

export function cursorOf(request: Request): number {
  const cursor = new URL(request.url).searchParams.get('after') ?? request.headers.get('last-event-id') ?? '0'
  if (/^\d{1,12}$/.test(cursor)) return Number(cursor)
  throw new ProxyError(400, 'cursor_invalid', 'The cursor must be the id of an event of this stream: a whole number.')
}

function checkKey(key: string): string {
  if (key.length <= maxLength) return key
  throw new ProxyError(400, 'key_invalid', `A stream key may have ${maxLength} characters at most.`)
}
