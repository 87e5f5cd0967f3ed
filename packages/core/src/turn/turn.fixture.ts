/** One turn for tests: an agent, a model that answers from a list, and what it was asked. */
import { createHash } from 'node:crypto'
import { defineAgent, type SmartAgentOptions } from '../agents/agent.ts'
import { runInMemory } from '../agents/run-in-memory.ts'
import type { Hash } from '../ports/hash.ts'
import type { ModelEvent, ModelRequest } from '../ports/model.ts'
import { statusOf } from '../session/fold.ts'
import type { Journal } from '../session/journal.ts'
import { textOf, type Message } from '../session/message.ts'
import { runAgentOf } from './run.ts'
import { stepStart } from './step-start.ts'

export interface TurnOptions {
  readonly messages: readonly Message[]
  readonly options?: SmartAgentOptions
  /** The events of each answer; without one the model says "Yes." */
  readonly answers?: readonly (readonly ModelEvent[])[]
  readonly hash?: Hash
  readonly signal?: AbortSignal
}

/** What the model was sent. */
export async function asked(given: TurnOptions): Promise<readonly ModelRequest[]> {
  return (await run(given)).asked
}

export async function run({ messages, options = {}, answers = [], hash = sha256, signal }: TurnOptions) {
  const requests: ModelRequest[] = []
  const model = {
    async *stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
      const events = answers[requests.length] ?? [
        { type: 'text-delta', text: 'Yes.' },
        { type: 'finish', reason: 'stop' },
      ]
      requests.push(request)
      yield* events
    },
  }
  const naps: number[] = []
  let now = 0
  const clock = {
    now: () => now,
    elapsed: () => now,
    sleep(ms: number, over?: AbortSignal) {
      if (ms >= tooLong) return aborted(over)
      naps.push(ms)
      now += ms
      return Promise.resolve()
    },
    after(ms: number, call: () => void) {
      let isOff = ms >= tooLong
      if (!isOff) now += ms
      void Promise.resolve().then(() => isOff || call())
      return () => void (isOff = true)
    },
  }
  const agent = runAgentOf(defineAgent({ name: 'tester', ...options }), model)
  const journal = await runInMemory({
    agent,
    sessionId: 't',
    first: [
      { type: 'session-start', agent: agent.name, sessionId: 't' },
      { type: 'state-import', messages, plan: null },
      { type: 'turn-start', turnId: 't', origin: 'code' },
      stepStart({ id: 't', step: 0 }),
    ],
    clock,
    hash,
    signal: signal ?? new AbortController().signal,
  })
  return { result: await resultOf(journal), asked: requests, naps }
}

async function resultOf(journal: Journal) {
  const { head } = journal.fold
  const { plan, requests, usage, lastEnd } = head
  const messages = await journal.messages()
  const last = messages.findLast((message) => message.role === 'assistant')
  return {
    content: last ? textOf(last) : '',
    messages,
    plan,
    requests,
    usage,
    terminalReason: statusOf(head) === 'paused' ? 'paused' : (lastEnd?.terminalReason ?? 'completed'),
    output: lastEnd?.output,
    outputError: lastEnd?.outputError,
  }
}

/** No test here waits for time to pass: what is short is over at once, what is long never. */
const tooLong = 30_000

function aborted(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) resolve()
    else signal?.addEventListener('abort', () => resolve(), { once: true })
  })
}

const sha256: Hash = { sha256: (text) => createHash('sha256').update(text).digest('hex') }

/** A model's answer that calls tools, by name or with arguments. */
export function calls(...given: readonly (string | readonly [name: string, args: unknown])[]): ModelEvent[] {
  return [
    ...given.flatMap((call, index): ModelEvent[] => {
      const [name, args] = typeof call === 'string' ? [call, {}] : call
      return [
        { type: 'call-start', index, name },
        { type: 'call-delta', index, args: JSON.stringify(args) },
      ]
    }),
    { type: 'finish', reason: 'tool-calls' },
  ]
}

/** The results the model was given, in order. */
export function resultsIn(messages: readonly Message[]): unknown[] {
  return messages.filter(({ role }) => role === 'tool').map(({ content }) => content)
}
