/** Runs in place, with a model of its own or one behind an endpoint: for Node, where there is no worker. */
import { DogearError, runInPlace, type AgentDefinition, type AgentPorts, type Model, type Runner } from '@dogear/core'
import { createOpenAIModel } from '@dogear/models'
import { browserClock as clock } from '@dogear/worker/host'

export function runHere(ports: AgentPorts): Runner {
  return runInPlace(ports, modelOf)
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
