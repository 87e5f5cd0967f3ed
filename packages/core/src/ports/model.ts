/** Model port: one request in, a stream of events out. */
import type { ErrorCode } from '../error.ts'
import type { Message } from '../session/message.ts'

export interface Model {
  /**
   * Streams one answer. Must end with `finish`; a stream that stops before it throws `stream-cut`.
   * Must throw `aborted` soon after `signal` aborts.
   */
  stream(request: ModelRequest, options: ModelOptions): AsyncIterable<ModelEvent>
  /** Tells the server that nobody wants this answer any more. Never rejects. */
  stop?(key: string): Promise<void>
}

export interface ModelRequest {
  /** The proxy's alias for a model. */
  readonly model: string
  readonly messages: readonly Message[]
  readonly tools?: readonly ModelTool[]
  readonly toolChoice?: 'auto' | 'none' | 'required'
  readonly maxOutputTokens?: number
  readonly temperature?: number
  /** Further fields of the chat-completions body, such as `reasoning_effort`. */
  readonly extra?: Readonly<Record<string, unknown>>
}

export interface ModelTool {
  readonly name: string
  readonly description: string
  readonly parameters: Readonly<Record<string, unknown>>
}

export interface ModelOptions {
  readonly signal: AbortSignal
  /** Names the step; a server that knows it never starts a second answer for it. */
  readonly key?: string
  /** Re-attach: give only events after this cursor. Throws `stream-cut` when the server no longer has them. */
  readonly after?: string
}

export type FinishReason = 'stop' | 'tool-calls' | 'length' | 'refusal'

export interface ModelUsage {
  readonly input: number
  readonly output: number
  readonly total: number
  readonly cachedInput: number
  readonly reasoning: number
  readonly raw?: unknown
}

/** A failed try that will be made again by itself. */
export interface RetryEvent {
  readonly type: 'retry'
  readonly attempt: number
  readonly delayMs: number
  readonly reason: string
  /** How many more tries there are at most, after the first. */
  readonly max?: number
  readonly code?: ErrorCode
  /** Of the answer that failed. */
  readonly status?: number
}

export type ModelEvent =
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'reasoning-delta'; readonly text: string }
  | { readonly type: 'refusal-delta'; readonly text: string }
  | { readonly type: 'call-start'; readonly index: number; readonly id?: string; readonly name: string }
  | { readonly type: 'call-delta'; readonly index: number; readonly args: string }
  /** Where to re-attach; sent after the events it covers. A stream without cursors cannot be re-attached. */
  | { readonly type: 'cursor'; readonly after: string }
  | { readonly type: 'usage'; readonly usage: ModelUsage; readonly model?: string }
  | RetryEvent
  | { readonly type: 'finish'; readonly reason: FinishReason }
