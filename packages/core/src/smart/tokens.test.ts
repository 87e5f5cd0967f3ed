import { expect, test } from 'vitest'
import { defineAgent } from '../agents/agent.ts'
import { runAgentOf } from '../turn/run.ts'
import { countApproxMessage, countApproxTokens, countTokens } from './tokens.ts'

test('[C21] tokens are guessed by characters: four of English, one and a half of other scripts', () => {
  expect(countApproxTokens('')).toBe(0)
  expect(countApproxTokens('four by four men')).toBe(4)
  expect(countApproxTokens('日本語')).toBe(2)
})

test('[C21] what a message asks of tools is counted with its words, and so is a picture', () => {
  const meta = { status: 'complete', createdAt: 0 } as const
  const said = { id: 'm', role: 'assistant', content: 'x'.repeat(40), meta } as const
  const call = { id: 'c', type: 'function', function: { name: 'pay', arguments: 'y'.repeat(397) } } as const
  expect(countApproxMessage({ ...said, tool_calls: [call] }) - countApproxMessage(said)).toBe(100)
  const picture = { type: 'image_url', image_url: { url: 'https://a.test/a.png' } } as const
  const shown = { ...said, content: [{ type: 'text', text: 'x'.repeat(40) } as const, picture] }
  expect(countApproxMessage(shown) - countApproxMessage(said)).toBe(1_000)
})

test('[C21] two agents count each by its own counter', async () => {
  const model = { stream: async function* () {} }
  const agentOf = (tokenCounter?: (text: string) => number) => runAgentOf(defineAgent({ tokenCounter }), model)
  const words = agentOf((text) => text.split(' ').length)
  const letters = agentOf((text) => text.length)
  const counted = await Promise.all(
    [words, letters, agentOf()].map((agent) => countTokens(agent, ['one two', 'three'])),
  )
  expect(counted).toEqual([
    [2, 1],
    [7, 5],
    [2, 2],
  ])
})
