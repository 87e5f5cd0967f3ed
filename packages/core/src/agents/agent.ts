/** An agent: a definition, checked once. Running it is the turn's work. */
import { DogearError, type ErrorData } from '../error.ts'
import type { MemoryStore } from '../ports/memory.ts'
import type { CanUseTool } from '../permission/can-use-tool.ts'
import type { OnElicitation } from '../permission/elicitation.ts'
import { isRemoved } from '../permission/decide.ts'
import { resolveHooks, type Hooks, type ResolvedHook } from '../permission/hooks.ts'
import { resolvePermissions, type PermissionOptions, type Permissions } from '../permission/permissions.ts'
import { parseRule } from '../permission/rule.ts'
import type { Model, ModelUsage } from '../ports/model.ts'
import {
  resolveProfile,
  type AgentLimits,
  type CustomProfile,
  type ProfileOptions,
  type ResolvedLimits,
  type ResolvedProfile,
  type RuntimeProfile,
} from '../smart/profile.ts'
import { resolveGuardrails, type Guardrails, type GuardrailsOption } from '../smart/guardrail.ts'
import { resolveOutput, type OutputOption, type OutputSpec } from '../smart/output.ts'
import { resolveReasoning, type Reasoning, type ReasoningConfig } from '../smart/reasoning.ts'
import { builtinNames, subagentToolNames } from '../tools/builtin.ts'
import { memoryOf, type MemoryOptions } from '../smart/memory-options.ts'
import { createTool, withTimeout, type Tool, type ToolOptions } from '../tools/tool.ts'
import type { Checkpoint } from '../turn/checkpoint.ts'
import { agentsOf } from './agents-of.ts'
import type { SubagentDefinition, SubagentOptions, SubagentPolicy } from './subagents.ts'
import type { TracingConfig } from '../trace/tracer.ts'
import type { SmartAgentEvent } from '../trace/event.ts'

