/** Asks a proxy the way a page does, and reads what comes back. */
import type { ProxyHandler } from '../src/index.ts'

export const hello = { model: 'default', stream: true, messages: [{ role: 'user', content: 'hello' }] }

export interface AskOptions {
  readonly path?: string
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly signal?: AbortSignal
}

export function ask(proxy: ProxyHandler, body: unknown = hello, options: AskOptions = {}): Promise<Response> {
  const { path = '/chat/completions', method = 'POST', ...rest } = options
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return proxy(
    new Request(`http://localhost:8787${path}`, { method, ...(method === 'POST' && { body: text }), ...rest }),
  )
}

export interface SentEvent {
  readonly id: number
  readonly data: string
}

export async function eventsOf(response: Response): Promise<SentEvent[]> {
  return parseEvents(await response.text())
}

export function parseEvents(text: string): SentEvent[] {
  return [...text.matchAll(/^id: (\d+)\ndata: (.*)\n$/gm)].map(([, id, data]) => ({ id: Number(id), data: data! }))
}

/** The words of an answer, from its events. */
export function wordsOf(events: readonly SentEvent[]): string {
  return events
    .filter(({ data }) => data !== '[DONE]')
    .map(({ data }) => JSON.parse(data).choices?.[0]?.delta?.content ?? '')
    .join('')
}

export async function errorOf(response: Response): Promise<{ status: number; code: string; message: string }> {
  const { error } = await response.json()
  return { status: response.status, code: error.code, message: error.message }
}

/** Reads events one by one, so that a test can leave in the middle. */
export function openReader(response: Response) {
  const reader = response.body!.getReader()
  const decoder = new TextDecoder()
  let events: SentEvent[] = []
  return {
    async next(): Promise<SentEvent | undefined> {
      while (events.length === 0) {
        const { done, value } = await reader.read()
        if (done) return undefined
        events = parseEvents(decoder.decode(value, { stream: true }))
      }
      return events.shift()
    },
    leave: () => reader.cancel(),
  }
}
