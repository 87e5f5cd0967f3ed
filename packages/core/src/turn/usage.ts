/** What a model call cost: every one, whatever it was for, is recorded here. */
import { describeError } from '../error.ts'
import type { Purpose } from '../session/entry.ts'
import type { NewEntry } from '../session/journal.ts'
import type { Partial } from '../session/partial.ts'
import { modelNameOf, type Run } from './run.ts'
import { unlessStopped } from './unless-stopped.ts'

export async function usageEntries(
  run: Run,
  partial: Pick<Partial, 'usage' | 'model'>,
  purpose: Purpose,
): Promise<NewEntry[]> {
  const { usage } = partial
  if (!usage) return []
  const model = partial.model ?? modelNameOf(run)
  const estimate = run.agent().costOf ?? run.costAbove
  const costUsd = estimate && (await costOf(run, () => estimate(model, usage)))
  return [{ type: 'usage-add', model, usage, purpose, ...(costUsd !== undefined && { costUsd }) }]
}

/** How long a turn that was stopped waits for what its last words cost. */
const patience = 500

async function costOf(run: Run, estimate: () => number | Promise<number>): Promise<number | undefined> {
  const { signal } = run
  const isStopping = signal.aborted
  try {
    const cost = Promise.resolve(estimate())
    if (!isStopping) return await unlessStopped(signal, cost)
    return (await Promise.race([cost, run.clock.sleep(patience)])) ?? undefined
  } catch (error) {
    if (!isStopping) signal.throwIfAborted()
    run.warn(`costEstimator threw (${describeError(error)}); this model call is counted as free.`)
    return undefined
  }
}
