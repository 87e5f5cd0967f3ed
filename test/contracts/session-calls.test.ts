/** What a session promises about calls: what runs is what was decided, once, and the model reads the truth. */
import { textOf, type ModelRequest, type Entry, type Store } from '@dogear/core'
import { call, cut, say, scriptedModel } from '@dogear/testing'
import { coerce, number, object, string } from 'zod'
import { expect, test } from 'vitest'
import { device, until } from './device.ts'

test('[G5] a call edited by its person and interrupted by a crash runs again with their arguments', async () => {
  const here = device()
  const ran: { args: unknown; key: string }[] = []
  let mayFinish = false
  const options = {
    model: scriptedModel([call('book', { nights: 9 }), say('Booked.')]),
    tools: [
      {
        name: 'book',
        effect: 'idempotent' as const,
        needsApproval: true,
        func: (args: unknown, { idempotencyKey: key }: { idempotencyKey: string }) => {
          ran.push({ args, key })
          return mayFinish ? 'ok' : new Promise(() => {})
        },
      },
    ],
  }
  const tab = here.tab(options)
  const session = await tab.open()
  const { requests } = await session.send('book')
  void session.approve(requests[0]!.id, { args: { nights: 2 } })
  await until(() => ran.length === 1)
  tab.kill()
  mayFinish = true
  const again = await here.tab(options).open()
  await until(() => again.status.value === 'idle')
  expect(ran.map(({ args }) => args)).toEqual([{ nights: 2 }, { nights: 2 }])
  expect(ran[1]!.key).toBe(ran[0]!.key)
})

test('[G4] [G5] asked what became of an edited call, the person sees their arguments, and those run', async () => {
  const here = device()
  const ran: unknown[] = []
  const options = {
    model: scriptedModel([call('pay', { amount: 9 }), say('Paid.')]),
    tools: [
      {
        name: 'pay',
        needsApproval: true,
        func: (args: unknown) => (ran.push(args), ran.length === 1 ? new Promise(() => {}) : 'paid'),
      },
    ],
  }
  const tab = here.tab(options)
  const session = await tab.open()
  const { requests } = await session.send('pay')
  void session.approve(requests[0]!.id, { args: { amount: 2 } })
  await until(() => ran.length === 1)
  tab.kill()
  const again = await here.tab(options).open()
  await until(() => again.status.value === 'paused')
  expect(again.requests.value[0]).toMatchObject({ kind: 'outcome', args: { amount: 2 } })
  await again.resolve(again.requests.value[0]!.id, { type: 'retry' })
  expect(ran).toEqual([{ amount: 2 }, { amount: 2 }])
})

test('[C13] [G5] arguments a schema has changed are shown, approved and run as they are', async () => {
  const here = device()
  const ran: unknown[] = []
  const schema = object({ from: string().transform((text) => text.length), nights: number().default(3) })
  const model = scriptedModel([call('book', { from: 'Lisbon' }), say('Booked.')])
  const parameters = { type: 'object', properties: { from: { type: 'string' } } }
  const tool = { name: 'book', schema, parameters, needsApproval: true, func: (args: unknown) => void ran.push(args) }
  const session = await here.tab({ model, tools: [tool] }).open()
  const { requests } = await session.send('book')
  expect(requests[0]!.args).toEqual({ from: 6, nights: 3 })
  await session.approve(requests[0]!.id)
  expect(ran).toEqual([{ from: 6, nights: 3 }])
})

test('[G5] dates and big numbers reach the tool', async () => {
  const here = device()
  const ran: unknown[] = []
  const schema = object({ from: coerce.date(), seats: coerce.bigint() })
  const model = scriptedModel([call('book', { from: '2026-05-01', seats: '2' }), say('Booked.')])
  const tool = { name: 'book', schema, parameters: { type: 'object' }, func: (args: unknown) => void ran.push(args) }
  const session = await here.tab({ model, tools: [tool] }).open()
  expect(await session.send('book')).toMatchObject({ terminalReason: 'completed' })
  expect(ran).toEqual([{ from: new Date('2026-05-01'), seats: 2n }])
})

