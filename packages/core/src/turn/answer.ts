/** A streamed answer as entries: the message, what it cost, its calls, and what can be decided about them at once. */
import type { NewEntries, NewEntry } from '../session/journal.ts'
import { textOf, type Message, type MessageStatus, type ToolCall } from '../session/message.ts'
import type { Partial, PartialCall } from '../session/partial.ts'
import type { OpenCall } from '../session/state.ts'
import { labelText } from '../tools/tool.ts'
import { decideCall, decisionEntries, planned, toolNamed } from './decide.ts'
import { nextTurn } from './go-on.ts'
import { guardAnswer } from './guard.ts'
import { isBudgeted, limitReached } from './limits.ts'
import { endingOfCalls, endingOfText, notBeforeOthers, nudgeEntries, type Judged } from './output.ts'
import { beforeEnd } from './prompt-hooks.ts'
import { steering } from './queue.ts'
import { headOf, turnOf, type Run } from './run.ts'
import { stepStart } from './step-start.ts'
import { unlessStopped } from './unless-stopped.ts'
import { usageEntries } from './usage.ts'

export async function answerEntries(run: Run, partial: Partial): Promise<NewEntries> {
  const turn = turnOf(run)
  const { stepId } = partial
  const at = { turnId: turn.id, stepId }
  const calls = partial.calls.map((call, position) => openCall(run, stepId, call, position))
  const answer = messageOf(run, partial, partial.refusal ? 'refused' : 'complete', partial.calls)
  const costs = (await usageEntries(run, partial, 'step')).map((entry) => ({ ...entry, ...at }))
  // Decided before the write, so that message, calls and the intents of what starts now share one transaction.
  const judged = calls.length ? await judgedCalls(run, calls, partial.text) : []
  const ending = calls.length ? endingOfCalls(run, judged) : await endingOfText(run, answer)
  const guarded = run.agent().guardrails
    ? await guardAnswer(run, answer, ending)
    : { message: answer, ending, entries: [] }
  const { message } = guarded
  const entries: NewEntry[] = [{ type: 'message-add', message, ...at }, ...costs, ...guarded.entries]
  if (guarded.ending && 'problem' in guarded.ending) return [...entries, ...nudgeEntries(run, guarded.ending, at)]
  let last = guarded.ending
  if (!calls.length && last?.terminalReason === 'completed') {
    const more = await beforeEnd(run, textOf(message), stepId)
    if (more === 'hook_stopped') last = { ...last, terminalReason: more }
    else if (more.length) return [...entries, ...more]
  }
  // With the answer in one write: no turn is left open by a crash between them.
  const end: NewEntry[] = last ? [{ type: 'turn-end', turnId: turn.id, ...last }] : []
  const isDone = last?.terminalReason === 'completed'
  if (isDone && run.agent().onTurn) end.push(...(await nextTurn(run, textOf(message))))
  // A guardrail took the calls out of the answer.
  if (!message.tool_calls) return [...entries, ...end]
  for (const [index, { callId, tool, label, args }] of calls.entries()) {
    const providerId = partial.calls[index]?.id
    entries.push({ type: 'call-request', call: { callId, index, tool, label, args, providerId }, ...at })
  }
  const decide = () => [...entries, ...decidedEntries(run, calls, judged, at, end.length > 0), ...end]
  // When it is written: a person may have changed the plan meanwhile.
  return judged.some(({ type }) => type === 'plan') ? decide : decide()
}

/** What becomes of the calls, and the next step's start where it depends on none of them. */
function decidedEntries(
  run: Run,
  calls: readonly OpenCall[],
  judged: readonly Judged[],
  at: { turnId: string; stepId: string },
  isOver: boolean,
): NewEntry[] {
  const turn = turnOf(run)
  const { limits } = run.agent()
  const entries: NewEntry[] = []
  const decided = planned(judged, headOf(run).plan, run.clock.now())
  const mayBeLeft = run.checkpoint ?? run.asksAt === 'before_tools'
  let started = 0
  for (const [index, decision] of decided.entries()) {
    // Nothing is begun that a checkpoint may leave: what is resumed later must not look like a host's death.
    if (decision.type === 'run' && (mayBeLeft || ++started > limits.maxParallelTools)) continue
    entries.push(...decisionEntries(run, calls[index] as OpenCall, decision, at))
  }
  const isSettled = decided.every((decision) => decision.type === 'result')
  const mayGoOn = !isOver && !isBudgeted(run) && !limitReached(turn, limits, true) && !steering(run).length
  if (isSettled && mayGoOn && run.asksAt !== 'after_step') entries.push(stepStart(turn))
  return entries
}

async function judgedCalls(run: Run, calls: readonly OpenCall[], reason: string): Promise<Judged[]> {
  const judging = calls.map((call, index) => decideCall(run, call, { index, calls, reason, isEarly: true }))
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
