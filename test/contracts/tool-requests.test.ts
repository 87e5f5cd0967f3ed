/** What a tool may ask of a person before its effect: journalled, answered once, and entered again from its top. */
import { textOf, type SmartState, type ToolContext } from '@dogear/core'
import { call, say, scriptedModel } from '@dogear/testing'
import { expect, test } from 'vitest'
import { device, until } from './device.ts'
import { functional, hello } from './functional.ts'

/** Asks twice, then pays: what it was told and how often it got how far. */
function payer(effect: 'once' | 'read' = 'once') {
  const seen: { entered: number; paid: string[]; keys: Set<string>; attempts: number[] } = {
    entered: 0,
    paid: [],
    keys: new Set(),
    attempts: [],
  }
  const pay = {
    name: 'pay',
    effect,
    async func({ amount }: { amount: number }, ctx: ToolContext) {
      seen.entered += 1
      seen.keys.add(ctx.idempotencyKey)
      seen.attempts.push(ctx.attempt)
      await ctx.requestApproval({ prompt: `Pay ${amount}?` })
      const [from] = await ctx.ask({
        question: 'From which account?',
        options: [{ label: 'ours' }, { label: 'theirs' }],
      })
      seen.paid.push(`${amount} from ${from!.values[0]}`)
      return `paid ${amount}`
    },
  }
  return { pay, seen }
}

const fromOurs = [{ values: ['ours'] }]

test('[C51] a tool asks for approval and then a question: the turn is paused at each, and the effect comes once', async () => {
  const { pay, seen } = payer()
  const model = scriptedModel([call('pay', { amount: 9 }), say('Paid.')])
  const session = await device()
    .tab({ model, tools: [pay] })
    .open()
  const first = await session.send('pay')
  expect(first.terminalReason).toBe('paused')
  expect(first.requests).toMatchObject([
    { kind: 'approval', tool: 'pay', prompt: 'Pay 9?', args: { amount: 9 }, label: 'Pay' },
  ])
  const second = await session.approve(first.requests[0]!.id)
  expect(second.requests).toMatchObject([{ kind: 'question', questions: [{ question: 'From which account?' }] }])
  expect(second.requests[0]!.id).not.toBe(first.requests[0]!.id)
  expect(seen.paid).toEqual([])
  expect(model.requests).toHaveLength(1)
  const last = await session.answer(second.requests[0]!.id, fromOurs)
  expect(last).toMatchObject({ terminalReason: 'completed', text: 'Paid.' })
  expect(seen).toMatchObject({ entered: 3, paid: ['9 from ours'], attempts: [1, 1, 1] })
  expect(seen.keys.size).toBe(1)
  expect(textOf(model.requests[1]!.messages.at(-1)!)).toBe('paid 9')
})

test('[C51] [G3] after a reload the tool is entered again, earlier answers return at once, and nobody is asked what happened', async () => {
  const here = device()
  const { pay, seen } = payer('once')
  const options = { model: scriptedModel([call('pay', { amount: 9 }), say('Paid.')]), tools: [pay] }
  const tab = here.tab(options)
  const session = await tab.open()
  const { requests } = await session.send('pay')
  await session.approve(requests[0]!.id)
  tab.kill()
  const next = here.tab(options)
  const again = await next.open()
  await until(() => again.status.value === 'paused')
  expect(again.requests.value).toMatchObject([{ kind: 'question' }])
  next.kill()
  const last = await here.tab(options).open()
  await last.answer(last.requests.value[0]!.id, fromOurs)
  expect(seen.paid).toEqual(['9 from ours'])
  expect(seen.keys.size).toBe(1)
})

test('[C51] [G4] once its questions are answered, a tool that dies may have had its effect: a person is asked', async () => {
  const here = device()
  let entered = 0
  const pay = {
    name: 'pay',
    async func(_args: unknown, ctx: ToolContext) {
      entered += 1
      await ctx.requestApproval()
      return new Promise(() => {})
    },
  }
  const options = { model: scriptedModel([call('pay'), say('Paid.')]), tools: [pay] }
  const tab = here.tab(options)
  const session = await tab.open()
  const { requests } = await session.send('pay')
  void session.approve(requests[0]!.id)
  await until(() => entered === 2)
  tab.kill()
  const again = await here.tab(options).open()
  await until(() => again.status.value === 'paused')
  expect(again.requests.value).toMatchObject([{ kind: 'outcome' }])
})

