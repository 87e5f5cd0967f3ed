/** The answer while it streams: kept once a second beside the journal, so a reload shows the words already seen. */
import type { FinishReason, ModelEvent, ModelUsage, RetryEvent } from '../ports/model.ts'

export interface Partial {
  readonly stepId: string
  readonly text: string
  readonly reasoning: string
  readonly refusal: string
  readonly calls: readonly PartialCall[]
  /** Where the stream can be re-attached; absent when the server gives no cursors. */
  readonly after?: string
  readonly usage?: ModelUsage
  /** The model that answered, as the server names it. */
  readonly model?: string
  readonly finish?: FinishReason
  readonly resumedAt?: readonly number[]
  /** Only of one that is shown: set while the model waits to be asked again. */
  readonly retry?: RetryEvent
}

export interface PartialCall {
  readonly index: number
  readonly id?: string
  readonly name: string
  readonly args: string
}

export function emptyPartial(stepId: string, resumed = false): Partial {
  return copyOfPartial({
    stepId,
    text: '',
    reasoning: '',
    refusal: '',
    calls: [],
    resumedAt: resumed ? [0] : undefined,
  })
}

export function addToPartial(partial: Partial, event: ModelEvent): Partial {
  if (event.type === 'retry') return partial
  const next = copyOfPartial(partial)
  switch (event.type) {
    case 'text-delta':
      next.text += event.text
      break
    case 'reasoning-delta':
      next.reasoning += event.text
      break
    case 'refusal-delta':
      next.refusal += event.text
      break
    case 'call-start':
      next.calls = [...partial.calls, { index: event.index, id: event.id, name: event.name, args: '' }]
      break
    case 'call-delta':
      next.calls = partial.calls.map((call) => addArgs(call, event.index, event.args))
      break
    case 'cursor':
      next.after = event.after
      break
    case 'usage':
      next.usage = event.usage
      next.model = event.model
      break
    case 'finish':
      next.finish = event.reason
      break
    default:
      event satisfies never
  }
  return next
}

function addArgs(call: PartialCall, index: number, args: string): PartialCall {
  return call.index === index ? { index, id: call.id, name: call.name, args: call.args + args } : call
}

/**
 * A copy to change before it is shown. Key by key: it is made for each event that streams, and by a spread
 * a copy of a copy takes V8 microseconds.
 */
export function copyOfPartial(partial: Partial): EveryKeyOf<Partial> {
  const { stepId, text, reasoning, refusal, calls, after, usage, model, finish, resumedAt, retry } = partial
  return { stepId, text, reasoning, refusal, calls, after, usage, model, finish, resumedAt, retry }
}

/** A key left out of a copy would be a value lost, so leaving one out does not compile. */
export type EveryKeyOf<T> = { -readonly [Key in keyof Required<T>]: T[Key] }
