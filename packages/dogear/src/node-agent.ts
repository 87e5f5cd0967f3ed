/** Agents in Node: called like functions, with a model of their own or one behind an endpoint. */
import {
  DogearError,
  functionalAgent,
  runInPlace,
  type AgentDefinition,
  type FunctionalAgent,
  type FunctionalOptions,
  type Model,
} from '@dogear/core'
import { createOpenAIModel } from '@dogear/models'
import { clock } from './clock.ts'
import { nodePorts } from './node-ports.ts'

export function createAgent(options: FunctionalOptions = {}): FunctionalAgent {
  return functionalAgent(options, nodePorts, runInPlace(nodePorts, modelOf))
}

/** An agent that may also plan (`useTodoList`), ask its person (`humanInTheLoop`) and keep to a `runtimeProfile`. */
export function createSmartAgent(options: FunctionalOptions = {}): FunctionalAgent {
  return createAgent({ runtimeProfile: 'balanced', ...options })
}

function modelOf({ name, model, endpoint, token, headers }: AgentDefinition): Model {
  if (typeof model === 'object') return model
  if (!endpoint) {
    throw new DogearError(
      'endpoint-missing',
      `Agent "${name}" has no model. Give it endpoint: 'http://localhost:8787', the address of your proxy (npx @dogear/proxy starts one), or a model of your own.`,
    )
  }
  return createOpenAIModel({ endpoint, headers, clock, token: typeof token === 'function' ? token : () => token })
}
