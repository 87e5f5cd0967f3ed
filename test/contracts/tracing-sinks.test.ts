/** What sinks send, to a real server. */
import { cognipeerSink, httpSink, type Clock, type SmartAgentOptions } from '@dogear/core'
import { otlpSink } from '@dogear/core/otlp'
import { call, say, scriptedModel, usage } from '@dogear/testing'
import { describe, expect, test } from 'vitest'
import { browserClock as clock } from '@dogear/worker/host'
import { collector, traced } from './traced.ts'

function agent(): SmartAgentOptions {
  const steps = [
    [call('find_hotels', { city: 'Lisbon' }), usage({ input: 10, output: 4, cachedInput: 6 })],
    [say('Three.'), usage({ input: 20, output: 2 })],
  ]
  return { model: scriptedModel(steps), tools: [{ name: 'find_hotels', func: () => 'three hotels' }] }
}

/** Time passes at once but for the long waits, which end when they are called off. */
function hastyClock() {
  const waits: number[] = []
  const hasty: Clock = {
    now: () => Date.now(),
    elapsed: clock.elapsed,
    sleep(ms, signal) {
      if (ms >= 5_000) return clock.sleep(ms, signal)
      waits.push(ms)
      return Promise.resolve()
    },
    after: clock.after,
  }
  return { waits, clock: hasty }
}

describe('[C64] the http sink', () => {
  test('posts the whole trace once, at the end', async () => {
    const { url, received } = await collector()
    const sink = httpSink({ url: `${url}/traces`, headers: { 'x-team': 'travel' } })
    const { trace } = await traced({ sink }, { agent: agent() })
    expect(trace.status).toBe('success')
    expect(received).toHaveLength(1)
    expect(received[0]).toMatchObject({
      path: '/traces',
      headers: { 'x-team': 'travel', 'content-type': 'application/json' },
    })
    expect(received[0]?.body).toEqual(JSON.parse(JSON.stringify(trace)))
  })

  test.each([408, 425, 429, 500, 503])('tries again after %i, each time after a longer wait', async (status) => {
    const { url, received } = await collector([status, status, status])
    const hasty = hastyClock()
    const { trace } = await traced({ sink: httpSink({ url }) }, { agent: agent(), platform: { clock: hasty.clock } })
    expect(trace.status).toBe('success')
    expect(received).toHaveLength(4)
    expect(new Set(received.map(({ text }) => text)).size).toBe(1)
    expect(hasty.waits).toEqual([250, 500, 1000])
  })

  test('gives up after four tries, without a word of what stands behind the address’s question mark', async () => {
    const { url, received } = await collector([500, 500, 500, 500])
    const hasty = hastyClock()
    const sink = httpSink({ url: `${url}/traces?key=hush`, headers: { authorization: 'Bearer hush-too' } })
    const { trace, warnings } = await traced({ sink }, { agent: agent(), platform: { clock: hasty.clock } })
    expect(trace.status).toBe('partial')
    expect(received.map(({ path }) => path)).toEqual(Array(4).fill('/traces?key=hush'))
    expect(warnings).toEqual([expect.stringContaining('/traces answered 500')])
    expect(warnings.join()).not.toContain('hush')
    expect(JSON.stringify(trace)).not.toContain('hush')
  })

  test('does not try again what will not become right', async () => {
    const { url, received } = await collector([400])
    const { trace } = await traced({ sink: httpSink({ url }) }, { agent: agent() })
    expect(trace.status).toBe('partial')
    expect(received).toHaveLength(1)
  })

  test('tries again when nobody answers', async () => {
    const { url, received } = await collector(['silence'])
    const impatient: Clock = {
      now: () => Date.now(),
      elapsed: clock.elapsed,
      sleep: (ms, signal) => clock.sleep(ms === 8_000 ? 20 : ms, signal),
      after: clock.after,
    }
    const { trace } = await traced({ sink: httpSink({ url }) }, { agent: agent(), platform: { clock: impatient } })
    expect(trace.status).toBe('success')
    expect(received).toHaveLength(2)
  })

  test('streaming: start, each event once, and an end with totals that show what was lost', async () => {
    const { url, received } = await collector([200, 503])
    const { trace } = await traced({ sink: httpSink({ url }), mode: 'streaming' }, { agent: agent(), sessionId: 'a b' })
    expect(received.map(({ path }) => path.replace('/stream/a%20b/', ''))).toEqual([
      'start',
      'events',
      'events',
      'events',
      'events',
      'end',
    ])
    expect(received[0]?.body).toMatchObject({ sessionId: 'a b', status: 'in_progress' })
    expect(received.slice(1, 5).map(({ body }) => body.event.sequence)).toEqual([1, 2, 3, 4])
    expect(received[5]?.body).toMatchObject({ status: 'partial', summary: { totalEvents: 4 } })
    expect(received[5]?.body.events).toBeUndefined()
    expect(trace.status).toBe('partial')
  })

  test('asks for its headers anew before each try', async () => {
    const { url, received } = await collector([503])
    let token = 0
    const headers = () => ({ authorization: `Bearer ${(token += 1)}` })
    const hasty = hastyClock()
    await traced({ sink: httpSink({ url, headers }) }, { agent: agent(), platform: { clock: hasty.clock } })
    expect(received.map((request) => request.headers.authorization)).toEqual(['Bearer 1', 'Bearer 2'])
  })

  test.each(['', 'example.com', 'ftp://example.com', undefined])('refuses %j as an address', async (url) => {
    const { warnings, trace } = await traced({ sink: httpSink({ url: url as string }) }, { agent: agent() })
    expect(warnings).toEqual([expect.stringContaining('needs the address of an http server')])
    expect(trace.status).toBe('success')
  })

  test('sends no provider’s key from a page', async () => {
    const { url, received } = await collector()
    const sink = httpSink({ url, headers: { authorization: 'Bearer sk-123456789' } })
    const { warnings } = await traced({ sink }, { agent: agent(), platform: { isPage: true } })
    expect(received).toEqual([])
    expect(warnings.join()).toContain('keep the key there')
    expect(warnings.join()).not.toContain('sk-123456789')
  })
})

