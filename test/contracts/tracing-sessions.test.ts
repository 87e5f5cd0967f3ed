/** The traces of durable sessions: one a run. */
import { customSink, httpSink, type TracePlatform, type TraceSession, type TracingConfig } from '@dogear/core'
import { call, pause, say, scriptedModel, type Script } from '@dogear/testing'
import { createAgent } from 'dogear'
import { expect, test, vi } from 'vitest'
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

test('[C63] what is put into a session by hand is no answer of the model', async () => {
  const { session, traces } = await tracedSession([say('One.')])
  await session.add({ role: 'assistant', content: 'Welcome.' })
  await session.send('first')
  await until(() => traces.length > 0)
  const answers = traces.flatMap(({ events }) => events.filter(({ type }) => type === 'ai_call'))
  expect(answers.map(({ data }) => data?.output)).toEqual(['One.'])
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

test('[C63] a turn whose page is left is told so far, by a request that outlives the page; brought back, it begins the next trace', async () => {
  const listeners = new Map<string, () => void>()
  vi.stubGlobal('addEventListener', (type: string, listener: () => void) => listeners.set(type, listener))
  let go = () => {}
  const held = new Promise<void>((resolve) => (go = resolve))
  const posted: { keepalive?: boolean; trace: TraceSession }[] = []
  const { session } = await tracedSession([call('look'), [pause(held), say('Seen.')]], {
    sink: httpSink({ url: 'http://localhost/traces' }),
    fetch: async (_url, { keepalive, body }) => {
      posted.push({ keepalive, trace: JSON.parse(body) })
      return new Response('{}')
    },
  })
  vi.unstubAllGlobals()
  const turn = session.send('go')
  await until(() => session.pending.value.some(({ role }) => role === 'tool'))
  listeners.get('pagehide')?.()
  // A page that is left runs what is due at once, and no timer.
  await Promise.resolve().then(() => new Promise((resolve) => process.nextTick(resolve)))
  expect(posted).toMatchObject([{ keepalive: true, trace: { events: [{}, { type: 'tool_call' }, { type: 'turn' }] } }])
  await new Promise((resolve) => setTimeout(resolve))
  go()
  await turn
  await until(() => posted.length === 2)
  expect(posted[1]).toMatchObject({ keepalive: false, trace: { events: [{ type: 'ai_call' }, { type: 'turn' }] } })
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

async function tracedSession(script: Script, { fetch = inNode.fetch, ...given }: Given = {}) {
  const traces: TraceSession[] = []
  const tools = [
    { name: 'book', needsApproval: true, func: () => 'ok' },
    { name: 'look', func: () => 'seen' },
  ]
  const session = await device()
    .tab({ model: scriptedModel(script), tools })
    .open()
  const { sink = customSink({ onSession: (trace) => void traces.push(trace) }) } = given
  const stop = traceSession(session, { enabled: true, sink }, { ...inNode, fetch })
  return { session, traces, stop }
}

interface Given {
  readonly sink?: TracingConfig['sink']
  readonly fetch?: TracePlatform['fetch']
}
