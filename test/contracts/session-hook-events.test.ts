/** Hooks around a turn: before its words are read, before it ends, at helpers and at compaction. */
import { asTool, defineAgent, textOf, type HookInput, type Hooks } from '@dogear/core'
import { openMemoryStore } from '@dogear/store'
import { call, fail, say, scriptedModel } from '@dogear/testing'
import { expect, test } from 'vitest'
import { device, until } from './device.ts'
import { functional, hello } from './functional.ts'

test('[K31] [K33] UserPromptSubmit may add what the model reads, name the session, or keep the words from it', async () => {
  const model = scriptedModel([say('Hi.'), say('never')])
  const seen: string[] = []
  const UserPromptSubmit = ({ prompt }: HookInput<'UserPromptSubmit'>) => {
    seen.push(prompt)
    if (prompt.includes('secret')) return { decision: 'block' as const, reason: 'No secrets, please.' }
    const hookEventName = 'UserPromptSubmit' as const
    return { hookSpecificOutput: { hookEventName, additionalContext: 'It is Monday.', sessionTitle: 'Mondays' } }
  }
  const session = await device()
    .tab({ model, hooks: { UserPromptSubmit: [{ hooks: [UserPromptSubmit] }] } })
    .open()
  await session.send('hello')
  expect(model.requests[0]!.messages.map(textOf)).toEqual(['hello', 'It is Monday.'])
  expect(session.title.value).toBe('Mondays')
  const blocked = await session.send('a secret')
  expect(blocked).toMatchObject({ terminalReason: 'guardrail_blocked', text: 'No secrets, please.' })
  expect(model.requests).toHaveLength(1)
  expect(seen).toEqual(['hello', 'a secret'])
})

test('[K31] PostToolBatch is told all results of a step at once, and may add to them or end the turn', async () => {
  const told: unknown[] = []
  const PostToolBatch = ({ tool_calls }: HookInput<'PostToolBatch'>) => {
    told.push(tool_calls.map(({ tool_name, tool_input, tool_response }) => [tool_name, tool_input, tool_response]))
    if (told.length > 1) return { continue: false }
    return { hookSpecificOutput: { hookEventName: 'PostToolBatch' as const, additionalContext: 'Both are free.' } }
  }
  const model = scriptedModel([
    [call('look', { at: 1 }), call('look', { at: 2 })],
    say('Which one?'),
    call('look', { at: 3 }),
    say('never'),
  ])
  const look = { name: 'look', func: ({ at }: { at: number }) => `room ${at}` }
  const session = await device()
    .tab({ model, tools: [look], hooks: { PostToolBatch: [{ hooks: [PostToolBatch] }] } })
    .open()
  expect(await session.send('look')).toMatchObject({ terminalReason: 'completed', text: 'Which one?' })
  expect(told).toEqual([
    [
      ['look', { at: 1 }, 'room 1'],
      ['look', { at: 2 }, 'room 2'],
    ],
  ])
  expect(model.requests[1]!.messages.map(textOf).slice(-3)).toEqual(['room 1', 'room 2', 'Both are free.'])
  expect(await session.send('again')).toMatchObject({ terminalReason: 'hook_stopped' })
  expect(model.requests).toHaveLength(3)
})

test('[K31] a title that a person gave stays, and a prompt is asked about once, whatever dies after it', async () => {
  const store = openMemoryStore()
  const here = device(store)
  let asked = 0
  const UserPromptSubmit = () => {
    asked += 1
    const hookEventName = 'UserPromptSubmit' as const
    return { hookSpecificOutput: { hookEventName, additionalContext: 'It is Monday.', sessionTitle: 'Mondays' } }
  }
  const hooks = { UserPromptSubmit: [{ hooks: [UserPromptSubmit] }] }
  const never = scriptedModel(() => [{ type: 'wait', until: new Promise<void>(() => {}) }])
  const tab = here.tab({ model: never, hooks })
  const session = await tab.open()
  await session.rename('Mine')
  void session.send('hello').then(() => {})
  await until(() => never.requests.length === 1)
  tab.kill()
  const model = scriptedModel([say('Hi.')])
  const again = await here.tab({ model, hooks }).open()
  await until(() => again.status.value === 'idle')
  expect(asked).toBe(1)
  expect(model.requests[0]!.messages.map(textOf)).toEqual(['hello', 'It is Monday.'])
  expect(again.title.value).toBe('Mine')
})

