/** An agent: a definition, checked once. Running it is the turn's work. */
import { DogearError } from '../error.ts'
import type { Model } from '../ports/model.ts'
import { builtinNames } from '../tools/builtin.ts'
import { createTool, type Tool, type ToolOptions } from '../tools/tool.ts'

export interface AgentOptions {
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
  limits?: AgentLimits
  temperature?: number
  maxOutputTokens?: number
}

export interface AgentLimits {
  /** Model requests in one turn. Default 40. */
  maxSteps?: number
  /** Tool calls in one turn. Default 50. */
  maxToolCalls?: number
  /** Tools running at once. Default 5. */
  maxParallelTools?: number
}

export interface SmartAgentOptions extends AgentOptions {
  /** Gives the model `manage_todo_list`, and the plan checklist something to show. */
  useTodoList?: boolean
  /** Lets the model ask the person with `ask_user_question`. */
  humanInTheLoop?: { askUser?: boolean | { allowFreeText?: boolean; promptOverride?: string } }
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
  readonly limits: Required<AgentLimits>
  readonly temperature?: number
  readonly maxOutputTokens?: number
  readonly todoList: boolean
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
  const tools = (options.tools ?? []).map((tool) => createTool(tool as ToolOptions))
  const askUser = options.humanInTheLoop?.askUser
  const builtIn = [...(options.useTodoList ? [builtinNames.plan] : []), ...(askUser ? [builtinNames.question] : [])]
  refuseTwins(name, [...builtIn, ...tools.map((tool) => tool.name)])
  const ask = typeof askUser === 'object' ? askUser : {}
  return {
    name,
    version: options.version,
    instructions: options.instructions,
    endpoint: options.endpoint,
    model: options.model ?? 'default',
    token: options.token,
    headers: options.headers,
    user: options.user,
    tools,
    limits: { maxSteps: 40, maxToolCalls: 50, maxParallelTools: 5, ...withoutUndefined(options.limits) },
    temperature: options.temperature,
    maxOutputTokens: options.maxOutputTokens,
    todoList: options.useTodoList ?? false,
    askUser: askUser ? { allowFreeText: ask.allowFreeText ?? true, promptOverride: ask.promptOverride } : false,
  }
}

/** Two tools of one name make a provider refuse every request. */
function refuseTwins(agent: string, names: readonly string[]): void {
  const twin = names.find((name, index) => names.indexOf(name) !== index)
  if (twin) throw new DogearError('agent-invalid', `Agent "${agent}" has two tools named "${twin}". Rename one.`)
}

function withoutUndefined<T extends object>(value: T | undefined): T {
  return Object.fromEntries(Object.entries(value ?? {}).filter(([, entry]) => entry !== undefined)) as T
}
