/** A run: one host driving one session's turn, and all it may touch while it does. */
import type { AgentDefinition } from '../agents/agent.ts'
import { agentsOf } from '../agents/agents-of.ts'
import { linkAgents, type UnlinkedAgent, type UnlinkedTool } from '../agents/link-agents.ts'
import type { Clock } from '../ports/clock.ts'
import type { Hash } from '../ports/hash.ts'
import type { MemoryStore } from '../ports/memory.ts'
import type { Model, ModelUsage } from '../ports/model.ts'
import type { InboxRow, RuleRecord } from '../ports/store.ts'
import type { TerminalReason } from '../session/entry.ts'
import type { Journal } from '../session/journal.ts'
import type { Partial } from '../session/partial.ts'
import type { Head, OpenCall, OpenTurn, RuleSet, Waiting } from '../session/state.ts'
import { callTool, type CallContext, type CallReply } from '../tools/result.ts'
import type { Tool } from '../tools/tool.ts'
import { DogearError } from '../error.ts'
import type { Checkpoint } from './checkpoint.ts'
import type { Deadlines } from './deadlines.ts'
import type { Elsewhere } from './elsewhere.ts'
import type { Evidence } from './evidence.ts'
import type { Page } from './page.ts'

export interface Run {
  readonly journal: Journal
  /** In memory: two runs may go on from one state, and neither is to get what the model answers the other. */
  readonly runId?: string
  /** The agent as this page defines it now; a page may add tools while a turn waits. */
  readonly agent: () => RunAgent
  readonly clock: Clock
  /** When this host began, by `elapsed`. */
  readonly startedAt: number
  /** The turn whose time is measured, and since when. */
  timed?: { readonly turnId: string; readonly since: number }
  /** For an agent at work for another: why that one may spend no more. */
  readonly budgetAbove?: () => TerminalReason | undefined
  /** For an agent at work for another: what its model calls cost, where it has no estimator of its own. */
  readonly costAbove?: RunAgent['costOf']
  /** Whether this host drove the session before; asked once a turn. */
  isBegun?(): boolean
  /** For an agent at work for another: that one's run. */
  readonly above?: Run
  /** What this user has decided beyond the session; absent where nothing is kept. */
  readonly kept?: {
    rules(agent: string): Promise<readonly RuleRecord[]>
    add(set: RuleSet): Promise<void>
    drop(agent: string, rule: string): Promise<void>
  }
  readonly hash: Hash
  /** Aborts when the turn is stopped or this host lets go of the session. */
  readonly signal: AbortSignal
  /** True for a run that took over an open turn, until its first step has begun to answer. */
  recovering: boolean
  /** Calls whose intent this run wrote, with what to run: an intent not in here belongs to a host that died. */
  readonly ready: Map<string, Ready>
  /** When the time of running calls is up. Closed with the turn's run. */
  readonly deadlines: Deadlines
  /** Calls whose result is being written. */
  readonly settling: Set<string>
  /** Shows the answer as it streams. */
  emit(partial: Partial | null): void
  /** What was shown last of the answer that streams. */
  shown(): Partial | null
  /** The stop command, when that is why `signal` aborted. */
  stopping(): { readonly commandId?: string; readonly take: readonly number[] } | undefined
  /** What stops an agent at work for a call of this run, and that one alone. Absent in memory, where nobody can ask for it. */
  taskStop?(task: string): TaskStop
  loadPartial(stepId: string): Promise<Partial | undefined>
  savePartial(partial: Partial): Promise<void>
  /** Does this while no command is taken: what both read of the queue, only one may change. */
  alone(work: () => Promise<void>): Promise<void>
  /** What another host kept of a call's end, as it was stored. */
  loadEvidence(callId: string): Promise<unknown>
  saveEvidence(callId: string, evidence: Evidence): Promise<void>
  /** Holds the turn up until a hint says that trying again is worth it. */
  wait(reason: Waiting): Promise<void>
  /** Asked between phases by whoever drives the turn step by step; true leaves it where it is. */
  checkpoint?(stage: Stage): Promise<boolean>
  /** Where a session's turn waits for a person before it goes on. */
  readonly asksAt?: Checkpoint
  /** Absent in memory, where a call runs in place. */
  readonly page?: Page
  /** This tab, as others know it. */
  readonly host?: string
  /** Absent where no other tab can help: in memory. */
  readonly elsewhere?: Elsewhere
  /** What the page that runs the call reported; undefined when nothing more is to come from there. */
  report?(call: OpenCall): Promise<CallReply | undefined>
  /** By `reportId`: its row in the inbox goes with the call's result. */
  readonly reports?: ReadonlyMap<string, InboxRow>
  /** For the developer's console. */
  warn(message: string): void
}

export interface TaskStop {
  readonly controller: AbortController
  stopping?: ReturnType<Run['stopping']>
}

