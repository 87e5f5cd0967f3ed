/** The audit: what must be true once all is quiet, whatever went wrong before. */
import { isDeepStrictEqual } from 'node:util'
import {
  emptyHead,
  foldOf,
  pathOf,
  reduce,
  textOf,
  type Entry,
  type Fold,
  type Message,
  type Store,
} from '@dogear/core'
import type { Session } from '@dogear/worker'
import { checkCalls } from './check-calls.ts'
import type { Ledger } from './ledger.ts'
import { lineOf, transcriptOf } from './story.ts'
import type { World } from './world.ts'

export interface Quiet {
  readonly store: Store
  readonly session: Session
  /** How many turns were asked for. */
  readonly turns: number
}

export async function audit({ ledger, story }: World, { store, session, turns }: Quiet): Promise<void> {
  const entries = await store.entries('s1', 0)
  const fold = foldOf(emptyHead('s1', 'tester'))
  for (const entry of entries) reduce(fold, entry)
  checkOrder(entries, ledger)
  checkPromises(entries, fold, ledger)
  checkEffects(entries, ledger)
  checkCalls(entries, ledger, story)
  await checkRecords(store, entries, fold, ledger)
  await checkMemory(store, entries, ledger)
  checkScreen(session, fold, ledger)
  if (!story.isRestless) checkTranscript(fold, transcriptOf(story, turns), ledger)
}

/** [G2] [G6] [G14] One line of entries, numbered without a gap, each owner's after the last one's. */
function checkOrder(entries: readonly Entry[], { violated, seq }: Ledger): void {
  if (entries.length !== seq()) violated(`[G2] ${seq()} entries were committed, and ${entries.length} are there`)
  let epoch = 0
  for (const [index, entry] of entries.entries()) {
    if (entry.seq !== index) violated(`[G2] [G14] entry ${index} has seq ${entry.seq}`)
    if (entry.epoch < epoch) violated(`[G6] entry ${index} of epoch ${entry.epoch} comes after epoch ${epoch}`)
    epoch = Math.max(epoch, entry.epoch)
  }
  if (new Set(entries.map(({ id }) => id)).size !== entries.length) violated('[G2] two entries have one id')
}

/** [G1] What a page said is saved is in the journal, and what it showed is still there. */
function checkPromises(entries: readonly Entry[], fold: Fold, { promised, shown, violated }: Ledger): void {
  const taken = new Set(entries.flatMap(({ commandId }) => commandId ?? []))
  const refused = new Set(entries.flatMap((entry) => (entry.type === 'command-refused' ? [entry.commandId] : [])))
  const said = new Set(pathOf(fold).flatMap((node) => bodyText(fold, node.id)))
  for (const [commandId, { type, words }] of promised) {
    if (!taken.has(commandId)) violated(`[G1] ${type} ${commandId} was shown as saved, and is lost`)
    if (words !== undefined && !refused.has(commandId) && !said.has(words)) {
      violated(`[G1] "${words}" was shown as saved, and is lost`)
    }
  }
  for (const [seq, id] of shown) {
    if (entries[seq]?.id !== id) violated(`[G1] entry ${seq} was shown as ${id}, and is ${entries[seq]?.id}`)
  }
}

function bodyText(fold: Fold, nodeId: string): string[] {
  const body = fold.bodies.get(nodeId)
  return body?.role === 'user' ? [textOf(body)] : []
}

/** [G3] [G4] A call has one effect at most, and one key whatever happens to it. */
function checkEffects(entries: readonly Entry[], { effects, violated }: Ledger): void {
  const mayRepeat = new Set(['look', 'note'])
  const counts = new Map<string, number>()
  for (const { callId, tool } of effects) {
    const count = (counts.get(callId) ?? 0) + 1
    counts.set(callId, count)
    if (count === 2 && !mayRepeat.has(tool)) violated(`[G3] ${tool} ${callId} took effect twice`)
  }
  for (const entry of entries) {
    if (entry.type !== 'tool-intent') continue
    if (entry.key !== `s1:${entry.callId}`) violated(`[G4] an intent of ${entry.callId} has the key ${entry.key}`)
  }
}

/** [G2] The row, the cached head and the inbox say the same as the journal. */
async function checkRecords(store: Store, entries: readonly Entry[], fold: Fold, ledger: Ledger): Promise<void> {
  const { violated, epoch } = ledger
  const row = await store.session('s1')
  if (row?.seq !== entries.length) violated(`[G2] the row says ${row?.seq} entries, the journal has ${entries.length}`)
  if (row?.epoch !== epoch()) violated(`[G2] the row says epoch ${row?.epoch}, the last one was ${epoch()}`)
  if (row?.messageCount !== fold.head.nodes.length) violated('[G2] the row counts other messages than the journal has')
  const cached = await store.head('s1')
  if (cached) {
    const rest = foldOf(cached)
    for (const entry of entries.slice(cached.seq)) reduce(rest, entry)
    if (!isDeepStrictEqual(plain(rest.head), plain(fold.head))) {
      violated('[G2] the cached head and the entries after it give another state than the whole journal')
    }
  }
  const waiting = await store.inbox('s1')
  if (waiting.length) violated(`[G1] ${waiting.length} commands are still in the inbox`)
}

/** [G1] What the journal says was learnt is remembered, unless the memory itself refused it, and each thing once. */
async function checkMemory(store: Store, entries: readonly Entry[], { forgotten, violated }: Ledger): Promise<void> {
  const facts = await store.memory(() => 0).list({ scope: 'user' })
  const keys = new Set(facts.map(({ key }) => key))
  if (keys.size !== facts.length) violated('[G2] two facts of one key are remembered')
  for (const entry of entries) {
    if (entry.type !== 'memory-add' || keys.has(entry.fact.key) || forgotten.has(entry.fact.key)) continue
    violated(`[G1] "${entry.fact.key}" was learnt, and is not remembered`)
  }
}

/** [G1] A page shows what is in the journal. */
function checkScreen(session: Session, fold: Fold, { violated }: Ledger): void {
  const messages = pathOf(fold).flatMap((node) => fold.bodies.get(node.id) ?? [])
  const isShown = isDeepStrictEqual(plain(session.messages.value.slice(-50)), plain(messages.slice(-50)))
  if (!isShown) violated('[G1] the page shows other messages than the journal has')
  if (session.requests.value.length) violated('[G4] the page still asks for something')
}

/** [G7] The same words, steps and calls as when nothing goes wrong. */
function checkTranscript(fold: Fold, expected: readonly string[], { violated }: Ledger): void {
  const messages = pathOf(fold)
    .filter((node) => !node.cut)
    .flatMap((node) => fold.bodies.get(node.id) ?? [])
  const lines = inCallOrder(messages).map(lineOf)
  const at = Math.max(lines.length, expected.length)
  for (let index = 0; index < at; index += 1) {
    if (lines[index] === expected[index]) continue
    return violated(`[G7] line ${index} is "${lines[index]}", and "${expected[index]}" without faults`)
  }
}

/** Results stand in the journal as they came; the model reads them in the order of their calls. */
function inCallOrder(messages: readonly Message[]): Message[] {
  const ordered = [...messages]
  return ordered.sort((one, other) =>
    one.role === 'tool' && other.role === 'tool' && stepOf(one) === stepOf(other) ? (one.id < other.id ? -1 : 1) : 0,
  )
}

function stepOf({ id }: Message): string {
  return id.split('.', 2).join('.')
}

function plain<T>(value: T): unknown {
  return JSON.parse(JSON.stringify(value))
}
