/** The AI SDK: `streamText` with a tool, over its OpenAI-compatible provider. */

import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { jsonSchema, stepCountIs, streamText, tool } from 'ai'
import { findHotels, instructions } from '../trip.mjs'

export function createRow({ endpoint, runTool, onText }) {
  const model = createOpenAICompatible({ name: 'local', baseURL: endpoint, includeUsage: true })('default')
  const { name, description, parameters } = findHotels
  const tools = { [name]: tool({ description, inputSchema: jsonSchema(parameters), execute: runTool }) }
  return () => conversation({ model, tools, onText })
}

function conversation({ model, tools, onText }) {
  const messages = []
  return {
    async say(content) {
      messages.push({ role: 'user', content })
      const result = streamText({ model, system: instructions, messages, tools, stopWhen: stepCountIs(50) })
      for await (const text of result.textStream) onText(text.length)
      messages.push(...(await result.response).messages)
      return result.text
    },
  }
}
