/** What is done before a step asks its model. Each part looks at the journal for whether it is due, so that a crash repeats none. */
import { compactIfDue } from '../smart/compaction.ts'
import { warnOfSubagents } from '../agents/subagents.ts'
import { guardRequest } from './guard.ts'
import { warnOfLimits } from './limits.ts'
import { reflect } from './reflect.ts'
import { headOf, type Run } from './run.ts'

export async function prepareStep(run: Run): Promise<void> {
  warnOfLimits(run)
  warnOfSubagents(run.agent(), run.warn)
  await guardRequest(run)
  if (!headOf(run).turn) return
  await compactIfDue(run)
  await reflect(run)
}
