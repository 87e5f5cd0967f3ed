/** Runtime profiles: how far an agent goes before it rests, forgets or delegates. Resolved once, where an agent is defined. */
import { DogearError } from '../error.ts'
import type { InputRetention, OutputRetention } from '../tools/tool.ts'
import type { MemoryScope } from './memory.ts'

export type BuiltInRuntimeProfile = 'fast' | 'balanced' | 'deep' | 'research'
export type RuntimeProfile = BuiltInRuntimeProfile | 'custom'

export interface AgentLimits {
  /** Tool calls in one turn; over it the model is told to answer. Default by profile; 50 without one. */
  maxToolCalls?: number
  /** Tools running at once. Default by profile; 5 without one. */
  maxParallelTools?: number
  /** About how many tokens the model is shown at most. 0 is no limit. */
  maxContextTokens?: number
  /** Tokens all answers of one turn may have together. 0, the default, is no limit. */
  maxTotalOutputTokens?: number
  /** What one turn may cost, by your `costEstimator`. 0, the default, is no limit. */
  maxCostUsd?: number
  /** How long a turn may be worked on. A host that takes it up again has the whole time. 0, the default, is no limit. */
  maxWallClockMs?: number
  /** Model requests in one turn. Default: three for each tool call and ten more, at least 40. */
  maxSteps?: number
  /** The same as `maxSteps`. */
  maxTurns?: number
  /** The same as `summarization.summaryTriggerTokens`. */
  maxToken?: number
  /** The same as `maxContextTokens`. */
  contextTokenLimit?: number
  /** The same as `summarization.summaryPromptMaxTokens`. */
  summaryTokenLimit?: number
}

/** The limits a turn keeps to; 0 is off for those that are not counts of steps or tools. */
export interface ResolvedLimits {
  readonly maxSteps: number
  readonly maxToolCalls: number
  readonly maxParallelTools: number
  readonly maxContextTokens?: number
  readonly maxTotalOutputTokens?: number
  readonly maxCostUsd?: number
  readonly maxWallClockMs?: number
}

export interface SummarizationOptions {
  enable?: boolean
  /** Tokens of context from which on a summary is made. */
  summaryTriggerTokens?: number
  /** How large one piece of what is summed up may be. */
  summaryPromptMaxTokens?: number
  /** How much of the context is to be left by a summary, from 0 to 1. */
  summaryCompressionRatioTarget?: number
  /** `incremental` builds on the last summary, `full_rewrite` begins anew. */
  summaryMode?: 'incremental' | 'full_rewrite'
  /** Whether a summary is compared with the one before it, and mended. */
  integrityCheck?: boolean
}

export interface ContextOptions {
  /** What a summary leaves in sight: `hybrid` the words, `summary_only` the newest turns, `raw` everything. */
  policy?: 'raw' | 'summary_only' | 'hybrid'
  /** With `summary_only`. */
  lastTurnsToKeep?: number
  /** Tokens of `maxContextTokens` that are spoken for. None by default. */
  budget?: ContextBudget
}

export interface ContextBudget {
  /** Kept free for instructions and tools. */
  systemReserveTokens?: number
  /** Kept free for the task and the summary. */
  goalsReserveTokens?: number
  /** The newest messages of so many tokens are always shown. */
  recentTurnsReserveTokens?: number
  /** The newest tool results of so many tokens are never archived. */
  toolResponseReserveTokens?: number
}

export interface ToolResponseOptions {
  /** What compaction does with a tool's output when the tool has no `retention` of its own. */
  defaultPolicy?: OutputRetention
  /** The same for its arguments. */
  defaultInputPolicy?: InputRetention
  /** Where a result is cut off, whatever the tool gave. */
  maxToolResponseChars?: number
  maxToolResponseTokens?: number
}

export interface DelegationOptions {
  /**
   * `off`: `agents` are not offered, unless `subagents` says so. `role_based`: only those. `automatic`: where there are
   * any, the model may make up others as well. `subagents.policy` wins over the last two.
   */
  mode?: 'off' | 'role_based' | 'automatic'
  maxDelegationDepth?: number
  maxChildCalls?: number
  maxParallelChild?: number
  /** How much of the conversation a child is shown. */
  childContextPolicy?: 'minimal' | 'scoped' | 'full'
}

