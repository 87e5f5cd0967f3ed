import { expect, test } from 'vitest'
import { defineAgent } from '../agents/agent.ts'
import { runAgentOf } from '../turn/run.ts'
import { countApproxTokens, countTokens } from './tokens.ts'

test('[C21] tokens are guessed by characters: four of English, one and a half of other scripts', () => {
  expect(countApproxTokens('')).toBe(0)
  expect(countApproxTokens('four by four men')).toBe(4)
  expect(countApproxTokens('日本語')).toBe(2)
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