test('[K31] SessionStart is asked once a tab, says whether the session is new, and its words stand beside the first prompt', async () => {
  const here = device()
  const sources: string[] = []
  const hooks: Hooks = {
    SessionStart: [
      {
        hooks: [
          ({ source }) => {
            sources.push(source)
            return { hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: `A ${source}.` } }
          },
        ],
      },
    ],
  }
  const model = scriptedModel(() => say('Yes.'))
  const tab = here.tab({ model, hooks })
  const session = await tab.open()
  await session.send('one')
  await session.send('two')
  tab.kill()
  const again = await here.tab({ model, hooks }).open()
  await again.send('three')
  expect(sources).toEqual(['startup', 'resume'])
  expect(model.requests.at(-1)!.messages.map(textOf).slice(-2)).toEqual(['three', 'A resume.'])
})

test('[K32] a Stop hook makes the turn go on with its reason, knows that it has, and limits still hold', async () => {
  const seen: [boolean, string][] = []
  const Stop = ({ stop_hook_active, last_assistant_message }: HookInput<'Stop'>) => {
    seen.push([stop_hook_active, last_assistant_message])
    return stop_hook_active ? undefined : { decision: 'block' as const, reason: 'Check it once more.' }
  }
  const { agent, model } = functional([say('Done.'), say('Checked.')], { hooks: { Stop: [{ hooks: [Stop] }] } })
  const { content } = await agent.invoke(hello)
  expect(content).toBe('Checked.')
  expect(seen).toEqual([
    [false, 'Done.'],
    [true, 'Checked.'],
  ])
  expect(textOf(model.requests[1]!.messages.at(-1)!)).toBe('Check it once more.')

  const always = functional(() => say('Done.'), {
    limits: { maxSteps: 3 },
    hooks: { Stop: [{ hooks: [() => ({ decision: 'block' as const })] }] },
  })
  await always.agent.invoke(hello)
  expect(always.model.requests).toHaveLength(3)
})

test('[K32] a Stop hook that says not to continue ends the turn, whoever would go on', async () => {
  const { agent, model } = functional([say('Done.'), say('never')], {
    hooks: { Stop: [{ hooks: [() => ({ decision: 'block' }), () => ({ continue: false })] }] },
  })
  expect(await agent.invoke(hello)).toMatchObject({ content: 'Done.', metadata: { terminalReason: 'hook_stopped' } })
  expect(model.requests).toHaveLength(1)
})

test('[K29] a UserPromptSubmit hook that says not to continue ends the turn before its model is asked', async () => {
  const stops = { hooks: [() => ({ continue: false, reason: 'Closed for today.' })] }
  const { agent, model } = functional([say('never')], { hooks: { UserPromptSubmit: [stops] } })
  expect(await agent.invoke(hello)).toMatchObject({
    content: 'Closed for today.',
    metadata: { terminalReason: 'hook_stopped' },
  })
  expect(model.requests).toEqual([])
})

test('[K31] [C57] SubagentStop is asked of whoever an agent works for, not of the agent', async () => {
  const finder = defineAgent({
    name: 'finder',
    model: scriptedModel([say('Three rooms, all of them fine.'), say('Three.')]),
    hooks: { SubagentStop: [{ hooks: [() => expect.unreachable('it works for another')] }] },
  })
  const { agent, model } = functional([call('finder', { input: 'Find' }), say('Done.')], {
    tools: [asTool(finder)],
    hooks: {
      SubagentStop: [
        {
          matcher: 'finder',
          hooks: [({ stop_hook_active }) => (stop_hook_active ? {} : { decision: 'block', reason: 'Shorter.' })],
        },
      ],
    },
  })
  await agent.invoke(hello)
  expect(textOf(model.requests[1]!.messages.at(-1)!)).toBe('Three.')
})

test('[K31] SubagentStart adds to a helper’s task, and SubagentStop may send it back to work', async () => {
  const events: string[] = []
  const hooks: Hooks = {
    SubagentStart: [
      {
        matcher: 'reader',
        hooks: [
          ({ agent_type }) => {
            events.push(`start ${agent_type}`)
            return { hookSpecificOutput: { hookEventName: 'SubagentStart', additionalContext: 'Mind the gap.' } }
          },
        ],
      },
    ],
    SubagentStop: [
      {
        hooks: [
          ({ stop_hook_active, agent_type }) => {
            events.push(`stop ${agent_type}`)
            return stop_hook_active ? undefined : { decision: 'block', reason: 'Shorter.' }
          },
        ],
      },
    ],
  }
  const { agent, model } = functional(
    ({ messages }) => {
      const said = textOf(messages.at(-1)!)
      if (textOf(messages[0]!).startsWith('Read.')) return say(said === 'Shorter.' ? 'short' : 'a long text')
      return messages.at(-1)!.role === 'tool'
        ? say(`It says: ${said}`)
        : call('delegate_to', { agent: 'reader', task: 'it' })
    },
    { hooks, agents: { reader: { description: 'reads', prompt: 'Read.' } } },
  )
  expect((await agent.invoke(hello)).content).toBe('It says: short')
  expect(events).toEqual(['start reader', 'stop reader', 'stop reader'])
  expect(textOf(model.requests[1]!.messages.at(-1)!)).toContain('Mind the gap.')
})