export interface AgentOptions extends PermissionOptions {
  /** Names the agent's sessions: keep it stable. Letters, digits, `_`, `-`. Default `agent`. */
  name?: string
  /** Tells an older definition from a newer one in snapshots. */
  version?: string
  /** Who the agent is and how it works. A function is asked again at each step. */
  instructions?: string | (() => string | Promise<string>)
  /** What OpenAI clients call baseURL: `${endpoint}/chat/completions` is called. */
  endpoint?: string
  /** The proxy's alias for a model (default `default`), or a model of your own. */
  model?: string | Model
  /** Sent as `Authorization: Bearer`; a function is asked again when the proxy answers 401. Never stored. */
  token?: string | (() => string | Promise<string>)
  /** Further request headers; asked before each request. */
  headers?: () => Record<string, string> | Promise<Record<string, string>>
  /** Allows a value that looks like a provider's key as `token` off loopback. Anyone who opens the page can read it. */
  dangerouslyAllowBrowser?: boolean
  /** Whose sessions these are: each user has a database of their own. */
  user?: string
  tools?: readonly (Tool | ToolOptions)[]
  /** Milliseconds for tools that have no `timeout` of their own. Default 60 000. */
  toolTimeout?: number | ((name: string) => number)
  /** What becomes of arguments that do not fit: `strict`, the default, tells the model; `warn` runs the tool all the same. */
  schemaValidation?: 'strict' | 'warn'
  limits?: AgentLimits
  temperature?: number
  maxOutputTokens?: number
  /** What a model call cost in US dollars; there is no built-in price list. `limits.maxCostUsd` needs it. */
  costEstimator?: (call: CostQuestion) => number | Promise<number>
  /** Counts tokens in place of the built-in guess by characters. */
  tokenCounter?: (text: string) => number | Promise<number>
  /** How much the model thinks, and whether it makes notes for itself between steps. */
  reasoning?: ReasoningConfig
  /** The answer as data: a schema it has to fit. A turn's result then has `output`, or `outputError`. */
  outputSchema?: OutputOption
  /** The same as `outputSchema`. */
  output?: OutputOption
  /**
   * Checks of the person's words before the model reads them, and of each answer before it is kept or acted on.
   * A blocked answer is replaced, none of its calls runs and the turn ends; while it streamed, its words could be seen.
   */
  guardrails?: GuardrailsOption
  /**
   * Where a session's title comes from: its first words (`heuristic`, the default), the model, asked once after the first
   * turn for three to six words, or nowhere. A title of the person's own always wins.
   */
  title?: 'heuristic' | 'model' | false
  /**
   * How much is kept of this agent's sessions, for each user: the oldest beyond it are deleted, with all that belongs to
   * them, some seconds after a session was opened and when no turn runs. By default nothing is. One that is shown in any
   * tab, works, waits for a person or has words in line is never deleted, nor is one that was archived.
   */
  retention?: SessionRetention
  /**
   * Milliseconds after which a session that rests, and that its page has closed, gives back its memory and its lock. Opened
   * again, it goes on as if nothing had been. Default 300 000; where nothing is kept, as in Node, at once.
   */
  idleShutdownAfter?: number
  /** False: sessions live and die with the page, nothing of them reaches the disk, and no other tab sees them. */
  persistSession?: boolean
  /** Functions that are told what happens and may change it: before and after a call, a prompt, a turn's end. */
  hooks?: Hooks
  /** Tells a server, a file or a function of yours what each run did, how long it took and what it cost. */
  tracing?: TracingConfig
  /** Asked when a model request has failed for good: `retry` asks the model again, at once. */
  onError?: (error: ErrorData, attempt: number) => 'stop' | 'retry' | Promise<'stop' | 'retry'>
  /** Asked when a turn has come to its answer, unless words are queued: `continue` goes on with these as the next turn. */
  onTurn?: (turn: FinishedTurn) => TurnDecision | Promise<TurnDecision>
  /**
   * Where a turn waits for a person to let it go on: `before_tools`, before calls that would start by themselves, or
   * `after_step`, once a step's calls have their results. A session raises a Request there; `invoke` is left there.
   */
  checkpoint?: Checkpoint
}

export interface SessionRetention {
  /** The newest so many stay. Those that were archived are not counted. */
  readonly maxSessions?: number
  /** Those in which nothing was said for so many days go. */
  readonly maxAgeDays?: number
}

/** What `checkpoint` may be. */
const checkpoints: readonly unknown[] = ['before_tools', 'after_step', undefined]

export interface FinishedTurn {
  readonly text: string
  /** How many model requests it took. */
  readonly steps: number
  /** Which turn it was since somebody last spoke, from 1. */
  readonly turn: number
}

export type TurnDecision = 'stop' | { readonly continue: string }

export interface CostQuestion {
  readonly modelName: string
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cachedInputTokens: number
  readonly reasoningTokens: number
}

export interface SmartAgentOptions extends AgentOptions, ProfileOptions {
  limits?: AgentLimits
  /** How far the agent goes by default: calls, context, summaries, delegation. `createSmartAgent` takes `balanced`. */
  runtimeProfile?: RuntimeProfile
  /** A profile of your own, on top of the one it `extends`. */
  customProfile?: CustomProfile
  /** Agents that the model may give tasks to with `delegate_to`, by name. */
  agents?: Readonly<Record<string, SubagentDefinition>>
  /** Lets the model give tasks away; on when `agents` has any. */
  subagents?: SubagentOptions
  memory?: MemoryOptions
  /** Gives the model `manage_todo_list`, and the plan checklist something to show. */
  useTodoList?: boolean
  /** Lets the model ask the person with `ask_user_question`. */
  humanInTheLoop?: { askUser?: boolean | AskUserOptions }
}

export interface AskUserOptions {
  /** Default true. */
  allowFreeText?: boolean
  promptOverride?: string
  /** Told of each question `invoke` stops at; a session's are in `session.requests`. */
  onQuestion?: (event: Extract<SmartAgentEvent, { type: 'user_question' }>) => unknown
}