/** What is to run, by an intent that is committed. */
export interface Ready {
  readonly tool: RunTool
  readonly args: unknown
  readonly attempt: number
  /** The call's idempotency key: one that was begun in another session keeps the key it began with. */
  readonly key: string
  /** What the model is told beside its result. */
  readonly context?: string
  /** By another page: this host waits for its report. */
  readonly isElsewhere?: boolean
}

/** Where a turn may be left and taken up again. */
export type Stage = 'before_guardrails' | 'after_agent' | 'after_tools' | 'after_loop'

/** An agent as the loop sees it: everything it can call is asynchronous, so it may live on another thread. */
export interface RunAgent {
  readonly name: string
  readonly version?: string
  readonly instructions: () => Promise<string>
  readonly model: Model
  /** The alias it is asked by; absent for a model of the page's own. */
  readonly modelName?: string
  readonly tools: readonly RunTool[]
  readonly limits: AgentDefinition['limits']
  readonly profile: AgentDefinition['profile']
  readonly temperature?: number
  readonly maxOutputTokens?: number
  readonly schemaValidation: AgentDefinition['schemaValidation']
  readonly todoList: boolean
  readonly askUser: AgentDefinition['askUser']
  readonly agents?: AgentDefinition['agents']
  readonly subagents?: AgentDefinition['subagents']
  /** Further fields of every model request. */
  readonly extra?: AgentDefinition['extra']
  readonly reflection?: AgentDefinition['reflection']
  readonly output?: AgentDefinition['output']
  readonly title?: AgentDefinition['title']
  readonly guardrails?: AgentDefinition['guardrails']
  readonly hooks?: AgentDefinition['hooks']
  readonly permissions: AgentDefinition['permissions']
  readonly canUseTool?: AgentDefinition['canUseTool']
  readonly onElicitation?: AgentDefinition['onElicitation']
  /** Where facts are kept beyond the session; absent when they are the session's own. */
  readonly memoryStore?: MemoryStore
  /** What a model call cost in US dollars; absent without an estimator. */
  readonly costOf?: (model: string, usage: ModelUsage) => number | Promise<number>
  readonly onError?: AgentDefinition['onError']
  readonly onTurn?: AgentDefinition['onTurn']
  readonly checkpoint?: Checkpoint
  /** The developer's own counter; `countTokens` in smart/tokens.ts falls back to a guess. */
  readonly countTokens?: (texts: readonly string[]) => Promise<number[]>
}

export interface RunTool extends Omit<Tool, 'func' | 'summary' | 'agent' | 'handoff'> {
  call(args: unknown, context: CallContext): Promise<CallReply>
  /** Work for other agents, done in place of `call`: their answers are the result. */
  readonly tasks?: (args: unknown) => readonly Task[]
  /** The agent that gets the word in place of `call`. */
  readonly handoff?: RunAgent
  /** The tab whose page has it, where that is not the owner's. */
  readonly host?: string
}

/** What one agent asks of another. */
export interface Task {
  readonly agent: RunAgent
  readonly input: string
  /** What of the conversation goes with it. Without it, nothing. */
  readonly context?: 'minimal' | 'scoped' | 'full'
}

/** The agent in place, and every agent it leads to. Those that name no model of their own use this one. */
export function runAgentOf(definition: AgentDefinition, model: Model): RunAgent {
  const inPlace = (each: AgentDefinition) =>
    unlinkedAgent(each, typeof each.model === 'string' || each.model === definition.model ? model : each.model)
  const [, ...others] = agentsOf(definition).values()
  return linkAgents([inPlace(definition), ...others.map(inPlace)])
}

function unlinkedAgent(definition: AgentDefinition, model: Model): UnlinkedAgent {
  const { instructions, model: own } = definition
  return {
    ...definition,
    instructions: async () => (typeof instructions === 'function' ? instructions() : (instructions ?? '')),
    model,
    modelName: typeof own === 'string' ? own : undefined,
    tools: definition.tools.map(unlinkedTool),
  }
}

function unlinkedTool(tool: Tool): UnlinkedTool {
  const { func: _func, summary: _summary, agent, handoff, ...rest } = tool
  return {
    ...rest,
    call: (args, context) => callTool(tool, args, context),
    agent: agent?.name,
    handoff: typeof handoff === 'object' ? handoff.name : handoff,
  }
}

export function headOf(run: Run): Head {
  return run.journal.fold.head
}

export function turnOf(run: Run): OpenTurn {
  const { turn } = headOf(run)
  if (!turn) throw new DogearError('internal', 'No turn is open.')
  return turn
}

/** Names a model call for good: asked again with it, a proxy gives the same answer. */
export function streamKey(run: Run, key: string): string {
  return `${run.runId ?? headOf(run).sessionId}:${key}`
}

/** A turn's own, else the session's: chosen for its own agent, not for one that it gave the word to. */
export function modelNameOf(run: Run): string {
  const { turn, settings } = headOf(run)
  const chosen = turn?.agent === undefined ? (turn?.model ?? settings.model) : undefined
  return chosen ?? run.agent().modelName ?? 'default'
}