export interface MemoryPolicyOptions {
  readPolicy?: 'recent_only' | 'semantic' | 'hybrid'
  writePolicy?: 'manual' | 'auto_important' | 'always'
  scope?: MemoryScope
}

export interface PlanningOptions {
  /** All but `off` give the model its todo list, and are the same so far: `planner_executor` and `reasoning_then_tools` do what `todo` does. */
  mode?: 'off' | 'todo' | 'planner_executor' | 'reasoning_then_tools'
  /** Whether the model is told to look at its plan again after a tool has failed. */
  replanPolicy?: 'never' | 'on_failure'
}

/** What a profile sets, and what may be set over it. */
export interface ProfileOptions {
  limits?: AgentLimits
  /** `true` and `false` switch it; everything else is the profile's. */
  summarization?: boolean | SummarizationOptions
  context?: ContextOptions
  toolResponses?: ToolResponseOptions
  delegation?: DelegationOptions
  memory?: MemoryPolicyOptions
  planning?: PlanningOptions
}

export interface CustomProfile extends ProfileOptions {
  /** Default `balanced`. */
  extends?: BuiltInRuntimeProfile
}

/** A profile with everything filled in: plain data. */
export interface ResolvedProfile {
  /** `none` for an agent without a profile. */
  readonly name: RuntimeProfile | 'none'
  readonly summarization: Readonly<Required<SummarizationOptions>>
  readonly context: Readonly<Required<ContextOptions>>
  readonly toolResponses: Readonly<Required<ToolResponseOptions>>
  readonly delegation: Readonly<Required<DelegationOptions>>
  readonly memory: Readonly<Required<MemoryPolicyOptions>>
  readonly planning: Readonly<Required<PlanningOptions>>
}

export interface ProfiledOptions extends ProfileOptions {
  runtimeProfile?: RuntimeProfile
  customProfile?: CustomProfile
}

/** What is written on the agent wins over its custom profile, and that over the profile it extends. */
export function resolveProfile(options: ProfiledOptions): { profile: ResolvedProfile; limits: ResolvedLimits } {
  const { customProfile: custom } = options
  const name = options.runtimeProfile ?? (custom ? 'custom' : 'none')
  const isCustom = name === 'custom'
  const base = baseOf(isCustom ? (custom?.extends ?? 'balanced') : name)
  const layers: readonly ProfileOptions[] = isCustom && custom ? [custom, options] : [options]
  // The cast: an option of a section has the type of that section, for every one of them.
  const section = <Key extends Exclude<keyof ProfileOptions, 'limits' | 'summarization'>>(key: Key) =>
    merged<object>(base[key], ...layers.map((layer) => layer[key])) as Base[Key]
  const { maxToken, summaryTokenLimit, ...limits } = merged(base.limits, ...layers.map((layer) => ownNames(layer)))
  const { maxToolCalls, maxContextTokens } = limits
  const summarization = merged(
    base.summarization,
    // Before the context is full: there must be room for the summary, and for what the tools of a step give.
    maxContextTokens ? { summaryTriggerTokens: Math.floor(maxContextTokens * 0.75) } : {},
    { summaryTriggerTokens: maxToken, summaryPromptMaxTokens: summaryTokenLimit },
    ...layers.map(({ summarization: given }) => (typeof given === 'boolean' ? { enable: given } : given)),
  )
  const context = section('context')
  const room = roomFor(maxContextTokens, context.budget)
  const maxSteps = maxToolCalls === Infinity ? 100 : Math.max(maxToolCalls * 3 + 10, 40)
  return {
    limits: { ...limits, maxSteps: limits.maxSteps ?? maxSteps },
    profile: {
      name,
      summarization: room < (maxContextTokens ?? 0) ? dueWithin(room, summarization) : summarization,
      context,
      toolResponses: section('toolResponses'),
      delegation: section('delegation'),
      memory: section('memory'),
      planning: section('planning'),
    },
  }
}

