/** An agent to be called like a function: a state in, a state out. It runs wherever its runner runs it. */
import { DogearError } from '../error.ts'
import type { Clock } from '../ports/clock.ts'
import type { Hash } from '../ports/hash.ts'
import type { Ids } from '../ports/ids.ts'
import type { Model } from '../ports/model.ts'
import {
  resolveToolApproval,
  resolveUserQuestion,
  type ToolApprovalResolution,
  type UserQuestionResolution,
} from '../permission/resolvers.ts'
import { setState, type StateChange } from '../session/set-state.ts'
import {
  captureSnapshot,
  driftOf,
  hintOf,
  restoreSnapshot,
  type Drift,
  type RestoreOptions,
  type Snapshot,
  type SnapshotOptions,
} from '../session/snapshot.ts'
import type { SmartState } from '../session/smart-state.ts'
import type { Tool } from '../tools/tool.ts'
import type { SmartAgentEvent } from '../trace/event.ts'
import type { TracingConfig } from '../trace/tracer.ts'
import { runAgentOf, type RunAgent } from '../turn/run.ts'
import { adaptModel, type InvokableModel } from './adapt-model.ts'
import { defineAgent, smartOptions, type AgentDefinition, type SmartAgentOptions } from './agent.ts'
import { asTool, type AsToolOptions } from './as-tool.ts'
import { asHandoff, type AsHandoffOptions } from './handoff.ts'
import type { AgentResult, InvokeOptions } from './invoke-config.ts'
import { invokeState, type Runner } from './invoke-state.ts'
import { runInMemory } from './run-in-memory.ts'
import { streamed } from './streamed.ts'

export interface FunctionalAgent {
  readonly name: string
  readonly definition: AgentDefinition
  /** Runs until the agent rests. The state is never changed: what comes back holds it and everything since. */
  invoke(state: SmartState, config?: InvokeOptions): Promise<AgentResult>
  /** The same, as its events; what the generator returns is the result. Leaving the loop stops the run. */
  stream(state: SmartState, config?: InvokeOptions): AsyncGenerator<SmartAgentEvent, AgentResult, void>
  snapshot(state: SmartState, options?: SnapshotOptions): Snapshot
  /** Goes on where a snapshot was taken. */
  resume(snapshot: Snapshot, config?: InvokeOptions, restore?: RestoreOptions): Promise<AgentResult>
  resolveToolApproval(state: SmartState, resolution: ToolApprovalResolution): SmartState
  resolveUserQuestion(state: SmartState, resolution: UserQuestionResolution): SmartState
  /** Replaces the model, the instructions, the messages or the options of a state at rest. */
  setState(state: SmartState, change: StateChange | ((state: SmartState) => StateChange)): SmartState
  /** This agent as a tool of another: its answer is the tool's result. */
  asTool(options?: AsToolOptions): Tool
  /** A tool that gives this agent the word, until it gives it on. */
  asHandoff(options?: AsHandoffOptions): Tool
}

export interface FunctionalOptions extends Omit<SmartAgentOptions, 'model'> {
  model?: string | Model | InvokableModel
  /** Told of every `invoke`. */
  onEvent?: (event: SmartAgentEvent) => unknown
  /** Called with each state before it runs: returns another, or throws to refuse it. */
  init?: (state: SmartState) => SmartState | undefined | void | Promise<SmartState | undefined | void>
}

export interface AgentPorts {
  readonly clock: Clock
  readonly hash: Hash
  readonly ids: Ids
  /** For the developer's console. */
  readonly warn?: (message: string) => void
  /** `tracedRun` with a platform. Without it nothing is traced. */
  readonly trace?: (run: Runner, config: TracingConfig) => Runner
}

/** Core has no clock and no network of its own: give it `ports`, and a `model` object. */
export function createAgent(options: FunctionalOptions & { ports: AgentPorts }): FunctionalAgent {
  const { ports, ...rest } = options
  return functionalAgent(rest, ports, runInPlace(ports))
}

