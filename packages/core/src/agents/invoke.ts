/** One turn without a session: a journal in memory, begun from messages, run by the same code as every other turn. */
import type { Request } from '../permission/request.ts'
import type { Clock } from '../ports/clock.ts'
import type { Hash } from '../ports/hash.ts'
import type { Ids } from '../ports/ids.ts'
import type { TerminalReason } from '../session/entry.ts'
import { statusOf } from '../session/fold.ts'
import { textOf, type Message } from '../session/message.ts'
import type { Partial } from '../session/partial.ts'
import type { Usage } from '../session/state.ts'
import type { Plan } from '../smart/plan.ts'
import type { RunAgent } from '../turn/run.ts'
import { stepStart } from '../turn/step-start.ts'
import { runInMemory } from './run-in-memory.ts'

export interface InvokeInput {
  readonly messages: readonly Message[]
  readonly plan?: Plan | null
}

export interface InvokeConfig {
  readonly clock: Clock
  readonly hash: Hash
  readonly ids: Ids
  readonly signal?: AbortSignal
  /** The answer as it streams. */
  readonly onPartial?: (partial: Partial) => void
}

export interface InvokeResult {
  /** The text of the last answer. */
  readonly content: string
  readonly messages: readonly Message[]
  readonly plan: Plan | null
  readonly requests: readonly Request[]
  readonly usage: Usage
  readonly terminalReason: TerminalReason | 'paused'
  /** The structured answer, when the agent has an output schema. */
  readonly output?: unknown
  /** Why there is none. */
  readonly outputError?: string
}

/** The input is never changed; what comes back holds it and everything after. */
export async function invoke(agent: RunAgent, input: InvokeInput, config: InvokeConfig): Promise<InvokeResult> {
  const { clock, hash, ids, signal = new AbortController().signal, onPartial } = config
  const turnId = ids.id()
  const journal = await runInMemory({
    agent,
    sessionId: turnId,
    first: [
      { type: 'session-start', agent: agent.name, sessionId: turnId },
      { type: 'state-import', messages: input.messages, plan: input.plan ?? null },
      { type: 'turn-start', turnId, origin: 'code' },
      stepStart({ id: turnId, step: 0 }),
    ],
    clock,
    hash,
    signal,
    emit: (partial) => partial && onPartial?.(partial),
  })
  const { head } = journal.fold
  const messages = await journal.messages()
  const last = messages.findLast((message) => message.role === 'assistant')
  return {
    content: last ? textOf(last) : '',
    messages,
    plan: head.plan,
    requests: head.requests,
    usage: head.usage,
    terminalReason: statusOf(head) === 'paused' ? 'paused' : (head.lastEnd?.terminalReason ?? 'completed'),
    output: head.lastEnd?.output,
    outputError: head.lastEnd?.outputError,
  }
}
