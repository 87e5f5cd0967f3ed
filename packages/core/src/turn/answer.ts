/** A streamed answer as entries: the message, what it cost, its calls, and what can be decided about them at once. */
import type { NewEntry } from '../session/journal.ts'
import type { Message, MessageStatus, ToolCall } from '../session/message.ts'
import type { Partial, PartialCall } from '../session/partial.ts'
import type { OpenCall } from '../session/state.ts'
import { labelText } from '../tools/tool.ts'
import { decideCall, decisionEntries, planned, toolNamed } from './decide.ts'
import { guardAnswer } from './guard.ts'
import { isBudgeted, limitReached } from './limits.ts'
import { endingOfCalls, endingOfText, notBeforeOthers, nudgeEntries, type Judged } from './output.ts'
import { headOf, turnOf, type Run } from './run.ts'
import { stepStart } from './step-start.ts'
import { unlessStopped } from './unless-stopped.ts'
import { usageEntries } from './usage.ts'

export async function answerEntries(run: Run, partial: Partial): Promise<NewEntry[]> {
  const turn = turnOf(run)
  const { stepId } = partial
  const at = { turnId: turn.id, stepId }
  const calls = partial.calls.map((call, position) => openCall(run, stepId, call, position))
  const answer = messageOf(run, partial, partial.refusal ? 'refused' : 'complete', partial.calls)
  const costs = (await usageEntries(run, partial, 'step')).map((entry) => ({ ...entry, ...at }))
  // Decided before the write, so that message, calls and the intents of what starts now share one transaction.
  const judged = calls.length ? await judgedCalls(run, calls, partial.text) : []
  const ending = calls.length ? endingOfCalls(run, judged) : await endingOfText(run, answer)
  if (ending && 'problem' in ending) {
    return [{ type: 'message-add', message: answer, ...at }, ...costs, ...nudgeEntries(run, ending, at)]
  }
  const guarded = ending && (await guardAnswer(run, answer, ending))
  const message = guarded?.message ?? answer
  const entries: NewEntry[] = [{ type: 'message-add', message, ...at }, ...costs]
  // With the answer in one write: no turn is left open by a crash between them.
  const end: NewEntry[] = guarded ? [...guarded.entries, { type: 'turn-end', turnId: turn.id, ...guarded.ending }] : []
  // A guardrail took the calls out of the answer.
  if (!message.tool_calls) return [...entries, ...end]
  for (const [index, { callId, tool, label, args }] of calls.entries()) {
    const providerId = partial.calls[index]?.id
    entries.push({ type: 'call-request', call: { callId, index, tool, label, args, providerId }, ...at })
  }
  const { limits } = run.agent()
  // After all that is waited for: a person may have changed the plan meanwhile.
  const decided = planned(judged, headOf(run).plan, run.clock.now())
  let started = 0
  for (const [index, decision] of decided.entries()) {
    // Nothing is begun that a checkpoint may leave: what is resumed later must not look like a host's death.
    if (decision.type === 'run' && (run.checkpoint || ++started > limits.maxParallelTools)) continue
    entries.push(...decisionEntries(run, calls[index] as OpenCall, decision, at))
  }
  if (guarded) return [...entries, ...end]
  const isSettled = decided.every((decision) => decision.type === 'result')
  if (isSettled && !isBudgeted(run) && !limitReached(turn, limits, true)) entries.push(stepStart(turn))
  return entries
}

async function judgedCalls(run: Run, calls: readonly OpenCall[], reason: string): Promise<Judged[]> {
  const judging = calls.map((call, index) => decideCall(run, call, { index, calls, reason }))
  return notBeforeOthers(await unlessStopped(run.signal, Promise.all(judging)), calls)
}

/** What was streamed before the cut: shown, marked, never sent to the model, and never a call. */
export function cutEntry(run: Run, partial: Partial): NewEntry {
  const { id: turnId } = turnOf(run)
  return { type: 'message-add', turnId, stepId: partial.stepId, message: messageOf(run, partial, 'partial', []) }
}

export function messageOf(run: Run, partial: Partial, status: MessageStatus, calls: readonly PartialCall[]): Message {
  const { stepId, text, reasoning, refusal, resumedAt, finish } = partial
  const toolCalls = calls.map((call, position): ToolCall => ({
    id: `${stepId}.${position}`,
    type: 'function',
    function: { name: call.name, arguments: call.args },
    ...(call.id !== undefined && { providerId: call.id }),
  }))
  return {
    id: `${stepId}.m`,
    role: 'assistant',
    content: text || refusal || (toolCalls.length ? null : ''),
    ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
    meta: {
      status,
      createdAt: run.clock.now(),
      agent: run.agent().name,
      ...(reasoning && { reasoning: [reasoning] }),
      ...(resumedAt && { resumedAt }),
      ...((finish === 'length' || finish === 'refusal') && { finish }),
    },
  }
}

function openCall(run: Run, stepId: string, call: PartialCall, position: number): OpenCall {
  const label = labelText(toolNamed(run, call.name)?.label, 'done')
  return { callId: `${stepId}.${position}`, tool: call.name, ...(label && { label }), args: call.args, done: false }
}
