/** Every agent that another may give work or the word to. */
import { DogearError } from '../error.ts'
import type { AgentDefinition } from './agent.ts'

/** By name, the agent itself first. Those without an endpoint of their own ask where the agent asks that names them. */
export function agentsOf(root: AgentDefinition): ReadonlyMap<string, AgentDefinition> {
  const named = new Map([[root.name, root]])
  const found = new Map(named)
  for (const agent of found.values()) {
    for (const other of agent.tools.flatMap((tool) => [tool.agent, tool.handoff])) {
      if (typeof other !== 'object' || named.get(other.name) === other) continue
      if (named.has(other.name)) throw twins(root.name, other.name)
      named.set(other.name, other)
      found.set(other.name, inheriting(other, agent))
    }
  }
  return found
}

/** Not a token of its parent's for an endpoint of its own: that would tell one server another's secret. */
function inheriting(agent: AgentDefinition, parent: AgentDefinition): AgentDefinition {
  if (agent.endpoint !== undefined || typeof agent.model === 'object') return agent
  const { endpoint, token, headers, model } = parent
  return {
    ...agent,
    endpoint,
    token: agent.token ?? token,
    headers: agent.headers ?? headers,
    model: agent.model === 'default' ? model : agent.model,
  }
}

function twins(root: string, name: string): DogearError {
  return new DogearError(
    'agent-invalid',
    `Agent "${root}" leads to two different agents named "${name}". Give each a name of its own.`,
  )
}
