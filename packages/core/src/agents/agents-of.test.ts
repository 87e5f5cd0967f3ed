import { expect, test } from 'vitest'
import { runAgentOf } from '../turn/run.ts'
import { defineAgent } from './agent.ts'
import { agentsOf } from './agents-of.ts'
import { asTool } from './as-tool.ts'
import { asHandoff } from './handoff.ts'

test('[C57] an agent as a tool takes one text, under the names it was given', () => {
  const finder = defineAgent({ name: 'finder' })
  expect(asTool(finder, { toolName: 'find', description: 'Finds.', inputDescription: 'What?' })).toMatchObject({
    name: 'find',
    description: 'Finds.',
    parameters: { properties: { input: { type: 'string', description: 'What?' } }, required: ['input'] },
    needsApproval: false,
    agent: finder,
  })
  expect(asTool(finder)).toMatchObject({ name: 'finder' })
  expect(asHandoff(finder)).toMatchObject({ name: 'handoff_to_finder', handoff: finder })
})

test('[C57] an agent without an endpoint asks where the one asks that names it; its own token stays with its own endpoint', () => {
  const token = () => 'secret'
  const plain = defineAgent({ name: 'plain' })
  const deep = defineAgent({ name: 'deep', model: 'small', tools: [asTool(plain)] })
  const foreign = defineAgent({ name: 'foreign', endpoint: 'https://elsewhere.example' })
  const root = defineAgent({ endpoint: '/api', token, model: 'large', tools: [asTool(deep), asHandoff(foreign)] })
  const [, ...others] = agentsOf(root).values()
  expect(others.map(({ name, endpoint, model, token: sent }) => ({ name, endpoint, model, token: sent }))).toEqual([
    { name: 'deep', endpoint: '/api', model: 'small', token },
    { name: 'foreign', endpoint: 'https://elsewhere.example', model: 'default', token: undefined },
    { name: 'plain', endpoint: '/api', model: 'small', token },
  ])
})

test('[C57] two different agents of one name are refused where they are put together; one agent may be named twice', () => {
  const one = defineAgent({ name: 'helper' })
  const two = defineAgent({ name: 'helper', instructions: 'Another.' })
  expect(() => defineAgent({ tools: [asTool(one), asHandoff(two)] })).toThrow(
    expect.objectContaining({ code: 'agent-invalid', message: expect.stringContaining('"helper"') }),
  )
  expect(agentsOf(defineAgent({ tools: [asTool(one), asHandoff(one)] })).size).toBe(2)
})

test('[C58] agents that lead to each other hold each other', () => {
  const second = defineAgent({ name: 'second', tools: [asHandoff('first'), asHandoff('third')] })
  const third = defineAgent({ name: 'third' })
  const model = { stream: () => (async function* () {})() }
  const first = runAgentOf(defineAgent({ name: 'first', tools: [asHandoff(second), asHandoff(third)] }), model)
  const [toSecond, toThird] = first.tools
  expect(toSecond?.handoff?.tools[0]?.handoff).toBe(first)
  expect(toSecond?.handoff?.tools[1]?.handoff).toBe(toThird?.handoff)
})

test('[C59] an agent that gives tasks away has no tool of the same name', () => {
  const tools = [{ name: 'delegate_to', func: () => 'mine' }]
  expect(defineAgent({ tools }).tools).toHaveLength(1)
  expect(() => defineAgent({ tools, subagents: {} })).toThrow(expect.objectContaining({ code: 'agent-invalid' }))
})

test('[C59] subagents have limits of their own, over which the delegation of a profile and their own options count', () => {
  const delegation = { maxDelegationDepth: 2, maxChildCalls: 8, maxParallelChild: 4, childContextPolicy: 'scoped' }
  const resolved = (options: Parameters<typeof defineAgent>[0]) => defineAgent(options).profile.delegation
  expect(resolved({ subagents: {} })).toMatchObject(delegation)
  expect(
    resolved({ subagents: { maxDepth: 1 }, delegation: { maxDelegationDepth: 5, maxChildCalls: 3 } }),
  ).toMatchObject({
    ...delegation,
    maxDelegationDepth: 1,
    maxChildCalls: 3,
  })
})
