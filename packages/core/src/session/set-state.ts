/** Changing what an agent is told and what it remembers, between its turns. */
import { DogearError } from '../error.ts'
import type { SmartState } from './smart-state.ts'
import { refuseUnfinished } from './validate-messages.ts'

export interface StateChange {
  readonly model?: string
  readonly system?: string
  readonly messages?: SmartState['messages']
  readonly opts?: SmartState['opts']
}

const keys = new Set(['model', 'system', 'messages', 'opts'])

/** All of it or nothing; each value replaces the one before. A function is given the state and returns the change. */
export function setState(state: SmartState, change: StateChange | ((state: SmartState) => StateChange)): SmartState {
  const { status = 'idle' } = state
  if (status !== 'idle') {
    throw new DogearError('not-idle', `The state is ${status}: change it when its turn has ended.`, {
      details: { status },
    })
  }
  const made = typeof change === 'function' ? change(state) : change
  const unknown = Object.keys(made).find((key) => !keys.has(key))
  if (unknown !== undefined) {
    const takes = [...keys].join(', ')
    throw new DogearError('input-invalid', `setState takes ${takes}, not "${unknown}". Tools belong to the agent.`, {
      details: { error: 'invalid_key', key: unknown },
    })
  }
  if (made.messages) refuseUnfinished(made.messages)
  return { ...state, ...made }
}
