/** The traces of durable sessions: one a run. */
import { customSink, httpSink, type TraceSession } from '@dogear/core'
import { call, say, scriptedModel } from '@dogear/testing'
import { createAgent } from 'dogear'
import { expect, test } from 'vitest'
import { traceSession } from '../../packages/dogear/src/traced-session.ts'
import { device, until } from './device.ts'
import { inNode } from './traced.ts'

test('[C63] each turn of a session is a trace of its own in the session’s thread', async () => {
  const { session, traces } = await tracedSession([say('One.'), say('Two.')])
  await session.send('first')
  await session.send('second')
  await until(() => traces.length === 2)
  expect(new Set(traces.map(({ sessionId }) => sessionId)).size).toBe(2)
  expect(traces).toMatchObject([
    { threadId: 's1', agent: { name: 'tester' }, status: 'success', events: [{ type: 'ai_call' }, { type: 'turn' }] },
    { threadId: 's1', status: 'success', events: [{ data: { output: 'Two.' } }, { type: 'turn', status: 'success' }] },
  ])
})

test('[C63] a turn that waits for a person is told so far; what follows the answer is the next trace', async () => {
  const { session, traces } = await tracedSession([call('book'), say('Booked.')])
  const { requests } = await session.send('book it')
  await until(() => traces.length === 1)
  expect(traces[0]?.events.map(({ type, status }) => `${type} ${status}`)).toEqual([
    'ai_call success',
    'approval pending',
    'turn pending',
  ])
  await session.approve(requests[0]?.id ?? '')
  await until(() => traces.length === 2)
  expect(traces[1]?.events.map(({ type, status }) => `${type} ${status}`)).toEqual([
    'approval success',
    'tool_call success',
    'ai_call success',
    'turn success',
  ])
  expect(traces[1]?.events[0]).toMatchObject({ actor: { scope: 'person' }, details: { decision: 'approved' } })
})

test('[C63] the turns of a fork are traced like those of the session it comes from', async () => {
  const traces: TraceSession[] = []
  const sink = customSink({ onSession: (trace) => void traces.push(trace) })
  const agent = createAgent({
    name: 'forker',
    model: scriptedModel(() => say('Fine.')),
    tracing: { enabled: true, sink },
  })
  const session = await agent.open('traced')
  await session.send('first')
  const fork = await (await session.fork()).fork()
  await fork.send('second')
  await until(() => traces.length === 2)
  expect(traces.map(({ threadId }) => threadId)).toEqual(['traced', fork.id])
})

test('[C63] called off, it tells no more', async () => {
  const { session, traces, stop } = await tracedSession([say('One.')])
  stop()
  await session.send('first')
  expect(traces).toEqual([])
})

test('[C63] a sink that cannot work is told once, not with each turn', async () => {
  const warnings: string[] = []
  const session = await device()
    .tab({ model: scriptedModel([say('One.'), say('Two.')]) })
    .open()
  const platform = { ...inNode, warn: (message: string) => void warnings.push(message) }
  traceSession(session, { enabled: true, sink: httpSink({ url: 'nowhere' }) }, platform)
  await session.send('first')
  await session.send('second')
  expect(warnings).toEqual([expect.stringContaining('"nowhere"')])
})

async function tracedSession(script: Parameters<typeof scriptedModel>[0]) {
  const traces: TraceSession[] = []
  const tools = [{ name: 'book', needsApproval: true, func: () => 'ok' }]
  const session = await device()
    .tab({ model: scriptedModel(script), tools })
    .open()
  const sink = customSink({ onSession: (trace) => void traces.push(trace) })
  const stop = traceSession(session, { enabled: true, sink }, inNode)
  return { session, traces, stop }
}