/** A definition with everything filled in. Plain data and functions, so that it can be described to a worker. */
export interface AgentDefinition {
  readonly name: string
  readonly version?: string
  readonly instructions?: AgentOptions['instructions']
  readonly endpoint?: string
  readonly model: string | Model
  readonly token?: AgentOptions['token']
  readonly headers?: AgentOptions['headers']
  readonly user?: string
  readonly tools: readonly Tool[]
  readonly limits: ResolvedLimits
  readonly profile: ResolvedProfile
  readonly schemaValidation: 'strict' | 'warn'
  readonly temperature?: number
  readonly maxOutputTokens?: number
  /** Further fields of every model request. */
  readonly extra?: Reasoning['extra']
  readonly reflection?: Reasoning['reflection']
  readonly output?: OutputSpec
  readonly guardrails?: Guardrails
  readonly hooks?: readonly ResolvedHook[]
  readonly permissions: Permissions
  readonly canUseTool?: CanUseTool
  readonly onElicitation?: OnElicitation
  readonly title?: AgentOptions['title']
  readonly retention?: SessionRetention
  readonly persistSession?: boolean
  readonly idleShutdownAfter?: number
  readonly todoList: boolean
  readonly agents: Readonly<Record<string, SubagentDefinition>>
  readonly subagents: SubagentPolicy
  readonly memoryStore?: MemoryStore
  /** By the `costEstimator`. */
  readonly costOf?: (model: string, usage: ModelUsage) => number | Promise<number>
  readonly onError?: AgentOptions['onError']
  readonly onTurn?: AgentOptions['onTurn']
  readonly checkpoint?: Checkpoint
  /** By the `tokenCounter`; many texts at once, because each question may cross a wire. */
  readonly countTokens?: (texts: readonly string[]) => Promise<number[]>
  readonly askUser: false | { readonly allowFreeText: boolean; readonly promptOverride?: string }
}

export function defineAgent(options: SmartAgentOptions): AgentDefinition {
  const name = options.name ?? 'agent'
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name)) {
    throw new DogearError(
      'agent-invalid',
      `An agent's name must be 1 to 64 letters, digits, "_" or "-"; got ${JSON.stringify(name)}.`,
    )
  }
  if (!checkpoints.includes(options.checkpoint)) {
    throw new DogearError(
      'agent-invalid',
      `checkpoint is 'before_tools' or 'after_step', not ${JSON.stringify(options.checkpoint)}.`,
    )
  }
  const { memoryStore, ...memory } = memoryOf(options)
  const { profile: resolved, limits } = resolveProfile({ ...options, ...memory })
  const { subagents, profile } = withSubagents(options, resolved)
  const todoList = options.useTodoList ?? profile.planning.mode !== 'off'
  const permissions = resolvePermissions(options)
  for (const { disallowedTools = [] } of Object.values(options.agents ?? {})) disallowedTools.forEach(parseRule)
  const tools = (options.tools ?? [])
    .map((tool) => withTimeout(createTool(tool as ToolOptions), options.toolTimeout))
    .filter((tool) => !isRemoved(permissions.deny, tool.name))
  const askUser = options.humanInTheLoop?.askUser
  const output = resolveOutput(options.outputSchema ?? options.output)
  const builtIn = [
    ...(todoList ? [builtinNames.plan] : []),
    ...(askUser ? [builtinNames.question] : []),
    ...(output ? [builtinNames.response] : []),
    ...(subagents === 'off' ? [] : subagentToolNames),
    builtinNames.archive,
    builtinNames.exitPlan,
  ]
  refuseTwins(name, [...builtIn, ...tools.map((tool) => tool.name)])
  const ask = typeof askUser === 'object' ? askUser : {}
  const definition: AgentDefinition = {
    name,
    version: options.version,
    instructions: options.instructions,
    endpoint: options.endpoint,
    model: options.model ?? 'default',
    token: options.token,
    headers: options.headers,
    user: options.user,
    tools,
    limits,
    profile,
    schemaValidation: options.schemaValidation ?? 'strict',
    temperature: options.temperature,
    maxOutputTokens: options.maxOutputTokens,
    ...resolveReasoning(options.reasoning),
    output,
    guardrails: resolveGuardrails(options.guardrails),
    hooks: resolveHooks(options.hooks),
    permissions,
    canUseTool: options.canUseTool,
    onElicitation: options.onElicitation,
    title: options.title,
    retention: checkedRetention(options.retention),
    persistSession: options.persistSession,
    idleShutdownAfter: options.idleShutdownAfter,
    todoList,
    agents: options.agents ?? {},
    subagents,
    memoryStore,
    onError: options.onError,
    onTurn: options.onTurn,
    checkpoint: options.checkpoint,
    costOf: costOf(options),
    countTokens: countTokens(options),
    askUser: askUser ? { allowFreeText: ask.allowFreeText ?? true, promptOverride: ask.promptOverride } : false,
  }
  // Throws for agents that cannot be told apart, where they are put together.
  agentsOf(definition)
  return definition
}

