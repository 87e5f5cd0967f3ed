/** Reasoning: one setting for how much a model thinks, resolved where the agent is defined. */
import { DogearError } from '../error.ts'
import type { Reflecting, ReflectionCadence } from './reflection.ts'

export interface ReasoningConfig {
  /** False switches all of it off. By default on when anything else here is given. */
  enabled?: boolean
  /** Presets for everything not said below. Default `medium`. */
  level?: ReasoningLevel
  /** The model's own reasoning; false sends nothing about it. Not sent either when only `reflection` is given. */
  native?:
    | {
        effort?: 'none' | ReasoningLevel
        /** Tokens it may think, for servers that take `reasoning.max_tokens`. */
        budgetTokens?: number
        /** Whether its thoughts come with the answer, for servers that take `reasoning.exclude`. */
        includeThoughts?: boolean
        /** Further fields of the request, as your provider names them. Dogear's proxy takes those it knows, and `fields` of its model. */
        providerExtras?: Record<string, any>
      }
    | false
  /** Short notes the model makes for itself between steps: not answers, and not for visitors. False: none. */
  reflection?:
    | {
        enabled?: boolean
        /** When: `on_branch` after a step that used other tools than the one before it. `every_turn` is `after_tool`: a step without tools is the last. */
        cadence?: ReflectionCadence
        /** `piggyback` asks in the conversation, which is cached; `separate` asks in a short prompt of its own. */
        mode?: 'piggyback' | 'separate'
        maxTokens?: number
        maxChars?: number
        /** How many of the newest the model sees again. Default 3. */
        keepLast?: number
        /** Taken for the sake of other SDKs: notes are too short to be summed up. */
        summarize?: boolean
        /** What the model is asked, in place of our own words. */
        promptTemplate?: string
        /** Whether `reflection` events are told. Default true. */
        emitEvents?: boolean
        /** The most in one turn. */
        maxPerRun?: number
        /** The fewest steps with tools from one to the next. Default 1. */
        everyNTurns?: number
        /** `memory` keeps each as a fact as well; `plan` asks the model to bring its plan in line with them. */
        feedTo?: 'none' | 'memory' | 'plan'
      }
    | false
}

export type ReasoningLevel = 'minimal' | 'low' | 'medium' | 'high'

export interface Reasoning {
  /** Fields of the model request. */
  readonly extra?: Readonly<Record<string, unknown>>
  readonly reflection?: Reflecting
}

export function resolveReasoning(config: ReasoningConfig = {}): Reasoning {
  const { enabled, level, native, reflection } = config
  if (!(enabled ?? (level !== undefined || native !== undefined || reflection !== undefined))) return {}
  const preset = presets[level ?? 'medium']
  if (!preset) refuse('level', level, Object.keys(presets))
  const isAsked = native !== undefined || level !== undefined || enabled !== undefined
  return {
    extra: native === false || !isAsked ? undefined : nativeFields(native ?? {}, level ?? 'medium'),
    reflection: reflection === false ? undefined : reflecting(reflection ?? {}, preset),
  }
}

type Preset = Pick<Reflecting, 'maxTokens' | 'maxChars' | 'cadence'>

const presets: Readonly<Record<ReasoningLevel, Preset>> = {
  minimal: { maxTokens: 150, maxChars: 400, cadence: 'off' },
  low: { maxTokens: 200, maxChars: 600, cadence: 'on_branch' },
  medium: { maxTokens: 350, maxChars: 1200, cadence: 'initial_then_after_tool' },
  high: { maxTokens: 600, maxChars: 2000, cadence: 'initial_then_after_tool' },
}

const cadences: readonly ReflectionCadence[] = [
  'off',
  'every_turn',
  'after_tool',
  'on_branch',
  'initial_then_after_tool',
]

type Native = Exclude<ReasoningConfig['native'], false | undefined>

function nativeFields(native: Native, level: ReasoningLevel): Record<string, unknown> {
  const { budgetTokens, includeThoughts, providerExtras } = native
  // A preset's effort beside a budget would be two answers to one question, and servers refuse both together.
  const effort = native.effort ?? (budgetTokens === undefined ? level : undefined)
  const reasoning = {
    ...(budgetTokens !== undefined && { max_tokens: budgetTokens }),
    ...(includeThoughts !== undefined && { exclude: !includeThoughts }),
  }
  return {
    ...(effort && { reasoning_effort: effort }),
    ...(Object.keys(reasoning).length > 0 && { reasoning }),
    ...providerExtras,
  }
}

function reflecting(
  config: Exclude<ReasoningConfig['reflection'], false | undefined>,
  preset: Preset,
): Reflecting | undefined {
  const { enabled = true, cadence = preset.cadence, mode = 'piggyback', feedTo = 'none' } = config
  if (!cadences.includes(cadence)) refuse('reflection.cadence', cadence, cadences)
  if (!enabled || cadence === 'off') return undefined
  return {
    cadence,
    mode,
    feedTo,
    maxTokens: config.maxTokens ?? preset.maxTokens,
    maxChars: config.maxChars ?? preset.maxChars,
    keepLast: config.keepLast ?? 3,
    promptTemplate: config.promptTemplate,
    emitEvents: config.emitEvents ?? true,
    maxPerRun: config.maxPerRun,
    everyNTurns: Math.max(1, Math.trunc(config.everyNTurns ?? 1)),
  }
}

function refuse(field: string, given: unknown, known: readonly string[]): never {
  throw new DogearError(
    'agent-invalid',
    `reasoning.${field} must be one of ${known.join(', ')}; got ${JSON.stringify(given)}.`,
  )
}
