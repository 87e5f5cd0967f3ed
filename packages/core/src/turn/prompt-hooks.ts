/** The hooks around what a model is asked and answers: before each of a turn's steps, and before its end. */
import { askHooks, hasHooks } from '../permission/ask-hooks.ts'
import { hookName, type HookOutput } from '../permission/hooks.ts'
import type { NewEntry } from '../session/journal.ts'
import { isFromPerson, textOf, type Message } from '../session/message.ts'
import { blockedEntries } from './guard.ts'
import { budgetReached, limitReached } from './limits.ts'
import { noticeOf } from './prompt.ts'
import { headOf, turnOf, type Run } from './run.ts'
import { stepStart } from './step-start.ts'

/** A blocked turn ends here, without its model having been asked. */
export async function beforePrompt(run: Run): Promise<void> {
  const { id: turnId, step, openStep } = turnOf(run)
  const isFirst = step === 1
  const isDue = isFirst
    ? !run.above && hasHooks(run, 'SessionStart', 'UserPromptSubmit')
    : hasHooks(run, 'PostToolBatch')
  if (!openStep || !isDue) return
  // Asked before a crash: what they said is there.
  if (run.journal.fold.nodes.has(`${openStep.id}.h`)) return
  const contexts: string[] = []
  const titles: string[] = []
  let blocked: string | undefined
  let stops: 'hook_stopped' | undefined
  const heard = ({ decision, reason, continue: goesOn, hookSpecificOutput }: HookOutput) => {
    const { additionalContext, sessionTitle } = hookSpecificOutput ?? {}
    if (additionalContext) contexts.push(additionalContext)
    if (sessionTitle) titles.push(sessionTitle)
    if (goesOn === false) stops = 'hook_stopped'
    if (decision === 'block' || stops) blocked ??= reason ?? 'This was not sent.'
  }
  const messages = await run.journal.messages()
  if (isFirst) await askOfPrompt(run, messages, heard)
  else await askOfBatch(run, messages, heard)
  const at = { turnId, stepId: openStep.id }
  const end = (): NewEntry[] => [{ type: 'turn-end', terminalReason: 'hook_stopped' }]
  const entries = blocked === undefined ? [] : isFirst ? blockedEntries(run, blocked, stops) : end()
  if (blocked === undefined && contexts.length) {
    entries.push({ type: 'message-add', message: hookMessage(run, `${openStep.id}.h`, contexts.join('\n\n')) })
  }
  const title = headOf(run).titledBy === 'person' ? undefined : titles.at(-1)
  if (title !== undefined) entries.push({ type: 'title-set', title, source: 'model' })
  if (!entries.length) return
  await run.journal.append(
    entries.map((entry) => ({ ...entry, ...at })),
    blocked === undefined ? undefined : { dropPartials: [openStep.id] },
  )
}

type Heard = (output: HookOutput) => void

async function askOfPrompt(run: Run, messages: readonly Message[], heard: Heard): Promise<void> {
  if (!run.isBegun?.()) {
    const last = messages.findLast(({ role }) => role === 'assistant')
    // A fork's messages have its own id before theirs, until it is answered itself.
    const isFork = last?.id.startsWith(`${headOf(run).sessionId}_`)
    const source = isFork ? 'fork' : last ? 'resume' : 'startup'
    await askHooks(run, 'SessionStart', { about: source, input: () => ({ source }), heard })
  }
  const prompt = textOf(messages.findLast(isFromPerson) ?? { content: '' })
  await askHooks(run, 'UserPromptSubmit', { about: '', input: () => ({ prompt }), heard })
}

async function askOfBatch(run: Run, messages: readonly Message[], heard: Heard): Promise<void> {
  const results = messages
    .slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1)
    .filter(({ role }) => role === 'tool')
  const tool_calls = results.map((result) => ({
    tool_name: result.meta.tool?.name ?? '',
    tool_input: result.meta.tool?.args,
    tool_use_id: result.tool_call_id ?? '',
    tool_response: textOf(result),
  }))
  if (results.length) await askHooks(run, 'PostToolBatch', { about: '', input: () => ({ tool_calls }), heard })
}

/** What follows an answer that would end the turn: nothing, the words the agent is made to go on with, or its end by a hook. */
export async function beforeEnd(run: Run, text: string, stepId: string): Promise<NewEntry[] | 'hook_stopped'> {
  const event = run.above ? 'SubagentStop' : 'Stop'
  const asker = run.above ?? run
  if (!hasHooks(asker, event)) return []
  const turn = turnOf(run)
  const isActive = headOf(run).nodes.some((node) => node.turnId === turn.id && node.id.endsWith('.s'))
  const told = { stop_hook_active: isActive, last_assistant_message: text }
  const about = run.above ? run.agent().name : ''
  const reasons: string[] = []
  let isStopped = false
  const heard = ({ decision, reason, continue: goesOn, hookSpecificOutput }: HookOutput) => {
    if (goesOn === false) isStopped = true
    if (decision === 'block') reasons.push(reason ?? 'Go on.')
    if (hookSpecificOutput?.additionalContext) reasons.push(hookSpecificOutput.additionalContext)
  }
  const input = () => ({ ...told, agent_id: run.journal.path.at(-1) ?? '', agent_type: run.agent().name })
  await askHooks(asker, event, { about, input, heard })
  // What a helper came to is its answer all the same.
  if (isStopped) return run.above ? [] : 'hook_stopped'
  if (!reasons.length || limitReached(turn, run.agent().limits, false) || budgetReached(run)) return []
  const message = hookMessage(run, `${stepId}.s`, reasons.join('\n\n'))
  return [{ type: 'message-add', message, turnId: turn.id, stepId }, stepStart(turn)]
}

function hookMessage(run: Run, id: string, content: string): Message {
  const notice = noticeOf(content, id, run.clock.now())
  return { ...notice, name: hookName, meta: { ...notice.meta, origin: 'system' } }
}
