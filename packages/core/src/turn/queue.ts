/** The line of words that wait for a turn: kept in the order they will be sent. */
import { DogearError } from '../error.ts'
import type { Clock } from '../ports/clock.ts'
import type { Queued, When } from '../session/entry.ts'
import type { NewEntry } from '../session/journal.ts'
import type { ContentPart, Message } from '../session/message.ts'
import type { Head } from '../session/state.ts'
import { headOf, turnOf, type Run } from './run.ts'
import { stepStart } from './step-start.ts'

const order: readonly When[] = ['now', 'next', 'later']

/** Behind all that is as urgent. */
export function enqueued(queue: readonly Queued[], words: Queued): Queued[] {
  const at = queue.findLastIndex(({ when }) => order.indexOf(when) <= order.indexOf(words.when)) + 1
  return [...queue.slice(0, at), words, ...queue.slice(at)]
}

export function requeued(
  queue: readonly Queued[],
  target: string,
  { content, when }: { content?: Queued['content']; when?: When },
): Queued[] {
  const found = queue.find(({ commandId }) => commandId === target)
  if (!found) throw new DogearError('input-invalid', 'These words do not wait any more: they were sent or taken back.')
  const changed = { ...found, content: checkedContent(content ?? found.content), when: when ?? found.when }
  if (changed.when === found.when) return queue.map((words) => (words === found ? changed : words))
  return enqueued(
    queue.filter((words) => words !== found),
    changed,
  )
}

export function checkedContent(content: Queued['content']): Queued['content'] {
  if (content.length > 0) return content
  throw new DogearError('input-invalid', 'There is nothing to send: give it some text.')
}

/** Whether an open turn must make room. Read off the journal: a crash must not take the interruption back. */
export function isInterrupted({ turn, queue }: Head): boolean {
  return turn !== null && queue[0]?.when === 'now'
}

/**
 * Whether the first in line waits for a word of the person. After a stop or a failure nothing begins by itself: whoever
 * stops an agent does not expect it to go on with the next thing.
 */
export function isQueueHeld({ queue, lastEnd }: Pick<Head, 'queue' | 'lastEnd'>): boolean {
  const isCut = lastEnd?.error !== undefined || lastEnd?.terminalReason.startsWith('aborted')
  return !!isCut && queue[0]?.when !== 'now'
}

/** Whether the first in line may begin. */
export function isDue(head: Head): boolean {
  return !head.turn && head.queue.length > 0 && !isQueueHeld(head)
}

/** What joins the turn at its next step. A guardrail looks at a turn's first words: with one, they wait for their own. */
export function steering(run: Run): readonly Queued[] {
  if (run.agent().guardrails?.request.length) return []
  return headOf(run).queue.filter(({ when }) => when === 'next')
}

/** A step, and before it the words that join the turn, in one write: after the results, so that any provider takes them. */
export function stepEntries(run: Run): NewEntry[] {
  const turn = turnOf(run)
  const joining = steering(run)
  const entries = joining.map(({ commandId, content }): NewEntry => {
    return { type: 'message-add', turnId: turn.id, commandId, message: userMessage(commandId, content, run.clock) }
  })
  if (joining.length) {
    entries.push({ type: 'queue-set', queue: headOf(run).queue.filter((words) => !joining.includes(words)) })
  }
  return [...entries, stepStart(turn)]
}

export function userMessage(commandId: string, content: string | readonly ContentPart[], clock: Clock): Message {
  return { id: `${commandId}.u`, role: 'user', content, meta: { status: 'complete', createdAt: clock.now() } }
}
