/** Traces to an OpenTelemetry collector, by OTLP over HTTP in JSON: https://opentelemetry.io/docs/specs/otlp/#otlphttp */
import { DogearError } from '../error.ts'
import { otlpRequest, sessionSpans, spanOf, type Span } from './otlp-spans.ts'
import { createPost, type SinkHeaders } from './post.ts'
import type { TraceSinkConfig } from './sink.ts'
import type { TraceSession } from './trace-session.ts'

export interface OtlpSinkOptions {
  /** The whole address, `https://collector:4318/v1/traces` say. From a page it must allow your origin (CORS). */
  url: string
  /** A function is asked before each request. */
  headers?: SinkHeaders
  /** What `gen_ai.provider.name` says. Default `_OTHER`: behind a proxy nobody here knows. */
  provider?: string
}

export function otlpSink({ url, headers, provider = '_OTHER' }: OtlpSinkOptions): TraceSinkConfig {
  return {
    type: 'otlp',
    open(place) {
      const post = createPost({ url, headers, place })
      let begun: TraceSession | undefined
      const send = async (session: TraceSession, spans: readonly Span[], tries?: number) => {
        refuseRejected(await post('', otlpRequest(session, spans, place.isPage), { tries }))
      }
      const isStreaming = place.mode === 'streaming'
      return {
        start: (session) => void (begun = session),
        async event(event) {
          const span = isStreaming && begun && spanOf(begun, event, provider)
          if (begun && span) await send(begun, [span], 1)
        },
        async end(session) {
          await send(session, sessionSpans(session, provider, isStreaming))
        },
      }
    },
  }
}

/** A collector may take a request, and only some of what is in it. */
function refuseRejected(text: string): void {
  const rejected = Number(/"rejectedSpans"\s*:\s*"?(\d+)/.exec(text)?.[1] ?? 0)
  if (rejected > 0) throw new DogearError('bad-response', `The collector rejected ${rejected} spans`)
}
