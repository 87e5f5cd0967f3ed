/** Evidence: what a call came to, kept by a host that could no longer write it, for the one that goes on. */
import type { CallResult } from '../session/entry.ts'
import type { OpenCall } from '../session/state.ts'
import { argsHash } from '../tools/canonical.ts'
import type { Ready, Run } from './run.ts'

export interface Evidence {
  readonly key: string
  readonly argsHash: string
  readonly attempt: number
  readonly result: CallResult
}

/** Never throws: it is kept when all else has failed. */
export async function keepEvidence(run: Run, callId: string, ready: Ready, result: CallResult): Promise<void> {
  // Read off what ran, not off the journal: that is another host's by now.
  const { tool, args, attempt, key } = ready
  const evidence: Evidence = { key, argsHash: argsHash(run.hash, tool.name, args), attempt, result }
  await run.saveEvidence(callId, evidence).catch(() => {})
}

/** The result, if it is of this very try at this very call: nothing else of it is believed. */
export function provenResult({ intent }: OpenCall, kept: unknown): CallResult | undefined {
  const evidence = kept as Evidence | undefined
  const isSame =
    intent &&
    evidence?.key === intent.key &&
    evidence.argsHash === intent.argsHash &&
    evidence.attempt === intent.attempt
  return isSame ? evidence.result : undefined
}
