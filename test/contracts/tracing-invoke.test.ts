/** The traces of agents called like functions, in Node. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  asTool,
  createAgent as createBareAgent,
  customSink,
  defineAgent,
  textOf,
  type TraceSession,
} from '@dogear/core'
import { call, say, scriptedModel, usage } from '@dogear/testing'
import { createAgent, createSmartAgent, fileSink, nodePorts } from 'dogear/node'
import { expect, onTestFinished, test } from 'vitest'

const hello = { messages: [{ role: 'user' as const, content: 'hello' }] }

test('[C63] an invoke is a trace, whole by the time its result is there', async () => {
  const { traces, sink } = kept()
  const model = scriptedModel([[say('Hi.'), usage({ input: 3, output: 1 })]])
  const agent = createSmartAgent({ name: 'greeter', version: '2', model, tracing: { enabled: true, sink } })
  const { content } = await agent.invoke(hello)
  expect(content).toBe('Hi.')
  expect(traces).toMatchObject([
    {
      agent: { name: 'greeter', version: '2', model: 'default' },
      status: 'success',
      summary: { tokens: { default: { input: 3, output: 1 } } },
      events: [
        { type: 'ai_call', data: { input: [{ role: 'user', content: 'hello' }], output: 'Hi.' } },
        { type: 'turn', status: 'success' },
      ],
    },
  ])
})

test('[C63] an invoke may be traced otherwise than its agent, or not at all', async () => {
  const { traces, sink } = kept()
  const other = kept()
  const model = scriptedModel([say('One.'), say('Two.'), say('Three.')])
  const agent = createAgent({ model, tracing: { enabled: true, sink, threadId: 'mine' } })
  await agent.invoke(hello, { tracing: { sink: other.sink, sessionId: 'run-7', agentName: 'alias' } })
  await agent.invoke(hello, { tracing: { enabled: false } })
  await agent.invoke(hello)
  expect(other.traces).toMatchObject([{ sessionId: 'run-7', threadId: 'mine', agent: { name: 'alias' } }])
  expect(traces).toMatchObject([{ threadId: 'mine', events: [{ data: { output: 'Three.' } }, {}] }])
})

test('[C63] a run that was paused and goes on tells only what is new: the decision and what followed', async () => {
  const { traces, sink } = kept()
  const tools = [
    { name: 'look', func: () => 'seen' },
    { name: 'book', needsApproval: true, func: () => 'ok' },
  ]
  const model = scriptedModel([[call('look'), call('book')], say('Booked.')])
  const agent = createAgent({ model, tools, tracing: { enabled: true, sink } })
  const { state } = await agent.invoke(hello)
  const id = state.pendingApprovals?.[0]?.id ?? ''
  const again = await agent.invoke(agent.resolveToolApproval(state, { id, approved: true, decidedBy: 'ada' }))
  expect(again.content).toBe('Booked.')
  const told = traces.map(({ events }) => events.map(({ type, name, status }) => `${type} ${name} ${status}`))
  expect(told).toEqual([
    ['ai_call default success', 'approval book pending', 'tool_call look success', 'turn agent pending'],
    ['approval book success', 'tool_call book success', 'ai_call default success', 'turn agent success'],
  ])
  expect(traces[1]?.summary.toolCalls).toBe(1)
})

test('[C63] agents that work for others are in the trace of the run', async () => {
  const { traces, sink } = kept()
  const finder = defineAgent({ name: 'finder', model: scriptedModel([say('Three rooms.')]) })
  const model = scriptedModel([call('finder', { input: 'Find rooms' }), say('There are three.')])
  await createAgent({ model, tools: [asTool(finder)], tracing: { enabled: true, sink } }).invoke(hello)
  expect(traces[0]?.events.map(({ type, actor }) => `${type} ${actor.name}`)).toEqual([
    'ai_call agent',
    'ai_call finder',
    'subagent finder',
    'tool_call agent',
    'ai_call agent',
    'turn agent',
  ])
})

test('[C63] invokes side by side have a trace each', async () => {
  const { traces, sink } = kept()
  const model = scriptedModel(({ messages }) => say(`You said ${textOf(messages.at(-1)!)}.`))
  const agent = createAgent({ model, tracing: { enabled: true, sink } })
  const words = Array.from({ length: 20 }, (_, index) => `word${index}!`)
  await Promise.all(words.map((content) => agent.invoke({ messages: [{ role: 'user', content }] })))
  expect(new Set(traces.map(({ sessionId }) => sessionId)).size).toBe(20)
  for (const trace of traces) {
    const text = JSON.stringify(trace)
    expect(words.filter((word) => text.includes(word))).toHaveLength(1)
  }
})

test('[C63] ports without a tracer say so, and the run goes on', async () => {
  const warnings: string[] = []
  const ports = { ...nodePorts, trace: undefined, warn: (message: string) => void warnings.push(message) }
  const agent = createBareAgent({ model: scriptedModel([say('Hi.')]), ports, tracing: { enabled: true } })
  expect((await agent.invoke(hello)).content).toBe('Hi.')
  expect(warnings).toEqual([expect.stringContaining('not traced')])
})

test('[C64] in Node an agent behind an endpoint leaves a file', async () => {
  const path = mkdtempSync(join(tmpdir(), 'dogear-trace-'))
  onTestFinished(() => rmSync(path, { recursive: true }))
  const endpoint = await server()
  const agent = createAgent({ endpoint, tracing: { enabled: true, sink: fileSink({ path }) } })
  const { content } = await agent.invoke(hello)
  expect(content).toBe('Hi there.')
  const [folder = ''] = readdirSync(path)
  const trace = JSON.parse(readFileSync(join(path, folder, 'trace.session.json'), 'utf8'))
  expect(trace).toMatchObject({ status: 'success', events: [{ type: 'ai_call' }, { type: 'turn' }] })
})

function kept() {
  const traces: TraceSession[] = []
  return { traces, sink: customSink({ onSession: (trace) => void traces.push(trace) }) }
}

async function server(): Promise<string> {
  const answering = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const content of ['Hi', ' there.']) {
      response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`)
    }
    const end = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }
    response.end(`data: ${JSON.stringify(end)}\n\ndata: [DONE]\n\n`)
  })
  await new Promise<void>((resolve) => answering.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void answering.close())
  return `http://127.0.0.1:${(answering.address() as AddressInfo).port}`
}
