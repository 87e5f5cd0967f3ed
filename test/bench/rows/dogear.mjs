/** Dogear without a store: `invoke`, its journal in memory, the conversation handed on from turn to turn. */

import { randomUUID } from 'node:crypto'
import { defineAgent, invoke, runAgentOf } from '@dogear/core'
import { createOpenAIModel } from '@dogear/models'
import { browserClock as clock, sha256 as hash } from '@dogear/worker/host'
import { findHotels, instructions } from '../trip.mjs'

export const ids = { id: () => randomUUID() }

export function createRow({ endpoint, runTool, onText }) {
  const agent = createAgent(endpoint, runTool)
  return () => conversation(agent, onText)
}

function conversation(agent, onText) {
  let messages = []
  return {
    async say(content) {
      const id = `m${messages.length}`
      const message = { id, role: 'user', content, meta: { status: 'complete', createdAt: clock.now() } }
      const onPartial = textListener(onText)
      const result = await invoke(agent, { messages: [...messages, message] }, { clock, hash, ids, onPartial })
      messages = result.messages
      return result.content
    },
  }
}

export function createAgent(endpoint, runTool) {
  const definition = defineAgent({ instructions, tools: [{ ...findHotels, func: runTool }] })
  return runAgentOf(definition, createOpenAIModel({ endpoint, clock }))
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
