/** Runs in place, with a model over the network: for Node, where there is no worker. Loaded when it is first needed. */
import { DogearError, runInPlace, type AgentDefinition, type AgentPorts, type Model, type Runner } from '@dogear/core'
import { createOpenAIModel } from '@dogear/models'
import { clock } from './clock.ts'

export function runHere(ports: AgentPorts): Runner {
  return runInPlace(ports, modelOf)
}

function modelOf({ name, model, endpoint, token, headers }: AgentDefinition): Model {
  if (typeof model === 'object') return model
  if (endpoint === undefined) {
    throw new DogearError(
      'model-missing',
      `Agent "${name}" has no model. Give it an endpoint: the address of your proxy; or model: { invoke(messages) }.`,
    )
  }
  return createOpenAIModel({
    endpoint: endpoint.replace(/\/+$/, ''),
    token: async () => (typeof token === 'function' ? token() : token),
    headers: async () => headers?.() ?? {},
    clock,
  })
}
