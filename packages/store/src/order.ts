/** The order lists come in, the same in every store. */
import type { RuleRecord, SessionPlace, SnapshotRecord } from '@dogear/core'

export function bySessionAge(one: SessionPlace, other: SessionPlace): number {
  return other.updatedAt - one.updatedAt || byText(other.id, one.id)
}

export function bySnapshotAge(one: SnapshotRecord, other: SnapshotRecord): number {
  return other.createdAt - one.createdAt || byText(one.tag, other.tag)
}

export function byRuleAge(one: RuleRecord, other: RuleRecord): number {
  return one.createdAt - other.createdAt || byText(one.id, other.id)
}

/** By code unit, as IndexedDB sorts its keys. */
export function byText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}
