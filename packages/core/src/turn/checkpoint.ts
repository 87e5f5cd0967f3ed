/** A checkpoint that a session's agent declares: the turn waits there until a person lets it go on. */
import type { NewEntry } from '../session/journal.ts'
import { labelText } from '../tools/tool.ts'
import { parseArgs, toolNamed } from './decide.ts'
import { turnOf, type Run } from './run.ts'

/** Before calls that would start by themselves, or before the step after a step's calls. */
export type Checkpoint = 'before_tools' | 'after_step'

/** The entry that asks where `next` would go on, unless a person has let this very step go on. */
export function checkpointEntry(run: Run, next: string): NewEntry | undefined {
  const { id: turnId, step, checked, calls } = turnOf(run)
  const place = { calls: 'before_tools', step: 'after_step' }[next]
  if (!place || run.asksAt !== place || checked === step) return undefined
  const due = next === 'calls' ? calls.filter((call) => !call.done && !call.request && !call.intent) : calls
  if (!due.length) return undefined
  const stepId = `${turnId}.${step}`
  const args = next === 'calls' ? due.map((call) => shownCall(run, call)) : undefined
  const about = { callId: '', tool: '', args, argsHash: '' }
  const id = `${stepId}.checkpoint`
  return {
    type: 'request-open',
    turnId,
    stepId,
    request: { id, kind: 'checkpoint', openedAt: run.clock.now(), ...about },
  }
}

/** In the tool's own words, with what the model wrote for it. */
function shownCall(run: Run, { tool, args }: { tool: string; args: string }): unknown {
  const parsed = parseArgs(args)
  return { [labelText(toolNamed(run, tool)?.label, 'ask') || tool]: parsed.ok ? parsed.value : args }
}
