/** The records of a state, each from the entry that it tells of. */
import type { AgentDefinition } from '../agents/agent.ts'
import { retentionOf } from '../smart/compacted.ts'
import { countApproxTokens } from '../smart/tokens.ts'
import type { OutputRetention } from '../tools/tool.ts'
import type { EntryOf } from './entry.ts'
import { normalizeUsage } from './normalize-usage.ts'
import type { SmartUsage, SummaryRecord, ToolExecution } from './smart-state.ts'

export function executionOf({ callId, result, at }: EntryOf<'tool-result'>, agent: Keeper): ToolExecution {
  const { tool, args, content, status, durationMs, fromCache, handoff, summary } = result
  const { originalTokens: originalTokenCount = countApproxTokens(content) } = result
  const { output: retentionPolicy } = retentionOf(agent, tool)
  return {
    executionId: callId,
    toolName: tool,
    args,
    output: content,
    ...rawOf(content),
    timestamp: iso(at),
    tool_call_id: callId,
    status: handoff ? 'handoff' : executionStatus[status],
    originalTokenCount,
    retentionPolicy,
    classification: classOf(agent, retentionPolicy, originalTokenCount),
    ...(durationMs !== undefined && { durationMs }),
    ...(fromCache && { fromCache }),
    ...(summary !== undefined && { summary }),
  }
}

type Keeper = Pick<AgentDefinition, 'profile' | 'tools'>

/** `critical` is never taken out of the model's sight; of the rest, `verbose` is what fills it soonest. */
function classOf({ profile }: Keeper, policy: OutputRetention, tokens: number): ToolExecution['classification'] {
  if (policy === 'keep_full') return 'critical'
  return tokens > profile.toolResponses.maxToolResponseTokens / 10 ? 'verbose' : 'informative'
}

const executionStatus = {
  complete: 'success',
  error: 'error',
  rejected: 'rejected',
  skipped: 'skipped',
  stopped: 'error',
} as const

/** The data a tool gave, where its text is data. */
function rawOf(content: string): { rawOutput?: unknown } {
  if (!/^[[{]/.test(content)) return {}
  try {
    return { rawOutput: JSON.parse(content) }
  } catch {
    return {}
  }
}

export function paidRequest(
  entry: EntryOf<'usage-add'>,
  turnId: string,
  step: number,
): SmartUsage['perRequest'][number] {
  const { model, usage, costUsd, stepId, id } = entry
  return {
    id: `${stepId ?? `${turnId}.${step}`}.${id}`,
    modelName: model,
    // The cast: these counts are there.
    usage: normalizeUsage(usage) as NonNullable<ReturnType<typeof normalizeUsage>>,
    timestamp: iso(entry.at),
    turn: step,
    cachedInput: usage.cachedInput,
    ...(costUsd !== undefined && { costUsd }),
  }
}

/** By request and not by the head, which also counts what agents at work had cost before this run took them up. */
export function totalsOf(requests: SmartUsage['perRequest'], before: SmartUsage['totals'] = {}): SmartUsage['totals'] {
  const totals = { ...before }
  for (const { modelName, usage, cachedInput = 0 } of requests) {
    const sum = totals[modelName] ?? { input: 0, output: 0, total: 0, cachedInput: 0 }
    totals[modelName] = {
      input: sum.input + usage.prompt_tokens,
      output: sum.output + usage.completion_tokens,
      total: sum.total + usage.total_tokens,
      cachedInput: sum.cachedInput + cachedInput,
    }
  }
  return totals
}

/** Results may be put out of sight without a new summary. */
export function summariesOf(records: readonly SummaryRecord[]): string[] {
  return records.flatMap(({ summary, previousSummary }) => (summary && summary !== previousSummary ? [summary] : []))
}

export function summaryRecord({ compaction, at }: Pick<EntryOf<'compaction-add'>, 'compaction' | 'at'>): SummaryRecord {
  const { tokensBefore, tokensAfter, ...record } = compaction
  return { ...record, createdAt: iso(at), tokenCountBefore: tokensBefore, tokenCountAfter: tokensAfter }
}

export function iso(at: number): string {
  // What is committed together has one time, and to write it out takes longer than most of a record.
  if (at !== last.at) last = { at, text: new Date(at).toISOString() }
  return last.text
}

let last = { at: NaN, text: '' }