/** A limit that is no number would keep everything, or nothing. */
function checkedRetention(retention: SessionRetention | undefined): SessionRetention | undefined {
  const { maxSessions = 1, maxAgeDays = 1 } = retention ?? {}
  if (maxSessions > 0 && maxAgeDays > 0) return retention
  throw new DogearError('agent-invalid', 'retention: maxSessions and maxAgeDays are numbers above 0.')
}

function withSubagents({ agents, subagents, delegation: given = {} }: SmartAgentOptions, profile: ResolvedProfile) {
  const { mode } = profile.delegation
  // What is written on the agent wins over its profile.
  const isOff = given.mode === 'off' || (mode === 'off' && !subagents) || !(agents || subagents)
  const usual = subagents || mode === 'automatic' ? 'registry_and_adhoc' : 'registry'
  const policy: SubagentPolicy = isOff ? 'off' : (subagents?.policy ?? usual)
  if (policy === 'off') return { subagents: policy, profile }
  const delegation: ResolvedProfile['delegation'] = {
    ...profile.delegation,
    maxDelegationDepth: subagents?.maxDepth ?? given.maxDelegationDepth ?? 2,
    maxChildCalls: subagents?.maxChildCalls ?? given.maxChildCalls ?? 8,
    maxParallelChild: subagents?.maxParallel ?? given.maxParallelChild ?? 4,
    childContextPolicy: subagents?.contextPolicy ?? given.childContextPolicy ?? 'scoped',
  }
  return { subagents: policy, profile: { ...profile, delegation } }
}

/** What `createSmartAgent` takes where nothing is said. */
export function smartOptions<T extends ProfiledOptions>(options: T): T & Pick<ProfiledOptions, 'runtimeProfile'> {
  const isCustom = options.customProfile !== undefined
  return { ...options, runtimeProfile: options.runtimeProfile ?? (isCustom ? 'custom' : 'balanced') }
}

type ProfiledOptions = Pick<SmartAgentOptions, 'runtimeProfile' | 'customProfile'>

/** Two tools of one name make a provider refuse every request. */
function refuseTwins(agent: string, names: readonly string[]): void {
  const twin = names.find((name, index) => names.indexOf(name) !== index)
  if (twin) throw new DogearError('agent-invalid', `Agent "${agent}" has two tools named "${twin}". Rename one.`)
}

function costOf({ costEstimator }: AgentOptions): AgentDefinition['costOf'] {
  if (!costEstimator) return undefined
  return (modelName, { input, output, cachedInput, reasoning }) =>
    costEstimator({
      modelName,
      inputTokens: input,
      outputTokens: output,
      cachedInputTokens: cachedInput,
      reasoningTokens: reasoning,
    })
}

function countTokens({ tokenCounter }: AgentOptions): AgentDefinition['countTokens'] {
  return tokenCounter && ((texts) => Promise.all(texts.map(async (text) => tokenCounter(text))))
}
