/** An agent as a tool of another: its answer is the tool's result. */
import { createTool, type Tool } from '../tools/tool.ts'
import type { AgentDefinition } from './agent.ts'

export interface AsToolOptions {
  /** What the model calls it. Default: the agent's name. */
  toolName?: string
  /** What the model reads: when to give work to this agent. */
  description?: string
  /** What the model reads about the one argument, `input`. */
  inputDescription?: string
  /** Ask a person before each task. What the agent's own tools need is asked for all the same. */
  needsApproval?: boolean | ((args: { input: string }) => boolean | Promise<boolean>)
}

export function asTool(agent: AgentDefinition, options: AsToolOptions = {}): Tool {
  const { toolName = agent.name, needsApproval } = options
  const { description = `Gives a task to ${agent.name} and waits for its answer.` } = options
  const { inputDescription = 'The task, with everything needed to do it.' } = options
  return createTool<{ input: string }>({
    name: toolName,
    description,
    parameters: {
      type: 'object',
      properties: { input: { type: 'string', description: inputDescription } },
      required: ['input'],
    },
    needsApproval,
    agent,
  })
}
