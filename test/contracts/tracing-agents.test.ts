/** The traces of runs in which several agents take part. */
import { asHandoff, asTool, defineAgent, type SmartAgentOptions, type TraceEvent } from '@dogear/core'
import { otlpSink } from '@dogear/core/otlp'
import { call, say, scriptedModel, usage } from '@dogear/testing'
import { expect, test } from 'vitest'
import { collector, traced } from './traced.ts'

test('[C63] an agent that works for a call stands below the call, with what it did below itself', async () => {
  const { trace } = await traced({}, { agent: withFinder() })
  expect(trace.events.map(({ type, name, actor }) => `${type} ${name} by ${actor.name}`)).toEqual([
    'ai_call default by tester',
    'ai_call default by finder',
    'tool_call look by finder',
    'ai_call default by finder',
    'subagent finder by finder',
    'tool_call finder by tester',
    'ai_call default by tester',
    'turn tester by tester',
  ])
  const by = (type: string, name: string) => trace.events.find((event) => event.type === type && event.name === name)
  const turn = by('turn', 'tester')
  const tool = by('tool_call', 'finder')
  const child = by('subagent', 'finder')
  expect(turn?.parent).toBeUndefined()
  expect(tool?.parent).toBe(turn?.id)
  expect(child?.parent).toBe(tool?.id)
  expect(by('tool_call', 'look')?.parent).toBe(child?.id)
  expect(trace.summary).toMatchObject({ toolCalls: 2, tokens: { default: { input: 13, output: 2 } } })
  expect(new Set(trace.events.map(({ id }) => id)).size).toBe(trace.events.length)
})

test('[C64] its spans have that shape too', async () => {
  const { url, received } = await collector()
  await traced({ sink: otlpSink({ url }) }, { agent: withFinder() })
  const spans: any[] = received[0]!.body.resourceSpans[0].scopeSpans[0].spans
  const byId = new Map<string, any>(spans.map((span) => [span.spanId, span]))
  const chain = (span: any): string[] => (span ? [span.name, ...chain(byId.get(span.parentSpanId))] : [])
  const look = spans.find((span) => span.name === 'execute_tool look')
  expect(chain(look)).toEqual([
    'execute_tool look',
    'invoke_agent finder',
    'execute_tool finder',
    'turn tester',
    'invoke_agent tester',
  ])
  expect(spans.every((span) => span.parentSpanId === undefined || byId.has(span.parentSpanId))).toBe(true)
})

test('[C63] a handoff is told, and who answers after it', async () => {
  const other = defineAgent({ name: 'booker', model: scriptedModel([say('Booked.')]) })
  const agent = { model: scriptedModel([call('handoff_to_booker', { reason: 'booking' })]), tools: [asHandoff(other)] }
  const { trace, result } = await traced({}, { agent })
  expect(result).toMatchObject({ text: 'Booked.' })
  const handoff = trace.events.find(({ type }) => type === 'handoff')
  expect(handoff).toMatchObject({ name: 'booker', details: { from: 'tester', to: 'booker' } })
  expect(trace.events.findLast(({ type }) => type === 'ai_call')?.actor).toEqual({ scope: 'agent', name: 'booker' })
})

test('[C63] a guardrail’s verdict is told; its replacement is no answer of a model', async () => {
  const agent: SmartAgentOptions = {
    model: scriptedModel([say('never')]),
    guardrails: { request: [{ name: 'no-lisbon', check: () => ({ disposition: 'block', reason: 'Lisbon is full' }) }] },
  }
  const { trace } = await traced({}, { agent, words: 'Lisbon?' })
  expect(trace.events.map(({ type }) => type)).toEqual(['guardrail', 'turn'])
  const expected: Partial<TraceEvent> = {
    name: 'no-lisbon',
    status: 'rejected',
    details: { phase: 'request', disposition: 'block' },
    data: { reason: 'Lisbon is full' },
  }
  expect(trace.events[0]).toMatchObject(expected)
})

function withFinder(): SmartAgentOptions {
  const child = scriptedModel([
    [call('look'), usage({ input: 5, output: 2 })],
    [say('Three rooms.'), usage({ input: 7 })],
  ])
  const finder = defineAgent({ name: 'finder', model: child, tools: [{ name: 'look', func: () => 'seen' }] })
  const model = scriptedModel([call('finder', { input: 'Find rooms' }), [say('There are three.'), usage({ input: 1 })]])
  return { model, tools: [asTool(finder)] }
}
