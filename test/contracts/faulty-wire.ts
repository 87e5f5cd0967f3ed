/** One turn of two answers over real HTTP, with faults on the way: what the session then holds, ran and paid for. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { textOf, type Message } from '@dogear/core'
import { createOpenAIModel } from '@dogear/models'
import { createProxy, type Provider, type ProxyHandler, type StreamLimits } from '@dogear/proxy'
import { device, hastyClock, until } from './device.ts'
import { normalJournal } from './normal-journal.ts'

/** Ours keeps streams and gives every event an id; any other server that speaks OpenAI's wire does neither. */
export type ServerKind = 'proxy' | 'plain'

/** How a connection is lost: its body ends early but properly, without an ending, by a reset, or it only falls silent. */
export type Loss = 'end' | 'drop' | 'reset' | 'stall'

export interface Cut {
  /** Which of the event streams sent, from 0. */
  readonly stream: number
  readonly byte: number
  readonly loss: Loss
}

export type Reply = (response: ServerResponse) => void

export interface Faults {
  readonly cuts?: readonly Cut[]
  /** Sent in place of the answer to the request of this number, from 0. */
  readonly replies?: Readonly<Record<number, Reply>>
  /** How often waits are shorter than they say. */
  readonly haste?: number
  /** The person tries once more when the turn has failed. */
  readonly retries?: boolean
  /** What our proxy keeps. */
  readonly limits?: StreamLimits
}

/** The chunks of the answer that calls a tool, and of the one after its result. */
export type Tape = readonly [readonly object[], readonly object[]]

/** What is said, without ids and times. */
export interface Words {
  readonly role: string
  readonly text: string
  readonly calls: readonly string[]
  readonly status: string
}

export type Told = Awaited<ReturnType<typeof tell>>

export async function tell(kind: ServerKind, tape: Tape, faults: Faults = {}) {
  const asked: unknown[] = []
  const wire = await openWire(kind === 'proxy' ? proxyOf(tape, asked, faults.limits) : plainServer(tape, asked), faults)
  // Waits are shorter, but news are as fresh as ever: on a busy machine every call would else be asked about.
  const clock = { ...hastyClock(faults.haste ?? 100), times: 1 }
  const here = device(undefined, { clock })
  const ran: unknown[] = []
  const early: unknown[] = []
  const name = toolIn(tape)
  function func(args: unknown): string {
    ran.push(args)
    if (!wire.sent().includes('"finish_reason":"tool_calls"')) early.push(args)
    return 'three'
  }
  const model = createOpenAIModel({ endpoint: wire.url, clock, random: () => 0 })
  const tab = here.tab({ model, tools: [{ name, func }], limits: { maxSteps: 20 } })
  const session = await tab.open()
  const shown = new Map<string, string>()
  session.partial.subscribe((partial) => partial && shown.set(`${partial.stepId}.m`, partial.text))
  void session.send('hotels?')
  await until(() => session.status.value === 'idle' && session.lastEnd.value !== null, 'the turn ends')
  if (faults.retries && session.lastEnd.value?.error) await session.retry()
  const messages = session.messages.value
  const said = new Map(messages.map((message) => [message.id, textOf(message)]))
  const takenBack = [...shown].filter(([id, text]) => !(said.get(id) ?? '').startsWith(text))
  const journal = normalJournal(await here.store.entries('s1', 0))
  const end = session.lastEnd.value
  tab.kill()
  await wire.close()
  return {
    words: messages.map(wordsOf),
    journal,
    end,
    /** What the tool was given, and what of that before its call had come whole. */
    ran,
    early,
    /** Words that were shown and are not there any more. */
    takenBack,
    asked: asked.length,
    /** The bytes of every event stream sent, one character each. */
    streams: wire.streams,
  }
}

function wordsOf(message: Message): Words {
  const calls = message.tool_calls?.map((call) => `${call.function.name} ${call.function.arguments}`) ?? []
  return { role: message.role, text: textOf(message), calls, status: message.meta.status }
}

function toolIn([first]: Tape): string {
  return /"function":\{[^}]*?"name":"(\w+)"/.exec(JSON.stringify(first))?.[1] ?? 'look'
}

/** Whoever was given a tool's result asks for the second answer. */
const answerTo = (tape: Tape, messages: readonly { role: string }[]) =>
  tape[messages.some(({ role }) => role === 'tool') ? 1 : 0]

function proxyOf(tape: Tape, asked: unknown[], streams?: StreamLimits): ProxyHandler {
  const provider: Provider = {
    async stream(request) {
      asked.push(request)
      return (async function* () {
        yield* answerTo(tape, request.messages)
      })()
    },
    complete: () => Promise.reject(new Error('These tests stream.')),
  }
  return createProxy({ models: { default: { provider, model: 'taped' } }, streams })
}

function plainServer(tape: Tape, asked: unknown[]): ProxyHandler {
  return async (request) => {
    if (request.method !== 'POST') return new Response(null, { status: 404 })
    const body = (await request.json()) as { messages: { role: string }[] }
    asked.push(body)
    return new Response(eventsOf(answerTo(tape, body.messages)), { headers: { 'content-type': 'text/event-stream' } })
  }
}

export function eventsOf(chunks: readonly object[]): string {
  return [...chunks.map((chunk) => JSON.stringify(chunk)), '[DONE]'].map((data) => `data: ${data}\n\n`).join('')
}

/** A server on loopback in front of the handler, that loses what it was told to lose. */
async function openWire(handler: ProxyHandler, { cuts = [], replies = {} }: Faults) {
  const streams: string[] = []
  let requests = 0

  async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const request = await toRequest(incoming)
    const reply = replies[requests++]
    if (reply) return reply(outgoing)
    const response = await handler(request)
    outgoing.writeHead(response.status, Object.fromEntries(response.headers))
    const isStream = response.headers.get('content-type')?.includes('event-stream') ?? false
    const stream = isStream ? streams.push('') - 1 : -1
    const cut = cuts.find((each) => each.stream === stream)
    let left = cut ? cut.byte : Infinity
    for await (const bytes of response.body ?? []) {
      const piece = bytes.subarray(0, left)
      left -= piece.length
      streams[stream] += new TextDecoder('latin1').decode(piece)
      outgoing.write(piece)
      if (cut && piece.length < bytes.length) return lose(outgoing, cut.loss)
    }
    outgoing.end()
  }

  const server = createServer((incoming, outgoing) => void answer(incoming, outgoing))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    streams,
    sent: () => streams.join(''),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** A moment later where the connection breaks: what has only just arrived would be lost with it. */
function lose(outgoing: ServerResponse, loss: Loss): void {
  if (loss === 'end') outgoing.end()
  else if (loss === 'drop') setTimeout(() => outgoing.destroy(), 2)
  else if (loss === 'reset') setTimeout(() => outgoing.socket?.resetAndDestroy(), 2)
}

async function toRequest(incoming: IncomingMessage): Promise<Request> {
  const pieces: Buffer[] = []
  for await (const piece of incoming) pieces.push(piece as Buffer)
  const { method = 'GET', url = '/', headers } = incoming
  const body = pieces.length ? Buffer.concat(pieces) : undefined
  return new Request(`http://${headers.host}${url}`, { method, headers: headers as Record<string, string>, body })
}
