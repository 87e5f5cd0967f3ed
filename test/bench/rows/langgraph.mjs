/** LangGraph: its prebuilt agent over its OpenAI client, streaming. */

import { tool } from '@langchain/core/tools'
import { createReactAgent } from '@langchain/langgraph/prebuilt'
import { ChatOpenAI } from '@langchain/openai'
import { findHotels, instructions } from '../trip.mjs'

export function createRow({ endpoint, runTool, onText }) {
  const { name, description, parameters } = findHotels
  const llm = new ChatOpenAI({
    model: 'default',
    apiKey: 'none',
    streaming: true,
    configuration: { baseURL: endpoint },
  })
  const agent = createReactAgent({
    llm,
    tools: [tool(runTool, { name, description, schema: parameters })],
    prompt: instructions,
  })
  return () => conversation(agent, onText)
}

function conversation(agent, onText) {
  let messages = []
  return {
    async say(content) {
      const state = { messages: [...messages, { role: 'user', content }] }
      for await (const [mode, told] of await agent.stream(state, { streamMode: ['messages', 'values'] })) {
        if (mode === 'values') messages = told.messages
        else if (told[0].getType() === 'ai' && told[0].content) onText(told[0].content.length)
      }
      return messages.at(-1).content
    },
  }
}
