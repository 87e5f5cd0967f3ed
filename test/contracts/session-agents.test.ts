/** What a session promises when several agents take part in it: one journal, one person, one bill. */
import { asTool, defineAgent, emptyHead, foldOf, reduce, textOf, type SmartAgentOptions } from '@dogear/core'
import { openMemoryStore } from '@dogear/store'
import { call, faulty, forever, pause, say, scriptedModel, usage, type Script } from '@dogear/testing'
import { expect, test } from 'vitest'
import { device, until } from './device.ts'

test('[C57] an agent does a task for another: its answer is the result, its entries have a path, its cost is the turn’s', async () => {
  const here = device()
  const child = scriptedModel([
    [call('look'), usage({ input: 5, output: 2 })],
    [say('Three rooms.'), usage({ input: 7 })],
  ])
  const model = scriptedModel([call('finder', { input: 'Find rooms' }), [say('There are three.'), usage({ input: 1 })]])
  const finder = agent('finder', child, { instructions: 'You find rooms.', tools: [look] })
  const session = await here.tab({ model, tools: [asTool(finder)] }).open()
  expect(await session.send('rooms?')).toMatchObject({ terminalReason: 'completed', text: 'There are three.' })

  expect(child.requests[0]!.messages.map(textOf)).toEqual(['You find rooms.', 'Find rooms'])
  expect(child.requests[0]!.tools!.map(({ name }) => name)).toEqual(['look'])
  expect(model.requests[1]!.messages.at(-1)).toMatchObject({ role: 'tool', content: 'Three rooms.' })
  expect(session.messages.value.map(textOf)).toEqual(['rooms?', '', 'Three rooms.', 'There are three.'])
  const entries = await here.store.entries('s1', 0)
  const begun = entries.find((entry) => entry.type === 'session-start' && entry.path.length)
  expect(begun).toMatchObject({ agent: 'finder', path: [expect.stringMatching(/\.1\.0$/)] })
  expect(session.usage.value.totals).toMatchObject({ default: { requests: 3, input: 13, output: 2 } })
})

test('[C19] [C20] an agent’s limit of cost holds for one at work for it that has no estimator of its own', async () => {
  const child = scriptedModel([
    [call('look'), usage({ output: 2 })],
    [say('Three rooms.'), usage({ output: 2 })],
  ])
  const model = scriptedModel([call('finder', { input: 'Find rooms' }), say('There are three.')])
  const tools = [asTool(agent('finder', child, { tools: [look] }))]
  const costEstimator = ({ outputTokens }: { outputTokens: number }) => outputTokens
  const session = await device()
    .tab({ model, tools, costEstimator, limits: { maxCostUsd: 2 } })
    .open()
  expect(await session.send('rooms?')).toMatchObject({ terminalReason: 'max_cost' })
  expect(child.requests).toHaveLength(1)
  expect(session.usage.value.totals.default).toMatchObject({ costUsd: 2 })
})

test('[C55] what a child needs approved is asked on its parent, survives a reload, and runs as it was edited', async () => {
  const here = device()
  const booked: unknown[] = []
  const book = { name: 'book', needsApproval: true, parameters: nights, func: (args: unknown) => booked.push(args) }
  const options = {
    model: scriptedModel([call('clerk', { input: 'Book it' }), say('Done.')]),
    tools: [
      // Of the same name but with other arguments: an edit is checked by the child's own.
      { name: 'book', schema: strict, parameters: { type: 'object' }, func: () => 'never' },
      asTool(agent('clerk', scriptedModel([call('book', { nights: 3 }), say('Booked.')]), { tools: [book] })),
    ],
  }
  const tab = here.tab(options)
  const first = await tab.open()
  const { requests } = await first.send('book')
  expect(requests).toMatchObject([{ kind: 'approval', tool: 'book', args: { nights: 3 }, path: [expect.any(String)] }])
  expect((await here.store.session('s1'))?.waiting).toBe(1)
  tab.kill()

  const session = await here.tab(options).open()
  await until(() => session.requests.value.length === 1)
  expect(session.requests.value).toEqual(requests)
  const refused = await session.approve(requests[0]!.id, { args: { nights: 'two' } })
  expect(refused).toMatchObject({ terminalReason: 'paused', refused: expect.stringContaining('nights') })
  expect(await session.approve(requests[0]!.id, { args: { nights: 2 } })).toMatchObject({ text: 'Done.' })
  expect(booked).toEqual([{ nights: 2 }])
  expect((await here.store.session('s1'))?.waiting).toBe(0)
})

