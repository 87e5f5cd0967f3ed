/** What a page may decide about a session as it goes: what a result says, and whether a turn is followed by another. */
import { asTool, defineAgent, textOf, type FinishedTurn, type PostToolUseInput } from '@dogear/core'
import { openMemoryStore } from '@dogear/store'
import { call, say, scriptedModel } from '@dogear/testing'
import { expect, test } from 'vitest'
import { device, until } from './device.ts'
import { functional, hello } from './functional.ts'

test('[O9] [K33] a PostToolUse hook rewrites what the model reads, each on what the one before it left', async () => {
  const seen: PostToolUseInput[] = []
  const redact = (input: PostToolUseInput) => {
    seen.push(input)
    const updatedToolOutput = input.tool_response.replace(/\d+/, '***')
    return { hookSpecificOutput: { hookEventName: 'PostToolUse' as const, updatedToolOutput } }
  }
  const remark = ({ tool_response }: PostToolUseInput) => ({
    hookSpecificOutput: { hookEventName: 'PostToolUse' as const, additionalContext: `(${tool_response.length})` },
  })
  const model = scriptedModel([[call('card', { of: 'me' }), call('look')], say('Done.')])
  const tools = [
    { name: 'card', func: () => 'number 1234' },
    { name: 'look', func: () => 'number 1' },
  ]
  const hooks = { PostToolUse: [{ matcher: 'card|cards', hooks: [redact, remark] }] }
  const session = await device().tab({ model, tools, hooks }).open()
  await session.send('go')
  const results = model.requests[1]!.messages.slice(-2).map(textOf)
  expect(results).toEqual(['number ***\n\n(10)', 'number 1'])
  expect(session.messages.value.map(textOf)).not.toContain('number 1234')
  expect(seen).toMatchObject([
    { hook_event_name: 'PostToolUse', session_id: 's1', tool_name: 'card', tool_input: { of: 'me' } },
  ])
})

test('[O9] [K33] a result that one hook withholds no later hook brings back', async () => {
  const show = ({ tool_response }: PostToolUseInput) => ({
    hookSpecificOutput: {
      hookEventName: 'PostToolUse' as const,
      updatedToolOutput: 'number 1234',
      additionalContext: tool_response,
    },
  })
  const { agent, model } = functional([call('card'), say('Done.')], {
    tools: [{ name: 'card', func: () => 'number 1234' }],
    hooks: { PostToolUse: [{ hooks: [() => ({ decision: 'block', reason: 'it is secret' }), show] }] },
  })
  await agent.invoke(hello)
  expect(textOf(model.requests[1]!.messages.at(-1)!)).toBe('The result of card was withheld: it is secret.')
})

test.each([
  ['continue', 'number 1234'],
  ['block', 'The result of card was withheld: a check of it failed.'],
] as const)('[O9] [K18] with onFailure %s a hook that throws means "%s"', async (onFailure, says) => {
  const broken = () => Promise.reject(new Error('no rules'))
  const { agent, model, warnings } = functional([call('card'), say('Done.')], {
    tools: [{ name: 'card', func: () => 'number 1234' }],
    hooks: { PostToolUse: [{ hooks: [broken], onFailure }] },
  })
  await agent.invoke(hello)
  expect(textOf(model.requests[1]!.messages.at(-1)!)).toBe(says)
  expect(warnings.join()).toContain('no rules')
})

test('[O9] a hook whose matcher cannot be read is a mistake its developer reads', () => {
  const hooks = { PostToolUse: [{ matcher: '(', hooks: [() => {}] }] }
  expect(() => functional([], { hooks })).toThrow(expect.objectContaining({ code: 'agent-invalid' }))
})

test('[O11] a session goes on by itself as often as onTurn says, each turn with its own steps', async () => {
  const turns: FinishedTurn[] = []
  const model = scriptedModel([say('one'), [call('look')], say('two'), say('three')])
  const session = await device()
    .tab({
      model,
      tools: [{ name: 'look', func: () => 'seen' }],
      onTurn: (turn) => (turns.push(turn), turn.turn < 3 ? { continue: `on after ${turn.text}` } : 'stop'),
    })
    .open()
  expect(await session.send('go')).toMatchObject({ terminalReason: 'completed', text: 'one' })
  await until(() => session.status.value === 'idle')
  expect(turns).toEqual([
    { text: 'one', steps: 1, turn: 1 },
    { text: 'two', steps: 2, turn: 2 },
    { text: 'three', steps: 1, turn: 3 },
  ])
  const words = session.messages.value.filter(({ role }) => role === 'user').map(textOf)
  expect(words).toEqual(['go', 'on after one', 'on after two'])
})

