/** An agent of the seeds' samples: one import, and a model that answers from a script. */
import { scriptedModel, type Script } from '@dogear/testing'
import { createSmartAgent, type Agent, type SmartPageAgentOptions } from 'dogear'

export function scripted(script: Script, options: SmartPageAgentOptions = {}) {
  const model = scriptedModel(script)
  const agent: Agent = createSmartAgent({ name: 'assistant', model, ...options })
  return { agent, model }
}

export const start = { messages: [{ role: 'user', content: 'Book me a room.' }] }
