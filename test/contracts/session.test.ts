/** What a session promises, through the real client, wire, host, loop and journal. */
import { textOf } from '@dogear/core'
import { createOpenAIModel } from '@dogear/models'
import { call, cut, fail, fakeClock, forever, pause, say, scriptedModel, usage } from '@dogear/testing'
import { expect, test } from 'vitest'
import { device, until } from './device.ts'

test('[O2] [O4] an answer streams, is journalled, and is there after a reload', async () => {
  const here = device()
  let go = () => {}
  const gone = new Promise<void>((resolve) => (go = resolve))
  const model = scriptedModel([[say('Hello'), pause(gone), say(' there'), usage({ input: 3, output: 2 })]])
  const first = here.tab({ model })
  const session = await first.open()
  const turn = session.send('hi')
  await turn.saved
  await until(() => session.pending.value.length > 0)
  expect(session.status.value).toBe('busy')
  expect(session.messages.value).toEqual([])
  go()
  const result = await turn
  expect(result).toMatchObject({ terminalReason: 'completed', text: 'Hello there' })
  expect(session.pending.value).toEqual([])
  expect(session.usage.value.totals.default).toMatchObject({ input: 3, output: 2 })
  expect(session.title.value).toBe('hi')
  first.kill()

  const again = await here.tab({ model }).open()
  expect(again.messages.value.map((message) => [message.role, textOf(message)])).toEqual([
    ['user', 'hi'],
    ['assistant', 'Hello there'],
  ])
  expect(again.status.value).toBe('idle')
})

test('[K28] a turn’s result says how it went: steps, time, cost, why the model stopped, who asked', async () => {
  const model = scriptedModel([
    [call('look'), usage({ input: 10, output: 1 })],
    [say('Seen.'), usage({ input: 20, output: 2 })],
    fail('model-failed'),
  ])
  const look = { name: 'look', effect: 'read' as const, func: () => 'something' }
  const costEstimator = ({ inputTokens }: { inputTokens: number }) => inputTokens
  const session = await device()
    .tab({ model, tools: [look], costEstimator })
    .open()
  const first = await session.send('look')
  expect(first).toMatchObject({
    ...{ terminalReason: 'completed', stopReason: 'end_turn', isError: false, steps: 2, costUsd: 30, origin: 'human' },
    modelUsage: { default: { input: 30, output: 3 } },
    durationMs: expect.any(Number),
  })
  const failed = await session.send('again')
  expect(failed).toMatchObject({ terminalReason: 'model_error', stopReason: null, isError: true, steps: 0 })
  expect(failed.costUsd).toBeUndefined()
})

test('[K29] a conversation that its model cannot read whole ends the turn with prompt_too_long', async () => {
  const error = { message: 'Too long.', code: 'context_length_exceeded' }
  const model = createOpenAIModel({
    endpoint: 'http://localhost/v1',
    clock: fakeClock(),
    fetch: async () => Response.json({ error }, { status: 400 }),
  })
  const session = await device().tab({ model }).open()
  expect(await session.send('go')).toMatchObject({ terminalReason: 'prompt_too_long', isError: true })
})

test('[C10] parallel calls run side by side and their results stand in call order', async () => {
  const here = device()
  let release = () => {}
  const slow = new Promise<void>((resolve) => (release = resolve))
  const model = scriptedModel([[call('slow'), call('quick')], say('done')])
  const session = await here
    .tab({
      model,
      tools: [
        { name: 'slow', func: () => slow.then(() => 'slow result') },
        { name: 'quick', func: () => (release(), { quick: true }) },
      ],
    })
    .open()
  expect(await session.send('go')).toMatchObject({ terminalReason: 'completed', text: 'done' })
  const tools = model.requests[1]?.messages.filter((message) => message.role === 'tool')
  expect(tools?.map((message) => message.content)).toEqual(['slow result', '{"quick":true}'])
})

