/** A session's records as they lie in a store, and the way back. */
import type { Command, Entry, Head, Partial, SessionRecord, Store } from '@dogear/core'

export interface Records {
  readonly session: SessionRecord
  readonly entries: readonly Entry[]
  readonly head?: Head
  readonly inbox: readonly Command[]
  readonly partial?: Partial
}

export async function readRecords(store: Store, sessionId: string): Promise<Records> {
  const session = await store.session(sessionId)
  if (!session) throw new Error(`There is no session ${sessionId}.`)
  const entries = await store.entries(sessionId, 0)
  const step = entries.findLast(({ type }) => type === 'step-start')?.stepId
  return {
    session,
    entries,
    head: await store.head(sessionId),
    inbox: (await store.inbox(sessionId)).map(({ command }) => command),
    partial: step === undefined ? undefined : await store.partial(sessionId, step),
  }
}

export async function writeRecords(store: Store, { session, entries, head, inbox, partial }: Records): Promise<void> {
  const { id: sessionId, agent, createdAt, epoch } = session
  const { updatedAt, messageCount, waiting, title, tag, archived } = session
  for (let owner = 0; owner < epoch; owner += 1) await store.acquire(sessionId, { agent, at: createdAt })
  const record = { updatedAt, messageCount, waiting, title, tag, archived }
  await store.append({ sessionId, epoch, expectedSeq: 0, entries, record })
  if (head) await store.saveHead(head)
  if (partial) await store.savePartial({ ...partial, sessionId, epoch })
  for (const command of inbox) await store.send(command)
}
