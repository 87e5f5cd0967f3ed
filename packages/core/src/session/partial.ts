/** The answer while it streams: kept once a second beside the journal, so a reload shows the words already seen. */
import type { FinishReason, ModelUsage } from '../ports/model.ts'

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

/**
 * A copy to change before it is shown. Key by key: it is made for each event that streams, and by a spread
 * a copy of a copy takes V8 microseconds.
 */
export function copyOfPartial(partial: Partial): EveryKeyOf<Partial> {
  const { stepId, text, reasoning, refusal, calls, after, usage, model, finish, resumedAt } = partial
  return { stepId, text, reasoning, refusal, calls, after, usage, model, finish, resumedAt }
}

/** A key left out of a copy would be a value lost, so leaving one out does not compile. */
export type EveryKeyOf<T> = { -readonly [Key in keyof Required<T>]: T[Key] }
