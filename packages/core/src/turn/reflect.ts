/** Makes the note that is due before a step: asked beside the conversation, kept in the journal with what it cost. */
import { describeError } from '../error.ts'
import type { ModelRequest, ModelUsage } from '../ports/model.ts'
import type { NewEntry } from '../session/journal.ts'
import { textOf, type Message } from '../session/message.ts'
import {
  dueReflection,
  isNearDuplicate,
  type DueReflection,
  type Reflecting,
  type ReflectionRecord,
  type ReflectionUsage,
} from '../smart/reflection.ts'
import { askAside, type Aside } from './ask-aside.ts'
import { noticeOf, promptOf } from './prompt.ts'
import { headOf, turnOf, type Run } from './run.ts'

export async function reflect(run: Run, how: Reflecting): Promise<void> {
  const history = await run.journal.messages()
  const due = dueReflection(headOf(run), history, how)
  if (!due) return
  let aside: Aside
  try {
    aside = await askAside(run, 'reflection', await requestFor(run, due, how))
  } catch (error) {
    if (run.signal.aborted) throw error
    run.warn(`A reflection failed (${describeError(error)}). The turn goes on without it.`)
    return
  }
  const { id: turnId, openStep } = turnOf(run)
  const at = { turnId, stepId: openStep?.id }
  const made = madeEntries(run, due, how, aside, history.length - 1)
  await run.journal.append([...made, ...aside.entries].map((entry) => ({ ...entry, ...at })))
}

/** Nothing when the model had nothing new to say; what that cost is kept all the same. */
function madeEntries(
  run: Run,
  { id, toolCallIds }: DueReflection,
  { cadence, maxChars, feedTo }: Reflecting,
  { text: said, entries, durationMs }: Aside,
  anchorMessageIndex: number,
): NewEntry[] {
  // Without its other half a character makes servers refuse the whole conversation.
  const text = said
    .trim()
    .slice(0, maxChars)
    .replace(/[\uD800-\uDBFF]$/, '')
  if (!text || isNearDuplicate(text, headOf(run).reflections)) return []
  const turn = turnOf(run).toolCallCount
  const createdAt = new Date(run.clock.now()).toISOString()
  const usage = entries.find((entry) => entry.type === 'usage-add')?.usage
  const reflection: ReflectionRecord = {
    id,
    turn,
    text,
    createdAt,
    durationMs,
    anchorMessageIndex,
    trigger: cadence,
    toolCallIds,
    ...(usage && { usage: usageOf(usage) }),
  }
  const made: NewEntry[] = [{ type: 'reflection-add', reflection }]
  if (feedTo === 'memory') {
    const fact = { key: id, value: text, confidence: 0.5, scope: 'session', tags: ['reflection'] } as const
    made.push({ type: 'memory-add', fact: { ...fact, sourceTurn: turn, lastUpdatedAt: createdAt } })
  }
  return made
}

function usageOf({ input, output, cachedInput, total, reasoning }: ModelUsage): ReflectionUsage {
  return {
    inputTokens: input,
    outputTokens: output,
    cachedInputTokens: cachedInput,
    totalTokens: total,
    reasoningTokens: reasoning,
  }
}

async function requestFor(run: Run, due: DueReflection, how: Reflecting): Promise<Omit<ModelRequest, 'model'>> {
  const ask = how.promptTemplate ?? askFor(due, how)
  const { extra } = run.agent()
  const maxOutputTokens = how.maxTokens
  if (how.mode === 'separate') {
    const said = due.messages.map(lineOf).join('\n')
    return { messages: [noticeOf(`${said}\n\n${ask}`)], maxOutputTokens, extra }
  }
  const asked = await promptOf(run)
  return { ...asked, messages: [...asked.messages, noticeOf(ask)], toolChoice: 'none', maxOutputTokens, extra }
}

function askFor({ toolCallIds }: DueReflection, { maxChars }: Reflecting): string {
  const what = toolCallIds.length
    ? 'what did the last results show, what is still open, and what comes next?'
    : 'what is asked, and how will you go about it?'
  return `Reflect briefly, for yourself alone: ${what} Plain text, at most ${maxChars} characters, no tools.`
}

function lineOf(message: Message): string {
  const calls = message.tool_calls?.map(({ function: { name, arguments: args } }) => `${name}(${args})`) ?? []
  return `${message.role}: ${[textOf(message), ...calls].join(' ').slice(0, 1000)}`
}
