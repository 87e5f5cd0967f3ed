/** Subagents: agents described in a few words on the one they work for, or made up by its model. */
import { isRemoved } from '../permission/decide.ts'
import { subagentToolNames } from '../tools/builtin.ts'
import type { JsonSchema } from '../tools/json-schema.ts'
import type { RunAgent, RunTool, Task } from '../turn/run.ts'

export interface SubagentDefinition {
  /** When to give work to it: what the model chooses by. */
  readonly description: string
  /** Its instructions. */
  readonly prompt: string
  /** Names of the agent's tools it may use. Default: all of them. */
  readonly tools?: readonly string[]
  /** As the agent's own `disallowedTools`, which hold for it too. */
  readonly disallowedTools?: readonly string[]
  /** Default `inherit`: the agent's own. */
  readonly model?: string
  /** Model requests for one task. Default: the agent's own limit. */
  readonly maxTurns?: number
  /** How much its model thinks. Default: as much as the agent's own. */
  readonly effort?: 'low' | 'medium' | 'high' | 'xhigh' | 'max'
  /** Said before each of its tasks; before the first message, where `query()` has it answer. */
  readonly initialPrompt?: string
  /** Its own, where that is stricter than the one it works for, or where that has none. `auto` means nothing yet. */
  readonly permissionMode?: 'default' | 'acceptEdits' | 'bypassPermissions' | 'plan' | 'dontAsk' | 'auto'
  /** Taken, and without meaning here so far: a warning says so once. */
  readonly skills?: readonly string[]
  readonly memory?: 'user' | 'project' | 'local'
  readonly background?: boolean
}

const warned = new WeakSet<object>()

/** Once an agent: an option that does nothing must not look as if it did. */
export function warnOfSubagents({ agents = {} }: RunAgent, warn: (message: string) => void): void {
  if (warned.has(agents)) return
  warned.add(agents)
  for (const [name, { skills, memory, background, permissionMode: mode = 'default' }] of Object.entries(agents)) {
    const given = {
      skills,
      memory,
      background,
      permissionMode: mode === 'auto' ? mode : undefined,
    }
    const unmet = Object.entries(given).flatMap(([key, value]) => (value === undefined ? [] : key))
    if (unmet.length) warn(`Agent "${name}": ${unmet.join(', ')} has no effect yet.`)
  }
}

export interface SubagentOptions {
  /** `registry`: only those in `agents`. `registry_and_adhoc`, the default: the model may make up others. */
  policy?: SubagentPolicy
  /** How deep tasks may be given on. Default 2. */
  maxDepth?: number
  /** Tasks given away in one turn. Default 8. */
  maxChildCalls?: number
  /** How many work at once on one call's tasks. Default 4. */
  maxParallel?: number
  /** What they are told beside their task: nothing, what the person asked for (the default), or the conversation. */
  contextPolicy?: 'minimal' | 'scoped' | 'full'
}

export type SubagentPolicy = 'off' | 'registry' | 'registry_and_adhoc'

/** The tools an agent gives its tasks away with. */
export function subagentTools(agent: RunAgent, depth = 0): RunTool[] {
  const { agents = {}, subagents = 'off', profile } = agent
  const { maxDelegationDepth, childContextPolicy: context } = profile.delegation
  if (subagents === 'off' || depth >= maxDelegationDepth) return []
  const taskFor = (name: string, definition: Description, input: string): Task => ({
    agent: subagent(agent, name, definition, depth + 1),
    input: definition.initialPrompt ? `${definition.initialPrompt}\n\n${input}` : input,
    context,
  })
  const adhoc = ({ role, task, tools }: Adhoc) => taskFor(nameOf(role), { prompt: promptFor(role), tools }, task)
  const named = Object.keys(agents)
  const offered: RunTool[] = []
  if (named.length) {
    const list = named.map((name) => `\n- ${name}: ${agents[name]?.description}`).join('')
    offered.push(
      delegating(
        'delegate_to',
        `Gives a task to one of these agents and waits for its answer:${list}`,
        { agent: { enum: named }, task: taskSchema },
        // The schema lets no other name through.
        ({ agent: name, task }: Delegated) => [taskFor(name, agents[name] as SubagentDefinition, task)],
      ),
    )
  }
  if (subagents === 'registry_and_adhoc') {
    offered.push(
      delegating(
        'spawn_subagent',
        'Gives a task to a helper made for it and waits for its answer.',
        adhocSchemas,
        (args: Adhoc) => [adhoc(args)],
      ),
      delegating(
        'spawn_subagents_parallel',
        'Gives tasks that do not need each other to helpers at once.',
        { tasks: { type: 'array', minItems: 1, items: objectOf(adhocSchemas) } },
        ({ tasks }: { tasks: readonly Adhoc[] }) => tasks.map(adhoc),
      ),
    )
  }
  return offered.filter(({ name }) => !isRemoved(agent.permissions.deny, name))
}