test('[C47] [G5] a call that needs approval waits, survives a reload, and runs once with what was approved', async () => {
  const here = device()
  const ran: unknown[] = []
  const model = scriptedModel([[say('I would book it.'), call('book', { nights: 3 })], say('Booked.')])
  const options = {
    model,
    tools: [
      {
        name: 'book',
        needsApproval: true,
        parameters: { type: 'object', properties: { nights: { type: 'integer', minimum: 1 } }, required: ['nights'] },
        func: (args: unknown) => (ran.push(args), 'ok'),
      },
    ],
  }
  const first = here.tab(options)
  const paused = await (await first.open()).send('book it')
  expect(paused.terminalReason).toBe('paused')
  expect(paused.requests[0]).toMatchObject({
    kind: 'approval',
    tool: 'book',
    args: { nights: 3 },
    reason: 'I would book it.',
  })
  first.kill()

  const session = await here.tab(options).open()
  const request = session.requests.value[0]
  expect(session.status.value).toBe('paused')
  const refused = await session.approve(request?.id ?? '', { args: { nights: 0 } })
  expect(refused.refused).toContain('nights')
  const result = await session.approve(request?.id ?? '', { args: { nights: 2 } })
  expect(result).toMatchObject({ terminalReason: 'completed', text: 'Booked.' })
  expect(ran).toEqual([{ nights: 2 }])
  expect((await session.approve(request?.id ?? '')).refused).toBeDefined()
  expect(ran).toHaveLength(1)
})

test('[C48] a rejected call tells the model the comment', async () => {
  const here = device()
  const model = scriptedModel([call('book', {}), say('All right.')])
  const session = await here.tab({ model, tools: [{ name: 'book', needsApproval: true, func: () => 'ok' }] }).open()
  const { requests } = await session.send('book')
  await session.reject(requests[0]?.id ?? '', 'too far from the river')
  expect(model.requests[1]?.messages.at(-1)).toMatchObject({
    role: 'tool',
    content: 'Tool call rejected: too far from the river',
  })
})

test('[C49] all requests of a step are raised together and safe siblings run meanwhile', async () => {
  const here = device()
  const ran: string[] = []
  const model = scriptedModel([[call('ask', { n: 1 }), call('plain'), call('ask', { n: 2 })], say('fine')])
  const session = await here
    .tab({
      model,
      tools: [
        { name: 'ask', needsApproval: true, func: ({ n }) => void ran.push(`ask ${n}`) },
        { name: 'plain', func: () => void ran.push('plain') },
      ],
    })
    .open()
  const { requests } = await session.send('go')
  expect(requests).toHaveLength(2)
  expect(ran).toEqual(['plain'])
  await session.approve(requests[1]?.id ?? '')
  await until(() => ran.length === 2)
  await session.approve(requests[0]?.id ?? '')
  await until(() => session.status.value === 'idle')
  expect(ran).toEqual(['plain', 'ask 2', 'ask 1'])
})

test('[C23] [C24] the model writes a plan and the page sees it, also after a reload', async () => {
  const here = device()
  const todoList = [
    { id: 1, step: 'Find a hotel', status: 'in-progress' },
    { id: 2, step: 'Book it' },
  ]
  const model = scriptedModel([call('manage_todo_list', { operation: 'write', todoList }), say('Planned.')])
  const tab = here.tab({ model, useTodoList: true })
  const session = await tab.open()
  await session.send('plan')
  expect(session.plan.value).toMatchObject({
    version: 1,
    adherenceScore: 0,
    steps: [{ id: 1, status: 'in-progress', owner: 'agent' }, { id: 2 }],
  })
  tab.kill()
  expect((await here.tab({ model, useTodoList: true }).open()).plan.value?.steps).toHaveLength(2)
})