test('[O11] the next turn is in the write that ends the last: whenever the tab dies, each is followed once', async () => {
  for (let dies = 1; dies < 12; dies += 1) {
    const store = openMemoryStore()
    const here = device(store)
    const options = {
      // By what it is asked, so that a second tab goes on with the same story.
      model: scriptedModel(({ messages }) => say(`after ${textOf(messages.at(-1)!)}`)),
      onTurn: ({ turn }: FinishedTurn) => (turn < 3 ? { continue: `word ${turn}` } : ('stop' as const)),
    }
    let writes = 0
    const tab = here.tab(options, {
      ...store,
      append: (batch) => ((writes += 1) === dies ? new Promise<never>(() => tab.kill()) : store.append(batch)),
    })
    const session = await tab.open()
    void session.send('go').then(() => {})
    await until(() => writes >= dies || session.messages.value.length === 6)
    const again = await here.tab(options).open()
    await until(() => again.messages.value.length === 6 && again.status.value === 'idle', `dying at ${dies}`)
    const words = again.messages.value.map(textOf)
    expect(words).toEqual(['go', 'after go', 'word 1', 'after word 1', 'word 2', 'after word 2'])
  }
})

test('[O11] [C57] an agent at work for another gives its answer: its own onTurn is not asked', async () => {
  const asked: string[] = []
  const finder = defineAgent({
    name: 'finder',
    model: scriptedModel([say('Three rooms.'), say('Never.')]),
    onTurn: ({ text }) => (asked.push(text), { continue: 'more' }),
  })
  const model = scriptedModel([call('finder', { input: 'Find' }), say('Three.')])
  const session = await device()
    .tab({ model, tools: [asTool(finder)] })
    .open()
  expect(await session.send('rooms?')).toMatchObject({ text: 'Three.' })
  expect(asked).toEqual([])
  expect(textOf(model.requests[1]!.messages.at(-1)!)).toBe('Three rooms.')
})

test('[O11] a turn whose answer was kept without its end is closed by the next tab, and followed all the same', async () => {
  const store = openMemoryStore()
  const here = device(store)
  const options = {
    model: scriptedModel(({ messages }) => say(`after ${textOf(messages.at(-1)!)}`)),
    onTurn: ({ turn }: FinishedTurn) => (turn < 2 ? { continue: 'word' } : ('stop' as const)),
  }
  let hasEnded = false
  const tab = here.tab(options, {
    ...store,
    async append(batch) {
      const end = batch.entries.findIndex(({ type }) => type === 'turn-end')
      if (end < 0) return store.append(batch)
      await store.append({ ...batch, entries: batch.entries.slice(0, end) })
      hasEnded = true
      return new Promise<never>(() => tab.kill())
    },
  })
  void (await tab.open()).send('go').then(() => {})
  await until(() => hasEnded)
  const again = await here.tab(options).open()
  await until(() => again.messages.value.length === 4 && again.status.value === 'idle')
  expect(again.messages.value.map(textOf)).toEqual(['go', 'after go', 'word', 'after word'])
})

test('[O11] [O8] what a person has queued goes before what the agent would say to itself', async () => {
  const asked: string[] = []
  let speak = () => {}
  const mayEnd = new Promise<void>((resolve) => (speak = resolve))
  const model = scriptedModel([[{ type: 'wait', until: mayEnd }, ...say('one')], say('two')])
  const onTurn = ({ text }: FinishedTurn) => (asked.push(text), 'stop' as const)
  const session = await device().tab({ model, onTurn }).open()
  void session.send('go').then(() => {})
  await until(() => model.requests.length === 1)
  const queued = session.send('and me')
  await queued.saved
  await until(() => session.queued.value.length === 1)
  speak()
  await queued
  expect(asked).toEqual(['two'])
})