function dueWithin(room: number, summarization: Base['summarization']): Base['summarization'] {
  return { ...summarization, summaryTriggerTokens: Math.min(summarization.summaryTriggerTokens, room) }
}

/** What of the context is left for the conversation. */
export function roomFor(maxContextTokens = 0, budget: ContextBudget): number {
  if (!maxContextTokens) return Infinity
  const { systemReserveTokens = 0, goalsReserveTokens = 0 } = budget
  const { recentTurnsReserveTokens = 0, toolResponseReserveTokens = 0 } = budget
  const room = maxContextTokens - systemReserveTokens - goalsReserveTokens
  if (room > Math.max(recentTurnsReserveTokens, toolResponseReserveTokens)) return room
  throw new DogearError(
    'agent-invalid',
    `context.budget reserves more than maxContextTokens (${maxContextTokens}) has.`,
  )
}

type Limits = Omit<AgentLimits, 'maxTurns' | 'contextTokenLimit'> &
  Pick<ResolvedLimits, 'maxToolCalls' | 'maxParallelTools'>

function ownNames({ limits = {} }: ProfileOptions): Partial<Limits> {
  const { maxTurns, contextTokenLimit, ...rest } = limits
  return { maxSteps: maxTurns, maxContextTokens: contextTokenLimit, ...defined(rest) }
}

function merged<T extends object>(base: T, ...layers: readonly (Partial<T> | undefined)[]): T {
  return Object.assign({}, base, ...layers.map(defined)) as T
}

function defined(layer: object = {}): object {
  return Object.fromEntries(Object.entries(layer).filter(([, value]) => value !== undefined))
}

interface Base extends Omit<ResolvedProfile, 'name'> {
  readonly limits: Limits
}

/** Tool calls, tools at once; context, piece of a summary, its ratio; turns kept; characters of a result; depth, calls, children at once. */
const numbers = {
  none: [50, 5, 0, 12_000, 0.45, 16, 32_000, 2, 6, 3],
  fast: [8, 3, 32_000, 6_000, 0.5, 8, 16_000, 1, 2, 1],
  balanced: [20, 5, 96_000, 12_000, 0.45, 16, 32_000, 2, 6, 3],
  deep: [40, 8, 200_000, 16_000, 0.4, 30, 64_000, 3, 10, 4],
  research: [80, 10, 400_000, 24_000, 0.35, 60, 96_000, 4, 16, 6],
} as const

function baseOf(name: BuiltInRuntimeProfile | 'none'): Base {
  if (!Object.hasOwn(numbers, name)) {
    const known = Object.keys(numbers).slice(1).join(', ')
    throw new DogearError('agent-invalid', `No runtime profile "${name}". Use ${known} or custom.`)
  }
  const [calls, parallel, context, piece, ratio, turns, chars, depth, childCalls, children] = numbers[name]
  const isFast = name === 'fast'
  const isWide = name === 'deep' || name === 'research'
  return {
    limits: { maxToolCalls: calls, maxParallelTools: parallel, ...(context && { maxContextTokens: context }) },
    summarization: {
      enable: name !== 'none',
      summaryTriggerTokens: 72_000,
      summaryPromptMaxTokens: piece,
      summaryCompressionRatioTarget: ratio,
      summaryMode: 'incremental',
      integrityCheck: true,
    },
    context: { policy: 'hybrid', lastTurnsToKeep: turns, budget: {} },
    toolResponses: {
      defaultPolicy: isFast ? 'keep_structured' : 'summarize_archive',
      defaultInputPolicy: 'keep',
      maxToolResponseChars: chars,
      maxToolResponseTokens: chars / 4,
    },
    delegation: {
      mode: isFast ? 'off' : name === 'research' ? 'automatic' : 'role_based',
      maxDelegationDepth: depth,
      maxChildCalls: childCalls,
      maxParallelChild: children,
      childContextPolicy: isFast ? 'minimal' : name === 'research' ? 'full' : 'scoped',
    },
    memory: {
      readPolicy: isFast ? 'recent_only' : 'hybrid',
      writePolicy: 'auto_important',
      scope: isWide ? 'workspace' : 'session',
    },
    planning: { mode: 'off', replanPolicy: 'on_failure' },
  }
}
