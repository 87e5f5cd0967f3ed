/** Compaction: a conversation that has grown too long for the model is shown shortened. The journal keeps all of it. */
import { pathOf, type Fold } from '../session/fold.ts'
import type { NewEntry } from '../session/journal.ts'
import type { Message } from '../session/message.ts'
import type { Node } from '../session/state.ts'
import { askHooks } from '../permission/ask-hooks.ts'
import type { HookOutput } from '../permission/hooks.ts'
import { headOf, turnOf, type Run } from '../turn/run.ts'
import { chosen } from './compaction-choice.ts'
import { compacted } from './compacted.ts'
import { withoutBlocked } from './guardrail.ts'
import { factEntries } from './memory.ts'
import { summarize, type Integrity, type StructuredSummary, type SummaryUsage } from './summary.ts'
import { countMessages } from './tokens.ts'

export interface CompactionRecord {
  readonly id: string
  /** The last message the summary speaks for. */
  readonly upTo: string
  /** In words; the model reads `structuredSummary`, which has them too. */
  readonly summary: string
  /** The tool messages whose content is replaced by a marker, of this compaction and of all before it. */
  readonly archived: readonly string[]
  readonly trigger: 'auto' | 'manual'
  readonly tokensBefore: number
  readonly tokensAfter: number
  readonly messagesCompressed: number
  readonly durationMs?: number
  /** Up to here nothing is shown but the task and the newest results. */
  readonly hiddenTo?: string
  readonly previousSummary?: string
  readonly structuredSummary?: StructuredSummary
  readonly integrity?: Integrity
  /** What the summary's model calls cost together; none when it was made without a model. */
  readonly usage?: SummaryUsage
}

/** Before a step, when what the model would be sent is over the trigger. */
export async function compactIfDue(run: Run): Promise<void> {
  const { profile } = run.agent()
  const { summaryTriggerTokens } = profile.summarization
  if (profile.context.policy === 'raw') return
  const tokens = await measure(run)
  // Once in a turn is not twice for a few tokens more.
  const isFresh = headOf(run).compaction?.id.startsWith(`${turnOf(run).id}.`)
  if (tokens <= summaryTriggerTokens * (isFresh ? 1.15 : 1)) return
  const entries = await compaction(run, 'auto', tokens)
  if (entries) await run.journal.append(entries)
}

/** Because somebody asked for it: the whole of the turn. */
export async function compactNow(run: Run): Promise<void> {
  const entries = await compaction(run, 'manual', await measure(run))
  const { id: turnId } = turnOf(run)
  await run.journal.append([...(entries ?? []), { type: 'turn-end', turnId, terminalReason: 'completed' }])
}

/** One write: the summary, what it cost and what it taught become true together. Undefined when nothing can be reclaimed. */
async function compaction(
  run: Run,
  trigger: CompactionRecord['trigger'],
  tokensBefore: number,
): Promise<NewEntry[] | undefined> {
  const { id, step } = turnOf(run)
  const history = withoutBlocked(await run.journal.messages())
  const last = headOf(run).compaction
  // Made on another branch, it speaks for what is not here.
  const previous = history.some((message) => message.id === last?.upTo) ? last : null
  const choice = chosen(run, { history, previous, trigger, tokensBefore })
  let isBlocked = !choice
  const about = { about: trigger, heard: ({ decision }: HookOutput) => void (isBlocked ||= decision === 'block') }
  if (choice) await askHooks(run, 'PreCompact', { ...about, input: () => ({ trigger }) })
  if (!choice || isBlocked) return undefined
  const { unread, ...shown } = choice
  const made = unread.length ? await summarize(run, unread, previous?.structuredSummary) : undefined
  const record: CompactionRecord = {
    id: `${id}.${step}.c`,
    ...shown,
    summary: made?.structuredSummary.rawSummary ?? previous?.summary ?? '',
    structuredSummary: made?.structuredSummary ?? previous?.structuredSummary,
    trigger,
    tokensBefore,
    tokensAfter: 0,
    ...(previous && { previousSummary: previous.summary }),
    ...(made && { integrity: made.integrity, usage: made.usage, durationMs: made.durationMs }),
  }
  const tokensAfter = await countMessages(run, compacted(run, history, record))
  await askHooks(run, 'PostCompact', { about: trigger, input: () => ({ trigger, compact_summary: record.summary }) })
  const at = { turnId: id }
  return [
    { type: 'compaction-add', compaction: { ...record, tokensAfter }, ...at },
    ...(made?.entries ?? []).map((entry) => ({ ...entry, ...at })),
    ...(await factEntries(run, made?.structuredSummary.stable_facts ?? [])),
  ]
}

interface Measured {
  readonly leaf: string | null
  readonly compaction: CompactionRecord | null
  readonly tokens: number
}

/** Only what was added is counted: a step of a long session must not cost more than one of a short. */
const known = new WeakMap<Fold, Measured>()

async function measure(run: Run): Promise<number> {
  const { fold } = run.journal
  const { leaf, compaction } = fold.head
  const last = known.get(fold)
  const before = last?.compaction === compaction ? last : undefined
  const path = pathOf(fold, before?.leaf ?? null)
  const isContinued = before !== undefined && (path[0]?.parent ?? leaf) === before.leaf
  const added = isContinued
    ? bodies(fold, path)
    : compacted(run, withoutBlocked(await run.journal.messages()), compaction)
  const tokens = (isContinued ? before.tokens : 0) + (await countMessages(run, added))
  known.set(fold, { leaf, compaction, tokens })
  return tokens
}

function bodies(fold: Fold, path: readonly Node[]): Message[] {
  return path.flatMap(({ id, cut }) => (cut ? [] : (fold.bodies.get(id) ?? [])))
}
