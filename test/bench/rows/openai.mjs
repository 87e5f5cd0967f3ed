/** The `openai` client: its own streaming request in the loop its documentation shows, tools checked as on the floor. */

import { Validator } from '@cfworker/json-schema'
import OpenAI from 'openai'
import { findHotels, instructions } from '../trip.mjs'

const { name, description, parameters } = findHotels
const validator = new Validator(parameters, '2020-12', false)
const tools = [{ type: 'function', function: { name, description, parameters } }]

export function createRow({ endpoint, runTool, onText }) {
  const client = new OpenAI({ baseURL: endpoint, apiKey: 'none' })
  return () => conversation({ client, runTool, onText })
}

function conversation({ client, runTool, onText }) {
  const messages = [{ role: 'system', content: instructions }]

  return {
    async say(content) {
      messages.push({ role: 'user', content })
      for (;;) {
        const { text, calls } = await ask()
        messages.push({ role: 'assistant', content: text, ...(calls.length > 0 && { tool_calls: calls }) })
        if (calls.length === 0) return text
        messages.push(...(await Promise.all(calls.map(answerCall))))
      }
    },
  }

  async function ask() {
    const request = { model: 'default', messages, tools, stream: true, stream_options: { include_usage: true } }
    const calls = []
    let text = ''
    for await (const chunk of await client.chat.completions.create(request)) {
      const delta = chunk.choices[0]?.delta
      if (delta?.content) {
        text += delta.content
        onText(delta.content.length)
      }
      for (const { index, id, function: call } of delta?.tool_calls ?? []) {
        calls[index] ??= { id, type: 'function', function: { name: call.name, arguments: '' } }
        calls[index].function.arguments += call.arguments
      }
    }
    return { text, calls }
  }

  async function answerCall({ id, function: call }) {
    const args = JSON.parse(call.arguments)
    const { valid, errors } = validator.validate(args)
    const result = valid ? await runTool(args) : { errors }
    return { role: 'tool', tool_call_id: id, content: JSON.stringify(result) }
  }
}
