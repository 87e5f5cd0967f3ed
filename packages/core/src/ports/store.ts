/**
 * Store port: the journal and what stands beside it.
 *
 * Contract, run by one suite on every implementation:
 * - a promise resolves only once the write is committed; a write happens whole or not at all;
 * - `append` compares `epoch` and `expectedSeq` inside its transaction; a mismatch writes nothing and answers `fenced`;
 * - what was read is never the caller's object, and what was written may be changed by the caller afterwards;
 * - failures reject with `storage-full`, `storage-blocked` or `storage-failed`.
 */
import type { MemoryStore } from './memory.ts'
import type { Command } from '../session/command.ts'
import type { Entry } from '../session/entry.ts'
import type { Head, RuleSet, Status } from '../session/state.ts'
import type { Partial } from '../session/partial.ts'
import type { Snapshot } from '../session/snapshot.ts'

export interface Store {
  session(sessionId: string): Promise<SessionRecord | undefined>
  /** Newest first; `before`: only those that come after this one in that order. */
  sessions(query?: { agent?: string; limit?: number; before?: SessionPlace }): Promise<SessionRecord[]>
  /**
   * Raises the epoch of a session, making its row when there is none: every older owner is fenced from then on.
   * Rejects with `session-newer`, writing nothing, when the row's `minReader` is above this script's entries.
   */
  acquire(sessionId: string, create: { agent: string; at: number }): Promise<SessionRecord>
  append(batch: Batch): Promise<'appended' | 'fenced'>
  /** Entries with `from <= seq < to`, in order. */
  entries(sessionId: string, from: number, to?: number): Promise<Entry[]>
  /** The entries at these numbers, in the order asked; a missing one is left out. */
  entriesAt(sessionId: string, seqs: readonly number[]): Promise<Entry[]>
  blob(sessionId: string, hash: string): Promise<string | undefined>

  head(sessionId: string): Promise<Head | undefined>
  /** A cache: may be refused silently when the epoch is old. */
  saveHead(head: Head): Promise<void>

  /** Resolves once the command can no longer be lost. A repeated commandId is dropped. */
  send(command: Command): Promise<void>
  /** The commands waiting for a session's owner, in the order they were sent. */
  inbox(sessionId: string): Promise<InboxRow[]>

  /** Overwrites the open step's partial; refused silently when the epoch is old. May be lost on power failure. */
  savePartial(partial: Partial & { readonly sessionId: string; readonly epoch: number }): Promise<void>
  partial(sessionId: string, stepId: string): Promise<Partial | undefined>

  /** `undefined` deletes. */
  saveSnapshot(sessionId: string, tag: string, snapshot: Snapshot | undefined): Promise<void>
  snapshot(sessionId: string, tag: string): Promise<Snapshot | undefined>
  snapshots(sessionId: string): Promise<SnapshotRecord[]>

  /** Small records beside the journal: drafts, cursors, leases, evidence. */
  side(kind: SideKind, sessionId: string, id: string): Promise<unknown>
  sides(kind: SideKind, sessionId: string): Promise<{ id: string; value: unknown }[]>
  /** `undefined` deletes. Evidence only while there is a session, in one transaction: what is deleted does not come back. */
  saveSide(kind: SideKind, sessionId: string, id: string, value: unknown): Promise<void>
  /** Changes a side record only while it is still `from`, in one transaction; false when it is not. Texts only: they compare. */
  swapSide(kind: SideKind, sessionId: string, id: string, from: string | undefined, to?: string): Promise<boolean>

  /** What this user's sessions remember together; it outlives each of them. */
  memory(now: () => number): MemoryStore

  /** What this user has decided about an agent's calls for good, the oldest first. */
  rules(agent: string): Promise<RuleRecord[]>
  /** One with the same id is overwritten. */
  saveRule(rule: RuleRecord): Promise<void>
  deleteRule(id: string): Promise<void>

  /** Deletes everything of one session. */
  delete(sessionId: string): Promise<void>
  /** Deletes this user's whole database, also while other tabs have it open. */
  clear(): Promise<void>
  close(): void
}

export type SideKind = 'evidence' | 'ballast' | 'quarantine' | 'draft' | 'cursor' | 'lease' | 'host'

export interface SessionRecord {
  readonly id: string
  readonly agent: string
  /** How many entries the journal holds: the next entry's seq. */
  readonly seq: number
  readonly epoch: number
  readonly createdAt: number
  readonly updatedAt: number
  readonly messageCount: number
  /** Open requests: "waiting for you" over sessions. */
  readonly waiting: number
  /** What they are about, each once, in the tools' own words. */
  readonly asks?: readonly string[]
  /** Rows of older scripts do not say. */
  readonly status?: Status
  /** An older script must not own a session whose entries it cannot read. */
  readonly minReader: number
  readonly title?: string
  /** Who gave it its title. */
  readonly titledBy?: Head['titledBy']
  readonly tag?: string
  readonly archived?: boolean
}

/** Where a session stands in the list. */
export type SessionPlace = Pick<SessionRecord, 'id' | 'updatedAt'>

export interface Batch {
  readonly sessionId: string
  readonly epoch: number
  readonly expectedSeq: number
  readonly entries: readonly Entry[]
  /** What the session's row becomes beside `seq` and `epoch`. Without `updatedAt` it keeps its place in the list. */
  readonly record: Pick<
    SessionRecord,
    'messageCount' | 'waiting' | 'asks' | 'status' | 'title' | 'titledBy' | 'tag' | 'archived'
  > & { readonly updatedAt?: number }
  /** Inbox rows these entries answer: deleted in the same transaction. */
  readonly take?: readonly number[]
  /** Steps whose partial is now a message. */
  readonly dropPartials?: readonly string[]
  readonly blobs?: readonly { readonly hash: string; readonly text: string }[]
  /**
   * How many results there is room for once this is written: records of kind `ballast`, each as large as the largest
   * result, are added until there are so many. 0 deletes them all, and all evidence: no call is open any more. To use the room, delete one first, in a write of its
   * own: a full disk counts what a transaction adds, not what it deletes.
   */
  readonly ballast?: number
}

export interface InboxRow {
  readonly key: number
  readonly command: Command
}

export interface RuleRecord extends RuleSet {
  /** Made of agent and rule: the same rule is kept once. */
  readonly id: string
  readonly createdAt: number
}

export interface SnapshotRecord {
  readonly tag: string
  readonly createdAt: number
}
