/** Asks the guardrails: about a person's words before the turn's first step, about each answer before it is kept or acted on. */
import { describeError } from '../error.ts'
import type { TerminalReason } from '../session/entry.ts'
import type { NewEntry } from '../session/journal.ts'
import { isFromPerson, textOf, type Message } from '../session/message.ts'
import {
  guardrailName,
  guardrailSlice,
  type GuardrailPhase,
  type GuardrailResult,
  type GuardrailSlice,
  type GuardrailVerdict,
} from '../smart/guardrail.ts'
import type { Ending, Nudge } from './output.ts'
import { headOf, turnOf, type Run } from './run.ts'
import { unlessStopped } from './unless-stopped.ts'

/** A blocked turn ends here, without its model having been asked. */
export async function guardRequest(run: Run): Promise<void> {
  const { id: turnId, step, openStep } = turnOf(run)
  if (step > 1 || !openStep || sliceOf(run)?.turnId === turnId) return
  const { results, blocked } = await verdicts(run, 'request')
  if (!results.length) return
  const at = { turnId, stepId: openStep.id }
  const entries: NewEntry[] = [sliceEntry(run, results)]
  if (blocked) entries.push(...blockedEntries(run, blocked.replacement ?? 'I cannot help with that.'))
  await run.journal.append(
    entries.map((entry) => ({ ...entry, ...at })),
    blocked && { dropPartials: [openStep.id] },
  )
}

/** The end of a turn whose words the model is never to read. */
export function blockedEntries(
  run: Run,
  content: string,
  terminalReason: TerminalReason = 'guardrail_blocked',
): NewEntry[] {
  const message: Message = {
    id: `${turnOf(run).openStep?.id}.m`,
    role: 'assistant',
    name: guardrailName,
    content,
    meta: { status: 'complete', createdAt: run.clock.now(), agent: run.agent().name },
  }
  return [
    { type: 'message-add', message },
    { type: 'turn-end', terminalReason },
  ]
}

export interface GuardedAnswer {
  /** The message as it may be kept. */
  readonly message: Message
  readonly ending?: Ending | Nudge
  readonly entries: readonly NewEntry[]
}

export async function guardAnswer(run: Run, message: Message, ending?: Ending | Nudge): Promise<GuardedAnswer> {
  const output = ending && 'output' in ending ? ending.output : undefined
  const { results, blocked } = await verdicts(run, 'response', message, output)
  const entries = results.length ? [sliceEntry(run, results)] : []
  if (!blocked) return { message, ending, entries }
  return {
    message: replacedBy(message, blocked.replacement ?? 'I cannot show this answer.'),
    ending: { terminalReason: 'guardrail_blocked' },
    entries,
  }
}

function replacedBy({ id, role, content, meta, tool_calls: calls = [] }: Message, replacement: string): Message {
  const { reasoning: _reasoning, ...rest } = meta
  const replaced = [textOf({ content }), ...calls.map((call) => call.function.arguments)].join('\n').trim()
  return { id, role, content: replacement, meta: { ...rest, replaced } }
}

async function verdicts(run: Run, phase: GuardrailPhase, answer?: Message, output?: unknown) {
  const results: GuardrailResult[] = []
  const guardrails = run.agent().guardrails?.[phase] ?? []
  if (!guardrails.length) return { results }
  const messages = await run.journal.messages()
  const text = textOf(answer ?? messages.findLast(isFromPerson) ?? { content: '' })
  const calls = answer?.tool_calls?.map((call) => call.function)
  const input = { phase, text, messages, ...(calls && { calls }), ...(output !== undefined && { output }) }
  for (const { name, check } of guardrails) {
    const verdict = await unlessStopped(
      run.signal,
      verdictOf(run, name, async () => check(input)),
    )
    if (!verdict || verdict.disposition === 'allow') continue
    const { disposition, reason } = verdict
    results.push({ phase, guardrail: name, disposition, ...(reason !== undefined && { reason }) })
    if (disposition === 'block') return { results, blocked: verdict }
  }
  return { results }
}

async function verdictOf(
  run: Run,
  name: string,
  check: () => Promise<GuardrailVerdict | undefined | void>,
): Promise<GuardrailVerdict | undefined | void> {
  try {
    return await check()
  } catch (error) {
    const reason = `Guardrail "${name}" threw: ${describeError(error)}`
    run.warn(`${reason} What it should have checked is blocked.`)
    return { disposition: 'block', reason }
  }
}

function sliceOf(run: Run): GuardrailSlice | undefined {
  return headOf(run).slices[guardrailSlice] as GuardrailSlice | undefined
}

function sliceEntry(run: Run, results: readonly GuardrailResult[]): NewEntry {
  const { id: turnId } = turnOf(run)
  const last = sliceOf(run)
  const before = last?.turnId === turnId ? last.results : []
  const value: GuardrailSlice = { turnId, results: [...before, ...results], before: before.length }
  return { type: 'slice-set', extension: guardrailSlice, value }
}
