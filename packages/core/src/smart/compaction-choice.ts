/** What a compaction takes out of the model's sight: the oldest results first, and words only when that is not enough. */
import type { Message } from '../session/message.ts'
import type { Run } from '../turn/run.ts'
import { compacted, marked, neverHidden, newestResults, retentionOf } from './compacted.ts'
import type { CompactionRecord } from './compaction.ts'
import { roomFor } from './profile.ts'
import { countApproxMessage } from './tokens.ts'

export interface Choice extends Pick<CompactionRecord, 'upTo' | 'archived' | 'hiddenTo' | 'messagesCompressed'> {
  /** What the summary must speak for and does not yet; empty when no summary is needed. */
  readonly unread: readonly Message[]
}

interface Given {
  readonly history: readonly Message[]
  /** The compaction that holds so far. */
  readonly previous: CompactionRecord | null
  readonly trigger: CompactionRecord['trigger']
  readonly tokensBefore: number
}

/** Reclaiming less than this part of the context is not worth a model call before every step. */
const leastGain = 0.05

/** Undefined when there is too little to reclaim. */
export function chosen(run: Run, { history, previous, trigger, tokensBefore }: Given): Choice | undefined {
  const agent = run.agent()
  const { context, summarization } = agent.profile
  if (context.policy === 'raw') return undefined
  const isAuto = trigger === 'auto'
  const shown = new Set(compacted(run, history, previous))
  const tokens = [...shown].reduce((sum, message) => sum + countApproxMessage(message), 0)
  // The guess by characters picks, and the agent's own counter says how far it is off.
  const guessed = (count: number) => (count * tokens) / tokensBefore
  const target = guessed(summarization.summaryTriggerTokens * summarization.summaryCompressionRatioTarget)
  const archived = new Set<string>()
  let left = tokens
  let last = -1
  let needsSummary = false

  // Asked for by a person, all that can go goes.
  const newest = Math.min(
    newestResults(history)[0],
    reservedFrom(history, context.budget.toolResponseReserveTokens, ({ role }) => role === 'tool'),
  )
  for (let index = 0; index < newest && left > (isAuto ? target : 0); index += 1) {
    const message = history[index] as Message
    const { output } = retentionOf(agent, message.meta.tool?.name ?? message.name)
    if (message.role !== 'tool' || !shown.has(message) || output === 'keep_full') continue
    const gain = countApproxMessage(message) - countApproxMessage(marked(agent, message))
    if (gain <= 0) continue
    left -= gain
    last = index
    archived.add(message.id)
    needsSummary ||= output === 'summarize_archive'
  }

  while (last >= 0 && history[last + 1]?.role === 'tool') last += 1

  let hidden = -1
  let count = archived.size
  const isOnlySummary = context.policy === 'summary_only'
  const isTooLong = left > guessed(roomFor(agent.limits.maxContextTokens, context.budget))
  const groups = isOnlySummary || isTooLong ? groupEnds(history) : []
  const kept = isOnlySummary ? context.lastTurnsToKeep : Infinity
  const isKept = neverHidden(history)
  const recent = reservedFrom(history, context.budget.recentTurnsReserveTokens)
  for (const [group, end] of groups.slice(0, -1).entries()) {
    if (end >= recent) break
    if (left <= target && groups.length - group <= kept) break
    while (hidden < end) {
      const message = history[(hidden += 1)] as Message
      if (!shown.has(message) || isKept(message, hidden) || archived.has(message.id)) continue
      left -= countApproxMessage(message)
      count += 1
      if (message.role === 'tool') archived.add(message.id)
    }
  }

  const gain = tokens - left
  if (gain <= 0 || (isAuto && gain < tokens * leastGain)) return undefined
  const spokenFor = history.findLastIndex(({ id }) => id === previous?.upTo)
  const end = Math.max(last, hidden, spokenFor)
  const from = summarization.summaryMode === 'incremental' ? spokenFor + 1 : 0
  const hiddenTo = history[hidden]?.id ?? previous?.hiddenTo
  return {
    upTo: (history[end] as Message).id,
    archived: [...(previous?.archived ?? []), ...archived],
    ...(hiddenTo !== undefined && { hiddenTo }),
    messagesCompressed: count,
    unread: needsSummary || hidden >= 0 ? history.slice(from, end + 1) : [],
  }
}

/** From where on messages are kept, for as many tokens as are reserved for them. */
function reservedFrom(history: readonly Message[], reserve = 0, isMeant: (message: Message) => boolean = () => true) {
  let left = reserve
  let from = history.length
  for (let index = history.length - 1; index >= 0; index -= 1) {
    const message = history[index] as Message
    if (isMeant(message) && (left -= countApproxMessage(message)) < 0) break
    from = index
  }
  return from
}

/** Where the groups end that are never parted: a call with its results, or a message alone. */
function groupEnds(history: readonly Message[]): number[] {
  return [...history.keys()].filter((index) => history[index + 1]?.role !== 'tool')
}
