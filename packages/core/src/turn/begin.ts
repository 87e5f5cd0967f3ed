/** How a turn begins: the words, a title for the first one, the tools this page has, and the first step, in one write. */
import type { Clock } from '../ports/clock.ts'
import type { ContentPart } from '../session/message.ts'
import { textOf } from '../session/message.ts'
import { definedOnly } from '../session/defined-only.ts'
import type { Fold } from '../session/fold.ts'
import type { NewEntry } from '../session/journal.ts'
import type { Place } from '../session/state.ts'
import { labelText } from '../tools/tool.ts'
import { reachable } from '../agents/active-agent.ts'
import type { RunAgent } from './run.ts'
import { userMessage } from './queue.ts'
import { stepStart } from './step-start.ts'

export interface Beginning {
  readonly commandId: string
  /** Absent for a retry: the words are in the journal already. */
  readonly content?: string | readonly ContentPart[]
  /** Set when it begins a branch. */
  readonly back?: Place
  /** Set for a retry of a turn that was. */
  readonly tainted?: boolean
  /** For this turn alone. */
  readonly model?: string
}

export function turnEntries(
  fold: Fold,
  agent: RunAgent,
  clock: Clock,
  begin: Beginning | { queued: true },
): NewEntry[] {
  if ('queued' in begin) {
    const [first, ...rest] = fold.head.queue
    if (!first) return []
    const entries = turnEntries(fold, agent, clock, { commandId: first.commandId, content: first.content })
    // After the turn's start, so that what was queued is never in neither place.
    return [...entries, { type: 'queue-set', queue: rest }]
  }
  const { commandId, content, ...start } = begin
  const at = { turnId: commandId, commandId }
  const entries: NewEntry[] = [{ type: 'turn-start', origin: 'human', ...definedOnly(start), ...at }]
  if (content !== undefined)
    entries.push({ type: 'message-add', message: userMessage(commandId, content, clock), ...at })
  if (content !== undefined && fold.head.title === undefined && agent.title !== false) {
    entries.push({ type: 'title-set', title: titleOf(content), source: 'heuristic' })
  }
  const tools = toolsNow(fold, agent)
  if (tools) entries.push({ type: 'meta-set', tools })
  return [...entries, stepStart({ id: commandId, step: 0 })]
}

const titleLength = 50

function titleOf(content: string | readonly ContentPart[]): string {
  const words = textOf({ content }).trim().replace(/\s+/g, ' ')
  if (words.length <= titleLength) return words || 'New conversation'
  const space = words.lastIndexOf(' ', titleLength)
  // By characters, not by halves of them: a title may be all emoji.
  return `${space > 20 ? words.slice(0, space) : [...words].slice(0, titleLength).join('')}…`
}

/** Every tool ever seen, when this page adds one; those of agents that a handoff leads to by agent and name. */
export function toolsNow(fold: Fold, agent: RunAgent): Record<string, string> | undefined {
  const known = fold.head.settings.tools ?? {}
  const added = reachable(agent).flatMap((each) =>
    each.tools
      // A tool that another agent of this page has is on no other page: waited for, it would never come.
      .map(({ name, label }) => [each === agent ? name : `${each.name}/${name}`, label] as const)
      .filter(([name]) => !Object.hasOwn(known, name)),
  )
  if (!added.length) return undefined
  return { ...known, ...Object.fromEntries(added.map(([name, label]) => [name, labelText(label, 'ask')])) }
}
