/** The limits of a turn: how many steps it may take, and how many calls. */
import type { AgentDefinition } from '../agents/agent.ts'
import type { TerminalReason } from '../session/entry.ts'
import type { OpenTurn } from '../session/state.ts'

type Limits = AgentDefinition['limits']

/** How many of a step's calls may still run. */
export function callsLeft(turn: OpenTurn, limits: Limits): number {
  return limits.maxToolCalls - (turn.toolCallCount - turn.calls.length)
}

/** Why no further step may begin. A model that asks for tools after it was told that none are left has had its say. */
export function limitReached(
  turn: OpenTurn,
  limits: Limits,
  hasCalls = turn.calls.length > 0,
): TerminalReason | undefined {
  if (hasCalls && callsLeft(turn, limits) <= 0) return 'max_tool_calls'
  return turn.step >= limits.maxSteps ? 'max_turns' : undefined
}
