/** What an agent may do with helpers that it describes, or that its model makes up. */
import { asTool, defineAgent, textOf, type Message, type ModelRequest, type SmartAgentOptions } from '@dogear/core'
import { call, pause, say, scriptedModel, type Answer } from '@dogear/testing'
import { expect, test } from 'vitest'
import { device, until } from './device.ts'

test('[C59] [K12] delegate_to gives a task to an agent of the registry, with its prompt, its tools and its model', async () => {
  const agents = {
    reader: {
      description: 'Reads pages',
      prompt: 'You read.',
      tools: ['look'],
      model: 'small',
      maxTurns: 1,
      effort: 'low' as const,
    },
    writer: { description: 'Writes', prompt: 'You write.', disallowedTools: ['look'] },
  }
  const { session, model } = await opened({ agents }, (request) => {
    if (systemOf(request) === 'You read.') return call('look')
    if (systemOf(request) === 'You write.') return say('Written.')
    return resultsOf(request).length
      ? say('Done.')
      : [
          call('delegate_to', { agent: 'reader', task: 'Read it' }),
          call('delegate_to', { agent: 'writer', task: 'Write' }),
        ]
  })
  expect(await session.send('Make a page')).toMatchObject({ text: 'Done.' })
  const [first, reader, writer, last] = model.requests
  expect(toolsOf(first!)).toEqual(['look', 'note', 'delegate_to'])
  expect(first!.tools!.at(-1)!.description).toContain('- reader: Reads pages')
  expect(reader).toMatchObject({ model: 'small', extra: { reasoning_effort: 'low' } })
  expect(toolsOf(reader!)).toEqual(['look', 'delegate_to'])
  expect(writer).toMatchObject({ model: 'default' })
  expect(toolsOf(writer!)).toEqual(['note', 'delegate_to'])
  expect(resultsOf(last!).map(textOf)).toEqual([expect.stringContaining('did not finish: max_turns'), 'Written.'])
})

test('[K12] a helper’s first words and its plan mode are kept to; what means nothing yet is said once', async () => {
  const agents = {
    reader: {
      description: 'Reads',
      prompt: 'You read.',
      initialPrompt: 'Be brief.',
      permissionMode: 'plan' as const,
      skills: ['pdf'],
      memory: 'user' as const,
      background: true,
    },
  }
  const pay = { name: 'pay', func: () => 'paid' }
  const { session, model, warnings } = await opened({ agents, tools: [look, pay] }, (request) => {
    if (systemOf(request) === 'You read.') return say('Read.')
    return resultsOf(request).length ? say('Done.') : call('delegate_to', { agent: 'reader', task: 'Read it' })
  })
  await session.send('go')
  await session.send('go')
  const reader = model.requests.find((request) => systemOf(request) === 'You read.')!
  expect(textOf(reader.messages.at(-1)!)).toContain('Be brief.\n\nRead it')
  expect(toolsOf(reader)).toEqual(['look', 'delegate_to'])
  expect(warnings.filter((warning) => warning.includes('reader'))).toEqual([
    'Agent "reader": skills, memory, background has no effect yet.',
  ])
})

test('[C59] an unknown agent is a result the model can mend', async () => {
  const agents = { reader: { description: 'Reads', prompt: 'You read.' } }
  const { session, model } = await opened({ agents }, (request) =>
    resultsOf(request).length ? say('ok') : call('delegate_to', { agent: 'ghost', task: 'boo' }),
  )
  await session.send('go')
  expect(textOf(resultsOf(model.requests[1]!)[0]!)).toContain('must be one of "reader"')
})

test.each([
  ['minimal', ['Look here']],
  ['scoped', ['Background:\n> user: Plan a trip\n> to Lisbon\n\nYour task: Look here']],
  ['full', ['> user: Hello', '> assistant: Hi.', '> user: Plan a trip\n> to Lisbon', 'Your task: Look here']],
] as const)('[C59] with the context policy %s a helper is told no more than that', async (contextPolicy, parts) => {
  const { session, model } = await opened({ subagents: { contextPolicy } }, (request) => {
    if (systemOf(request).startsWith('You are a scout')) return say('Seen.')
    if (textOf(request.messages.at(-1)!) === 'Hello') return say('Hi.')
    return resultsOf(request).length ? say('Done.') : call('spawn_subagent', { role: 'a scout', task: 'Look here' })
  })
  await session.send('Hello')
  await session.send('Plan a trip\nto Lisbon')
  const told = textOf(model.requests[2]!.messages.at(-1)!)
  for (const part of parts) expect(told).toContain(part)
  if (contextPolicy === 'minimal') expect(told).toBe('Look here')
  if (contextPolicy !== 'full') expect(told).not.toContain('Hello')
})

