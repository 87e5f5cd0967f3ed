/** Giving the word to another agent: it answers from the next step on, with its own instructions, tools, model and limits. */
import { createTool, type Tool } from '../tools/tool.ts'
import type { AgentDefinition } from './agent.ts'

export interface AsHandoffOptions {
  /** Default `handoff_to_<name>`. */
  toolName?: string
  /** What the model reads: when to give the word to this agent. */
  description?: string
}

/** By name alone it leads back to an agent that this one was reached from. */
export function asHandoff(agent: AgentDefinition | string, options: AsHandoffOptions = {}): Tool {
  const name = typeof agent === 'string' ? agent : agent.name
  const { toolName = `handoff_to_${name}`, description = `Hands the conversation over to ${name}.` } = options
  return createTool({
    name: toolName,
    description,
    parameters: {
      type: 'object',
      properties: { reason: { type: 'string', description: 'Why, in a few words.' } },
    },
    handoff: agent,
  })
}
