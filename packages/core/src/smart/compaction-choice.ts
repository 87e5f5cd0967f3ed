/** What a compaction takes out of the model's sight: the oldest results first, and words only when that is not enough. */
import type { Message } from '../session/message.ts'
import { builtinNames } from '../tools/builtin.ts'
import type { Run, RunAgent } from '../turn/run.ts'
import { compacted, marked, neverHidden, newestResults, outputPolicy } from './compacted.ts'
import type { CompactionRecord } from './compaction.ts'
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

/** Reclaiming less than this part of the trigger is not worth a model call before every step. */
const leastGain = 0.05

/** Undefined when there is too little to reclaim. */
export function chosen(run: Run, { history, previous, trigger, tokensBefore }: Given): Choice | undefined {
  const agent = run.agent()
  const { context, summarization } = agent.profile
  const { summaryTriggerTokens, summaryCompressionRatioTarget, summaryMode } = summarization
  if (context.policy === 'raw') return undefined
  const target = summaryTriggerTokens * summaryCompressionRatioTarget
  const shown = compacted(run, history, previous)
  // The guess by characters picks; the agent's own counter says how far it is off.
  const scale =
    tokensBefore /
    Math.max(
      1,
      shown.reduce((sum, message) => sum + countApproxMessage(message), 0),
    )
  const goal: Goal = { agent, history, shown: new Set(shown), target: target / scale, tokens: tokensBefore / scale }

  // Asked for by a person, all that can go goes.
  const results = oldResults(trigger === 'auto' ? goal : { ...goal, target: 0 })
  const left = goal.tokens - results.gain
  const isTooLong = left * scale > (agent.limits.maxContextTokens || Infinity)
  const words = isTooLong || context.policy === 'summary_only' ? oldWords(goal, results) : noWords
  const gain = (results.gain + words.gain) * scale
  if (gain <= 0 || (trigger === 'auto' && gain < summaryTriggerTokens * leastGain)) return undefined

  const spokenFor = history.findLastIndex(({ id }) => id === previous?.upTo)
  const end = Math.max(results.to, words.to, spokenFor)
  const hiddenTo = history[words.to]?.id ?? previous?.hiddenTo
  const needsSummary = words.to >= 0 || results.ids.length > 0
  return {
    upTo: history[end]?.id ?? '',
    archived: [...new Set([...(previous?.archived ?? []), ...results.ids, ...results.quiet, ...words.ids])],
    ...(hiddenTo !== undefined && { hiddenTo }),
    messagesCompressed: results.ids.length + results.quiet.length + words.count,
    unread: needsSummary ? history.slice(summaryMode === 'incremental' ? spokenFor + 1 : 0, end + 1) : [],
  }
}

const noWords: Words = { ids: [], count: 0, to: -1, gain: 0 }

/** Counted by the guess throughout. */
interface Goal {
  readonly agent: RunAgent
  readonly history: readonly Message[]
  /** What the model is shown in full. */
  readonly shown: ReadonlySet<Message>
  readonly tokens: number
  readonly target: number
}

interface Results {
  /** To be replaced by markers: what a summary must hold, and what it need not. */
  readonly ids: string[]
  readonly quiet: string[]
  readonly to: number
  readonly gain: number
}

interface Words {
  /** Those of the hidden messages that are results. */
  readonly ids: readonly string[]
  readonly count: number
  readonly to: number
  readonly gain: number
}

function oldResults({ agent, history, shown, tokens, target }: Goal): Results {
  const ids: string[] = []
  const quiet: string[] = []
  let [to, gain] = [-1, 0]
  const [newest] = newestResults(history)
  for (let index = 0; index < newest && tokens - gain > target; index += 1) {
    const message = history[index] as Message
    const policy = outputPolicy(agent, message)
    if (message.role !== 'tool' || !shown.has(message) || isControl(message) || policy === 'keep_full') continue
    const saved = countApproxMessage(message) - countApproxMessage(marked(agent, message))
    if (saved <= 0) continue
    gain += saved
    to = index
    ;(policy === 'summarize_archive' ? ids : quiet).push(message.id)
  }
  while (to >= 0 && isResult(history[to + 1])) to += 1
  return { ids, quiet, to, gain }
}

/** Small, and what the model goes by. */
function isControl({ meta, name }: Message): boolean {
  const tool = meta.tool?.name ?? name
  return tool === builtinNames.plan || tool === builtinNames.question
}

function isResult(message: Message | undefined): boolean {
  return message?.role === 'tool'
}

/** A call and its results are never parted, and the last of all stays. */
function oldWords({ agent, history, shown, tokens, target }: Goal, results: Results): Words {
  const { policy, lastTurnsToKeep } = agent.profile.context
  const ends = [...history.keys()].filter((index) => !isResult(history[index + 1]))
  const least = policy === 'summary_only' ? ends.length - lastTurnsToKeep : 0
  const isKept = neverHidden(history)
  const markers = new Set([...results.ids, ...results.quiet])
  const ids: string[] = []
  let [to, gain, count] = [-1, 0, 0]
  for (const [group, end] of ends.slice(0, -1).entries()) {
    if (group >= least && tokens - results.gain - gain <= target) break
    for (const [offset, message] of history.slice(to + 1, end + 1).entries()) {
      if (!shown.has(message) || markers.has(message.id) || isKept(message, to + 1 + offset)) continue
      gain += countApproxMessage(message)
      count += 1
      if (isResult(message)) ids.push(message.id)
    }
    to = end
  }
  return { ids, count, to, gain }
}
