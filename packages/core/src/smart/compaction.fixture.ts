/** One turn on a journal in memory, for tests of what the model is shown of it. */
import { createHash } from 'node:crypto'
import { activeAgent } from '../agents/active-agent.ts'
import { defineAgent, type SmartAgentOptions } from '../agents/agent.ts'
import type { Clock } from '../ports/clock.ts'
import type { ModelEvent, ModelRequest } from '../ports/model.ts'
import type { Entry, EntryOf, EntryType, TurnOrigin } from '../session/entry.ts'
import { emptyHead, foldOf } from '../session/fold.ts'
import { openJournal, type NewEntry } from '../session/journal.ts'
import { textOf, type Message } from '../session/message.ts'
import { createDeadlines } from '../turn/deadlines.ts'
import { runAgentOf, type Run } from '../turn/run.ts'
import { stepStart } from '../turn/step-start.ts'
import { runTurn } from '../turn/turn.ts'

export interface Talk {
  readonly messages: readonly Message[]
  readonly options?: SmartAgentOptions
  /** What the model says to the n-th request for an answer; else "Yes." */
  readonly answers?: readonly (readonly ModelEvent[])[]
  /** What it says when it is to sum up, or the error it fails with. */
  readonly summary?: string | Error | ((request: ModelRequest) => string)
  readonly origin?: TurnOrigin
  /** What was written before. */
  readonly entries?: readonly NewEntry[]
  /** No time passes, unless this says so. */
  readonly after?: Clock['after']
}

export async function talk(given: Talk) {
  const {
    messages,
    options,
    answers = [],
    summary = summaryOf({}),
    origin,
    entries = [],
    after = () => () => {},
  } = given
  const asked: ModelRequest[] = []
  const summed: ModelRequest[] = []
  const warnings: string[] = []
  const written: Entry[] = []
  let now = 1_000
  const clock = { now: () => (now += 1), elapsed: () => (now += 1), sleep: untilAborted, after }
  const model = {
    async *stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
      if (request.messages[0]?.id === 'system' && textOf(request.messages[0]).startsWith('Sum up')) {
        summed.push(request)
        if (summary instanceof Error) throw summary
        yield { type: 'text-delta', text: typeof summary === 'function' ? summary(request) : summary }
        yield { type: 'usage', usage: { input: 100, output: 10, total: 110, cachedInput: 5, reasoning: 0 } }
        yield { type: 'finish', reason: 'stop' }
        return
      }
      asked.push(request)
      yield* answers[asked.length - 1] ?? yes
    },
  }
  const agent = runAgentOf(defineAgent({ name: 'tester', runtimeProfile: 'balanced', ...options }), model)
  const journal = openJournal({
    fold: foldOf(emptyHead('s', agent.name)),
    clock,
    epoch: 1,
    published: (news) => written.push(...news),
  })
  await journal.append([
    { type: 'session-start', agent: agent.name, sessionId: 's' },
    { type: 'state-import', messages, plan: null },
    ...entries,
    { type: 'turn-start', turnId: 't', origin: origin ?? 'code' },
    ...(origin === 'compact' ? [] : [stepStart({ id: 't', step: 0 })]),
  ])
  const run: Run = {
    journal,
    agent: () => activeAgent(agent, journal.fold.head),
    clock,
    startedAt: 0,
    hash: { sha256: (text) => createHash('sha256').update(text).digest('hex') },
    signal: new AbortController().signal,
    recovering: false,
    ready: new Map(),
    deadlines: createDeadlines(clock),
    settling: new Set(),
    emit: () => {},
    shown: () => null,
    stopping: () => undefined,
    loadPartial: async () => undefined,
    loadEvidence: async () => undefined,
    saveEvidence: async () => {},
    savePartial: async () => {},
    alone: (work) => work(),
    wait: async () => {},
    warn: (message) => warnings.push(message),
  }
  await runTurn(run)
  return {
    asked,
    summed,
    warnings,
    head: journal.fold.head,
    history: await journal.messages(),
    written: <T extends EntryType>(type: T) => written.filter((entry): entry is EntryOf<T> => entry.type === type),
  }
}

/** No test here waits for time to pass. */
function untilAborted(_ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }))
}

const yes: readonly ModelEvent[] = [
  { type: 'text-delta', text: 'Yes.' },
  { type: 'finish', reason: 'stop' },
]

/** A summary as a model writes it. */
export function summaryOf(parts: object): string {
  const whole = { stable_facts: [], active_goals: [], open_questions: [], discarded_obsolete: [], rawSummary: 'Sum.' }
  return JSON.stringify({ ...whole, ...parts })
}

/** A model's answer that calls a tool once. */
export function calling(name: string, args: object = {}): ModelEvent[] {
  return [
    { type: 'call-start', index: 0, name },
    { type: 'call-delta', index: 0, args: JSON.stringify(args) },
    { type: 'finish', reason: 'tool-calls' },
  ]
}

export function user(text: string): Message {
  return { id: `u-${text}`, role: 'user', content: text, meta }
}

export function said(text: string): Message {
  return { id: `a-${text}`, role: 'assistant', content: text, meta }
}

/** A call of a tool and its result. */
export function used(call: string, output: string, { tool = 'look', args = '{}' } = {}): Message[] {
  const calls = [{ id: call, type: 'function' as const, function: { name: tool, arguments: args } }]
  return [
    { id: `m-${call}`, role: 'assistant', content: null, tool_calls: calls, meta },
    {
      id: `${call}.r`,
      role: 'tool',
      content: output,
      tool_call_id: call,
      meta: { ...meta, tool: { name: tool, args: {} } },
    },
  ]
}

export const meta: Message['meta'] = { status: 'complete', createdAt: 0 }
