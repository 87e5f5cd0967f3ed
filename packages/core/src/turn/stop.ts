/** Stopping: the words already shown are kept, open calls get their one result, and the turn ends. */
import type { CallResult, TerminalReason } from '../session/entry.ts'
import type { NewEntry } from '../session/journal.ts'
import type { Head, OpenCall, OpenTurn } from '../session/state.ts'
import { messageOf } from './answer.ts'
import { wayBack } from './branch.ts'
import { headOf, streamKey, turnOf, type Run } from './run.ts'
import { hasWords } from './step.ts'
import { usageEntries } from './usage.ts'

export async function stopTurn(run: Run): Promise<void> {
  const stopping = run.stopping()
  // Let go without being asked to stop: another host goes on from the journal.
  if (!stopping) return
  const turn = turnOf(run)
  const at = { turnId: turn.id }
  const entries: NewEntry[] = []
  if (turn.openStep) {
    // Nobody waits for it: a model that cannot be told is stopped all the same.
    void run
      .agent()
      .model.stop?.(streamKey(run, turn.openStep.key))
      .catch(() => {})
    const partial = run.shown() ?? (await run.loadPartial(turn.openStep.id))
    if (partial && hasWords(partial)) {
      entries.push({
        ...at,
        stepId: partial.stepId,
        type: 'message-add',
        message: messageOf(run, partial, 'stopped', []),
      })
      entries.push(...(await usageEntries(run, partial, 'step')))
    }
  }
  // An intent of this very run that was not entered yet is known not to have happened.
  const isBegun = (call: OpenCall) => mayHaveRun(call) && !run.ready.has(call.callId)
  const children = endChildren(headOf(run), run.journal.path, 'aborted_tools')
  entries.push(...children, ...openResults(turn, (call) => stopped(isBegun(call))))
  const { entries: back, from } = wayBack(run.journal.fold, entries)
  entries.push(...back, {
    ...at,
    type: 'turn-end',
    terminalReason: turn.openStep ? 'aborted_streaming' : 'aborted_tools',
    commandId: stopping.commandId,
    ...(from !== undefined && { from }),
  })
  await run.journal.append(entries, { take: stopping.take, dropPartials: openSteps(headOf(run)), must: true })
  run.emit(null)
}

function stopped(isBegun: boolean): Pick<CallResult, 'content' | 'unknown'> {
  if (!isBegun) return { content: 'The person stopped before this was run.' }
  return {
    content: 'The person stopped this while it was running. Whether it took effect is not known.',
    unknown: true,
  }
}

/** One that waits for an answer to its own question has had no effect yet. */
export function mayHaveRun({ intent, request }: OpenCall): boolean {
  return intent !== undefined && !request?.entered
}

/** The one result of every call a turn ends without. */
export function openResults(
  turn: OpenTurn,
  saying: (call: OpenCall) => Pick<CallResult, 'content' | 'unknown'>,
): NewEntry[] {
  return turn.calls
    .filter((call) => !call.done)
    .map((call): NewEntry => {
      const { callId, tool, label } = call
      const args = call.intent?.args ?? call.request?.args
      const result: CallResult = { status: 'stopped', args, tool, label, ...saying(call) }
      return { type: 'tool-result', turnId: turn.id, callId, result }
    })
}

/** Ends the agents at work for one that ends, the innermost first. Those that were running here have ended themselves. */
export function endChildren({ children }: Head, path: readonly string[], terminalReason: TerminalReason): NewEntry[] {
  return Object.entries(children).flatMap(([key, child]) => {
    if (!child.turn) return []
    const at = { turnId: child.turn.id, path: [...path, key] }
    const results = openResults(child.turn, (call) => stopped(mayHaveRun(call)))
    return [
      ...endChildren(child, at.path, terminalReason),
      ...results.map((result) => ({ ...result, ...at })),
      { type: 'turn-end', terminalReason, ...at },
    ]
  })
}

/** The steps whose partials a turn's end leaves to nobody, its children's among them. */
export function openSteps({ turn, children }: Head): string[] {
  return [...(turn?.openStep ? [turn.openStep.id] : []), ...Object.values(children).flatMap(openSteps)]
}
