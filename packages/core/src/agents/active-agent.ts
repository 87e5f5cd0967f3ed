/** Who has the word: the agent itself, or one that a handoff gave it to. */
import type { RunAgent } from '../turn/run.ts'

/** The journal keeps the name, never the agent: after a reload the page defines it anew. */
export function activeAgent(root: RunAgent, name: string | undefined): RunAgent {
  return name === undefined ? root : (reachable(root).find((agent) => agent.name === name) ?? root)
}

/** Every agent that handoffs lead to, the first one first. */
function reachable(root: RunAgent): RunAgent[] {
  const found = [root]
  for (const agent of found) {
    for (const { handoff } of agent.tools) if (handoff && !found.includes(handoff)) found.push(handoff)
  }
  return found
}