/** An agent that may also plan (`useTodoList`) and ask its person (`humanInTheLoop`). */
export function createSmartAgent(options: FunctionalOptions & { ports: AgentPorts }): FunctionalAgent {
  return createAgent(smartOptions(options))
}

export function functionalAgent(options: FunctionalOptions, ports: AgentPorts, run: Runner): FunctionalAgent {
  const warn = ports.warn ?? (() => {})
  const definition = definitionOf(options)

  async function invoke(given: SmartState, config: InvokeOptions = {}, drift?: Drift): Promise<AgentResult> {
    const own = { ...given, private: { ...given.private, dogear: { agent: definition.name } } }
    const state = (await options.init?.(own)) ?? given
    const limited = config.limits && { limits: { ...options.limits, ...config.limits } }
    const agent = limited ? definitionOf({ ...options, ...limited }) : definition
    const listeners = [options.onEvent, config.onEvent, questionListener(options)]
    const traced = tracedBy(config)
    return invokeState({ agent, state, config, ports: { ...ports, warn }, run: traced, listeners, drift })
  }

  function tracedBy(config: InvokeOptions): Runner {
    const enabled = config.tracing?.enabled ?? options.tracing?.enabled ?? false
    if (!enabled) return run
    if (!ports.trace) warn('Tracing is on, but these ports have no `trace`: this run is not traced.')
    const tracing = config.tracing ? { ...options.tracing, ...config.tracing, enabled } : options.tracing
    return tracing && ports.trace ? ports.trace(run, tracing) : run
  }

  return {
    name: definition.name,
    definition,
    invoke: (state, config) => invoke(state, config),
    stream: (state, config) => streamed((watched) => invoke(state, watched), config),
    snapshot(state, snapshot = {}) {
      const { includeRuntimeHint = true, tag } = snapshot
      const taken = captureSnapshot(state, { tag, includeRuntimeHint: false, at: ports.clock.now() })
      const { name, version, tools } = definition
      const hint = hintOf({ name, version, tools: tools.map((tool) => tool.name) })
      return includeRuntimeHint ? { ...taken, runtimeHint: hint } : taken
    },
    async resume(snapshot, config, restore) {
      const state = restoreSnapshot(snapshot, restore)
      const drift = driftOf(snapshot.runtimeHint, definition)
      if (drift) warn(`This snapshot was taken of another agent: ${JSON.stringify(drift)}. It goes on with this one.`)
      return invoke(state, config, drift)
    },
    resolveToolApproval: (state, resolution) => resolveToolApproval(state, resolution, { at: ports.clock.now() }),
    resolveUserQuestion: (state, resolution) => resolveUserQuestion(state, resolution, { at: ports.clock.now() }),
    setState,
    asTool: (given) => asTool(definition, given),
    asHandoff: (given) => asHandoff(definition, given),
  }
}

function definitionOf({ model, ...options }: FunctionalOptions): AgentDefinition {
  return defineAgent({ ...options, model: adaptModel(model) })
}

/** The shortcut of `humanInTheLoop.askUser`. */
function questionListener({ humanInTheLoop }: FunctionalOptions): InvokeOptions['onEvent'] {
  const askUser = humanInTheLoop?.askUser
  const onQuestion = typeof askUser === 'object' ? askUser.onQuestion : undefined
  return onQuestion && ((event) => event.type === 'user_question' && event.status === 'pending' && onQuestion(event))
}

/** The same thread, the ports it was given. */
export function runInPlace({ clock, hash, ids, warn }: AgentPorts, modelOf = ownModel): Runner {
  const made = new WeakMap<AgentDefinition, RunAgent>()
  return async ({ agent, ...job }) => {
    const run = made.get(agent) ?? runAgentOf(agent, modelOf(agent))
    made.set(agent, run)
    await runInMemory({ ...job, runId: ids.id(), agent: run, clock, hash, warn })
  }
}

function ownModel({ name, model }: AgentDefinition): Model {
  if (typeof model === 'object') return model
  throw new DogearError(
    'model-missing',
    `Agent "${name}" has no model. Give it model: { stream(request, options) } or { invoke(messages) }.`,
  )
}
