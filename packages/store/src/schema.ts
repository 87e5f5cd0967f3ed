/** The database: every store it will ever need, made in version 1, which never changes; records carry their own version. */
import type {
  Command,
  Entry,
  Head,
  MemoryFact,
  MemoryScope,
  Partial,
  RuleRecord,
  SessionRecord,
  Snapshot,
} from '@dogear/core'
import type { DBSchema, IDBPDatabase } from 'idb'

export const databaseVersion = 1

export interface Schema extends DBSchema {
  sessions: {
    key: string
    value: SessionRecord
    indexes: { updatedAt: number; 'agent+updatedAt': [agent: string, updatedAt: number] }
  }
  journal: { key: [sessionId: string, seq: number]; value: Entry }
  folds: { key: string; value: Head }
  blobs: { key: [sessionId: string, hash: string]; value: string }
  inbox: { key: number; value: Command; indexes: { sessionId: string; commandId: string } }
  partials: { key: [sessionId: string, stepId: string]; value: Partial }
  snapshots: { key: [sessionId: string, tag: string]; value: Snapshot }
  memory: { key: [scope: string, key: string]; value: FactRow }
  rules: { key: string; value: RuleRecord }
  side: { key: [kind: string, sessionId: string, id: string]; value: unknown }
}

/** Of one key in one scope there are two at most, told apart by the first letter of `key`: one that holds, one obsolete. */
export interface FactRow {
  readonly scope: MemoryScope
  readonly key: string
  readonly fact: MemoryFact
}

export type Database = IDBPDatabase<Schema>

export function createStores(database: Database): void {
  const sessions = database.createObjectStore('sessions', { keyPath: 'id' })
  sessions.createIndex('updatedAt', 'updatedAt')
  sessions.createIndex('agent+updatedAt', ['agent', 'updatedAt'])

  database.createObjectStore('journal')
  database.createObjectStore('folds')
  database.createObjectStore('blobs')

  const inbox = database.createObjectStore('inbox', { autoIncrement: true })
  inbox.createIndex('sessionId', 'sessionId')
  inbox.createIndex('commandId', 'commandId', { unique: true })

  database.createObjectStore('partials')
  database.createObjectStore('snapshots')
  database.createObjectStore('memory', { keyPath: ['scope', 'key'] })
  database.createObjectStore('rules', { keyPath: 'id' })
  database.createObjectStore('side')
}

/** Every key that starts with these parts: an array sorts after any string or number, so it closes the range. */
export function keysUnder(...parts: string[]): IDBKeyRange {
  return IDBKeyRange.bound(parts, [...parts, []])
}
