/** Reflection: a short note the model makes to itself between steps. */
import type { Message } from '../session/message.ts'
import type { Head } from '../session/state.ts'

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

/** How an agent reflects, with everything filled in. */
export interface Reflecting {
  readonly cadence: ReflectionCadence
  readonly mode: 'piggyback' | 'separate'
  readonly maxTokens: number
  readonly maxChars: number
  readonly keepLast: number
  readonly promptTemplate?: string
  readonly emitEvents: boolean
  readonly maxPerRun?: number
  readonly everyNTurns: number
  readonly feedTo: 'none' | 'memory' | 'plan'
}

export interface DueReflection {
  /** Named by the step it is about, so that one that was committed is never made again. */
  readonly id: string
  readonly toolCallIds: readonly string[]
  /** The messages of the turn so far. */
  readonly messages: readonly Message[]
}

/** Whether a note is to be made before the open step asks its model. */
export function dueReflection(head: Head, history: readonly Message[], how: Reflecting): DueReflection | undefined {
  const { turn, reflections } = head
  if (!turn || (turn.reflections ?? 0) >= (how.maxPerRun ?? Infinity)) return undefined
  const prefix = `${turn.id}.`
  const messages = history.slice(history.findLastIndex(({ id }) => !id.startsWith(prefix)) + 1)
  const steps = messages.filter(({ tool_calls: calls }) => calls?.length)
  const last = steps.at(-1)
  const isMade = (id: string) => reflections.some((reflection) => reflection.id === id)
  if (!last) {
    const id = `${prefix}0.reflection`
    const isFresh = how.cadence === 'initial_then_after_tool' && history.every(({ role }) => role !== 'assistant')
    return isFresh && !isMade(id) ? { id, toolCallIds: [], messages } : undefined
  }
  if (messages.at(-1)?.role !== 'tool') return undefined
  const sinceLast = steps.length - 1 - steps.findLastIndex((step) => isMade(idFor(step)))
  if (sinceLast < how.everyNTurns && sinceLast < steps.length) return undefined
  if (how.cadence === 'on_branch' && toolsOf(last) === toolsOf(steps.at(-2))) return undefined
  return { id: idFor(last), toolCallIds: (last.tool_calls ?? []).map(({ id }) => id), messages }
}

function idFor(step: Message): string {
  return `${step.id}.reflection`
}

function toolsOf(step: Message | undefined): string {
  return [...new Set(step?.tool_calls?.map((call) => call.function.name))].sort().join()
}

/** What a model is shown of its own notes: in the request alone, never among the messages. */
export function reflectionNotice(head: Head, { keepLast, feedTo }: Reflecting): string | undefined {
  const notes = keepLast > 0 ? head.reflections.slice(-keepLast) : []
  if (!notes.length) return undefined
  const list = notes.map(({ text }) => `- ${text}`).join('\n')
  const plan = feedTo === 'plan' ? '\nWhere they change what is left to do, update your plan first.' : ''
  return `[System Notice] agent_reflection: your own notes so far. The person does not see them.\n${list}${plan}`
}

/** Says the same again: nine words of ten are in both. */
export function isNearDuplicate(text: string, before: readonly ReflectionRecord[]): boolean {
  const words = wordsOf(text)
  return before.some((reflection) => {
    const others = wordsOf(reflection.text)
    const shared = [...words].filter((word) => others.has(word)).length
    return shared >= 0.9 * (words.size + others.size - shared)
  })
}

function wordsOf(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu))
}