test('[C52] [C54] a question waits, refuses a bad answer, and gives the answer to the model', async () => {
  const here = device()
  const questions = [{ question: 'Which area?', header: 'Area', options: [{ label: 'River' }, { label: 'Hills' }] }]
  const model = scriptedModel([call('ask_user_question', { questions }), say('The river it is.')])
  const session = await here.tab({ model, humanInTheLoop: { askUser: { allowFreeText: false } } }).open()
  const { requests } = await session.send('where?')
  const id = requests[0]?.id ?? ''
  expect((await session.answer(id, [{ values: ['Sea'] }])).refused).toContain('not one of the options')
  expect(await session.answer(id, { 'Which area?': { values: ['River'] } })).toMatchObject({ text: 'The river it is.' })
  expect(JSON.parse(model.requests[1]?.messages.at(-1)?.content as string)).toMatchObject({
    status: 'answered',
    answers: [{ question: 'Which area?', values: ['River'] }],
  })
})

test('[O12] a stopped turn keeps the words already shown', async () => {
  const here = device()
  const model = scriptedModel([[say('one', ' two'), forever]])
  const tab = here.tab({ model })
  const session = await tab.open()
  const turn = session.send('count')
  await until(() => session.partial.value?.text === 'one two')
  await session.stop()
  expect(await turn).toMatchObject({ terminalReason: 'aborted_streaming', text: 'one two' })
  tab.kill()
  const again = await here.tab({ model }).open()
  expect(again.messages.value.at(-1)).toMatchObject({ content: 'one two', meta: { status: 'stopped' } })
})

test('[G7] a reload mid-answer re-attaches the same stream, marks the place, and asks the model once', async () => {
  const here = device()
  let go = () => {}
  const model = scriptedModel([[say('one'), pause(new Promise<void>((resolve) => (go = resolve))), say(' two')]], {
    resumable: true,
  })
  const tab = here.tab({ model })
  const session = await tab.open()
  session.send('count')
  await until(() => session.partial.value?.text === 'one')
  tab.kill()
  go()
  const again = await here.tab({ model }).open()
  await until(() => again.status.value === 'idle')
  expect(textOf(again.messages.value.at(-1)!)).toBe('one two')
  expect(model.requests).toHaveLength(1)
})

test('[G7] words kept on the disk are not said again by the stream they are re-attached to', async () => {
  const here = device()
  const second = new Promise<void>((resolve) => setTimeout(resolve, 1100))
  let go = () => {}
  const held = new Promise<void>((resolve) => (go = resolve))
  const model = scriptedModel([[say('one'), pause(second), say(' two'), pause(held), say(' three')]], {
    resumable: true,
  })
  const tab = here.tab({ model })
  const session = await tab.open()
  session.send('count')
  await until(() => session.partial.value?.text === 'one two')
  tab.kill()
  go()
  const again = await here.tab({ model }).open()
  await until(() => again.status.value === 'idle')
  const answer = again.messages.value.at(-1)
  expect(answer).toMatchObject({ content: 'one two three', meta: { resumedAt: ['one two'.length] } })
})

test('[G8] a cut answer of a server that cannot re-attach is kept, marked, and asked again', async () => {
  const here = device()
  const model = scriptedModel([[say('half an ans'), call('book', {}), cut()], say('A whole answer.')])
  const session = await here.tab({ model, tools: [{ name: 'book', func: () => 'never' }] }).open()
  expect(await session.send('go')).toMatchObject({ terminalReason: 'completed', text: 'A whole answer.' })
  expect(session.messages.value.map((message) => [message.meta.status, textOf(message)])).toEqual([
    ['complete', 'go'],
    ['partial', 'half an ans'],
    ['complete', 'A whole answer.'],
  ])
  expect(model.requests[1]?.messages.map((message) => textOf(message))).toEqual(['go'])
})

test('[G9] offline the words are saved and wait; they are sent once when the network is back', async () => {
  const here = device()
  let isOffline = true
  const model = scriptedModel((_request, n) => (isOffline ? fail('network') : say(`answer ${n}`)))
  const tab = here.tab({ model })
  const session = await tab.open()
  await session.send('hello').saved
  await until(() => session.waiting.value === 'network')
  expect(session.connection.value).toEqual({ type: 'offline' })
  tab.kill()
  const again = await here.tab({ model }).open()
  await until(() => again.waiting.value === 'network')
  isOffline = false
  here.network.goOnline()
  await until(() => again.status.value === 'idle')
  expect(again.messages.value.filter((message) => message.role === 'user')).toHaveLength(1)
  expect(textOf(again.messages.value.at(-1)!)).toContain('answer')
})

