/** A session's records as they lie in a store, with what its user decided and is remembered by, and the way back. */
import type {
  Command,
  Entry,
  Head,
  MemoryFact,
  Partial,
  RuleRecord,
  SessionRecord,
  Snapshot,
  Store,
} from '@dogear/core'

export interface Records {
  readonly session: SessionRecord
  readonly entries: readonly Entry[]
  readonly head?: Head
  readonly inbox: readonly Command[]
  readonly partial?: Partial
  readonly snapshots?: readonly Snapshot[]
  readonly evidence?: readonly { readonly id: string; readonly value: unknown }[]
  readonly rules?: readonly RuleRecord[]
  readonly facts?: readonly MemoryFact[]
}

export async function readRecords(store: Store, sessionId: string): Promise<Records> {
  const session = await store.session(sessionId)
  if (!session) throw new Error(`There is no session ${sessionId}.`)
  const entries = await store.entries(sessionId, 0)
  const step = entries.findLast(({ type }) => type === 'step-start')?.stepId
  const tags = await store.snapshots(sessionId)
  return {
    session,
    entries,
    head: await store.head(sessionId),
    inbox: (await store.inbox(sessionId)).map(({ command }) => command),
    partial: step === undefined ? undefined : await store.partial(sessionId, step),
    snapshots: (await Promise.all(tags.map(({ tag }) => store.snapshot(sessionId, tag)))) as Snapshot[],
    evidence: await store.sides('evidence', sessionId),
    rules: await store.rules(session.agent),
    facts: await store.memory(Date.now).list({ scope: 'user' }),
  }
}

export async function writeRecords(store: Store, records: Records): Promise<void> {
  const { session, entries, head, inbox, partial, snapshots = [], evidence = [], rules = [], facts = [] } = records
  const { id: sessionId, agent, createdAt, epoch, seq: _seq, minReader: _reader, ...record } = session
  for (let owner = 0; owner < epoch; owner += 1) await store.acquire(sessionId, { agent, at: createdAt })
  await store.append({ sessionId, epoch, expectedSeq: 0, entries, record })
  if (head) await store.saveHead(head)
  if (partial) await store.savePartial({ ...partial, sessionId, epoch })
  for (const command of inbox) await store.send(command)
  for (const snapshot of snapshots) await store.saveSnapshot(sessionId, snapshot.metadata.tag!, snapshot)
  for (const { id, value } of evidence) await store.saveSide('evidence', sessionId, id, value)
  for (const rule of rules) await store.saveRule(rule)
  for (const fact of facts) await store.memory(Date.now).upsert(fact)
}
