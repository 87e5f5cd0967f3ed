/** Reflection: a short note the model makes to itself between steps. */

export interface ReflectionRecord {
  readonly id: string
  /** How many tools the turn had called by then. */
  readonly turn: number
  readonly text: string
  /** ISO time. */
  readonly createdAt: string
  readonly durationMs?: number
  /** Where in the messages it was made. */
  readonly anchorMessageIndex?: number
  readonly trigger?: ReflectionCadence
  readonly usage?: ReflectionUsage
  readonly toolCallIds?: readonly string[]
}

export type ReflectionCadence = 'off' | 'every_turn' | 'after_tool' | 'on_branch' | 'initial_then_after_tool'

export interface ReflectionUsage {
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly cachedInputTokens?: number
  readonly totalTokens?: number
  readonly reasoningTokens?: number
}