test('[G9] what was shown before the network was lost is still shown after a reload', async () => {
  const here = device()
  const model = scriptedModel([[say('one', ' two'), fail('network')]], { resumable: true })
  const tab = here.tab({ model })
  const session = await tab.open()
  void session.send('count')
  await until(() => session.waiting.value === 'network')
  tab.kill()
  const again = await here.tab({ model }).open()
  await until(() => again.waiting.value === 'network')
  expect(again.partial.value?.text).toBe('one two')
})

test('[G6] a second tab follows live, answers what the first asked, and takes over when the first is gone', async () => {
  const here = device()
  const ran: string[] = []
  const tools = (tab: string) => [{ name: 'book', needsApproval: true, func: () => void ran.push(tab) }]
  const model = scriptedModel([call('book', {}), [say('thinking'), forever], say('after')])
  const one = here.tab({ model, tools: tools('one') })
  const two = here.tab({ model, tools: tools('two') })
  const first = await one.open()
  const second = await two.open()
  void first.send('go')
  await until(() => second.status.value === 'paused', 'the second tab sees the request')
  void second.approve(second.requests.value[0]?.id ?? '')
  await until(() => second.partial.value?.text === 'thinking', 'the second tab sees the stream')
  expect(ran).toEqual(['one'])
  expect(first.answeredElsewhere.value?.requestId).toContain('approval')
  one.kill()
  await until(() => second.status.value === 'idle', 'the second tab finishes')
  expect(textOf(second.messages.value.at(-1)!)).toBe('after')
  expect(ran).toEqual(['one'])
})

test('[G6] a tab that opens in the middle of an answer shows its words, and none when it is over', async () => {
  const here = device()
  let go = () => {}
  const model = scriptedModel([[say('one'), pause(new Promise<void>((resolve) => (go = resolve))), say(' two')]])
  const first = await here.tab({ model }).open()
  void first.send('count')
  await until(() => first.partial.value?.text === 'one')
  const two = here.tab({ model })
  const second = await two.open()
  await until(() => second.partial.value?.text === 'one', 'the second tab sees the stream')
  go()
  await until(() => second.status.value === 'idle', 'the second tab sees the end')
  expect((await two.open()).partial.value).toBeNull()
})

test('[G4] a tool whose outcome is unknown after a crash is asked about, not repeated', async () => {
  const here = device()
  let entered = 0
  const tools = [{ name: 'pay', func: () => ((entered += 1), new Promise(() => {})) }]
  const model = scriptedModel([call('pay', {}), say('Noted.')])
  const tab = here.tab({ model, tools })
  const session = await tab.open()
  void session.send('pay')
  await until(() => entered === 1)
  tab.kill()
  const again = await here.tab({ model, tools }).open()
  await until(() => again.status.value === 'paused')
  expect(again.requests.value[0]).toMatchObject({ kind: 'outcome', tool: 'pay' })
  expect(
    await again.resolve(again.requests.value[0]?.id ?? '', { type: 'happened', result: 'paid by hand' }),
  ).toMatchObject({ text: 'Noted.' })
  expect(entered).toBe(1)
  expect(model.requests[1]?.messages.at(-1)?.content).toBe('paid by hand')
})

test('[G3] a call still running on the page is joined, not repeated, when only the worker died', async () => {
  const here = device()
  let entered = 0
  let finish = (_value: string) => {}
  const tools = [{ name: 'pay', func: () => ((entered += 1), new Promise<string>((resolve) => (finish = resolve))) }]
  const model = scriptedModel([call('pay', {}), say('Paid.')])
  const tab = here.tab({ model, tools })
  const session = await tab.open()
  void session.send('pay')
  await until(() => entered === 1)
  tab.killWorker()
  await until(() => tab.warnings.length > 0, 'the page notices')
  finish('receipt 7')
  await until(() => session.status.value === 'idle', 'the turn ends')
  expect(entered).toBe(1)
  expect(textOf(session.messages.value.at(-1)!)).toBe('Paid.')
  expect(session.messages.value.some((message) => message.content === 'receipt 7')).toBe(true)
}, 15_000)

