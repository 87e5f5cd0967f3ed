/** The floor: as little as a page could do by itself with fetch, eventsource-parser and a validator. */

import { Validator } from '@cfworker/json-schema'
import { createParser } from 'eventsource-parser'
import { findHotels, instructions } from '../trip.mjs'

const { name, description, parameters } = findHotels
const validator = new Validator(parameters, '2020-12', false)
const tools = [{ type: 'function', function: { name, description, parameters } }]

export function createRow(job) {
  return () => conversation(job)
}

function conversation({ endpoint, runTool, onText }) {
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
    const response = await fetch(`${endpoint}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'default',
        messages,
        tools,
        stream: true,
        stream_options: { include_usage: true },
      }),
    })
    const answer = { text: '', calls: [] }
    const parser = createParser({ onEvent: ({ data }) => data !== '[DONE]' && addChunk(answer, JSON.parse(data)) })
    const decoder = new TextDecoder()
    for await (const bytes of response.body) parser.feed(decoder.decode(bytes, { stream: true }))
    return answer
  }

  function addChunk(answer, chunk) {
    const delta = chunk.choices[0]?.delta
    if (delta?.content) {
      answer.text += delta.content
      onText(delta.content.length)
    }
    for (const { index, id, function: call } of delta?.tool_calls ?? []) {
      answer.calls[index] ??= { id, type: 'function', function: { name: call.name, arguments: '' } }
      answer.calls[index].function.arguments += call.arguments
    }
  }

  async function answerCall({ id, function: call }) {
    const args = JSON.parse(call.arguments)
    const { valid, errors } = validator.validate(args)
    const result = valid ? await runTool(args) : { errors }
    return { role: 'tool', tool_call_id: id, content: JSON.stringify(result) }
  }
}
