/** Who is at work: the agent itself or one that a handoff gave the word to, and who works for a call of it. */
import type { Head } from '../session/state.ts'
import { argsOf } from '../turn/recover.ts'
import type { RunAgent } from '../turn/run.ts'

/**
 * The journal keeps the name, never the agent: after a reload the page defines it anew. On a page that does not
 * define it the session's own agent goes on.
 */
export function activeAgent(root: RunAgent, { turn, activeAgent: name }: Head): RunAgent {
  const active = turn ? turn.agent : name
  return active === undefined ? root : (reachable(root).find((agent) => agent.name === active) ?? root)
}

/** Every agent that handoffs lead to, the first one first. */
export function reachable(root: RunAgent): RunAgent[] {
  const found = [root]
  for (const agent of found) {
    for (const { handoff } of agent.tools) if (handoff && !found.includes(handoff)) found.push(handoff)
  }
  return found
}

/** The agent at work where this path of calls leads; undefined when this page does not define it. */
export function agentAt(root: RunAgent, head: Head, path: readonly string[] = []): RunAgent | undefined {
  const agent = activeAgent(root, head)
  const [key, ...rest] = path
  if (key === undefined) return agent
  const child = head.children[key]
  const worker = workerOf(agent, head, key)
  return child && worker && agentAt(worker, child, rest)
}

/** The agent this one has given a task of a call to. */
export function workerOf(agent: RunAgent, { turn }: Head, key: string): RunAgent | undefined {
  const [callId, index = 0] = key.split('#')
  const call = turn?.calls.find((open) => open.callId === callId)
  const tool = call && agent.tools.find(({ name }) => name === call.tool)
  return call && tool?.tasks?.(argsOf(call))[Number(index)]?.agent
}
