import { expect, test } from 'vitest'
import { createAgent, createSmartAgent } from './agent.ts'

test('importing and creating an agent starts nothing and needs no page', () => {
  expect(createAgent()).toMatchObject({ name: 'agent', user: undefined })
  expect(createSmartAgent({ name: 'concierge', user: 'ann', useTodoList: true })).toMatchObject({
    name: 'concierge',
    user: 'ann',
  })
})

test('a mistake in an agent is read where it is made', () => {
  expect(() => createAgent({ name: 'my agent' })).toThrow(expect.objectContaining({ code: 'agent-invalid' }))
  expect(() => createAgent({ tools: [{ name: 'book' }] })).toThrow(expect.objectContaining({ code: 'tool-invalid' }))
})

test('[C57] [C58] an agent is a tool of another, or gets the word from it', () => {
  const finder = createAgent({ name: 'finder' })
  expect(finder.asTool({ toolName: 'find' })).toMatchObject({ name: 'find', agent: { name: 'finder' } })
  expect(finder.asHandoff()).toMatchObject({ name: 'handoff_to_finder', handoff: { name: 'finder' } })
  const twin = createAgent({ name: 'finder' })
  expect(() => createAgent({ tools: [finder.asTool(), twin.asHandoff()] })).toThrow(
    expect.objectContaining({ code: 'agent-invalid' }),
  )
})

test('a session id is text', async () => {
  const agent = createAgent()
  for (const id of ['', 'x'.repeat(201), 7 as unknown as string]) {
    await expect(agent.open(id)).rejects.toMatchObject({ code: 'input-invalid' })
  }
})

test('in Node the same import runs an agent in place, with no worker and no page', async () => {
  const { createAgent: create } = await import('./index.ts')
  const agent = create({ model: { invoke: () => ({ content: 'Hi.' }) } })
  const { content } = await agent.invoke({ messages: [{ role: 'user', content: 'hello' }] })
  expect(content).toBe('Hi.')
  await expect(create().invoke({ messages: [] })).rejects.toMatchObject({ code: 'endpoint-missing' })
})
