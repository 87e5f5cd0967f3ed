/** The words a scripted answer is written in: `[think('hm'), say('one', 'two'), call('book', { nights: 3 })]`. */
import { DogearError, type ErrorCode, type FinishReason, type ModelUsage } from '@dogear/core'

/** One thing a model does while it answers. */
export type Beat =
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'reasoning-delta'; readonly text: string }
  | { readonly type: 'refusal-delta'; readonly text: string }
  | { readonly type: 'call'; readonly name: string; readonly args: string; readonly id?: string }
  | { readonly type: 'usage'; readonly usage: ModelUsage }
  | { readonly type: 'retry'; readonly delayMs: number; readonly reason: string }
  | { readonly type: 'wait'; readonly until: Promise<unknown> | null }
  | { readonly type: 'throw'; readonly error: DogearError }
  | { readonly type: 'end'; readonly reason: FinishReason }

/** What the model answers to one request. Ends by itself: with `tool-calls` after a call, else with `stop`. */
export type Answer = Beat | readonly (Beat | readonly Beat[])[]

/** Text, one delta an argument, exactly as given: `say('one', ' two')`. */
export function say(...texts: string[]): Beat[] {
  return texts.map((text) => ({ type: 'text-delta', text }))
}

/** Reasoning, one delta an argument. */
export function think(...texts: string[]): Beat[] {
  return texts.map((text) => ({ type: 'reasoning-delta', text }))
}

/** A refusal in the model's own words; the answer then ends with `refusal`. */
export function refuse(...texts: string[]): Beat[] {
  return texts.map((text) => ({ type: 'refusal-delta', text }))
}

/** A tool call. Arguments given as text go out as they are, so that broken JSON can be scripted too. */
export function call(name: string, args: unknown = {}, options: { readonly id?: string } = {}): Beat {
  return { type: 'call', name, args: typeof args === 'string' ? args : JSON.stringify(args), ...options }
}

/** What the answer cost; what is left out is 0, and `total` is the sum. */
export function usage(counts: { readonly [Count in keyof ModelUsage]?: ModelUsage[Count] }): Beat {
  const { input = 0, output = 0 } = counts
  return { type: 'usage', usage: { input, output, total: input + output, cachedInput: 0, reasoning: 0, ...counts } }
}

/** A failed try that the model repeats by itself. */
export function retry(reason = 'The model is busy.', delayMs = 0): Beat {
  return { type: 'retry', reason, delayMs }
}

/** Nothing more until `until` settles. */
export function pause(until: Promise<unknown>): Beat {
  return { type: 'wait', until }
}

/** Nothing more until the turn is stopped. */
export const forever: Beat = { type: 'wait', until: null }

/** The answer breaks off with this error. */
export function fail(code: ErrorCode, options: { message?: string; details?: Record<string, unknown> } = {}): Beat {
  const { message = `The script says to fail with ${code}.`, details } = options
  return { type: 'throw', error: new DogearError(code, message, { details }) }
}

/** The connection is lost here. A resumable model goes on from here when it is asked again. */
export function cut(): Beat {
  return fail('stream-cut', { message: 'The script says to cut the stream here.' })
}

/** Ends with this reason instead of the one that follows from the beats. */
export function end(reason: FinishReason): Beat {
  return { type: 'end', reason }
}
