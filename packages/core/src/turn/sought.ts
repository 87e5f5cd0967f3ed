/** A tool that may be on another tab's page, and whose it is. */
import { headOf, type Run } from './run.ts'

export interface Sought {
  /** The calls that lead to the agent that asked; empty for the session's own. */
  readonly path: readonly string[]
  /** By name, where a handoff gave it the word. */
  readonly agent?: string
  readonly name: string
}

export function soughtBy(run: Run, name: string): Sought {
  return { path: run.journal.path, agent: headOf(run).turn?.agent, name }
}
