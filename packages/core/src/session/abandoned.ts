/** What lies behind a session that goes back: the calls whose effects stay, and what is known of undoing them. */
import type { Store } from '../ports/store.ts'
import { builtinNames, subagentToolNames } from '../tools/builtin.ts'
import type { Effect } from '../tools/tool.ts'
import type { CallResult, Entry } from './entry.ts'
import { callOfWorker, pathOf, type Fold } from './fold.ts'
import { textOf } from './message.ts'
import type { Place, Rewound } from './state.ts'
import { readTree } from './tree.ts'

export interface AbandonedCall extends Pick<CallResult, 'tool' | 'label' | 'args' | 'content' | 'status'> {
  readonly callId: string
  /** Who asked for it. */
  readonly agent?: string
  /** Of an agent at work for another, or copied from another session: nobody here can undo it. */
  readonly isForeign: boolean
  /** What became of undoing it, when that was tried before. */
  readonly undo?: { readonly outcome: keyof Rewound; readonly error?: string }
}

/** The newest first. */
export async function readAbandoned(
  store: Pick<Store, 'entries'>,
  fold: Fold,
  leaf: string | null,
): Promise<{ place: Place; calls: AbandonedCall[] }> {
  const kept = new Set(pathOf({ ...fold, head: { ...fold.head, leaf } }))
  const left = new Set(pathOf(fold).flatMap((node) => (kept.has(node) ? [] : node.id)))
  const calls = new Map<string, AbandonedCall>()
  const begun = new Set<string>()
  const askedBy = new Map<string, string | undefined>()

  function add(callId: string, result: CallResult, isForeign: boolean): void {
    const { tool, label, args, content, status, fromCache, handoff } = result
    if (fromCache || handoff !== undefined || ours.has(tool)) return
    calls.set(callId, { callId, tool, label, args, content, status, agent: askedBy.get(callId), isForeign })
  }

  function see(entry: Entry): void {
    const root = callOfWorker(entry.path[0])
    switch (entry.type) {
      case 'message-add':
        for (const { id } of entry.message.tool_calls ?? []) askedBy.set(id, entry.message.meta.agent)
        return
      case 'tool-intent':
        return void begun.add(entry.callId)
      case 'tool-result':
        if (begun.has(entry.callId) && left.has(`${root ?? entry.callId}.r`)) {
          add(entry.callId, entry.result, root !== undefined)
        }
        return
      case 'state-import':
        for (const { id, role, content, meta, tool_call_id: callId = '' } of entry.messages) {
          if (role !== 'tool' || !meta.tool || !left.has(id)) continue
          const { name: tool, ...outcome } = meta.tool
          add(
            callId,
            { ...outcome, tool, content: textOf({ content }), status: meta.status as CallResult['status'] },
            true,
          )
        }
        return
      case 'undo-intent':
      case 'undo-result': {
        const call = calls.get(entry.callId)
        const error = entry.type === 'undo-result' ? entry.error?.message : undefined
        const outcome = entry.type === 'undo-intent' ? 'unknown' : error === undefined ? 'undone' : 'notUndone'
        if (call) calls.set(entry.callId, { ...call, undo: { outcome, error } })
      }
    }
  }

  const tree = await readTree(store, fold.head, see)
  return { place: tree.placeAt(leaf), calls: [...calls.values()].reverse() }
}

/** They change nothing outside of the session. */
const ours: ReadonlySet<string> = new Set([...Object.values(builtinNames), ...subagentToolNames])

/** What becomes of a call: `run` its undo, nothing where there is nothing to undo, else what is said of it. */
export function undoOf(
  call: AbandonedCall,
  tool:
    | { readonly effect: Effect; readonly undo?: unknown; readonly agent?: unknown; readonly tasks?: unknown }
    | undefined,
): 'run' | keyof Rewound | undefined {
  if (call.undo) return call.undo.outcome
  if (call.status === 'rejected' || call.status === 'skipped') return undefined
  if (tool && !tool.undo && (tool.effect === 'read' || tool.agent !== undefined || tool.tasks)) return undefined
  return tool?.undo && call.status === 'complete' && !call.isForeign ? 'run' : 'notUndone'
}