test('[G5] [T17] what was approved does not run when what is stored is no longer what was shown', async () => {
  const here = device()
  const ran: unknown[] = []
  const model = scriptedModel([call('pay', { amount: 1 }), say('Well.')])
  const tools = [{ name: 'pay', needsApproval: true, func: (args: unknown) => void ran.push(args) }]
  const tab = here.tab({ model, tools })
  const { requests } = await (await tab.open()).send('pay')
  tab.kill()
  const forged = (entry: Entry): Entry =>
    entry.type === 'request-open' ? { ...entry, request: { ...entry.request, args: { amount: 1000 } } } : entry
  const disk = new Proxy(here.store, {
    get(target, key: keyof Store) {
      if (key === 'head') return async () => undefined
      if (key !== 'entries') return (target[key] as () => unknown).bind(target)
      return async (...given: Parameters<Store['entries']>) => (await target.entries(...given)).map(forged)
    },
  })
  const session = await here.tab({ model, tools }, disk).open()
  await session.approve(requests[0]!.id)
  await until(() => session.status.value === 'idle')
  expect(ran).toEqual([])
  expect(textOf(model.requests[1]!.messages.at(-1)!)).toContain('changed after they were approved')
})

test('[C49] edited arguments that do not fit are refused and the request stays open', async () => {
  const here = device()
  const ran: unknown[] = []
  const schema = object({ nights: number().int().min(1) })
  const model = scriptedModel([call('book', { nights: 3 }), say('Booked.')])
  const session = await here
    .tab({ model, tools: [{ name: 'book', schema, needsApproval: true, func: (args) => void ran.push(args) }] })
    .open()
  const { requests } = await session.send('book')
  const refused = await session.approve(requests[0]!.id, { args: { nights: 0 } })
  expect(refused).toMatchObject({ terminalReason: 'paused', refused: expect.stringContaining('nights') })
  expect(session.requests.value).toHaveLength(1)
  await session.approve(requests[0]!.id, { args: { nights: 1 } })
  expect(ran).toEqual([{ nights: 1 }])
})

test('[C50] [C53] opening and closing a request are entries that say what was decided', async () => {
  const here = device()
  const questions = [{ question: 'Sure?', options: [{ label: 'Yes' }, { label: 'No' }] }]
  const asking = () => call('ask_user_question', { questions })
  const model = scriptedModel([[call('book'), call('book'), asking(), asking()], say('Done.')])
  const session = await here
    .tab({
      model,
      tools: [{ name: 'book', needsApproval: true, func: () => 'booked' }],
      humanInTheLoop: { askUser: true },
    })
    .open()
  const { requests } = await session.send('go')
  expect(requests.map(({ kind }) => kind)).toEqual(['approval', 'approval', 'question', 'question'])
  const [one, two, three, four] = requests.map(({ id }) => id) as [string, string, string, string]
  await session.approve(one).saved
  await session.reject(two, 'too far').saved
  await session.answer(three, [{ values: ['Yes'] }]).saved
  await session.resolve(four, { type: 'cancel' })
  const closed = (await here.store.entries('s1', 0)).flatMap((entry) => (entry.type === 'request-close' ? [entry] : []))
  expect(closed.map(({ requestId, status }) => [requestId, status])).toEqual([
    [one, 'approved'],
    [two, 'rejected'],
    [three, 'answered'],
    [four, 'cancelled'],
  ])
  expect(closed[1]).toMatchObject({ resolution: { type: 'reject', comment: 'too far' } })
  expect(results(model.requests[1]).slice(0, 2)).toEqual(['booked', 'Tool call rejected: too far'])
})

test('[C47] a person may give the result themselves, if it can be read', async () => {
  const here = device()
  const model = scriptedModel([call('book', {}), say('Noted.')])
  const session = await here.tab({ model, tools: [{ name: 'book', needsApproval: true, func: () => 'never' }] }).open()
  const { requests } = await session.send('book')
  const cycle: Record<string, unknown> = {}
  cycle.self = cycle
  expect(await session.resolve(requests[0]!.id, { type: 'result', result: cycle })).toMatchObject({
    refused: expect.stringContaining('cycle'),
  })
  await session.resolve(requests[0]!.id, { type: 'result', result: { room: 7 } })
  expect(results(model.requests[1])).toEqual(['{"room":7}'])
})

