/** One POST of JSON for a sink: tried again where that may help. */
import { describeError, DogearError } from '../error.ts'
import type { TracePlace } from './sink.ts'

export interface PostOptions {
  readonly url: string
  /** A function is asked before each try: a page's token may be new by then. */
  readonly headers?: SinkHeaders
  readonly place: TracePlace
}

export type SinkHeaders = Record<string, string> | (() => Record<string, string> | Promise<Record<string, string>>)

export interface Post {
  /** Gives the text of the answer. */
  (path: string, body: unknown, options?: { readonly tries?: number }): Promise<string>
}

const allTries = 4
const patience = 8_000
const shortestWait = 250
const longestWait = 4_000

export function createPost({ url, headers, place }: PostOptions): Post {
  if (!isAddress(url, place)) {
    throw new DogearError('input-invalid', `A sink needs the address of an http server; got ${JSON.stringify(url)}.`)
  }
  const [base = '', query] = url.split('?')
  const whole = (path: string) => base.replace(/\/+$/, '') + path + (query === undefined ? '' : `?${query}`)
  return async (path, body, { tries = allTries } = {}) => {
    const text = JSON.stringify(body)
    for (let attempt = 1; ; attempt += 1) {
      const answer = await tryOnce(whole(path), text, await headersFor(headers, place), place)
      if ('text' in answer) return answer.text
      if (!answer.again || attempt >= tries) throw new DogearError('network', answer.problem)
      await place.clock.sleep(Math.min(longestWait, answer.after ?? shortestWait * 2 ** (attempt - 1)))
    }
  }
}

function isAddress(url: unknown, { isPage }: TracePlace): boolean {
  if (typeof url !== 'string' || url.trim() === '') return false
  return /^https?:\/\/[^\s/]/i.test(url) || (isPage && !/^[a-z][\w+.-]*:/i.test(url))
}

async function headersFor(headers: SinkHeaders | undefined, { isPage }: TracePlace): Promise<Record<string, string>> {
  const given = (typeof headers === 'function' ? await headers() : headers) ?? {}
  if (isPage && Object.values(given).some((value) => /^(Bearer )?(sk[-_]|AIza|gsk_|xai-)/.test(value)))
    throw keyInPage()
  return { 'content-type': 'application/json', ...given }
}

export function keyInPage(): DogearError {
  return new DogearError(
    'key-in-page',
    "A sink has what looks like a provider's key, which every visitor could read. Send traces to a server of yours, and keep the key there.",
  )
}

type Answer = { readonly text: string } | { readonly problem: string; readonly again: boolean; readonly after?: number }

async function tryOnce(
  url: string,
  body: string,
  headers: Record<string, string>,
  { clock, fetch }: TracePlace,
): Promise<Answer> {
  const isOver = new AbortController()
  const late = new AbortController()
  void clock.sleep(patience, isOver.signal).then(() => late.abort())
  // Never the whole address: what follows the `?` may be a secret.
  const server = url.split('?')[0]
  try {
    const response = await fetch(url, { method: 'POST', headers, body, signal: late.signal })
    const { status } = response
    const text = await response.text()
    if (status >= 200 && status < 300) return { text }
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
    return {
      problem: `${server} answered ${status}`,
      again: status === 408 || status === 425 || status === 429 || status >= 500,
      ...(seconds >= 0 && { after: seconds * 1000 }),
    }
  } catch (error) {
    const isLate = late.signal.aborted
    return { problem: `${server} ${isLate ? 'did not answer' : `(${describeError(error)})`}`, again: true }
  } finally {
    isOver.abort()
  }
}