test('a message sent while the agent works is queued and answered next', async () => {
  const here = device()
  let go = () => {}
  const model = scriptedModel([[say('first'), pause(new Promise<void>((resolve) => (go = resolve)))], say('second')])
  const session = await here.tab({ model }).open()
  const one = session.send('one')
  await until(() => session.partial.value !== null)
  const two = session.send('two')
  await until(() => session.queued.value.length === 1)
  go()
  expect((await one).text).toBe('first')
  expect((await two).text).toBe('second')
})

test('a failed turn says why and can be tried again without a new message', async () => {
  const here = device()
  const model = scriptedModel([fail('rate-limited'), say('better')])
  const session = await here.tab({ model }).open()
  expect(await session.send('go')).toMatchObject({ terminalReason: 'model_error', error: { code: 'rate-limited' } })
  expect(await session.retry()).toMatchObject({ terminalReason: 'completed', text: 'better' })
  expect(model.requests[1]?.messages.map((message) => textOf(message))).toEqual(['go'])
})

test('[C42] a named snapshot is kept, listed, and opens as a new session', async () => {
  const here = device()
  const model = scriptedModel([say('one'), say('two')])
  const tab = here.tab({ model })
  const session = await tab.open()
  await session.send('first')
  const snapshot = await session.snapshot({ tag: 'before' })
  await session.send('second')
  expect((await session.snapshots()).map((row) => row.tag)).toEqual(['before'])
  const copy = await tab.client.import(session.agent, JSON.parse(JSON.stringify(snapshot)))
  expect(copy.id).not.toBe(session.id)
  expect(copy.messages.value.map((message) => textOf(message))).toEqual(['first', 'one'])
  expect(session.messages.value).toHaveLength(4)
})

test('[C46] [C42] a copy opened by an agent that has changed since is reported, and one that has not is not', async () => {
  const here = device()
  const tools = [{ name: 'book', func: () => '' }]
  const tab = here.tab({ model: scriptedModel([say('Hi.')]), tools, version: '1' })
  const session = await tab.open()
  await session.send('hello')
  const snapshot = await session.snapshot({ tag: 'then' })
  await tab.client.import(session.agent, snapshot)
  session.close()
  // Nobody had it open: which version it was is not known.
  const exported = await tab.client.ask({ type: 'export', agent: 'tester', sessionId: 's1' })
  await tab.client.import(session.agent, exported)
  expect(tab.warnings).toEqual([])
  const later = here.tab({ model: scriptedModel([]), version: '2' })
  const { agent } = await later.open()
  await later.client.import(agent, snapshot)
  await until(() => later.warnings.length > 0)
  expect(later.warnings.join()).toMatch(/"version":\{"was":"1","is":"2"\}.*"missingTools":\["book"\]/)
})

test('[C42] a snapshot is opened by its name too, and one that is not kept is said to be missing', async () => {
  const here = device()
  const tab = here.tab({ model: scriptedModel([say('one')]) })
  const session = await tab.open()
  await session.send('first')
  await session.snapshot({ tag: 'before' })
  const [named] = await session.snapshots()
  const copy = await tab.client.import(session.agent, named!)
  expect(copy.messages.value.map((message) => textOf(message))).toEqual(['first', 'one'])
  await expect(tab.client.import(session.agent, { ...named!, tag: 'after' })).rejects.toMatchObject({
    code: 'snapshot-missing',
  })
})