test.each(['once', 'read'] as const)(
  '[C51] [G3] when only the worker dies while a tool (%s) waits for its own question, the question stays and its answer counts',
  async (effect) => {
    const { pay, seen } = payer(effect)
    const tab = device().tab({ model: scriptedModel([call('pay', { amount: 9 }), say('Paid.')]), tools: [pay] })
    const session = await tab.open()
    const { requests } = await session.send('pay')
    const { requests: then } = await session.approve(requests[0]!.id)
    tab.killWorker()
    const last = await session.answer(then[0]!.id, fromOurs)
    expect(last).toMatchObject({ terminalReason: 'completed', text: 'Paid.' })
    expect(seen).toMatchObject({ entered: 3, paid: ['9 from ours'] })
  },
)

test('[C51] any tab may answer what a tool of the owner’s page asks', async () => {
  const here = device()
  const { pay, seen } = payer()
  const options = { model: scriptedModel([call('pay', { amount: 1 }), say('Paid.')]), tools: [pay] }
  const owner = await here.tab(options).open()
  const follower = await here.tab(options).open()
  const { requests } = await owner.send('pay')
  await until(() => follower.requests.value.length === 1)
  await follower.approve(requests[0]!.id)
  await until(() => follower.requests.value[0]?.kind === 'question')
  await follower.answer(follower.requests.value[0]!.id, fromOurs)
  await until(() => owner.status.value === 'idle')
  expect(seen.paid).toEqual(['1 from ours'])
})

test('[C51] a rejection is the call’s honest result, unless the tool makes one of it', async () => {
  const model = scriptedModel([[call('pay'), call('try_pay')], say('No.')])
  const caught: unknown[] = []
  const tools = [
    { name: 'pay', func: async (_args: unknown, ctx: ToolContext) => (await ctx.requestApproval(), 'paid') },
    {
      name: 'try_pay',
      func: async (_args: unknown, ctx: ToolContext) =>
        ctx.ask('How?').catch((error: { code: string }) => (caught.push(error.code), 'not paid')),
    },
  ]
  const session = await device().tab({ model, tools }).open()
  const { requests } = await session.send('pay')
  expect(requests).toHaveLength(2)
  void session.reject(requests.find(({ tool }) => tool === 'pay')!.id, 'too dear')
  await session.resolve(requests.find(({ tool }) => tool === 'try_pay')!.id, { type: 'cancel' })
  await until(() => session.status.value === 'idle')
  const results = session.messages.value.filter(({ role }) => role === 'tool')
  expect(results.map((message) => [message.meta.status, textOf(message)])).toEqual([
    ['rejected', 'Tool call rejected: too dear'],
    ['complete', 'not paid'],
  ])
  expect(caught).toEqual(['request-rejected'])
})

test('[C51] [G5] what the tool shows cannot be edited, and a yes to one thing is no yes to another', async () => {
  let rate = 1
  const paid: number[] = []
  const pay = {
    name: 'pay',
    async func(_args: unknown, ctx: ToolContext) {
      const now = rate
      await ctx.requestApproval({ args: { rate: now } })
      paid.push(now)
    },
  }
  const session = await device()
    .tab({ model: scriptedModel([call('pay'), say('Paid.')]), tools: [pay] })
    .open()
  const { requests } = await session.send('pay')
  const edited = await session.approve(requests[0]!.id, { args: { rate: 5 } })
  expect(edited.refused).toContain('approve it as it is')
  rate = 2
  const asked = await session.approve(requests[0]!.id)
  expect(asked.requests).toMatchObject([{ args: { rate: 2 } }])
  expect(paid).toEqual([])
  await session.approve(asked.requests[0]!.id)
  expect(paid).toEqual([2])
})

test('[C51] [O12] a call stopped at its own question is said not to have run', async () => {
  const { pay, seen } = payer()
  const session = await device()
    .tab({ model: scriptedModel([call('pay', { amount: 1 })]), tools: [pay] })
    .open()
  await session.send('pay')
  await session.stop()
  await until(() => session.status.value === 'idle')
  expect(textOf(session.messages.value.at(-1)!)).toBe('The person stopped before this was run.')
  expect(seen.paid).toEqual([])
})

