/** A trace as OpenTelemetry spans, named by its conventions for generative AI: https://opentelemetry.io/docs/specs/semconv/gen-ai/ */
import { attributesOf, nanoOf, prefixed, spanIdOf, timesOf, traceIdOf, type Attribute } from './otlp-values.ts'
import type { TraceEvent, TraceSession } from './trace-session.ts'

/** `opentelemetry.proto.trace.v1.Span` in its JSON form: ids in hex, 64-bit numbers as text. */
export interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly Attribute[]
  readonly events?: readonly SpanEvent[]
  readonly status: { readonly code: number; readonly message?: string }
}

export interface SpanEvent {
  readonly timeUnixNano: string
  readonly name: string
  readonly attributes: readonly Attribute[]
}

const internal = 1
const client = 3

/** `opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest`. */
export function otlpRequest({ agent }: TraceSession, spans: readonly Span[], isPage: boolean): object {
  const resource = {
    'service.name': agent.name,
    'service.version': agent.version,
    'telemetry.sdk.name': 'dogear',
    'telemetry.sdk.language': isPage ? 'webjs' : 'nodejs',
  }
  return {
    resourceSpans: [
      { resource: { attributes: attributesOf(resource) }, scopeSpans: [{ scope: { name: 'dogear' }, spans }] },
    ],
  }
}

/** The session's own span and all below it; `isRest` leaves out what `spanOf` has given one by one. */
export function sessionSpans(session: TraceSession, provider: string, isRest: boolean): Span[] {
  const moments = momentsOf(session)
  const spans = session.events.flatMap((event) => {
    if (isRest && isWork(event)) return []
    return anySpan(session, event, { provider, moments: moments.get(event.id) }) ?? []
  })
  return [rootSpan(session, { provider, moments: moments.get(undefined) }), ...spans]
}

/** A span for what is over once its event is there: a model call, a tool call. */
export function spanOf(session: TraceSession, event: TraceEvent, provider: string): Span | undefined {
  return isWork(event) ? anySpan(session, event, { provider }) : undefined
}

function isWork({ type }: TraceEvent): boolean {
  return type === 'ai_call' || type === 'tool_call' || type === 'summarization' || type === 'reflection'
}

interface Beside {
  readonly provider: string
  readonly moments?: readonly SpanEvent[]
}

function rootSpan(session: TraceSession, { provider, moments }: Beside): Span {
  const { sessionId, threadId, agent, status, startedAt, durationMs = 0, summary } = session
  const totals = Object.values(summary.tokens)
  return {
    traceId: traceIdOf(session.sessionId),
    spanId: spanIdOf(session.sessionId, 'session'),
    name: `invoke_agent ${agent.name}`,
    kind: internal,
    ...timesOf(startedAt, durationMs),
    attributes: attributesOf({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.provider.name': provider,
      'gen_ai.agent.name': agent.name,
      'gen_ai.agent.version': agent.version,
      'gen_ai.conversation.id': threadId,
      'gen_ai.request.model': agent.model,
      'gen_ai.usage.input_tokens': sum(totals.map((total) => total.input)),
      'gen_ai.usage.output_tokens': sum(totals.map((total) => total.output)),
      'gen_ai.usage.cache_read.input_tokens': sum(totals.map((total) => total.cachedInput)),
      'dogear.session.id': sessionId,
      'dogear.session.status': status,
      'dogear.cost_usd': summary.costUsd,
      'dogear.events.total': summary.totalEvents,
    }),
    ...(moments && { events: moments }),
    status: { code: status === 'error' ? 2 : 0 },
  }
}

