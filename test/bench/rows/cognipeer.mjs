/** `@cognipeer/agent-sdk`: its small agent over its own OpenAI-compatible provider, streaming. */

import { createAgent, createProvider, createTool, fromNativeProvider } from '@cognipeer/agent-sdk'
import * as z from 'zod'
import { findHotels, instructions } from '../trip.mjs'

export function createRow({ endpoint, runTool, onText }) {
  const provider = createProvider({ provider: 'openai-compatible', apiKey: 'none', baseURL: endpoint })
  const { name, description } = findHotels
  const schema = z.object({ city: z.string().min(1), nights: z.number().int().min(1) })
  const agent = createAgent({
    model: fromNativeProvider(provider, { model: 'default' }),
    tools: [createTool({ name, description, schema, func: runTool })],
    limits: { maxToolCalls: 50, maxParallelTools: 8 },
  })
  return () => conversation(agent, onText)
}

function conversation(agent, onText) {
  let messages = [{ role: 'system', content: instructions }]
  return {
    async say(content) {
      const state = { messages: [...messages, { role: 'user', content }] }
      const result = await agent.invoke(state, { stream: true, onStream: ({ text }) => text && onText(text.length) })
      messages = result.messages
      return result.content
    },
  }
}
