/** Agents that name each other, made into agents that hold each other. */
import type { RunAgent, RunTool } from '../turn/run.ts'
import { subagentTools } from './subagents.ts'

export interface UnlinkedAgent extends Omit<RunAgent, 'tools'> {
  readonly tools: readonly UnlinkedTool[]
}

/** A tool that may stand for an agent, by its name. */
export interface UnlinkedTool extends Omit<RunTool, 'handoff' | 'tasks'> {
  readonly agent?: string
  readonly handoff?: string
}

/** The first of them. Two may lead to each other, so all are there before any of them has its tools. */
export function linkAgents(unlinked: readonly [UnlinkedAgent, ...UnlinkedAgent[]]): RunAgent {
  const agents = new Map<string, RunAgent>()
  for (const { tools: _tools, ...agent } of unlinked) agents.set(agent.name, { ...agent, tools: [] })
  for (const { name, tools } of unlinked) {
    const agent = agents.get(name) as RunAgent & { tools: RunTool[] }
    for (const tool of tools) agent.tools.push(linked(tool, agents))
    agent.tools.push(...subagentTools(agent))
  }
  return agents.get(unlinked[0].name) as RunAgent
}

function linked({ agent, handoff, ...tool }: UnlinkedTool, agents: ReadonlyMap<string, RunAgent>): RunTool {
  const worker = agent === undefined ? undefined : agents.get(agent)
  return {
    ...tool,
    ...(worker && { tasks: (args: unknown) => [{ agent: worker, input: (args as { input: string }).input }] }),
    ...(handoff !== undefined && { handoff: agents.get(handoff) }),
  }
}