test('[C24] [C28] two changes of the plan in one step build on each other', async () => {
  const here = device()
  const todoList = [{ id: 1, step: 'Find' }]
  const model = scriptedModel([
    [
      call('manage_todo_list', { operation: 'write', todoList }),
      call('manage_todo_list', { operation: 'update', todoList: [{ id: 1, status: 'completed' }] }),
      call('manage_todo_list', { operation: 'update', expectedVersion: 1, todoList: [{ id: 1, status: 'blocked' }] }),
      call('manage_todo_list', { operation: 'read' }),
    ],
    say('Planned.'),
  ])
  const session = await here.tab({ model, useTodoList: true }).open()
  await session.send('plan')
  expect(session.plan.value).toMatchObject({ version: 2, adherenceScore: 1, steps: [{ status: 'completed' }] })
  const replies = results(model.requests[1]).map((text) => JSON.parse(text) as { status: string; version: number })
  expect(replies.map(({ status, version }) => [status, version])).toEqual([
    ['ok', 1],
    ['ok', 2],
    ['error', 2],
    ['ok', 2],
  ])
})

test('[C9] calls over the limit are skipped and counted, the model is told, and asking again ends the turn', async () => {
  const here = device()
  const ran: unknown[] = []
  const model = scriptedModel(() => [call('look'), call('look')])
  const tools = [{ name: 'look', func: () => void ran.push(1) }]
  const session = await here.tab({ model, tools, limits: { maxToolCalls: 3 } }).open()
  expect(await session.send('look')).toMatchObject({ terminalReason: 'max_tool_calls' })
  expect(ran).toHaveLength(3)
  expect(results(model.requests[2])).toEqual(['Done.', 'Done.', 'Done.', 'Skipped tool due to tool-call limit: look'])
  expect(model.requests[2]).toMatchObject({ toolChoice: 'none' })
  expect(model.requests[2]!.messages.at(-1)).toMatchObject({ role: 'user', content: expect.stringContaining('limit') })
  expect(model.requests).toHaveLength(3)
})

test('[C9] a model that answers when told of the limit completes the turn', async () => {
  const here = device()
  const model = scriptedModel([call('look'), say('That is all I know.')])
  const tools = [{ name: 'look', func: () => 'seen' }]
  const session = await here.tab({ model, tools, limits: { maxToolCalls: 1 } }).open()
  expect(await session.send('look')).toMatchObject({ terminalReason: 'completed', text: 'That is all I know.' })
})

test('a turn ends after as many steps as it may take', async () => {
  const here = device()
  const model = scriptedModel(() => call('look'))
  const session = await here
    .tab({ model, tools: [{ name: 'look', func: () => 'more' }], limits: { maxSteps: 2 } })
    .open()
  expect(await session.send('look')).toMatchObject({ terminalReason: 'max_turns' })
  expect(model.requests).toHaveLength(2)
})

test('[G8] a server that breaks off every answer is asked three times, not for ever', async () => {
  const here = device()
  const model = scriptedModel(() => [say('half'), cut()])
  const session = await here.tab({ model }).open()
  expect(await session.send('go')).toMatchObject({ terminalReason: 'model_error', error: { code: 'stream-cut' } })
  expect(model.requests).toHaveLength(3)
  expect(session.messages.value.map((message) => textOf(message))).toEqual(['go', 'half', 'half', 'half'])
})

test('[C16] [T14] a tool named like a member of every object is not found, not waited for', async () => {
  const here = device()
  const model = scriptedModel([[call('toString'), call('__proto__')], say('sorry')])
  const session = await here.tab({ model, tools: [{ name: 'look', func: () => 1 }] }).open()
  await session.send('go')
  expect(results(model.requests[1])).toEqual([
    'Tool not found: toString. Known tools: look.',
    'Tool not found: __proto__. Known tools: look.',
  ])
})

test('[C12] after a crash only the calls without a result run', async () => {
  const here = device()
  const ran: string[] = []
  let mayFinish = false
  const tools = [
    { name: 'quick', func: () => void ran.push('quick') },
    {
      name: 'slow',
      effect: 'read' as const,
      func: () => (ran.push('slow'), mayFinish ? 'seen' : new Promise(() => {})),
    },
  ]
  const model = scriptedModel([[call('quick'), call('slow')], say('Done.')])
  const tab = here.tab({ model, tools })
  const session = await tab.open()
  void session.send('go')
  await until(() => session.pending.value.some((message) => message.role === 'tool'))
  tab.kill()
  mayFinish = true
  const again = await here.tab({ model, tools }).open()
  await until(() => again.status.value === 'idle')
  expect(ran).toEqual(['quick', 'slow', 'slow'])
  expect(results(model.requests[1])).toEqual(['Done.', 'seen'])
})