test('[C55] a child’s child asks its question on the session, and the answer goes down to it', async () => {
  const here = device()
  const asking = scriptedModel([
    call('ask_user_question', {
      questions: [{ question: 'Sea or city?', options: [{ label: 'Sea' }, { label: 'City' }] }],
    }),
    say('Sea it is.'),
  ])
  const asker = agent('asker', asking, { humanInTheLoop: { askUser: true } })
  const manager = agent('manager', scriptedModel([call('asker', { input: 'Ask' }), say('They like the sea.')]), {
    tools: [asTool(asker)],
  })
  const model = scriptedModel([call('manager', { input: 'Manage' }), say('To the sea!')])
  const session = await here.tab({ model, tools: [asTool(manager)] }).open()
  const { requests } = await session.send('where?')
  expect(requests).toMatchObject([{ kind: 'question', path: [expect.any(String), expect.any(String)] }])
  await session.answer(requests[0]!.id, [{ values: ['Sea'] }])
  expect(asking.requests[1]!.messages.at(-1)).toMatchObject({ role: 'tool', content: expect.stringContaining('Sea') })
  expect(session.messages.value.map(textOf).at(-1)).toBe('To the sea!')
})

test('[C55] of two children one is answered and goes on while the other still works; requests keep their place', async () => {
  const here = device()
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  const ran: string[] = []
  const tool = { name: 'act', needsApproval: true, func: ({ who }: { who: string }) => void ran.push(who) }
  const worker = (name: string, script: Script) => asTool(agent(name, scriptedModel(script), { tools: [tool] }))
  const model = scriptedModel([
    [call('slow', { input: 'a' }), call('quick', { input: 'b' }), call('third', { input: 'c' })],
    say('Both done.'),
  ])
  const session = await here
    .tab({
      model,
      tools: [
        worker('slow', [[pause(held), say('Slow.')]]),
        worker('quick', [call('act', { who: 'quick' }), call('act', { who: 'quick again' }), say('Quick.')]),
        worker('third', [call('act', { who: 'third' }), say('Third.')]),
      ],
    })
    .open()
  const turn = session.send('go')
  await until(() => session.requests.value.length === 2)
  const [quick, third] = session.requests.value
  expect(session.status.value).toBe('busy')
  void session.approve(quick!.id)
  await until(() => ran.includes('quick') && session.requests.value.length === 2)
  expect(session.requests.value[0]).toEqual(third)
  void session.approve(session.requests.value[1]!.id)
  await until(() => ran.includes('quick again') && session.requests.value.length === 1)
  void session.approve(third!.id)
  release()
  expect(await turn).toMatchObject({ requests: [] })
  await until(() => session.status.value === 'idle')
  expect(model.requests[1]!.messages.slice(-3).map(textOf)).toEqual(['Slow.', 'Quick.', 'Third.'])
})

