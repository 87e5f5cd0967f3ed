/** One turn: from the user's message until the agent rests. What comes next is read off the journal, never off a flag. */
import { describeError, DogearError, toErrorData } from '../error.ts'
import { askHooks } from '../permission/ask-hooks.ts'
import type { TerminalReason } from '../session/entry.ts'
import type { AgentDefinition } from '../agents/agent.ts'
import { statusOf } from '../session/fold.ts'
import type { NewEntry } from '../session/journal.ts'
import { textOf } from '../session/message.ts'
import type { Head } from '../session/state.ts'
import { compactNow } from '../smart/compaction.ts'
import { wayBack } from './branch.ts'
import { runCalls } from './calls.ts'
import { checkpointEntry } from './checkpoint.ts'
import { budgetReached, limitReached } from './limits.ts'
import { noOutput, outputGivenUp } from './output.ts'
import { nextTurn } from './go-on.ts'
import { headOf, turnOf, type Run, type Stage } from './run.ts'
import { stepEntries } from './queue.ts'
import { answerStep } from './step.ts'
import { endChildren, mayHaveRun, openResults, openSteps, stopTurn } from './stop.ts'

/** Runs until the turn has ended or waits for a person. */
export async function runTurn(run: Run): Promise<void> {
  try {
    for (;;) {
      // Ended with its last answer: a stop that comes too late has nothing to stop.
      if (!headOf(run).turn) return void (run.checkpoint && (await run.checkpoint('after_loop')))
      run.signal.throwIfAborted()
      const next = withinBudget(run, nextAction(headOf(run), run.agent()))
      if (next.type === 'rest') return
      const asks = checkpointEntry(run, next.type)
      if (asks) return await run.journal.append([asks])
      if (next.type === 'answer' && run.checkpoint && (await run.checkpoint('before_guardrails'))) return
      if (next.type === 'step') await run.alone(() => run.journal.append(stepEntries(run)))
      if (next.type === 'compact') return await compactNow(run)
      if (next.type === 'answer') await answerStep(run)
      if (next.type === 'calls') await runCalls(run, runTurn)
      if (next.type === 'end') await endTurn(run, next.reason, next.error)
      const stage = stageAfter[next.type]
      if (stage && run.checkpoint && (await run.checkpoint(stage))) return
    }
  } catch (error) {
    if (run.signal.aborted) return await stopTurn(run)
    if (error instanceof DogearError && cannotBeWritten.has(error.code)) throw error
    run.warn(error instanceof Error ? error.message : String(error))
    await endTurn(run, isTooLong(error) ? 'prompt_too_long' : 'model_error', error)
  } finally {
    run.deadlines.close()
  }
}

/** Asking again would not help: the model reads less than it was sent. */
function isTooLong(error: unknown): boolean {
  const code = error instanceof DogearError && error.details?.['serverCode']
  return typeof code === 'string' && /context_length|too_long/.test(code)
}

/** The one part of where a turn goes on that the head cannot tell: how long this host has worked at it. */
function withinBudget(run: Run, next: Action): Action {
  const reason = next.type === 'step' ? budgetReached(run) : undefined
  return reason ? { type: 'end', reason } : next
}

/** Where whoever drives the turn step by step may leave it. */
const stageAfter: { readonly [T in Action['type']]?: Stage } = { answer: 'after_agent', calls: 'after_tools' }

type Action =
  | { readonly type: 'rest' | 'step' | 'answer' | 'calls' | 'compact' }
  | { readonly type: 'end'; readonly reason: TerminalReason; readonly error?: DogearError }

/** A server that always breaks off would be paid for the same question until the steps run out. */
const cutsInARow = 3

/** Where a turn goes on, whoever drove it before. */
export function nextAction(head: Head, { limits, output }: Pick<AgentDefinition, 'limits' | 'output'>): Action {
  const { turn } = head
  if (!turn || statusOf(head) === 'paused') return { type: 'rest' }
  if (turn.origin === 'compact') return { type: 'compact' }
  if (turn.openStep) return { type: 'answer' }
  const isByHook = turn.finish === 'hook_stopped'
  if (turn.interrupted) return { type: 'end', reason: isByHook ? turn.finish : 'aborted_tools' }
  if (turn.calls.some((call) => !call.done)) return { type: 'calls' }
  if (turn.step > 0 && turn.calls.length === 0 && turn.cuts === 0) return { type: 'end', reason: turn.finish }
  if (turn.cuts >= cutsInARow) return { type: 'end', reason: 'model_error', error: alwaysCut }
  const reason = limitReached(turn, limits) ?? outputGivenUp(turn, output)
  return reason ? { type: 'end', reason } : { type: 'step' }
}

const alwaysCut = new DogearError(
  'stream-cut',
  `The answer was cut off ${cutsInARow} times in a row. Try again later, or look at what stands between page and model.`,
)

/** Failures of the journal itself: an end cannot be written either. */
const cannotBeWritten = new Set(['fenced', 'storage-full', 'storage-blocked', 'storage-failed', 'session-closed'])

const failedBefore = { content: 'Not carried out: the turn failed before it.' }
const failedWhileRunning = {
  content: 'The turn failed while this was running. Whether it took effect is not known.',
  unknown: true,
}

async function endTurn(run: Run, terminalReason: TerminalReason, error?: unknown): Promise<void> {
  const turn = turnOf(run)
  const { id: turnId } = turn
  const children = endChildren(headOf(run), run.journal.path, terminalReason)
  const { entries: back, from } = wayBack(run.journal.fold, [])
  const end: NewEntry = {
    type: 'turn-end',
    turnId,
    terminalReason,
    ...(error !== undefined && { error: toErrorData(error) }),
    ...(terminalReason === 'structured_output_retry_exhausted' && { outputError: noOutput }),
    ...(from !== undefined && { from }),
  }
  const results = openResults(turn, (call) => (mayHaveRun(call) ? failedWhileRunning : failedBefore))
  // An answer that was kept without its end, by a version that wrote them apart: the agent may go on from it all the same.
  const answer = terminalReason === 'completed' && run.journal.fold.bodies.get(headOf(run).leaf ?? '')
  const next = answer ? await nextTurn(run, textOf(answer)) : []
  await run.journal.append([...children, ...results, ...back, end, ...next], {
    dropPartials: openSteps(headOf(run)),
    must: true,
  })
  run.emit(null)
  if (error === undefined) return
  const told = { error: describeError(error) }
  void askHooks(run, 'StopFailure', { about: '', input: () => told }).catch(() => {})
}
