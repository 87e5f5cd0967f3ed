/** Agents called like functions, for tests: a scripted model, ports of their own, and what was told. */
import {
  createSmartAgent,
  type AgentPorts,
  type FunctionalAgent,
  type FunctionalOptions,
  type SmartAgentEvent,
} from '@dogear/core'
import { countingIds, scriptedModel, type Script, type ScriptedModel } from '@dogear/testing'
import { browserClock, sha256 } from '@dogear/worker/host'

export interface Functional {
  readonly agent: FunctionalAgent
  readonly model: ScriptedModel
  readonly events: SmartAgentEvent[]
  readonly warnings: string[]
}

export function functional(
  script: Script,
  options: FunctionalOptions & { ports?: Partial<AgentPorts> } = {},
): Functional {
  const model = scriptedModel(script)
  const events: SmartAgentEvent[] = []
  const warnings: string[] = []
  const ports: AgentPorts = {
    clock: browserClock,
    hash: sha256,
    ids: countingIds('turn'),
    warn: (message) => warnings.push(message),
    ...options.ports,
  }
  const agent = createSmartAgent({ name: 'tester', model, onEvent: (event) => events.push(event), ...options, ports })
  return { agent, model, events, warnings }
}

export const hello = { messages: [{ role: 'user', content: 'hello' }] }

/** The types of events, with what tells two of one type apart. */
export function told(events: readonly SmartAgentEvent[]): string[] {
  return events.flatMap((event) => {
    if (event.type === 'progress' || event.type === 'metadata') return []
    const about = 'phase' in event ? event.phase : 'status' in event ? event.status : ''
    return [`${event.type} ${about}`.trim()]
  })
}
