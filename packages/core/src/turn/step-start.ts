/** The entry that opens a step: committed before the model is asked, so that no answer is ever paid for twice. */
import type { NewEntry } from '../session/journal.ts'
import type { OpenTurn } from '../session/state.ts'

export function stepStart(turn: Pick<OpenTurn, 'id' | 'step'>): NewEntry {
  const step = turn.step + 1
  const stepId = `${turn.id}.${step}`
  return { type: 'step-start', turnId: turn.id, stepId, step, key: stepId }
}
