/** Guardrails: checks of what a person asks and of what the model answers, by functions of the page. */
import { DogearError } from '../error.ts'
import type { Message } from '../session/message.ts'

export interface GuardrailInput {
  readonly phase: GuardrailPhase
  /** What is checked: the person's words, or the answer's. */
  readonly text: string
  /** The conversation so far. */
  readonly messages: readonly Message[]
  /** The tools the answer asks for, with the arguments as the model wrote them. */
  readonly calls?: readonly { readonly name: string; readonly arguments: string }[]
  /** The structured answer, when the agent has an output schema. */
  readonly output?: unknown
}

export type GuardrailPhase = 'request' | 'response'

export interface GuardrailVerdict {
  /** `warn` lets it pass and is journalled. */
  disposition: 'block' | 'warn' | 'allow'
  /** For events and the journal; visitors do not read it. */
  reason?: string
  /** What visitors read in place of what was blocked. */
  replacement?: string
}

export interface GuardrailOptions {
  name?: string
  /** Nothing is the same as `allow`. One that throws blocks: what was not checked is not let through. */
  check: (input: GuardrailInput) => GuardrailVerdict | undefined | void | Promise<GuardrailVerdict | undefined | void>
}

export type GuardrailsOption =
  | { request?: readonly GuardrailOptions[]; response?: readonly GuardrailOptions[] }
  | readonly (GuardrailOptions & { phase: GuardrailPhase })[]

export interface Guardrail {
  readonly name: string
  readonly check: GuardrailOptions['check']
}

export type Guardrails = Readonly<Record<GuardrailPhase, readonly Guardrail[]>>

/** What a guardrail said, as the journal keeps it. */
export interface GuardrailResult {
  readonly phase: GuardrailPhase
  readonly guardrail: string
  readonly disposition: 'block' | 'warn'
  readonly reason?: string
}

/** Who speaks when a request was blocked. */
export const guardrailName = 'guardrail'

/** The slice that holds what guardrails said, in the last turn in which they had something to say. */
export const guardrailSlice = 'guardrails'

export interface GuardrailSlice {
  readonly turnId: string
  readonly results: readonly GuardrailResult[]
  /** How many of them had been said before. */
  readonly before?: number
}

export function newResults({ results, before = 0 }: GuardrailSlice): readonly GuardrailResult[] {
  return results.slice(before)
}

/** What a model may be sent: words that were blocked must not come along with a later question. `from`: none are before it. */
export function withoutBlocked(history: readonly Message[], from = 0): readonly Message[] {
  if (!history.slice(from).some(isBlock)) return history
  return history.filter((message, index) => !isBlock(message) && !isBlocked(history, index))
}

function isBlock({ role, name }: Message): boolean {
  return role === 'assistant' && name === guardrailName
}

/** Not while they are the last: asked again, a guardrail may let them pass. */
function isBlocked(history: readonly Message[], index: number): boolean {
  const after = history.slice(index + 1)
  const next = after.findIndex((message) => !isBlock(message))
  return next > 0 && history[index]?.role === 'user' && after[next]?.role === 'user'
}

export function resolveGuardrails(option: GuardrailsOption | undefined): Guardrails | undefined {
  if (!option) return undefined
  const of = (phase: GuardrailPhase) =>
    'length' in option ? option.filter((one) => one.phase === phase) : option[phase]
  const resolved = { request: checked('request', of('request')), response: checked('response', of('response')) }
  return resolved.request.length + resolved.response.length > 0 ? resolved : undefined
}

function checked(phase: GuardrailPhase, options: readonly GuardrailOptions[] = []): Guardrail[] {
  const guardrails = options.map(({ name, check }, index) => ({ name: name ?? `${phase}-${index + 1}`, check }))
  for (const [index, { name, check }] of guardrails.entries()) {
    if (typeof check !== 'function') {
      throw new DogearError('agent-invalid', `Guardrail "${name}" has nothing to run. Give it check: (input) => …`)
    }
    // A name is how a worker finds the function: two of one name would be the same check twice.
    if (guardrails.findIndex((other) => other.name === name) < index) {
      throw new DogearError('agent-invalid', `Two ${phase} guardrails are named "${name}". Rename one.`)
    }
  }
  return guardrails
}
