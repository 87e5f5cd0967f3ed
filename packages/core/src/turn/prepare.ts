/** What is done before a step asks its model. Each part looks at the journal for whether it is due, so that a crash repeats none. */
import { compactIfDue } from '../smart/compaction.ts'
import { warnOfSubagents } from '../agents/subagents.ts'
import { guardRequest } from './guard.ts'
import { warnOfLimits } from './limits.ts'
import { reflect } from './reflect.ts'
import { beforePrompt } from './prompt-hooks.ts'
import { headOf, type Run } from './run.ts'

export async function prepareStep(run: Run): Promise<void> {
  const agent = run.agent()
  warnOfLimits(run)
  warnOfSubagents(agent, run.warn)
  // Each is asked for only where there is something to do: most agents have none of them, and a wait is not free.
  if (agent.guardrails) await guardRequest(run)
  if (headOf(run).turn && agent.hooks?.length) await beforePrompt(run)
  if (!headOf(run).turn) return
  if (agent.profile.summarization.enable) await compactIfDue(run)
  if (agent.reflection) await reflect(run, agent.reflection)
}
