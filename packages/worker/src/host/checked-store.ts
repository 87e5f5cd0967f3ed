/** A store whose records are looked at before anybody uses them: a bad one is put aside, and the rest is given. */
import {
  entryInPlaceOf,
  isCommand,
  isEntry,
  isHead,
  isPartial,
  isRuleRecord,
  isSessionRecord,
  readableFacts,
  type Entry,
  type SessionRecord,
  type Store,
} from '@dogear/core'
import { checkCommand } from './check-command.ts'

export function checkedStore(store: Store, warn: (message: string) => void): Store {
  /** Told and kept once, however often they are read. */
  const aside = new Set<string>()
  /** Inbox rows to be deleted with the next write of their session's owner. */
  const badRows = new Map<string, Set<number>>()

  async function putAside(sessionId: string, id: string, value: unknown): Promise<void> {
    const name = JSON.stringify([sessionId, id])
    if (aside.has(name)) return
    aside.add(name)
    warn(
      `A stored record of session "${sessionId}" cannot be read (${id}). The rest goes on without it; agent.sessions.export("${sessionId}", { raw: true }) has it.`,
    )
    // The record itself stays where it is: failing here must not cost the session.
    await store.saveSide('quarantine', sessionId, id, value).catch(() => {})
  }

  async function entryAt(sessionId: string, seq: number): Promise<{ entry: Entry; isFound: boolean }> {
    const [value] = await store.entriesAt(sessionId, [seq])
    if (isEntry(value, seq)) return { entry: value, isFound: true }
    await putAside(sessionId, `journal.${seq}`, value ?? null)
    return { entry: entryInPlaceOf(value, seq), isFound: value !== undefined }
  }

  /** One by one, because a record that is wrong may be wrong about its own number. */
  async function mended(sessionId: string, from: number, count: number): Promise<Entry[]> {
    const entries: Entry[] = []
    for (let found = 0; found < count;) {
      const { entry, isFound } = await entryAt(sessionId, from + entries.length)
      entries.push(entry)
      if (isFound) found += 1
    }
    return entries
  }

  async function checkedRow(sessionId: string, row: unknown): Promise<SessionRecord | undefined> {
    if (isSessionRecord(row)) return row
    const first = await store.entriesAt(sessionId, [0])
    if (row === undefined && !first.length) return undefined
    // Begun by another tab between the two looks.
    const begun = row === undefined && (await store.session(sessionId))
    if (isSessionRecord(begun)) return begun
    await putAside(sessionId, 'session', row ?? null)
    const entries: readonly unknown[] = await store.entries(sessionId, 0)
    const start = first.find((entry) => entry.type === 'session-start')
    return { ...emptyRow, ...readableFacts(row), id: sessionId, agent: start?.agent ?? '', seq: entries.length }
  }

  return {
    ...store,
    session: async (sessionId) => checkedRow(sessionId, await store.session(sessionId)),
    async sessions(query = {}) {
      const rows = await store.sessions(query)
      if (!rows.some((row) => !isSessionRecord(row))) return rows
      const checked = await Promise.all(rows.map((row) => checkedRow(row.id, row)))
      return checked.filter(
        (row) => row !== undefined && [undefined, row.agent].includes(query.agent),
      ) as SessionRecord[]
    },
    async entries(sessionId, from, to) {
      const values = await store.entries(sessionId, from, to)
      const bad = values.findIndex((value, index) => !isEntry(value, from + index))
      if (bad < 0) return values
      return [...values.slice(0, bad), ...(await mended(sessionId, from + bad, values.length - bad))]
    },
    async entriesAt(sessionId, seqs) {
      const values = await store.entriesAt(sessionId, seqs)
      if (values.every((value, index) => isEntry(value, seqs[index] ?? -1))) return values
      const each = await Promise.all(seqs.map((seq) => store.entriesAt(sessionId, [seq])))
      const good: Entry[] = []
      for (const [index, [value]] of each.entries()) {
        const seq = seqs[index] as number
        if (isEntry(value, seq)) good.push(value)
        else if (value !== undefined) await putAside(sessionId, `journal.${seq}`, value)
      }
      return good
    },
    async head(sessionId) {
      // Only a cache: the journal is folded anew.
      const value = await store.head(sessionId).catch(() => undefined)
      if (!isHead(value, sessionId)) return undefined
      // Made with an entry that is gone since, it fits no append, and its owner would begin anew for ever.
      return (await store.entriesAt(sessionId, [value.seq - 1])).length ? value : undefined
    },
    async send(command) {
      checkCommand(command)
      await store.send(command)
    },
    async inbox(sessionId) {
      const rows = await store.inbox(sessionId)
      const bad = rows.filter(({ command }) => !isCommand(command))
      for (const { key, command } of bad) {
        await putAside(sessionId, `inbox.${key}`, command)
        badRows.set(sessionId, (badRows.get(sessionId) ?? new Set()).add(key))
      }
      return bad.length ? rows.filter((row) => !bad.includes(row)) : rows
    },
    async append(batch) {
      const bad = badRows.get(batch.sessionId)
      if (!bad) return store.append(batch)
      const answer = await store.append({ ...batch, take: [...(batch.take ?? []), ...bad] })
      if (answer === 'appended') badRows.delete(batch.sessionId)
      return answer
    },
    async partial(sessionId, stepId) {
      const value = await store.partial(sessionId, stepId)
      if (value === undefined || isPartial(value)) return value
      await putAside(sessionId, `partial.${stepId}`, value)
      return undefined
    },
    // A rule that cannot be read allows nothing.
    rules: async (agent) => (await store.rules(agent)).filter(isRuleRecord),
    async snapshot(sessionId, tag) {
      const value = await store.snapshot(sessionId, tag)
      if (value === undefined || Array.isArray(value?.state?.messages)) return value
      await putAside(sessionId, `snapshot.${tag}`, value)
      return undefined
    },
  }
}

const emptyRow = { epoch: 0, createdAt: 0, updatedAt: 0, messageCount: 0, waiting: 0, minReader: 0 }