test('[K31] TaskCreated and TaskCompleted hear of a helper’s task by its id, and one that failed is not completed', async () => {
  const heard: string[] = []
  const note = (input: HookInput<'TaskCreated' | 'TaskCompleted'>) => {
    const words = 'task_description' in input ? input.task_description.split('\n').at(-1) : ''
    heard.push(`${input.hook_event_name} ${input.agent_type} ${input.task_id} ${words}`.trim())
  }
  const { agent } = functional(
    ({ messages }) => {
      const task = textOf(messages.findLast(({ role }) => role === 'user')!)
      if (task.endsWith('Your task: find')) return say('Three.')
      if (task.endsWith('Your task: break')) return [fail('model-failed')]
      const calls = messages.filter(({ role }) => role === 'tool').length
      return calls > 1 ? say('Done.') : call('delegate_to', { agent: 'finder', task: calls ? 'break' : 'find' })
    },
    {
      agents: { finder: { description: 'finds', prompt: 'Find.' } },
      hooks: { TaskCreated: [{ matcher: 'finder', hooks: [note] }], TaskCompleted: [{ hooks: [note] }] },
    },
  )
  const { state } = await agent.invoke(hello)
  const [one, two] = state.messages.flatMap((message) => message.tool_calls ?? []).map(({ id }) => id)
  expect(heard).toEqual([
    `TaskCreated finder ${one} Your task: find`,
    `TaskCompleted finder ${one}`,
    `TaskCreated finder ${two} Your task: break`,
  ])
})

test('[K31] [K37] SessionStart says that a session is a fork, until it is answered in itself', async () => {
  const sources: string[] = []
  const hooks: Hooks = { SessionStart: [{ hooks: [({ source }) => void sources.push(source)] }] }
  const here = device()
  const options = { model: scriptedModel(() => say('ok')), hooks }
  const session = await here.tab(options).open()
  await session.send('one')
  const fork = await session.fork()
  await fork.send('two')
  await (await here.tab(options).open(fork.id)).send('three')
  expect(sources).toEqual(['startup', 'fork', 'resume'])
})

test('[K31] PreCompact may keep the context as it is; PostCompact hears the summary', async () => {
  const heard: string[] = []
  let isBlocked = true
  const hooks: Hooks = {
    PreCompact: [{ matcher: 'manual', hooks: [() => (isBlocked ? { decision: 'block' } : undefined)] }],
    PostCompact: [
      { hooks: [({ trigger, compact_summary }) => void heard.push(`${trigger}: ${compact_summary.length > 0}`)] },
    ],
  }
  const tools = [{ name: 'look', effect: 'read' as const, func: () => 'seen '.repeat(2000) }]
  const model = scriptedModel(({ messages }) => (messages.at(-1)!.role === 'user' ? call('look') : say('Seen.')))
  const session = await device().tab({ model, tools, hooks }).open()
  for (const words of ['one', 'two', 'three']) await session.send(words)
  const compactions = async () => {
    const entries: string[] = []
    const stop = session.listen(({ type }) => void entries.push(type))
    await session.compact()
    stop()
    return entries.filter((type) => type === 'compaction-add').length
  }
  expect(await compactions()).toBe(0)
  isBlocked = false
  expect(await compactions()).toBe(1)
  expect(heard).toEqual(['manual: true'])
})

test('[K31] PostToolUseFailure, StopFailure and SessionEnd hear of it; a hook that says so ends the turn', async () => {
  const heard: string[] = []
  const hooks: Hooks = {
    PostToolUseFailure: [{ hooks: [({ tool_name, error }) => void heard.push(`${tool_name}: ${error}`)] }],
    StopFailure: [{ hooks: [({ error }) => void heard.push(error)] }],
    SessionEnd: [{ hooks: [({ reason, session_id }) => void heard.push(`${session_id} ${reason}`)] }],
    PostToolUse: [{ hooks: [() => ({ continue: false })] }],
  }
  const tools = [
    { name: 'broken', func: () => Promise.reject(new Error('oops')) },
    { name: 'fine', func: () => 'ok' },
  ]
  const model = scriptedModel([[call('broken')], [fail('model-failed')], [call('fine')], say('never')])
  const session = await device().tab({ model, tools, hooks }).open()
  await session.send('go')
  await until(() => heard.length === 2)
  expect(heard).toEqual(['broken: Error executing tool: oops', 'The script says to fail with model-failed.'])
  expect(await session.send('again')).toMatchObject({ terminalReason: 'hook_stopped' })
  session.close()
  await until(() => heard.length === 3)
  expect(heard[2]).toBe('s1 other')
})
