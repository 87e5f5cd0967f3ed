/** Which messages of a path have siblings. */
import type { Head, Node } from '@dogear/core'
import type { Branches } from '../session.ts'

export const noBranches: Branches = {}

export function branchesOf({ nodes }: Head, path: readonly Node[]): Branches {
  // Nearly every session is one line: nothing to look for, and nothing new to tell.
  if (path.length === nodes.length) return noBranches
  const beside = new Map<string | null, string[]>()
  for (const { parent, id } of nodes) {
    const ids = beside.get(parent)
    if (ids) ids.push(id)
    else beside.set(parent, [id])
  }
  const found: Record<string, Branches[string]> = {}
  for (const { parent, id } of path) {
    const ids = beside.get(parent) ?? []
    if (ids.length > 1) found[id] = { ids, index: ids.indexOf(id) }
  }
  return found
}
