/** A real session with a tracer on it, and a real server for what its sinks send. */
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  createTracer,
  customSink,
  type Entry,
  type SmartAgentOptions,
  type TracePlatform,
  type TraceSession,
  type TracingConfig,
} from '@dogear/core'
import { onTestFinished } from 'vitest'
import { browserClock as clock } from '@dogear/worker/host'
import { device } from './device.ts'

export interface TracedOptions {
  readonly agent: SmartAgentOptions
  readonly words?: string
  readonly sessionId?: string
  readonly platform?: Partial<TracePlatform>
}

/** Runs one turn to its rest, and gives its trace. */
export async function traced(config: Partial<TracingConfig>, options: TracedOptions) {
  const { agent, words = 'go', sessionId = 'run-1', platform } = options
  const warnings: string[] = []
  const entries: Entry[] = []
  const tracer = createTracer(
    { enabled: true, sink: customSink({}), ...config },
    { sessionId, threadId: 'thread-1', agent: { name: 'tester', model: 'default' } },
    { ...inNode, warn: (message) => warnings.push(message), ...platform },
  )
  const session = await device().tab(agent).open(sessionId)
  session.listen((entry) => {
    entries.push(entry)
    tracer.record([entry])
  })
  const result = await session.send(words)
  const restedAt = Date.now()
  const trace: TraceSession = await tracer.end()
  return { trace, result, warnings, entries, session, endedIn: Date.now() - restedAt }
}

export const inNode: TracePlatform = {
  clock,
  fetch: (url, init) => fetch(url, init),
  isPage: false,
  warn: () => {},
}

export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** As it came. */
  readonly text: string
  readonly body: any
}

/** Answers each request with the next status, and 200 when there is none. */
export async function collector(statuses: readonly (number | 'silence' | Record<string, unknown>)[] = []) {
  const received: Received[] = []
  const answers = [...statuses]
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    received.push({ path: request.url ?? '', headers: request.headers, text, body: JSON.parse(text) })
    const answer = answers.shift() ?? 200
    if (answer === 'silence') return
    if (typeof answer === 'number') response.writeHead(answer).end()
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}
