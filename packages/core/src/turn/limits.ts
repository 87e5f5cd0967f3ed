/** The limits of a turn: how many steps and calls it may take, what it may cost, and how long it may last. */
import type { TerminalReason } from '../session/entry.ts'
import type { OpenTurn } from '../session/state.ts'
import type { ResolvedLimits as Limits } from '../smart/profile.ts'
import { turnOf, type Run } from './run.ts'

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

/** Why nothing more may be spent, by this agent or by those it works for. What others spend for a turn is the turn's own. */
export function budgetReached(run: Run): TerminalReason | undefined {
  const { maxTotalOutputTokens: tokens, maxCostUsd: cost, maxWallClockMs: time } = run.agent().limits
  const { spent } = turnOf(run)
  if (tokens && spent.outputTokens >= tokens) return 'max_output_tokens_total'
  if (cost && spent.costUsd >= cost) return 'max_cost'
  if (time && timeSpent(run) >= time) return 'max_wall_clock'
  return run.budgetAbove?.()
}

/** By this host alone: a turn taken up hours later has its whole time, and the hours were nobody's work. */
function timeSpent(run: Run): number {
  const { id } = turnOf(run)
  const now = run.clock.elapsed()
  // One run may drive several turns: each has its own time.
  if (run.timed?.turnId !== id) run.timed = { turnId: id, since: run.timed ? now : run.startedAt }
  return now - run.timed.since
}

/** Whether what an answer has cost may end the turn: then it is to be written before the next step begins. */
export function isBudgeted(run: Run): boolean {
  const { maxTotalOutputTokens, maxCostUsd } = run.agent().limits
  return Boolean(maxTotalOutputTokens || maxCostUsd || run.budgetAbove)
}

/** Once a turn, at its first step: a limit that cannot hold must not look as if it did. */
export function warnOfLimits(run: Run): void {
  const { limits, costOf, name } = run.agent()
  if (turnOf(run).step > 1 || !limits.maxCostUsd || costOf || run.costAbove) return
  run.warn(`maxCostUsd of agent "${name}" has no effect: give the agent a costEstimator.`)
}
