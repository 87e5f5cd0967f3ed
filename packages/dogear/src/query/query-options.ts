/** The options of `query()`: what they mean for an agent here. */
import {
  DogearError,
  type AgentOptions,
  type JsonSchema,
  type SmartAgentOptions,
  type Tool,
  type ToolOptions,
} from '@dogear/core'
import type { SmartPageAgentOptions } from '../agent.ts'
import { withQuestions } from './asked-questions.ts'

type Shared = Pick<
  SmartPageAgentOptions,
  | 'endpoint'
  | 'token'
  | 'headers'
  | 'user'
  | 'dangerouslyAllowBrowser'
  | 'worker'
  | 'assets'
  | 'costEstimator'
  | 'allowedTools'
  | 'askTools'
  | 'permissionMode'
  | 'allowDangerouslySkipPermissions'
  | 'planModeInstructions'
  | 'canUseTool'
  | 'onElicitation'
  | 'hooks'
>

/** Options of other runtimes that mean nothing in a page: taken, so that code moves over, and said once. */
type Foreign = { [Name in (typeof foreign)[number]]?: unknown }

export interface QueryOptions extends Shared, Foreign {
  /** Stops the query when it aborts. */
  abortController?: AbortController
  /** The proxy's alias for a model, or a model of your own. */
  model?: AgentOptions['model']
  /** Aliases to try, separated by commas, when the model fails; every new message begins with `model` again. */
  fallbackModel?: string
  effort?: 'low' | 'medium' | 'high' | 'xhigh' | 'max'
  thinking?: { type: 'adaptive' | 'disabled' } | { type: 'enabled'; budgetTokens?: number }
  /** @deprecated Use `thinking`. */
  maxThinkingTokens?: number
  /** Hints to the model. The proxy passes them on where `fields` of its model names `betas`, and leaves them out elsewhere. */
  betas?: readonly string[]
  /** How many tokens the model may count on, for one that knows the field `task_budget`; else left out, as `betas` are. */
  taskBudget?: { total: number }
  /** Model requests a message may take. */
  maxTurns?: number
  /** For the whole query, all agents and `agentProgressSummaries` in it. Needs `costEstimator`. */
  maxBudgetUsd?: number
  /** A preset lives on the proxy: its name is not known here, and only `append` is used. */
  systemPrompt?:
    string | readonly string[] | { type: 'preset'; preset: string; append?: string; excludeDynamicSections?: boolean }
  tools?: readonly (Tool | ToolOptions)[]
  /** A bare name is a tool the model never sees; `tool(terms)` denies such calls. */
  disallowedTools?: readonly string[]
  agents?: SmartAgentOptions['agents']
  /** The one of `agents` that answers. */
  agent?: string
  outputFormat?: { type: 'json_schema'; schema: JsonSchema }
  /** Yields the answer as it streams, as `stream_event`s. */
  includePartialMessages?: boolean
  /** Also yields the words of agents that work for a call, not only what they do. */
  forwardSubagentText?: boolean
  /** Has the model say in a line how a task is going, at most every half minute: `summary` of `task_progress`. Costs model calls. */
  agentProgressSummaries?: boolean
  /** The id of the query's new session; of the fork, with `forkSession`. One that exists is an error. */
  sessionId?: string
  /** Goes on with this session, of the same `agent` and `user`. What waits there for a person is answered with no. */
  resume?: string
  /** Goes on with the newest session of the same `agent` and `user`, or begins the first. */
  continue?: boolean
  /** With `resume` or `continue`: goes on in a copy, and leaves the session as it is. */
  forkSession?: boolean
  /** With `resume` or `continue`: the session up to and including the message with this uuid; what came after stays, as a branch. */
  resumeSessionAt?: string
  /** With `resumeSessionAt`: the uuid of the prompt of the one turn that is meant to be left behind. If more would be, it throws `input-invalid`. */
  resumeDropsTurn?: string
  /** `false`: nothing reaches the disk, and the session ends with the page. In Node every session does. Default true. */
  persistSession?: boolean
  /** The session's title. One that goes on keeps the title it has: see `renameSession`. */
  title?: string
  /** Yields `hook_started` and `hook_response` for each hook that is asked. */
  includeHookEvents?: boolean
  /** Prints every message to the console. */
  debug?: boolean
}

const foreign = [
  'additionalDirectories',
  'cwd',
  'debugFile',
  'env',
  'executable',
  'executableArgs',
  'extraArgs',
  'pathToClaudeCodeExecutable',
  'plugins',
  'sandbox',
  'settingSources',
  'settings',
  'spawnClaudeCodeProcess',
  'stderr',
] as const
/** Every other: one that does nothing must not look as if it did. */
const known: { readonly [Name in Exclude<keyof QueryOptions, keyof Foreign>]-?: true } = {
  abortController: true,
  agent: true,
  agentProgressSummaries: true,
  agents: true,
  allowDangerouslySkipPermissions: true,
  allowedTools: true,
  askTools: true,
  assets: true,
  betas: true,
  canUseTool: true,
  continue: true,
  costEstimator: true,
  dangerouslyAllowBrowser: true,
  debug: true,
  disallowedTools: true,
  effort: true,
  endpoint: true,
  fallbackModel: true,
  forkSession: true,
  forwardSubagentText: true,
  headers: true,
  hooks: true,
  includeHookEvents: true,
  includePartialMessages: true,
  maxBudgetUsd: true,
  maxThinkingTokens: true,
  maxTurns: true,
  model: true,
  onElicitation: true,
  outputFormat: true,
  permissionMode: true,
  persistSession: true,
  planModeInstructions: true,
  resume: true,
  resumeDropsTurn: true,
  resumeSessionAt: true,
  sessionId: true,
  systemPrompt: true,
  taskBudget: true,
  thinking: true,
  title: true,
  token: true,
  tools: true,
  user: true,
  worker: true,
}
const told = new Set<string>()

