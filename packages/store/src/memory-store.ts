/** The store in memory: the same contract as IndexedDB, for functional runs, Node and tests. */
import {
  createMemory,
  type Command,
  type Entry,
  type Head,
  type MemoryStore,
  type Partial,
  type RuleRecord,
  type SessionRecord,
  type Snapshot,
  type Store,
} from '@dogear/core'
import { ballastIds } from './ballast.ts'
import { copy } from './copy.ts'
import { byRuleAge, bySessionAge, bySnapshotAge, byText } from './order.ts'
import { acquired, appended, assertContiguous, isWritten, mayAppend } from './session-row.ts'

export function openMemoryStore(): Store {
  const shelves = new Map<string, Shelf>()
  const inbox = new Map<number, Command>()
  const commandIds = new Set<string>()
  const rules = new Map<string, RuleRecord>()
  let lastKey = 0
  let memory: MemoryStore | undefined

  function shelf(sessionId: string): Shelf {
    let found = shelves.get(sessionId)
    if (!found) shelves.set(sessionId, (found = emptyShelf()))
    return found
  }

  function take(key: number): void {
    const command = inbox.get(key)
    if (!command) return
    inbox.delete(key)
    commandIds.delete(command.commandId)
  }

  return {
    async session(sessionId) {
      return copy(shelves.get(sessionId)?.row)
    },

    async sessions({ agent, limit, before } = {}) {
      const rows = [...shelves.values()].flatMap(({ row }) => row ?? [])
      const chosen = rows.filter(
        (row) => (agent === undefined || row.agent === agent) && (!before || bySessionAge(before, row) < 0),
      )
      return copy(chosen.toSorted(bySessionAge).slice(0, limit))
    },

    async acquire(sessionId, create) {
      const found = shelf(sessionId)
      found.row = acquired(found.row, sessionId, create, found.entries.at(-1))
      return copy(found.row)
    },

    async append(batch) {
      assertContiguous(batch)
      const found = shelves.get(batch.sessionId)
      if (!found?.row) return 'fenced'
      if (!mayAppend(found.row, batch)) {
        const stored = batch.entries.map(({ seq }) => found.entries[seq])
        return isWritten(stored, batch) ? 'appended' : 'fenced'
      }
      // Copied before anything changes: a value that cannot be stored must leave nothing behind.
      const entries = batch.entries.map(copy)
      found.row = appended(found.row, batch)
      for (const entry of entries) found.entries.push(entry)
      for (const { hash, text } of batch.blobs ?? []) found.blobs.set(hash, text)
      for (const stepId of batch.dropPartials ?? []) found.partials.delete(stepId)
      batch.take?.forEach(take)
      if (batch.ballast !== undefined) setBallast(found, batch.ballast)
      return 'appended'
    },

    async entries(sessionId, from, to) {
      return copy(
        shelves.get(sessionId)?.entries.slice(Math.max(0, from), to === undefined ? to : Math.max(0, to)) ?? [],
      )
    },

    async entriesAt(sessionId, seqs) {
      const entries = shelves.get(sessionId)?.entries ?? []
      return seqs.flatMap((seq) => copy(entries[seq]) ?? [])
    },

    async blob(sessionId, hash) {
      return shelves.get(sessionId)?.blobs.get(hash)
    },

    async head(sessionId) {
      return copy(shelves.get(sessionId)?.head)
    },

    async saveHead(head) {
      const found = shelves.get(head.sessionId)
      if (found?.row?.epoch === head.epoch && head.seq <= found.row.seq) found.head = copy(head)
    },

    async send(command) {
      if (commandIds.has(command.commandId)) return
      inbox.set(lastKey + 1, copy(command))
      commandIds.add(command.commandId)
      lastKey++
    },

    async inbox(sessionId) {
      return [...inbox].flatMap(([key, command]) =>
        command.sessionId === sessionId ? { key, command: copy(command) } : [],
      )
    },

    async savePartial({ sessionId, epoch, ...partial }) {
      const found = shelves.get(sessionId)
      if (found?.row?.epoch === epoch) found.partials.set(partial.stepId, copy(partial))
    },

    async partial(sessionId, stepId) {
      return copy(shelves.get(sessionId)?.partials.get(stepId))
    },

    async saveSnapshot(sessionId, tag, snapshot) {
      const { snapshots } = shelf(sessionId)
      if (snapshot === undefined) snapshots.delete(tag)
      else snapshots.set(tag, copy(snapshot))
    },

    async snapshot(sessionId, tag) {
      return copy(shelves.get(sessionId)?.snapshots.get(tag))
    },

    async snapshots(sessionId) {
      const named = [...(shelves.get(sessionId)?.snapshots ?? [])]
      return named.map(([tag, { metadata }]) => ({ tag, createdAt: metadata.createdAt })).toSorted(bySnapshotAge)
    },

    async side(kind, sessionId, id) {
      return copy(shelves.get(sessionId)?.sides.get(kind)?.get(id))
    },

    async sides(kind, sessionId) {
      const found = [...(shelves.get(sessionId)?.sides.get(kind) ?? [])]
      return found.map(([id, value]) => ({ id, value: copy(value) })).toSorted((one, other) => byText(one.id, other.id))
    },

    async saveSide(kind, sessionId, id, value) {
      if (kind === 'evidence' && !shelves.get(sessionId)?.row) return
      const { sides } = shelf(sessionId)
      if (!sides.has(kind)) sides.set(kind, new Map())
      if (value === undefined) sides.get(kind)?.delete(id)
      else sides.get(kind)?.set(id, copy(value))
    },

    async swapSide(kind, sessionId, id, from, to) {
      const { sides } = shelf(sessionId)
      if (sides.get(kind)?.get(id) !== from) return false
      if (!sides.has(kind)) sides.set(kind, new Map())
      if (to === undefined) sides.get(kind)?.delete(id)
      else sides.get(kind)?.set(id, to)
      return true
    },

    async rules(agent) {
      return copy([...rules.values()].filter((rule) => rule.agent === agent).toSorted(byRuleAge))
    },

    async saveRule(rule) {
      rules.set(rule.id, copy(rule))
    },

    async deleteRule(id) {
      rules.delete(id)
    },

    memory: (now) => (memory ??= createMemory(now)),

    async delete(sessionId) {
      shelves.delete(sessionId)
      for (const [key, command] of inbox) if (command.sessionId === sessionId) take(key)
    },

    async clear() {
      shelves.clear()
      inbox.clear()
      commandIds.clear()
      rules.clear()
      lastKey = 0
      memory = undefined
    },

    close() {},
  }
}

/** Everything of one session but its commands, which stand in one line for all. */
interface Shelf {
  row?: SessionRecord
  head?: Head
  readonly entries: Entry[]
  readonly blobs: Map<string, string>
  readonly partials: Map<string, Partial>
  readonly snapshots: Map<string, Snapshot>
  readonly sides: Map<string, Map<string, unknown>>
}

function setBallast({ sides }: Shelf, count: number): void {
  if (count === 0) return ['ballast', 'evidence'].forEach((kind) => sides.delete(kind))
  const kept = sides.get('ballast') ?? new Map<string, unknown>()
  // A mark alone: memory is not kept free by filling it.
  for (const id of ballastIds([...kept.keys()], count)) kept.set(id, true)
  sides.set('ballast', kept)
}

function emptyShelf(): Shelf {
  return { entries: [], blobs: new Map(), partials: new Map(), snapshots: new Map(), sides: new Map() }
}