test('[C51] [C48] [C54] a state waits for what its tool asks, and goes on with what the resolvers say', async () => {
  const { pay, seen } = payer()
  const { agent, model } = functional([call('pay', { amount: 3 }), say('Paid.')], { tools: [pay] })
  const asked = (await agent.invoke(hello)).state
  expect(asked.pendingApprovals).toMatchObject([{ status: 'pending', toolName: 'pay', args: { amount: 3 } }])
  const approved = agent.resolveToolApproval(kept(asked), { id: asked.pendingApprovals![0]!.id, approved: true })
  const { state } = await agent.invoke(kept(approved))
  expect(state.pendingUserQuestions).toMatchObject([{ status: 'pending', toolName: 'ask_user_question' }])
  expect(seen.paid).toEqual([])
  const answered = agent.resolveUserQuestion(kept(state), {
    id: state.pendingUserQuestions![0]!.id,
    answers: { 'From which account?': { values: ['theirs'] } },
  })
  const { content, state: last } = await agent.invoke(kept(answered))
  expect(content).toBe('Paid.')
  expect(seen).toMatchObject({ paid: ['3 from theirs'], entered: 3 })
  expect(model.requests).toHaveLength(2)
  expect(last.pendingApprovals).toMatchObject([{ status: 'executed' }])
  expect(last.pendingUserQuestions).toMatchObject([{ status: 'executed' }])
})

test('[C51] [C42] a snapshot taken at a tool’s second question has the answer to its first, and opened it asks both again', async () => {
  const here = device()
  const { pay, seen } = payer()
  const tab = here.tab({ model: scriptedModel([call('pay', { amount: 2 }), say('Paid.')]), tools: [pay] })
  const session = await tab.open()
  const { requests } = await session.send('pay')
  await session.approve(requests[0]!.id)
  const snapshot = await session.snapshot({ tag: 'waiting' })
  expect(snapshot.state.runningCalls).toEqual([])
  expect(snapshot.state.pendingApprovals).toMatchObject([{ status: 'approved' }])
  const copy = await tab.client.import(session.agent, JSON.parse(JSON.stringify(snapshot)))
  await until(() => copy.requests.value.length > 0)
  expect(copy.requests.value).toMatchObject([{ kind: 'approval' }])
  await copy.approve(copy.requests.value[0]!.id)
  expect(copy.requests.value).toMatchObject([{ kind: 'question' }])
  await copy.answer(copy.requests.value[0]!.id, fromOurs)
  await until(() => copy.status.value === 'idle')
  expect(seen.paid).toEqual(['2 from ours'])
})

test('[C51] [C53] a snapshot tells what became of each question a tool has asked', async () => {
  const pay = {
    name: 'pay',
    async func(_args: unknown, ctx: ToolContext) {
      await ctx.ask('From which account?').catch(() => {})
      await ctx.ask('Which currency?')
      await ctx.ask('Sure?')
    },
  }
  const tab = device().tab({ model: scriptedModel([call('pay')]), tools: [pay] })
  const session = await tab.open()
  let { requests } = await session.send('pay')
  ;({ requests } = await session.resolve(requests[0]!.id, { type: 'cancel' }))
  await session.answer(requests[0]!.id, [{ values: [], freeText: 'euro' }])
  const { state } = await session.snapshot({ tag: 'asked' })
  expect(state.pendingUserQuestions).toMatchObject([
    { status: 'cancelled', cancelled: true },
    { status: 'answered', answers: [{ freeText: 'euro' }] },
    { status: 'pending' },
  ])
})

test('[C51] [T17] a snapshot that says with what a tool was entered when it asked is not believed', async () => {
  const { pay, seen } = payer()
  const tab = device().tab({ model: scriptedModel([call('pay', { amount: 2 }), say('Paid.')]), tools: [pay] })
  const session = await tab.open()
  await session.send('pay')
  const { state, ...rest } = await session.snapshot({ tag: 'waiting' })
  const [pending] = state.pendingApprovals!
  const entered = { ...(pending!.metadata!.entered as object), args: { amount: 2000 } }
  const forged = { ...pending!, metadata: { ...pending!.metadata, entered } }
  const copy = await tab.client.import(session.agent, { ...rest, state: { ...state, pendingApprovals: [forged] } })
  await until(() => copy.requests.value.length > 0)
  await copy.approve(copy.requests.value[0]!.id)
  await copy.answer(copy.requests.value[0]!.id, fromOurs)
  await until(() => copy.status.value === 'idle')
  expect(seen.paid).toEqual(['2 from ours'])
})

test('[C51] a question nobody could answer is the tool’s mistake, and its developer is told', async () => {
  const model = scriptedModel([call('pay'), say('Sorry.')])
  const tool = {
    name: 'pay',
    func: (_args: unknown, ctx: ToolContext) => ctx.ask({ question: 'Which?' }, { allowFreeText: false }),
  }
  const tab = device().tab({ model, tools: [tool] })
  const session = await tab.open()
  await session.send('pay')
  expect(textOf(model.requests[1]!.messages.at(-1)!)).toContain('needs options')
  expect(tab.warnings.join()).toContain('needs options')
})

function kept(state: SmartState): SmartState {
  return JSON.parse(JSON.stringify(state)) as SmartState
}
