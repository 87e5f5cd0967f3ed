/** The auditor: compares what the browser kept with what the outside saw. It knows the journal and the ledger, not the code. */
import type { Command, Entry, EntryOf, SessionRecord } from '@dogear/core'
import { finalWords } from './model.ts'
import type { Outside } from './outside.ts'

/** What is in the database, read past the product. */
export interface Stored {
  readonly journal: Readonly<Record<string, readonly Entry[]>>
  readonly inbox: readonly Command[]
  readonly rows: Readonly<Record<string, SessionRecord | undefined>>
}

export interface Audit {
  /** What must never happen, each as a sentence. */
  readonly problems: readonly string[]
  readonly saved: number
  readonly lost: number
  readonly effects: number
  readonly repeated: number
  /** Intents whose owner died before it wrote a result. */
  readonly unknown: number
  /** Those of them that a person was asked about. */
  readonly surfaced: number
}

/** Of sessions at rest. */
export function audit({ journal, rows }: Stored, { marks, ledger }: Pick<Outside, 'marks' | 'ledger'>): Audit {
  const total = { problems: [] as string[], saved: 0, lost: 0, effects: 0, repeated: 0, unknown: 0, surfaced: 0 }
  for (const [sessionId, entries] of Object.entries(journal)) {
    const problem = (text: string) => void total.problems.push(`${sessionId}: ${text}`)
    const isOurs = (each: { readonly sessionId: string }) => each.sessionId === sessionId

    for (const text of torn(entries, rows[sessionId])) problem(text)
    for (const text of unfinished(entries)) problem(text)

    const commands = new Set(entries.flatMap(({ commandId }) => commandId ?? []))
    for (const mark of marks.filter(isOurs)) {
      total.saved += 1
      if (mark.type === 'command' ? commands.has(mark.commandId) : entries[mark.seq]?.id === mark.id) continue
      total.lost += 1
      problem(`[G1] lost what was shown as saved: ${JSON.stringify(mark)}`)
    }

    const ours = ledger.filter(isOurs)
    for (const callId of new Set(ours.map((effect) => effect.callId))) {
      const effects = ours.filter((effect) => effect.callId === callId)
      total.effects += 1
      if (effects.length > 1) total.repeated += 1
      if (effects.length > 1) problem(`[G3] ${callId} happened ${effects.length} times`)
      if (new Set(effects.map(({ key }) => key)).size > 1) problem(`[G4] ${callId} ran under two keys`)
      if (!entries.some((entry) => entry.type === 'tool-intent' && entry.callId === callId)) {
        problem(`[G3] ${callId} ran without an intent`)
      }
    }

    for (const wasSurfaced of unknowns(entries)) {
      total.unknown += 1
      if (wasSurfaced) total.surfaced += 1
    }
  }
  return total
}

function torn(entries: readonly Entry[], row: SessionRecord | undefined): string[] {
  const gap = entries.findIndex((entry, at) => entry.seq !== at)
  const back = entries.findIndex((entry, at) => at > 0 && entry.epoch < entries[at - 1]!.epoch)
  return [
    ...(gap < 0 ? [] : [`[G2] entry ${gap} has seq ${entries[gap]!.seq}`]),
    ...(back < 0 ? [] : [`[G6] entry ${back} is of an older epoch than the one before it`]),
    ...(new Set(entries.map(({ id }) => id)).size === entries.length ? [] : ['[G2] two entries have one id']),
    ...((row?.seq ?? 0) === entries.length ? [] : [`[G2] the row says ${row?.seq}, the journal ${entries.length}`]),
  ]
}

/** Each turn ends with the words of an undisturbed one, and each call has one result. */
function unfinished(entries: readonly Entry[]): string[] {
  return entriesOf(entries, 'turn-start').flatMap(({ turnId }) => {
    const own = entries.filter((entry) => entry.turnId === turnId)
    const messages = entriesOf(own, 'message-add').map(({ message }) => message)
    const number = Number(/\d+/.exec(JSON.stringify(messages[0]?.content))?.[0])
    const said = messages.at(-1)?.content
    const [end, ...others] = entriesOf(own, 'turn-end')
    const results = entriesOf(own, 'tool-result').map(({ callId }) => callId)
    const wanted = entriesOf(own, 'call-request').map(({ call }) => call.callId)
    return [
      ...(end?.terminalReason === 'completed' && others.length === 0
        ? []
        : [`[G7] turn ${number} ended as ${end?.terminalReason} (${end?.error?.message ?? ''})`]),
      ...(said === finalWords(number) ? [] : [`[G7] turn ${number} ended with ${JSON.stringify(said)}`]),
      ...(results.sort().join() === wanted.sort().join() ? [] : [`[G3] turn ${number}: results ${results.join()}`]),
    ]
  })
}

/** For every intent that its own owner left without a result: whether a person was asked before anything else happened. */
function unknowns(entries: readonly Entry[]): boolean[] {
  return entriesOf(entries, 'tool-intent').flatMap((intent) => {
    const next = entries.slice(intent.seq + 1).find((entry) => callOf(entry) === intent.callId)
    if (next?.type === 'tool-result' && next.epoch === intent.epoch) return []
    return [next?.type === 'request-open' && next.request.kind === 'outcome']
  })
}

function callOf(entry: Entry): string | undefined {
  if (entry.type === 'tool-intent' || entry.type === 'tool-result') return entry.callId
  return entry.type === 'request-open' ? entry.request.callId : undefined
}

function entriesOf<T extends Entry['type']>(entries: readonly Entry[], type: T): EntryOf<T>[] {
  return entries.filter((entry): entry is EntryOf<T> => entry.type === type)
}
