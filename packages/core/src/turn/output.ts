/** The structured answer of a turn: a call of `response`, or a text that is the JSON itself. */
import type { EntryOf } from '../session/entry.ts'
import type { NewEntry } from '../session/journal.ts'
import { textOf, type Message } from '../session/message.ts'
import { finishOf } from '../session/body.ts'
import type { OpenTurn } from '../session/state.ts'
import type { OutputSpec } from '../smart/output.ts'
import { builtinNames } from '../tools/builtin.ts'
import type { Validated } from '../tools/tool.ts'
import { checkBy } from './check-by.ts'
import { resultOf, type CallDecision, type PlanCall } from './decision.ts'
import { budgetReached, limitReached } from './limits.ts'
import { noticeOf } from './prompt.ts'
import { turnOf, type Run } from './run.ts'
import { stepStart } from './step-start.ts'
import { unlessStopped } from './unless-stopped.ts'

export type Judged = CallDecision | PlanCall

/** How an answer ends its turn. */
export type Ending = Pick<EntryOf<'turn-end'>, 'terminalReason' | 'output' | 'outputError'>

/** Why a turn whose calls are done goes on no further, for all that the model was told to mend its answer. */
export function outputGivenUp(turn: OpenTurn, output: OutputSpec | undefined) {
  return output && failures(turn) > output.maxRetries ? 'structured_output_retry_exhausted' : undefined
}

export const noOutput = 'The model gave no answer that fits the output schema.'

/** The ending in a step's calls: undefined when none of them is the final answer, or the last try at one. */
export function endingOfCalls(run: Run, judged: readonly Judged[]): Ending | undefined {
  const { output } = run.agent()
  if (!output || !judged.every(isSettled)) return undefined
  const results = judged.filter((decision) => decision.type === 'result')
  const given = results.find((decision) => decision.output !== undefined)
  if (given) return { terminalReason: 'completed', output: given.output }
  const failed = results.filter(({ result }) => result.tool === builtinNames.response && result.status === 'error')
  const isLastTry = failed.length > 0 && failures(turnOf(run)) + failed.length > output.maxRetries
  return isLastTry ? givenUp(failed[0]?.result.content) : undefined
}

/** An answer given before the results it speaks of are known would be a guess. */
export function notBeforeOthers(judged: readonly Judged[], calls: OpenTurn['calls']): Judged[] {
  if (judged.every(isSettled)) return [...judged]
  return judged.map((decision, index) => {
    const call = calls[index]
    if (!call || decision.type !== 'result' || decision.output === undefined) return decision
    return resultOf(call, 'skipped', 'Not taken yet: call it again once you know the results of your other calls.')
  })
}

/** Its result is there, or will be with the change of the plan. */
function isSettled({ type }: Judged): boolean {
  return type === 'result' || type === 'plan'
}

/** The ending in words without a call: undefined when the model is to be told to give the structured answer. */
export async function endingOfText(run: Run, message: Message): Promise<Ending | Nudge> {
  const terminalReason = finishOf(message)
  const { output, limits } = run.agent()
  if (!output || terminalReason !== 'completed') return { terminalReason }
  const checked = await unlessStopped(run.signal, checkText(output, textOf(message)))
  if (checked.ok) return { terminalReason, output: checked.value }
  const problem = checked.issues.join('; ')
  const turn = turnOf(run)
  const mayTryAgain = output.strategy === 'tool' && failures(turn) < output.maxRetries && !budgetReached(run)
  return mayTryAgain && !limitReached(turn, limits, true) ? { problem } : givenUp(problem)
}

export interface Nudge {
  readonly problem: string
}

export function nudgeEntries(run: Run, { problem }: Nudge, at: { turnId: string; stepId: string }): NewEntry[] {
  const told = `[System Notice] This is not taken as the final answer (${problem}). Give it by calling ${builtinNames.response}.`
  const notice = noticeOf(told, `${at.stepId}.n`, run.clock.now())
  const message: Message = { ...notice, meta: { ...notice.meta, origin: 'system' } }
  return [{ type: 'message-add', message, ...at }, stepStart(turnOf(run))]
}

function givenUp(problem: string | undefined): Ending {
  return { terminalReason: 'structured_output_retry_exhausted', outputError: `${noOutput} ${problem ?? ''}`.trim() }
}

/** Tries at a structured answer in this turn that came to nothing. */
function failures({ nudges = 0, tallies }: OpenTurn): number {
  return nudges + (tallies[builtinNames.response]?.failures ?? 0)
}

async function checkText(output: OutputSpec, text: string): Promise<Validated> {
  for (const candidate of [text, /```(?:json)?\s*\n([\s\S]*?)```/.exec(text)?.[1], /\{[\s\S]*\}/.exec(text)?.[0]]) {
    try {
      const value: unknown = JSON.parse(candidate ?? '')
      return await checkBy(output, value)
    } catch {
      // Not JSON: perhaps the next is.
    }
  }
  return { ok: false, issues: ['it is not JSON'] }
}