function anySpan(session: TraceSession, event: TraceEvent, { provider, moments }: Beside): Span | undefined {
  const shape = shapeOf(event, provider)
  if (!shape) return undefined
  const { id, parent, timestamp, durationMs = 0, status, error, actor, usage, details } = event
  return {
    traceId: traceIdOf(session.sessionId),
    spanId: spanIdOf(session.sessionId, id),
    parentSpanId: spanIdOf(session.sessionId, parent ?? 'session'),
    name: shape.name,
    kind: shape.kind,
    ...timesOf(timestamp, durationMs),
    attributes: attributesOf({
      'gen_ai.conversation.id': session.threadId,
      'gen_ai.agent.name': actor.name,
      ...shape.attributes,
      'gen_ai.usage.input_tokens': usage?.input,
      'gen_ai.usage.output_tokens': usage?.output,
      'gen_ai.usage.cache_read.input_tokens': usage?.cachedInput,
      'gen_ai.usage.reasoning.output_tokens': usage?.reasoning || undefined,
      'dogear.cost_usd': usage?.costUsd,
      'dogear.status': status,
      ...prefixed(details),
      'error.type': status === 'error' ? (error?.code ?? '_OTHER') : undefined,
    }),
    ...(moments && { events: moments }),
    status: status === 'error' ? { code: 2, ...(error?.message && { message: error.message }) } : { code: 0 },
  }
}

interface Shape {
  readonly name: string
  readonly kind: number
  readonly attributes: Readonly<Record<string, unknown>>
}

/** Undefined for what is a moment, and becomes an event of the span it happened in. */
function shapeOf({ type, name, toolExecutionId, data }: TraceEvent, provider: string): Shape | undefined {
  switch (type) {
    case 'ai_call':
    case 'summarization':
    case 'reflection':
      return {
        name: `chat ${name}`,
        kind: client,
        attributes: {
          'gen_ai.operation.name': 'chat',
          'gen_ai.provider.name': provider,
          'gen_ai.request.model': name,
          'gen_ai.response.model': name,
          'gen_ai.input.messages': data?.input && JSON.stringify(messagesOf(data.input)),
          'gen_ai.output.messages': data && JSON.stringify(outputOf(data)),
          'dogear.purpose': type === 'ai_call' ? undefined : type,
        },
      }
    case 'tool_call':
      return {
        name: `execute_tool ${name}`,
        kind: internal,
        attributes: {
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': name,
          'gen_ai.tool.type': 'function',
          'gen_ai.tool.call.id': toolExecutionId,
          'gen_ai.tool.call.arguments': data && JSON.stringify(data.args ?? null),
          'gen_ai.tool.call.result': data && JSON.stringify(data.result ?? null),
        },
      }
    case 'subagent':
      return {
        name: `invoke_agent ${name}`,
        kind: internal,
        attributes: { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.provider.name': provider },
      }
    case 'turn':
      return { name: `turn ${name}`, kind: internal, attributes: {} }
    default:
      return undefined
  }
}

function messagesOf(input: unknown): object[] {
  const messages = Array.isArray(input) ? (input as { role: string; content: unknown }[]) : []
  return messages.map(({ role, content }) => ({ role, parts: [{ type: 'text', content }] }))
}

function outputOf({ output, text, summary, toolCalls }: Readonly<Record<string, unknown>>): object[] {
  const calls = Array.isArray(toolCalls) ? (toolCalls as { name: string; arguments: string }[]) : []
  const words = output ?? text ?? summary
  const parts = [
    ...(words ? [{ type: 'text', content: words }] : []),
    ...calls.map((call) => ({ type: 'tool_call', name: call.name, arguments: call.arguments })),
  ]
  return [{ role: 'assistant', parts, finish_reason: calls.length ? 'tool_call' : 'stop' }]
}

/** What has no length, by the span it happened in. */
function momentsOf({ events }: TraceSession): Map<string | undefined, SpanEvent[]> {
  const moments = new Map<string | undefined, SpanEvent[]>()
  for (const event of events) {
    if (shapeOf(event, '')) continue
    const siblings = moments.get(event.parent)
    if (siblings) siblings.push(momentOf(event))
    else moments.set(event.parent, [momentOf(event)])
  }
  return moments
}

function momentOf({ type, name, timestamp, durationMs = 0, status, actor, details, data }: TraceEvent): SpanEvent {
  return {
    timeUnixNano: nanoOf(Date.parse(timestamp) + durationMs),
    name: `dogear.${type}`,
    attributes: attributesOf({
      'dogear.name': name,
      'dogear.status': status,
      'dogear.actor': actor.scope,
      ...prefixed(details),
      'dogear.data': data && JSON.stringify(data),
    }),
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
