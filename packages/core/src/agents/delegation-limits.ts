/** How far an agent may give work to others: how deep, and how often in one turn. */
import { headOf, turnOf, type Run } from '../turn/run.ts'

/** What the model reads when it may not give this many tasks away; undefined when it may. */
export function delegationRefusal(run: Run, tasks: number): string | undefined {
  const { maxDelegationDepth, maxChildCalls } = run.agent().profile.delegation
  if (run.journal.path.length >= maxDelegationDepth) {
    return errorText(`Tasks go at most ${maxDelegationDepth} deep. Do this one yourself.`)
  }
  // Those that are just about to begin have their place, but nothing in it yet.
  const beginning = Object.values(headOf(run).children).filter(({ seq }) => seq === 0).length
  if (turnOf(run).childCount + beginning + tasks <= maxChildCalls) return undefined
  return errorText(`At most ${maxChildCalls} tasks may be given away in a turn. Go on with what you have.`)
}

function errorText(error: string): string {
  return JSON.stringify({ error })
}