test('[C42] a named snapshot is deleted, and the session and its other snapshots stay', async () => {
  const session = await device()
    .tab({ model: scriptedModel([say('one')]) })
    .open()
  await session.send('first')
  await session.snapshot({ tag: 'before' })
  await session.snapshot({ tag: 'after' })
  await session.deleteSnapshot('before')
  await session.deleteSnapshot('before')
  expect((await session.snapshots()).map(({ tag }) => tag)).toEqual(['after'])
  expect(session.messages.value).toHaveLength(2)
})

test('[J12] a deleted session is empty for whoever still holds it, and begins anew', async () => {
  const here = device()
  const model = scriptedModel([say('one'), say('two')])
  const tab = here.tab({ model })
  const session = await tab.open()
  await session.send('first')
  await tab.client.delete(session.agent, session.id)
  expect(session.messages.value).toEqual([])
  expect(await session.send('second')).toMatchObject({ text: 'two' })
  expect(session.messages.value.map((message) => textOf(message))).toEqual(['second', 'two'])
})

test('[T16] a session deleted in one tab is empty in the other too, and comes back in neither', async () => {
  const here = device()
  const model = scriptedModel([say('one')])
  const one = here.tab({ model })
  const two = here.tab({ model })
  const first = await one.open()
  const second = await two.open()
  await first.send('first')
  await until(() => second.messages.value.length === 2, 'the second tab sees it')
  await two.client.delete(second.agent, second.id)
  await until(() => first.messages.value.length === 0, 'the first tab hears of it')
  expect(await here.store.session(first.id)).toBeUndefined()
})

test('[C16] an unknown tool, broken arguments and a tool that throws are results the model can mend', async () => {
  const here = device()
  const model = scriptedModel([
    [call('nope'), call('book', '{"nights": '), call('book', { nights: 'x' }), call('boom')],
    say('sorry'),
  ])
  const session = await here
    .tab({
      model,
      tools: [
        { name: 'book', parameters: { type: 'object', properties: { nights: { type: 'integer' } } }, func: () => 'ok' },
        {
          name: 'boom',
          func: () => {
            throw new Error('no rooms')
          },
        },
      ],
    })
    .open()
  await session.send('go')
  const results = model.requests[1]?.messages
    .filter((message) => message.role === 'tool')
    .map((message) => message.content)
  expect(results?.[0]).toBe('Tool not found: nope. Known tools: book, boom.')
  expect(results?.[1]).toContain('not valid JSON')
  expect(results?.[2]).toContain('Invalid arguments for book')
  expect(results?.[3]).toBe('Error executing tool: no rooms')
})

test('a call that waits for another page can be given up', async () => {
  const here = device()
  const model = scriptedModel([call('add_to_cart', {}), say('As you like.')])
  const cart = { name: 'add_to_cart', label: 'Add to cart', needsApproval: true, func: () => 'in the cart' }
  const shop = here.tab({ model, tools: [cart] })
  await (await shop.open()).send('add it')
  shop.kill()
  const session = await here.tab({ model }).open()
  void session.approve(session.requests.value[0]?.id ?? '')
  await until(() => session.waiting.value === 'page')
  await session.stop()
  await until(() => session.status.value === 'idle', 'the turn ends')
  expect(session.lastEnd.value?.terminalReason).toBe('aborted_tools')
  expect(await session.send('never mind')).toMatchObject({ text: 'As you like.' })
})

test('a tool that is on another page waits, says so, and runs where it is found', async () => {
  const here = device()
  const model = scriptedModel([call('add_to_cart', {}), say('Added.')])
  const cart = { name: 'add_to_cart', label: 'Add to cart', needsApproval: true, func: () => 'in the cart' }
  const shop = here.tab({ model, tools: [cart] })
  await (await shop.open()).send('add it')
  shop.kill()
  const home = here.tab({ model })
  const session = await home.open()
  void session.approve(session.requests.value[0]?.id ?? '')
  await until(() => session.waiting.value === 'page')
  home.kill()
  const back = await here.tab({ model, tools: [cart] }).open()
  await until(() => back.status.value === 'idle')
  expect(textOf(back.messages.value.at(-1)!)).toBe('Added.')
})