test('[C59] tasks run side by side, no more at once than allowed; one that a person answers goes on meanwhile', async () => {
  let running = 0
  let most = 0
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  const tasks = ['a', 'b', 'c', 'd'].map((task) => ({ role: `scout ${task}`, task }))
  const subagents = { maxParallel: 2, contextPolicy: 'minimal' as const }
  const { session, model } = await opened({ subagents, tools: [sign] }, async (request) => {
    const task = textOf(request.messages.find(({ role }) => role === 'user')!)
    if (task === 'go') return resultsOf(request).length ? say('All.') : call('spawn_subagents_parallel', { tasks })
    most = Math.max(most, (running += 1))
    await new Promise((resolve) => setTimeout(resolve, 5))
    running -= 1
    if (task === 'a' && !resultsOf(request).length) return call('sign')
    return task === 'b' ? [pause(held), say('b')] : say(task)
  })
  const turn = session.send('go')
  await until(() => session.requests.value.length === 1)
  void session.approve(session.requests.value[0]!.id)
  // The second is still at work when the first has answered.
  await until(() =>
    model.requests.some((request) => textOf(resultsOf(request)[0] ?? request.messages[0]!) === 'signed'),
  )
  release()
  expect(await turn).toMatchObject({ requests: [] })
  await until(() => session.status.value === 'idle')
  expect(most).toBe(2)
  const results = JSON.parse(textOf(resultsOf(model.requests.at(-1)!)[0]!)) as { content: string }[]
  expect(results.map(({ content }) => content)).toEqual(['a', 'b', 'c', 'd'])
})

test('[C57] [C59] over the limit of tasks or of depth the model reads an error, and goes on', async () => {
  const spawn = (task: string) => call('spawn_subagent', { role: 'a scout', task })
  const { session, model } = await opened(
    { subagents: { maxChildCalls: 2, maxDepth: 1, contextPolicy: 'minimal' } },
    (request) => {
      const last = request.messages.at(-1)!
      if (textOf(last) === 'go') return [spawn('a'), spawn('b'), spawn('c')]
      return last.role === 'tool' ? say('Enough.') : say('ok')
    },
  )
  expect(await session.send('go')).toMatchObject({ text: 'Enough.' })
  expect(resultsOf(model.requests.at(-1)!).map(textOf)).toEqual([
    'ok',
    'ok',
    expect.stringMatching(/^{"error":"At most 2/),
  ])
  const scout = model.requests.find((request) => systemOf(request).includes('scout'))
  expect(toolsOf(scout!)).toEqual(['look', 'note'])
  // The next turn counts anew.
  expect(await session.send('go')).toMatchObject({ text: 'Enough.' })
  expect(resultsOf(model.requests.at(-1)!).slice(-3).map(textOf)).toContain('ok')
})

test('[C57] an agent too deep down is refused before a person is asked about it', async () => {
  const inner = defineAgent({ name: 'inner', model: scriptedModel([say('never')]) })
  const outerModel = scriptedModel([call('inner', { input: 'b' }), say('Alone then.')])
  const outer = defineAgent({
    name: 'outer',
    model: outerModel,
    tools: [asTool(inner, { needsApproval: true })],
    delegation: { maxDelegationDepth: 1 },
  })
  const model = scriptedModel([call('outer', { input: 'a' }), say('Done.')])
  const session = await device()
    .tab({ model, tools: [asTool(outer)] })
    .open()
  expect(await session.send('go')).toMatchObject({ terminalReason: 'completed', text: 'Done.' })
  expect(textOf(outerModel.requests[1]!.messages.at(-1)!)).toMatch(/^{"error":"Tasks go at most 1 deep/)
})

const agents = { reader: { description: 'Reads', prompt: 'You read.' } }
const offered = async (options: SmartAgentOptions) => {
  const { session, model } = await opened(options, () => say('ok'))
  await session.send('go')
  return toolsOf(model.requests[0]!).slice(2)
}

test('[C18] delegation.mode says whether tasks are given away, and to whom', async () => {
  const made = ['spawn_subagent', 'spawn_subagents_parallel']
  expect(await offered({ agents, delegation: { mode: 'off' } })).toEqual([])
  expect(await offered({ agents, delegation: { mode: 'off' }, subagents: {} })).toEqual([])
  expect(await offered({ agents, runtimeProfile: 'fast' })).toEqual([])
  expect(await offered({ agents, runtimeProfile: 'fast', subagents: { policy: 'registry' } })).toEqual(['delegate_to'])
  expect(await offered({ agents, delegation: { mode: 'role_based' } })).toEqual(['delegate_to'])
  expect(await offered({ agents, delegation: { mode: 'automatic' } })).toEqual(['delegate_to', ...made])
  expect(await offered({ delegation: { mode: 'automatic' } })).toEqual([])
})

test('[C59] with the registry alone nothing can be made up, and switched off there is nothing', async () => {
  expect(await offered({ agents })).toEqual(['delegate_to'])
  expect(await offered({ agents, subagents: {} })).toEqual([
    'delegate_to',
    'spawn_subagent',
    'spawn_subagents_parallel',
  ])
  expect(await offered({ agents, subagents: { policy: 'off' } })).toEqual([])
  expect(await offered({})).toEqual([])
})

const sign = { name: 'sign', needsApproval: true, func: () => 'signed' }
const look = { name: 'look', effect: 'read' as const, func: () => 'seen' }
const note = { name: 'note', effect: 'read' as const, func: () => 'noted' }

async function opened(options: SmartAgentOptions, script: (request: ModelRequest) => Answer | Promise<Answer>) {
  const model = scriptedModel(script)
  const tab = device().tab({ tools: [look, note], ...options, model })
  return { session: await tab.open(), model, warnings: tab.warnings }
}

function systemOf({ messages }: ModelRequest): string {
  return messages[0]?.role === 'system' ? textOf(messages[0]) : ''
}

function resultsOf({ messages }: ModelRequest): Message[] {
  return messages.filter(({ role }) => role === 'tool')
}

function toolsOf({ tools = [] }: ModelRequest): string[] {
  return tools.map(({ name }) => name)
}
