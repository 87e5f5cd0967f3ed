/** The sessions of a device, found without opening any: by age, tag, archive, and the words in them. */
import { bodyOf, isFromPerson, textOf, type Entry, type SessionRecord, type Store } from '@dogear/core'
import type { SessionInfo, SessionQuery } from '../session-info.ts'

const rowsAtOnce = 50
/**
 * A search must not keep the disk busy for minutes: this many sessions, this many entries of all of them, this many of
 * one. Each is looked at once at least, or a long session would hide all that are older.
 */
const sessionsSearched = 200
const entriesSearched = 20_000
const entriesOfOne = 5_000
const entriesAtOnce = 500

export async function findSessions(
  store: Store,
  agent: string | undefined,
  { limit = 50, before, tag, archived = false, waiting = false, open = false, text = '' }: SessionQuery = {},
  { empty = () => {}, isOpen = () => false }: Finding = {},
): Promise<SessionRecord[]> {
  const words = wordsOf(text)
  const found: SessionRecord[] = []
  let place = before
  let looked = 0
  const budget = { entries: entriesSearched }
  while (found.length < limit) {
    const rows = await store.sessions({ agent, limit: rowsAtOnce, before: place })
    for (const row of rows) {
      // Begun by a host that died before it wrote a word.
      if (row.seq === 0) {
        empty(row)
        continue
      }
      if ((row.archived ?? false) !== archived || (tag !== undefined && row.tag !== tag)) continue
      if ((waiting && !row.waiting) || (open && !isOpen(row.id))) continue
      if (words.length && (looked += 1) > sessionsSearched) return found
      if (words.length && !(await holds(store, row, words, budget))) continue
      if (found.push(row) === limit) return found
    }
    // Not by their number: of those that lost their place some may have been another agent's.
    if (!rows.length) return found
    place = rows.at(-1)
  }
  return found
}

interface Finding {
  /** Called with a row that was begun and never written. */
  readonly empty?: (row: SessionRecord) => void
  readonly isOpen?: (sessionId: string) => boolean
}

export async function infoOf(store: Store, row: SessionRecord, open: boolean): Promise<SessionInfo> {
  const { id, agent, createdAt, updatedAt, messageCount, waiting, asks, title, titledBy, tag, archived = false } = row
  const { status = waiting ? 'paused' : 'idle' } = row
  const firstPrompt =
    firstPromptIn(await store.entries(id, 0, entriesBeforePrompt)) ??
    (messageCount ? firstPromptIn(await store.entries(id, entriesBeforePrompt, entriesLookedAt)) : undefined)
  const facts = { id, agent, createdAt, updatedAt, messageCount, status, open, waiting, asks }
  return { ...facts, title, titledBy, tag, archived, firstPrompt }
}

/** A session begins with its start, the turn's and the words; an import brings its messages in one entry. */
const entriesBeforePrompt = 8
/** Much may have been set before anything was said. */
const entriesLookedAt = 200
const promptLength = 200

function firstPromptIn(entries: readonly Entry[]): string | undefined {
  for (const entry of entries) {
    const messages = entry.type === 'state-import' ? entry.messages : [bodyOf(entry)]
    const said = messages.find((message) => message && isFromPerson(message))
    if (said) return textOf(said).slice(0, promptLength)
  }
  return undefined
}

/** Newest entries first: what somebody looks for is mostly what they said last. */
async function holds(
  store: Store,
  { id, title = '', seq }: SessionRecord,
  words: readonly string[],
  budget: { entries: number },
): Promise<boolean> {
  let missing = missingIn(title, words)
  const end = Math.max(0, seq - Math.max(entriesAtOnce, Math.min(entriesOfOne, budget.entries)))
  for (let to = seq; missing.length && to > end; to -= entriesAtOnce) {
    const entries = await store.entries(id, Math.max(end, to - entriesAtOnce), to)
    budget.entries -= entries.length
    for (const entry of entries) {
      const messages = entry.type === 'state-import' ? entry.messages : [bodyOf(entry)]
      for (const message of messages) if (message) missing = missingIn(textOf(message), missing)
    }
  }
  return missing.length === 0
}

function missingIn(text: string, words: readonly string[]): readonly string[] {
  if (!words.length) return words
  const known = folded(text)
  return words.filter((word) => !known.includes(word))
}

function wordsOf(text: string): string[] {
  return folded(text).split(/\s+/).filter(Boolean)
}

function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase()
}