type Description = Omit<SubagentDefinition, 'description'>

interface Delegated {
  readonly agent: string
  readonly task: string
}

interface Adhoc {
  readonly role: string
  readonly task: string
  readonly tools?: readonly string[]
}

const taskSchema = { type: 'string', description: 'The task, with everything needed to do it.' }
const adhocSchemas = {
  role: { type: 'string', description: 'Who does it: "a reviewer of contracts".' },
  task: taskSchema,
  tools: { type: 'array', items: { type: 'string' }, description: 'Which of your tools it may use. Default: all.' },
}

function objectOf(properties: Readonly<Record<string, unknown>>): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties).filter((name) => name !== 'tools') }
}

function promptFor(role: string): string {
  return `You are ${role}. Do the task you are given and answer with its result alone.`
}

function nameOf(role: string): string {
  return role.replace(/[^\p{L}\p{N}]+/gu, '_').slice(0, 64)
}

/** The agent itself, with other instructions and fewer tools. What is for people (its plan, its output, its guardrails) stays the agent's own. */
function subagent(
  agent: RunAgent,
  name: string,
  { prompt, tools, disallowedTools = [], model = 'inherit', maxTurns, effort, permissionMode = 'default' }: Description,
  depth: number,
): RunAgent {
  const left = new Set(subagentToolNames)
  const own = agent.tools.filter(
    (tool) =>
      !tool.handoff &&
      !left.has(tool.name) &&
      !isRemoved(disallowedTools, tool.name) &&
      (tools ?? [tool.name]).includes(tool.name) &&
      (permissionMode !== 'plan' || tool.effect === 'read'),
  )
  const child: RunAgent = {
    ...agent,
    name,
    instructions: async () => prompt,
    modelName: model === 'inherit' ? agent.modelName : model,
    limits: { ...agent.limits, maxSteps: maxTurns ?? agent.limits.maxSteps },
    // Providers behind the chat-completions wire know three.
    extra: effort
      ? { ...agent.extra, reasoning_effort: effort === 'xhigh' || effort === 'max' ? 'high' : effort }
      : agent.extra,
    permissions: {
      ...agent.permissions,
      deny: [...agent.permissions.deny, ...disallowedTools],
      mode: permissionMode === 'auto' ? 'default' : permissionMode,
    },
    todoList: false,
    output: undefined,
    guardrails: undefined,
    tools: own,
  }
  return { ...child, tools: [...own, ...subagentTools(child, depth)] }
}

function delegating<Args>(
  name: string,
  description: string,
  properties: Readonly<Record<string, unknown>>,
  tasks: (args: Args) => readonly Task[],
): RunTool {
  return {
    name,
    label: 'Ask a helper',
    description,
    parameters: objectOf(properties),
    needsApproval: false,
    effect: 'read',
    destructive: false,
    openWorld: false,
    timeout: 0,
    retention: {},
    // The cast: arguments that fit `properties` are of this type.
    tasks: tasks as RunTool['tasks'],
    call: async () => ({ status: 'error', content: '' }),
  }
}
