/** The title a model gives a session after its first turn, or after one of the next when none came. */
import { textOf, isFromPerson } from '../session/message.ts'
import { pathOf } from '../session/fold.ts'
import type { Journal } from '../session/journal.ts'
import { describeError } from '../error.ts'
import { askWithKey } from './ask-aside.ts'
import { noticeOf } from './prompt.ts'
import { headOf, type Run } from './run.ts'

/** Beside the session's turns, which never wait for it. Without an answer the title by its first words stays. */
export async function titleByModel(run: Run): Promise<void> {
  if (run.agent().title !== 'model' || asking.has(run.journal) || !isDue(run)) return
  asking.add(run.journal)
  try {
    const said = (await run.journal.messages()).filter(
      (message) => isFromPerson(message) || message.role === 'assistant',
    )
    const words = said.map((message) => `${message.role}: ${textOf(message).slice(0, wordsShown)}`).join('\n')
    // Named by the turn: a key that others could have too would bring the title of their session.
    const { text, entries } = await askWithKey(run, `${headOf(run).lastEnd?.turnId}.title`, 'title', {
      messages: [noticeOf(`${question}\n\n${words}`)],
      maxOutputTokens: 200,
    })
    const title = text
      .trim()
      .split('\n')[0]
      ?.replace(/^["'“”#*\s]+|["'“”*.\s]+$/g, '')
      .slice(0, longest)
    // Renamed while the model thought: the person's own words stay.
    const isWanted = title && headOf(run).titledBy === 'heuristic'
    await run.journal.append([
      ...entries,
      ...(isWanted ? [{ type: 'title-set' as const, title, source: 'model' as const }] : []),
    ])
  } catch (error) {
    if (!run.signal.aborted) run.warn(`The model gave no title (${describeError(error)}); the first words stay.`)
  } finally {
    asking.delete(run.journal)
  }
}

function isDue(run: Run): boolean {
  const { titledBy, lastEnd } = headOf(run)
  if (titledBy !== 'heuristic' || lastEnd?.terminalReason !== 'completed') return false
  const said = pathOf(run.journal.fold).filter((node) => node.role === 'user')
  const turns = new Set(said.map((node) => node.turnId))
  // What was imported is of no turn, and may be long.
  return turns.size <= tries && !turns.has(undefined)
}

/** A turn that ends while the model still thinks would pay for a second title. */
const asking = new WeakSet<Journal>()
const tries = 3

const wordsShown = 1000
const longest = 80
const question =
  'Give this conversation a title of three to six words, in its own language. Answer with the title alone.'
