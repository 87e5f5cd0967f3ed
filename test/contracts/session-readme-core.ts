import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createAgent, textOf, type Model } from '@dogear/core'

/** Any model: here one that looks once, then answers with what it read. */
const model: Model = {
  async *stream({ messages }) {
    const last = messages.at(-1)!
    if (last.role === 'user') {
      yield { type: 'call-start', index: 0, name: 'find_hotels' }
      yield { type: 'call-delta', index: 0, args: '{ "city": "Lisbon" }' }
      yield { type: 'finish', reason: 'tool-calls' }
    } else {
      yield { type: 'text-delta', text: `I found ${textOf(last)}.` }
      yield { type: 'finish', reason: 'stop' }
    }
  },
}

const agent = createAgent({
  model,
  instructions: 'You help people plan a trip.',
  tools: [
    {
      name: 'find_hotels',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      func: ({ city }) => `three hotels in ${city}`,
    },
  ],
  ports: {
    clock: {
      now: Date.now,
      elapsed: () => performance.now(),
      sleep: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => {}),
      after(ms, call) {
        const timer = setTimeout(call, ms)
        return () => clearTimeout(timer)
      },
    },
    hash: { sha256: (text) => createHash('sha256').update(text).digest('hex') },
    ids: { id: randomUUID },
  },
})

export const { content, messages, state } = await agent.invoke({
  messages: [{ role: 'user', content: 'Where can we stay?' }],
})

console.log(content) // I found three hotels in Lisbon.
console.log(state.toolHistory?.length) // 1