export function agentOptionsOf(options: QueryOptions, warn: (message: string) => void): SmartPageAgentOptions {
  const isForeign = (name: string) => (foreign as readonly string[]).includes(name)
  const { systemPrompt } = options
  const isCutUp = typeof systemPrompt === 'object' && 'excludeDynamicSections' in systemPrompt
  for (const name of [...Object.keys(options), ...(isCutUp ? ['systemPrompt.excludeDynamicSections'] : [])]) {
    if (Object.hasOwn(known, name) || told.has(name)) continue
    told.add(name)
    warn(`query: "${name}" ${isForeign(name) ? 'means nothing in a page' : 'has no effect yet'} and is ignored.`)
  }
  const { endpoint, token, headers, user, dangerouslyAllowBrowser, worker, assets, costEstimator, model } = options
  const main = mainAgent(options)
  const { allowedTools, askTools, permissionMode, allowDangerouslySkipPermissions, planModeInstructions } = options
  return {
    ...{ endpoint, token, headers, user, dangerouslyAllowBrowser, worker, assets, costEstimator },
    ...{ allowedTools, askTools, allowDangerouslySkipPermissions, planModeInstructions },
    permissionMode: permissionMode ?? (main?.permissionMode === 'auto' ? undefined : main?.permissionMode),
    disallowedTools: [...(options.disallowedTools ?? []), ...(main?.disallowedTools ?? [])],
    hooks: options.hooks,
    canUseTool: options.canUseTool && withQuestions(options.canUseTool),
    // Asked of `canUseTool`, which is all there is to ask.
    humanInTheLoop: { askUser: Boolean(options.canUseTool) && !options.disallowedTools?.includes('AskUserQuestion') },
    onElicitation: options.onElicitation,
    // Nobody watches a query: what `canUseTool` does not allow is denied, what `onElicitation` does not answer declined.
    permissionPrompts: 'none',
    name: options.agent ?? 'query',
    model: model ?? (main?.model === 'inherit' ? undefined : main?.model),
    instructions: [systemPromptOf(options.systemPrompt), main?.prompt].filter(Boolean).join('\n\n'),
    tools: (options.tools ?? []).filter(({ name }) => (main?.tools ?? [name]).includes(name)),
    agents: options.agents,
    // By steps and dollars alone: a profile's limit of calls would end a question that nobody limited.
    limits: {
      maxToolCalls: Infinity,
      maxSteps: options.maxTurns ?? main?.maxTurns,
      maxCostUsd: options.maxBudgetUsd,
    },
    reasoning: reasoningOf({ ...options, effort: options.effort ?? main?.effort }),
    outputSchema: options.outputFormat?.schema,
    persistSession: options.persistSession,
  }
}

function mainAgent({ agent: name, agents = {} }: QueryOptions) {
  if (name === undefined || Object.hasOwn(agents, name)) return agents[name ?? '']
  const names = Object.keys(agents).join(', ') || 'none'
  throw new DogearError('agent-invalid', `query: no agent "${name}" among \`agents\` (${names}).`)
}

function systemPromptOf(prompt: QueryOptions['systemPrompt']): string {
  if (prompt === undefined || typeof prompt === 'string') return prompt ?? ''
  return 'type' in prompt ? (prompt.append ?? '') : prompt.join('\n\n')
}

function reasoningOf({
  effort,
  thinking,
  maxThinkingTokens,
  betas,
  taskBudget,
}: QueryOptions): AgentOptions['reasoning'] {
  const budgetTokens = (thinking?.type === 'enabled' ? thinking.budgetTokens : undefined) ?? maxThinkingTokens
  const providerExtras = { ...(betas && { betas }), ...(taskBudget && { task_budget: taskBudget }) }
  const hasExtras = Object.keys(providerExtras).length > 0
  if (effort === undefined && budgetTokens === undefined && thinking?.type !== 'disabled' && !hasExtras)
    return undefined
  return {
    reflection: false,
    native: {
      effort: thinking?.type === 'disabled' ? 'none' : effortOf(effort),
      budgetTokens,
      ...(hasExtras && { providerExtras }),
    },
  }
}

/** Providers behind the chat-completions wire know three. */
function effortOf(effort: QueryOptions['effort']) {
  return effort === 'xhigh' || effort === 'max' ? 'high' : effort
}
