/** Dogear without a store: `invoke`, its journal in memory, the state handed on from turn to turn. */

import { randomUUID } from 'node:crypto'
import { createAgent, runAgentOf } from '@dogear/core'
import { createOpenAIModel } from '@dogear/models'
import { browserClock as clock, sha256 as hash } from '@dogear/worker/host'
import { findHotels, instructions } from '../trip.mjs'

export const ids = { id: () => randomUUID() }

export function createRow({ endpoint, runTool, onText }) {
  const agent = functionalAgent(endpoint, runTool)
  return () => conversation(agent, onText)
}

function conversation(agent, onText) {
  let state = { messages: [] }
  return {
    async say(content) {
      const messages = [...state.messages, { role: 'user', content }]
      const result = await agent.invoke({ ...state, messages }, { onStream: ({ text }) => text && onText(text.length) })
      state = result.state
      return result.content
    },
  }
}

function functionalAgent(endpoint, runTool) {
  const model = createOpenAIModel({ endpoint, clock })
  return createAgent({
    model,
    instructions,
    tools: [{ ...findHotels, func: runTool }],
    // All that are asked for run side by side, as in the bare loop.
    limits: { maxParallelTools: 8 },
    ports: { clock, hash, ids },
  })
}

/** The same agent, as a session runs it. */
export function sessionAgent(endpoint, runTool) {
  const { definition } = functionalAgent(endpoint, runTool)
  return runAgentOf(definition, definition.model)
}

/** Tells how much is new in a partial. */
export function textListener(onText) {
  let stepId
  let told = 0
  return (partial) => {
    if (partial.stepId !== stepId) told = 0
    stepId = partial.stepId
    if (partial.text.length > told) onText(partial.text.length - told)
    told = partial.text.length
  }
}
