/** The auditor: compares what the browser kept with what the outside saw. It knows the journal and the ledger, not the code. */
import type { Command, Entry, EntryOf, SessionRecord } from '@dogear/core'
import { asksPerTurn, finalWords } from './model.ts'
import { onTheStatement, type Outside } from './outside.ts'

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
  /** Those of them whose page lived, and gave the next owner what the tool had said. */
  readonly joined: number
}

/** What the outside saw. */
export type Seen = Pick<Outside, 'marks' | 'ledger' | 'outcomes' | 'asked'>

/** Of sessions at rest. `isCut`: the tool's own request may have failed. */
export function audit({ journal, rows }: Stored, seen: Seen, { isCut = false } = {}): Audit {
  const { marks, ledger, asked } = seen
  const figures = { saved: 0, lost: 0, effects: 0, repeated: 0, unknown: 0, surfaced: 0, joined: 0 }
  const total = { problems: [] as string[], ...figures }
  for (const [sessionId, entries] of Object.entries(journal)) {
    const problem = (text: string) => void total.problems.push(`${sessionId}: ${text}`)
    const isOurs = (each: { readonly sessionId: string }) => each.sessionId === sessionId

    for (const text of torn(entries, rows[sessionId])) problem(text)
    for (const text of unfinished(entries, asked)) problem(text)
    for (const text of untrue(sessionId, entries, seen, isCut)) problem(text)

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

    for (const { callId, next } of unknowns(entries)) {
      total.unknown += 1
      if (next?.type === 'request-open' && next.request.kind === 'outcome') total.surfaced += 1
      else if (next?.type === 'tool-result') total.joined += 1
      else problem(`[G4] ${callId} was left open, and then came ${next?.type}`)
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

/** Each turn ends with the words of an undisturbed one, asked for as often, and each call has one result. */
function unfinished(entries: readonly Entry[], asked: Seen['asked']): string[] {
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
      ...(asked(number) === asksPerTurn ? [] : [`[G7] turn ${number} asked the model ${asked(number)} times`]),
      ...(results.sort().join() === wanted.sort().join() ? [] : [`[G3] turn ${number}: results ${results.join()}`]),
    ]
  })
}

/** Each result is what the tool said, or what a person said who was asked; and what is told as done was done. */
function untrue(sessionId: string, entries: readonly Entry[], { ledger, outcomes }: Seen, isCut: boolean): string[] {
  return entriesOf(entries, 'tool-result').flatMap(({ callId, result: { status, content } }) => {
    const key = `${sessionId}:${callId}`
    const receipts = ledger.flatMap((effect) => (effect.key === key ? [effect.receipt] : []))
    const isTold = entriesOf(entries, 'request-open').some(
      ({ request }) => request.callId === callId && outcomes.get(`${sessionId}:${request.id}`) === 'happened',
    )
    const isTrue =
      status === 'complete'
        ? receipts.includes(content) || (isTold && receipts.length > 0 && content === onTheStatement(key))
        : isCut && status === 'error' && content === 'Error executing tool: Failed to fetch'
    return isTrue ? [] : [`[G4] ${callId}, ${status}: nobody said ${JSON.stringify(content)}`]
  })
}

/** Every intent that its own owner left without a result, and what came of it first. */
function unknowns(entries: readonly Entry[]): { callId: string; next: Entry | undefined }[] {
  return entriesOf(entries, 'tool-intent').flatMap(({ callId, seq, epoch }) => {
    const next = entries.slice(seq + 1).find((entry) => callOf(entry) === callId)
    return next?.type === 'tool-result' && next.epoch === epoch ? [] : [{ callId, next }]
  })
}

function callOf(entry: Entry): string | undefined {
  if (entry.type === 'tool-intent' || entry.type === 'tool-result') return entry.callId
  return entry.type === 'request-open' ? entry.request.callId : undefined
}

function entriesOf<T extends Entry['type']>(entries: readonly Entry[], type: T): EntryOf<T>[] {
  return entries.filter((entry): entry is EntryOf<T> => entry.type === type)
}