describe('[C64] the cognipeer sink', () => {
  test('is the http sink with a key, where there is no visitor', async () => {
    const { url, received } = await collector()
    await traced({ sink: cognipeerSink({ url, apiKey: 'cg-1' }) }, { agent: agent() })
    expect(received[0]?.headers.authorization).toBe('Bearer cg-1')
  })

  test('refuses a key in a page, and goes through a server there', async () => {
    const { url, received } = await collector()
    const page = { isPage: true }
    const { warnings } = await traced(
      { sink: cognipeerSink({ url, apiKey: 'cg-1' }) },
      { agent: agent(), platform: page },
    )
    expect(received).toEqual([])
    expect(warnings).toEqual([expect.stringContaining('keep the key there')])
    await traced({ sink: cognipeerSink({ url }) }, { agent: agent(), platform: page })
    expect(received[0]?.headers.authorization).toBeUndefined()
  })
})

describe('[C64] the otlp sink', () => {
  test('sends spans a collector understands: session, turn, and in it model calls and tool calls', async () => {
    const { url, received } = await collector()
    const sink = otlpSink({ url: `${url}/v1/traces`, provider: 'openai' })
    const { trace } = await traced({ sink }, { agent: agent() })
    expect(trace.status).toBe('success')
    expect(received.map(({ path }) => path)).toEqual(['/v1/traces'])
    const spans = spansOf(received[0]?.body)
    const [session, , , , turn] = spans
    expect(spans.map(({ name }) => name)).toEqual([
      'invoke_agent tester',
      'chat default',
      'execute_tool find_hotels',
      'chat default',
      'turn tester',
    ])
    expect(session?.parentSpanId).toBeUndefined()
    expect(turn?.parentSpanId).toBe(session?.spanId)
    expect(spans.slice(1, 4).map(({ parentSpanId }) => parentSpanId)).toEqual(Array(3).fill(turn?.spanId))
    expect(attributes(spans[1])).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'default',
      'gen_ai.conversation.id': 'thread-1',
      'gen_ai.usage.input_tokens': '10',
      'gen_ai.usage.output_tokens': '4',
      'gen_ai.usage.cache_read.input_tokens': '6',
    })
    expect(attributes(spans[2])).toMatchObject({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'find_hotels',
      'gen_ai.tool.call.arguments': '{"city":"Lisbon"}',
      'gen_ai.tool.call.result': '"three hotels"',
    })
  })

  test('has the JSON shape of the protocol', async () => {
    const { url, received } = await collector()
    const { trace } = await traced({ sink: otlpSink({ url }) }, { agent: { ...agent(), useTodoList: true } })
    const spans = spansOf(received[0]?.body)
    for (const span of spans) {
      expect(span.traceId).toMatch(/^(?!0{32})[0-9a-f]{32}$/)
      expect(span.spanId).toMatch(/^(?!0{16})[0-9a-f]{16}$/)
      if (span.parentSpanId !== undefined) expect(span.parentSpanId).toMatch(/^[0-9a-f]{16}$/)
      expect(span.startTimeUnixNano).toMatch(/^\d{19}$/)
      expect(span.endTimeUnixNano).toMatch(/^\d{19}$/)
      expect(BigInt(span.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(span.startTimeUnixNano))
      expect([1, 2, 3, 4, 5]).toContain(span.kind)
      expect([0, 1, 2]).toContain(span.status.code)
      for (const { key, value } of span.attributes) {
        expect(key).toMatch(/^[a-z][\w.]*$/i)
        const [[kind, held], ...others] = Object.entries(value) as [[string, unknown]]
        expect(others).toEqual([])
        expect(typeof held).toBe(
          { stringValue: 'string', intValue: 'string', doubleValue: 'number', boolValue: 'boolean' }[kind],
        )
      }
    }
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length)
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1)
    expect(trace.status).toBe('success')
  })

  test('holds no words without logData', async () => {
    const { url, received } = await collector()
    await traced({ sink: otlpSink({ url }), logData: false }, { agent: agent() })
    for (const words of ['Lisbon', 'three hotels', 'Three.']) expect(received[0]?.text).not.toContain(words)
  })

  test('streaming: a span as soon as it is over, and the rest at the end', async () => {
    const { url, received } = await collector()
    const { trace } = await traced({ sink: otlpSink({ url }), mode: 'streaming' }, { agent: agent() })
    expect(trace.status).toBe('success')
    expect(received.map(({ body }) => spansOf(body).map(({ name }) => name))).toEqual([
      ['chat default'],
      ['execute_tool find_hotels'],
      ['chat default'],
      ['invoke_agent tester', 'turn tester'],
    ])
  })

  test('takes a part that was rejected for what it is', async () => {
    const { url } = await collector([{ partialSuccess: { rejectedSpans: '2' } }])
    const { trace, warnings } = await traced({ sink: otlpSink({ url }) }, { agent: agent() })
    expect(trace.status).toBe('partial')
    expect(warnings).toEqual([expect.stringContaining('rejected 2 spans')])
  })
})

interface SentSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: { key: string; value: Record<string, unknown> }[]
  readonly status: { code: number }
}

function spansOf(body: any): SentSpan[] {
  const [resourceSpans] = body.resourceSpans
  expect(attributes(resourceSpans.resource)).toMatchObject({ 'service.name': 'tester', 'telemetry.sdk.name': 'dogear' })
  const [scopeSpans] = resourceSpans.scopeSpans
  expect(scopeSpans.scope).toEqual({ name: 'dogear' })
  return scopeSpans.spans
}

function attributes(holder: Pick<SentSpan, 'attributes'> | undefined): Record<string, unknown> {
  return Object.fromEntries((holder?.attributes ?? []).map(({ key, value }) => [key, Object.values(value)[0]]))
}