test.each([
  ['done', { done: true, result: 'receipt 7' }, ['receipt 7'], 1],
  ['not done', { done: false }, ['paid'], 2],
] as const)(
  '[G4] a tool that can check says that it was %s, and nobody is asked',
  async (_what, outcome, says, times) => {
    const here = device()
    let entered = 0
    const pay = {
      name: 'pay',
      effect: 'verify' as const,
      check: async () => outcome,
      func: () => ((entered += 1), entered === 1 ? new Promise(() => {}) : 'paid'),
    }
    const model = scriptedModel([call('pay'), say('Good.')])
    const tab = here.tab({ model, tools: [pay] })
    void (await tab.open()).send('pay')
    await until(() => entered === 1)
    tab.kill()
    const again = await here.tab({ model, tools: [pay] }).open()
    await until(() => again.status.value === 'idle')
    expect(results(model.requests[1])).toEqual(says)
    expect(entered).toBe(times)
  },
)

test('[G4] a check that throws asks the person', async () => {
  const here = device()
  let entered = 0
  const pay = {
    name: 'pay',
    effect: 'verify' as const,
    check: async () => {
      throw new Error('unreachable')
    },
    func: () => ((entered += 1), new Promise(() => {})),
  }
  const model = scriptedModel([call('pay'), say('Good.')])
  const tab = here.tab({ model, tools: [pay] })
  void (await tab.open()).send('pay')
  await until(() => entered === 1)
  tab.kill()
  const again = here.tab({ model, tools: [pay] })
  const session = await again.open()
  await until(() => session.status.value === 'paused')
  expect(session.requests.value[0]).toMatchObject({ kind: 'outcome' })
  expect(again.warnings.join()).toContain('unreachable')
})

test('[G3] a tool of the page itself is not repeated after a reload, and the model is told to look', async () => {
  const here = device()
  let entered = 0
  const scroll = { name: 'scroll', effect: 'page' as const, func: () => ((entered += 1), new Promise(() => {})) }
  const model = scriptedModel([call('scroll'), say('I looked.')])
  const tab = here.tab({ model, tools: [scroll] })
  void (await tab.open()).send('scroll')
  await until(() => entered === 1)
  tab.kill()
  const again = await here.tab({ model, tools: [scroll] }).open()
  await until(() => again.status.value === 'idle')
  expect(entered).toBe(1)
  expect(results(model.requests[1])[0]).toContain('Look at the page')
})

test('a tool that hangs past its time is an error of unknown outcome, and the turn goes on', async () => {
  const here = device()
  const model = scriptedModel([[call('hang'), call('patient')], say('Moving on.')])
  const tools = [
    { name: 'hang', timeout: 20, func: () => new Promise(() => {}) },
    {
      name: 'patient',
      timeout: Infinity,
      func: () => new Promise((resolve) => setTimeout(() => resolve('worth it'), 60)),
    },
  ]
  const session = await here.tab({ model, tools }).open()
  expect(await session.send('go')).toMatchObject({ text: 'Moving on.' })
  expect(results(model.requests[1])).toEqual([expect.stringContaining('not known'), 'worth it'])
})

test('no more tools run at once than may, and each starts with its intent written', async () => {
  const here = device()
  let running = 0
  let most = 0
  const work = async () => {
    most = Math.max(most, (running += 1))
    await new Promise((resolve) => setTimeout(resolve, 5))
    running -= 1
  }
  const model = scriptedModel([Array.from({ length: 6 }, () => call('work')), say('Done.')])
  const session = await here
    .tab({ model, tools: [{ name: 'work', func: work }], limits: { maxParallelTools: 2 } })
    .open()
  await session.send('go')
  expect(most).toBe(2)
  const entries = await here.store.entries('s1', 0)
  expect(entries.filter((entry) => entry.type === 'tool-intent')).toHaveLength(6)
})

function results(request: ModelRequest | undefined): string[] {
  return (request?.messages ?? []).filter(({ role }) => role === 'tool').map((message) => textOf(message))
}
