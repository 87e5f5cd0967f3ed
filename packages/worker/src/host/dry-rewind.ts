/** What a rewind would do, without doing it. */
import {
  endOfStep,
  nodeNamed,
  readAbandoned,
  rewoundCall,
  undoOf,
  type Fold,
  type Rewound,
  type RewoundCall,
  type Store,
} from '@dogear/core'
import type { AgentSpec } from '../protocol.ts'

export async function dryRewind(
  { store, fold }: { store: Store; fold: Fold },
  spec: AgentSpec | undefined,
  messageId: string | null,
): Promise<Rewound> {
  const leaf = messageId === null ? null : endOfStep(fold, nodeNamed(fold, messageId).id)
  const { calls } = await readAbandoned(store, fold, leaf)
  const agents = spec ? [spec, ...(spec.others ?? [])] : []
  const would: { [T in keyof Rewound]: RewoundCall[] } = { undone: [], notUndone: [], unknown: [] }
  for (const call of calls) {
    const asked = agents.find(({ name }) => name === (call.agent ?? spec?.name))
    const outcome = undoOf(
      call,
      asked?.tools.find(({ name }) => name === call.tool),
    )
    if (outcome) would[outcome === 'run' ? 'undone' : outcome].push(rewoundCall(call, call.undo?.error))
  }
  return would
}
