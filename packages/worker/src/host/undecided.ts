/** A file may say that a person said yes: only a person here can. What an imported session holds is open again. */
import { begunElsewhere, type NewEntry, type PendingToolApproval, type PendingUserQuestion } from '@dogear/core'

/** What a tool asked itself, it asks again: entered with what a file says it was entered with, it would run unchecked. */
export function undecided<T extends PendingToolApproval | PendingUserQuestion>(
  list: readonly T[] | undefined,
): readonly T[] | undefined {
  return list?.flatMap((pending) =>
    pending.status === 'executed' || pending.metadata?.entered ? [] : { ...pending, status: 'pending' as const },
  )
}

/** The same for what agents at work for open calls had written: of each of their own open calls, what it waits for last. */
export function undecidedWork(entries: readonly NewEntry[] = []): NewEntry[] {
  const done = new Set(entries.map((entry) => (entry.type === 'tool-result' ? entry.callId : undefined)))
  const staying = new Map<string, readonly NewEntry[]>()
  for (const entry of entries) {
    const callId = callOf(entry)
    if (callId === undefined || done.has(callId)) continue
    const begun = staying.get(callId)?.filter(({ type }) => type === 'tool-intent') ?? []
    const isAskedByTool = entry.type === 'request-open' && entry.request.entered
    staying.set(callId, isAskedByTool ? [] : entry.type === 'tool-intent' ? [entry] : [...begun, entry])
  }
  return entries.flatMap((entry): NewEntry | [] => {
    if (entry.type === 'request-close' || staying.get(callOf(entry) ?? '')?.includes(entry) === false) return []
    return entry.type === 'tool-intent' && !done.has(entry.callId) ? { ...entry, attempt: begunElsewhere } : entry
  })
}

function callOf(entry: NewEntry): string | undefined {
  if (entry.type === 'request-open') return entry.request?.callId
  return entry.type === 'tool-intent' ? entry.callId : undefined
}