test.each(['streams', 'runs a tool', 'waits for its person'] as const)(
  '[C57] [O12] a stop while a child %s ends the child first, and the next question finds a valid conversation',
  async (what) => {
    const here = device()
    const script = {
      streams: [[say('half an ans'), forever]],
      'runs a tool': [call('hang')],
      'waits for its person': [call('book')],
    }[what]
    const hang = { name: 'hang', func: () => new Promise(() => {}) }
    const book = { name: 'book', needsApproval: true, func: () => 'booked' }
    const inner = agent('inner', scriptedModel(script), { tools: [hang, book] })
    const outer = agent('outer', scriptedModel([call('inner', { input: 'b' })]), { tools: [asTool(inner)] })
    const model = scriptedModel([call('outer', { input: 'a' }), say('As you like.')])
    const session = await here.tab({ model, tools: [asTool(outer)] }).open()
    const turn = session.send('go')
    const ready = { streams: 'step-start', 'runs a tool': 'tool-intent', 'waits for its person': 'request-open' }[what]
    const isThere = async () =>
      (await here.store.entries('s1', 0)).some((entry) => entry.type === ready && entry.path.length === 2)
    while (!(await isThere())) await new Promise((resolve) => setTimeout(resolve, 5))
    if (what === 'streams') await new Promise((resolve) => setTimeout(resolve, 30))
    await session.stop()
    await turn
    await until(() => session.status.value === 'idle')
    expect(session.requests.value).toEqual([])

    const entries = await here.store.entries('s1', 0)
    const ends = entries.filter((entry) => entry.type === 'turn-end')
    expect(ends.map(({ path }) => path.length)).toEqual([2, 1, 0])
    if (what === 'streams') expect(JSON.stringify(entries)).toContain('half an ans')
    expect(await session.send('and now?')).toMatchObject({ text: 'As you like.' })
    expect(model.requests[1]!.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user'])
  },
)

test('[C57] [O12] a stop that dies between the child’s end and the parent’s is carried out by the next tab', async () => {
  const store = openMemoryStore()
  const here = device(store)
  const inner = agent('inner', scriptedModel([[say('half'), forever]]))
  const options = { model: scriptedModel([call('inner', { input: 'b' }), say('Never.')]), tools: [asTool(inner)] }
  const isEnded = async () =>
    (await store.entries('s1', 0)).some(({ type, path }) => type === 'turn-end' && path.length)
  // Session start, words, answer with its call, the child's beginning, the child's end; then nothing more.
  const tab = here.tab(options, faulty(store, [{ on: 'append', nth: 6, fault: 'hang' }]))
  const session = await tab.open()
  void session.send('go')
  await until(() => session.calls.value.length === 1)
  await new Promise((resolve) => setTimeout(resolve, 30))
  void session.stop()
  while (!(await isEnded())) await new Promise((resolve) => setTimeout(resolve, 5))
  tab.kill()

  const again = await here.tab(options).open()
  await until(() => again.status.value === 'idle')
  expect(again.lastEnd.value).toMatchObject({ terminalReason: 'aborted_tools' })
  expect(options.model.requests).toHaveLength(1)
})

test('[K39] the stop of one task that dies before that task has ended is carried out by the next tab, and its parent goes on', async () => {
  const store = openMemoryStore()
  const here = device(store)
  const inner = agent('inner', scriptedModel([[say('half'), forever], [forever]]))
  const options = {
    model: scriptedModel([call('inner', { input: 'b' }), say('Without it, then.')]),
    tools: [asTool(inner)],
  }
  // Session start, words, answer with its call, the child's beginning; then nothing more.
  const tab = here.tab(options, faulty(store, [{ on: 'append', nth: 5, fault: 'hang' }]))
  const session = await tab.open()
  void session.send('go')
  await until(() => session.calls.value.length === 1)
  await new Promise((resolve) => setTimeout(resolve, 30))
  await session.stopTask(session.calls.value[0]!.callId)
  tab.kill()

  const again = await here.tab(options).open()
  await until(() => again.status.value === 'idle', 'the stop of the task')
  expect(again.lastEnd.value).toMatchObject({ terminalReason: 'completed' })
  expect(textOf(again.messages.value.at(-1)!)).toBe('Without it, then.')
  expect(await store.inbox('s1')).toEqual([])
  const ends = (await store.entries('s1', 0)).filter(({ type }) => type === 'turn-end')
  expect(ends).toMatchObject([{ terminalReason: expect.stringContaining('aborted') }, { terminalReason: 'completed' }])
})

test('[K39] a task that waits for its person is theirs to answer: it is not stopped', async () => {
  const tool = { name: 'book', needsApproval: true, func: () => 'booked' }
  const inner = agent('inner', scriptedModel([call('book'), say('Booked.')]), { tools: [tool] })
  const model = scriptedModel([call('inner', { input: 'b' }), say('Done.')])
  const here = device()
  const session = await here.tab({ model, tools: [asTool(inner)] }).open()
  const { requests } = await session.send('go')
  await session.stopTask(session.calls.value[0]!.callId)
  expect(await session.approve(requests[0]!.id)).toMatchObject({ text: 'Done.' })
  expect(JSON.stringify(await here.store.entries(session.id, 0))).toContain('command-refused')
})

test('[C55] the fold of a session with children is the same live, read anew, cached, and on the page', async () => {
  const here = device()
  const tool = { name: 'book', needsApproval: true, func: () => 'booked' }
  const books: Script = ({ messages }) =>
    messages.at(-1)?.role === 'tool' ? say('ok') : [call('book'), usage({ output: 3 })]
  const inner = agent('inner', scriptedModel(books), { tools: [tool] })
  const outer = agent('outer', scriptedModel([[call('inner', { input: 'b' }), usage({ output: 2 })], say('ok')]), {
    tools: [asTool(inner)],
  })
  const model = scriptedModel([[call('outer', { input: 'a' }), call('inner', { input: 'c' })], say('Done.')])
  const session = await here.tab({ model, tools: [asTool(outer), asTool(inner)] }).open()
  await session.send('go')
  const entries = await here.store.entries('s1', 0)
  const whole = foldOf(emptyHead('s1', 'tester'))
  for (const entry of entries) reduce(whole, entry)
  expect(Object.keys(whole.head.children)).toHaveLength(2)
  expect(whole.head.turn?.spent.outputTokens).toBe(8)
  for (let cut = 0; cut <= entries.length; cut += 1) {
    const before = foldOf(emptyHead('s1', 'tester'))
    for (const entry of entries.slice(0, cut)) reduce(before, entry)
    const cached = foldOf(structuredClone(before.head))
    for (const entry of entries.slice(cut)) reduce(cached, entry)
    expect(cached.head).toEqual(whole.head)
  }
  expect(session.requests.value).toEqual(whole.head.requests)
  expect(session.usage.value).toEqual(whole.head.usage)
  expect(session.calls.value).toEqual(whole.head.turn?.calls)
  // Another tab is given the head itself, and folds on from there.
  const second = await here.tab({ model, tools: [asTool(outer), asTool(inner)] }).open()
  expect(second.requests.value).toEqual(whole.head.requests)
  for (const { id } of whole.head.requests) await second.approve(id).saved
  await until(() => session.status.value === 'idle' && second.status.value === 'idle')
  expect(second.messages.value).toEqual(session.messages.value)
  expect(second.usage.value).toEqual(session.usage.value)
})

test('[C42] [C55] a copy made from a snapshot takes up a child where it was: what it has done is not done again', async () => {
  const here = device()
  const paid: string[] = []
  const child = scriptedModel((request) => {
    const results = request.messages.filter(({ role }) => role === 'tool').length
    return [call('pay'), call('book'), say('Booked.')][results] ?? say('?')
  })
  const clerk = agent('clerk', child, {
    tools: [
      { name: 'pay', func: () => void paid.push('paid') },
      { name: 'book', needsApproval: true, func: () => 'booked' },
    ],
  })
  const model = scriptedModel(({ messages }) =>
    messages.some(({ role }) => role === 'tool') ? say('Done.') : call('clerk', { input: 'Book it' }),
  )
  const tab = here.tab({ model, tools: [asTool(clerk)] })
  const session = await tab.open()
  const { requests } = await session.send('book')
  const snapshot = JSON.parse(JSON.stringify(await session.snapshot({ tag: 'half way' })))
  const copy = await tab.client.import(session.agent, snapshot)
  await until(() => copy.requests.value.length === 1)
  expect(copy.requests.value).toMatchObject([{ id: requests[0]!.id, tool: 'book', path: requests[0]!.path }])
  expect(await copy.approve(requests[0]!.id)).toMatchObject({ text: 'Done.' })
  expect(paid).toEqual(['paid'])

  const path = [requests[0]!.path![0]]
  snapshot.state.ctx.__subagentPending = [
    { type: 'session-start', agent: 'clerk', path },
    { type: 'request-open', path },
  ]
  await expect(tab.client.import(session.agent, snapshot)).rejects.toMatchObject({ code: 'snapshot-invalid' })
})

const look = { name: 'look', effect: 'read' as const, func: () => 'seen' }
const nights = { type: 'object', properties: { nights: { type: 'number' } }, required: ['nights'] }
const strict = {
  '~standard': { version: 1 as const, vendor: 'own', validate: () => ({ issues: [{ message: 'the wrong tool' }] }) },
}

function agent(name: string, model: SmartAgentOptions['model'], options: SmartAgentOptions = {}) {
  return defineAgent({ name, model, ...options })
}
