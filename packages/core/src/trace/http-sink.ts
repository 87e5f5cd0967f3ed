/** Traces to an HTTP server: one POST at the end, or start, events and end as they happen. */
import { createPost, keyInPage, type SinkHeaders } from './post.ts'
import type { TracePlace, TraceSink, TraceSinkConfig } from './sink.ts'
import type { TraceSession } from './trace-session.ts'

export interface HttpSinkOptions {
  /** `batched` posts the trace here; `streaming` to `/stream/:sessionId/start`, `/events` and `/end` below it. */
  url: string
  /** A function is asked before each request. */
  headers?: SinkHeaders
}

export function httpSink({ url, headers }: HttpSinkOptions): TraceSinkConfig {
  return { type: 'http', open: (place) => openHttp({ url, headers }, place) }
}

export interface CognipeerSinkOptions {
  /** Only where no visitor can read it. A page gives the `url` of a server that adds the key. */
  apiKey?: string
  url?: string
}

const cognipeerUrl = 'https://console.cognipeer.com/api/client/v1/tracing/sessions'

export function cognipeerSink({ apiKey, url = cognipeerUrl }: CognipeerSinkOptions): TraceSinkConfig {
  return {
    type: 'cognipeer',
    open(place) {
      if (apiKey && place.isPage) throw keyInPage()
      return openHttp({ url, headers: apiKey ? { authorization: `Bearer ${apiKey}` } : undefined }, place)
    },
  }
}

function openHttp({ url, headers }: HttpSinkOptions, place: TracePlace): TraceSink {
  const post = createPost({ url, headers, place })
  if (place.mode === 'batched') {
    return {
      async end(session) {
        await post('', session)
      },
    }
  }
  const below = ({ sessionId }: Pick<TraceSession, 'sessionId'>) => `/stream/${encodeURIComponent(sessionId)}`
  return {
    async start(session) {
      await post(`${below(session)}/start`, withoutEvents(session))
    },
    async event(event) {
      // Not again: the totals of `end` tell what is missing, and the next event must not wait.
      await post(`${below(event)}/events`, { event }, { tries: 1 })
    },
    async end(session) {
      await post(`${below(session)}/end`, withoutEvents(session))
    },
  }
}

function withoutEvents({ events: _events, ...session }: TraceSession): Omit<TraceSession, 'events'> {
  return session
}
