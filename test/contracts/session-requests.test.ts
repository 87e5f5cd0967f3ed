/** Requests, through real sessions: raised together, answered once by anybody, in their time, for exactly what was shown. */
import {
  textOf,
  type Entry,
  type SmartAgentOptions,
  type Store,
  type ToolContext,
  type ToolOptions,
} from '@dogear/core'
import { openMemoryStore } from '@dogear/store'
import { call, say, scriptedModel } from '@dogear/testing'
import { browserClock } from '@dogear/worker/host'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { device, hastyClock, until } from './device.ts'
import { ran, sessionOf, tool } from './noting-tools.ts'

test('[O9] [C49] requests are raised together, one command answers several, and what was answered meanwhile is left out', async () => {
  const script = [[call('pay', { n: 1 }), call('pay', { n: 2 }), call('pay', { n: 3 }), call('look')], say('ok')]
  const session = await sessionOf(script, { tools: [tool('pay', { needsApproval: true }), tool('look')] })
  const { requests } = await session.send('go')
  expect(requests).toHaveLength(3)
  expect(ran).toEqual(['look {}'])
  await session.reject(requests[1]!.id, 'not two')
  const result = await session.resolveAll(
    requests.map(({ id }) => id),
    { type: 'approve' },
  )
  expect(result.text).toBe('ok')
  expect(ran.sort()).toEqual(['look {}', 'pay {"n":1}', 'pay {"n":3}'])
  expect((await session.resolveAll([requests[0]!.id], { type: 'approve' })).refused).toContain('answered already')
})

const payArgs = fc
  .record({ to: fc.string({ maxLength: 8 }), amount: fc.integer(), by: fc.jsonValue({ maxDepth: 2 }) })
  // As a model writes them: JSON has no -0.
  .map((args) => JSON.parse(JSON.stringify(args)) as typeof args)

test('[G5] [C48] one flipped byte between approval and run is refused, of what was shown and of what was edited', async () => {
  const flipping = { at: fc.nat(), bit: fc.nat({ max: 7 }), isEdited: fc.boolean() }
  await fc.assert(
    fc.asyncProperty(payArgs, fc.record(flipping), async (args, { at, bit, isEdited }) => {
      const flipped = withFlipped(args, at, bit)
      fc.pre(flipped !== undefined)
      const calls = await carriedOut(args, isEdited, (bytes) => bytes)
      expect(calls).toEqual({ ran: [args], isRefused: false })
      expect(await carriedOut(args, isEdited, () => flipped)).toEqual({ ran: [], isRefused: true })
    }),
    { numRuns: 30 },
  )
})

/** The arguments with one bit of their text turned; undefined where that is no other JSON. */
function withFlipped(args: unknown, at: number, bit: number): unknown {
  const bytes = new TextEncoder().encode(JSON.stringify(args))
  bytes[at % bytes.length]! ^= 1 << bit
  try {
    const flipped = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown
    return JSON.stringify(flipped) === JSON.stringify(args) ? undefined : flipped
  } catch {
    return undefined
  }
}

/** Approved in a tab that dies as the answer is written: what the next tab runs from a disk that has `changed` it meanwhile. */
async function carriedOut(args: object, isEdited: boolean, changed: (args: unknown) => unknown) {
  const store = openMemoryStore()
  const here = device(store)
  const paid: unknown[] = []
  const tools = [{ name: 'pay', needsApproval: true, func: (given: unknown) => (paid.push(given), 'paid') }]
  let isAnswered = false
  const tab = here.tab(
    { model: scriptedModel([[call('pay', isEdited ? { to: 'x' } : args)]]), tools },
    {
      ...store,
      async append(batch) {
        const answer = await store.append(batch)
        isAnswered = batch.entries.some(({ type }) => type === 'request-close')
        return isAnswered ? new Promise<never>(() => tab.kill()) : answer
      },
    },
  )
  const session = await tab.open()
  const [request] = (await session.send('go')).requests
  void session.approve(request!.id, isEdited ? { args } : {}).then(() => {})
  await until(() => isAnswered)
  const changedEntry = (entry: Entry): Entry => {
    if (!isEdited && entry.type === 'request-open')
      return { ...entry, request: { ...entry.request, args: changed(entry.request.args) } }
    if (isEdited && entry.type === 'request-close' && entry.resolution.type === 'approve')
      return { ...entry, resolution: { ...entry.resolution, args: changed(entry.resolution.args) } }
    return entry
  }
  const disk: Store = {
    ...store,
    entries: async (...given) => (await store.entries(...given)).map(changedEntry),
    head: async () => undefined,
  }
  const again = await here.tab({ model: scriptedModel([say('ok')]), tools }, disk).open()
  await until(() => again.status.value === 'idle', 'the next tab ends the turn')
  const results = again.messages.value.map(textOf)
  return { ran: paid, isRefused: results.some((text) => text.includes('changed after they were approved')) }
}

test('[O10] [C47] a request that nobody answers in its time counts as a no, also when no tab was open then', async () => {
  const here = device(openMemoryStore(), { clock: hastyClock(10) })
  const options = { tools: [tool('pay', { needsApproval: true })], requestTimeout: 300 }
  ran.length = 0
  const tab = here.tab({ ...options, model: scriptedModel([[call('pay')]]) })
  const session = await tab.open()
  const { requests } = await session.send('go')
  expect(requests[0]!.expiresAt).toBe(requests[0]!.openedAt + 300)
  tab.kill()
  await new Promise((resolve) => setTimeout(resolve, 350))
  const again = await here.tab({ ...options, model: scriptedModel([say('Well.')]) }).open()
  await until(() => again.status.value === 'idle')
  expect(again.messages.value.map(textOf)).toContain('Tool call rejected: Nobody answered in time.')
  expect((await again.approve(requests[0]!.id)).refused).toBeDefined()
  expect(ran).toEqual([])
})

test('[O10] [C47] an answer that comes after its time is refused, although a device that slept has not noticed yet', async () => {
  let slept = 0
  const clock = { ...browserClock, now: () => Date.now() + slept }
  const options = { tools: [tool('pay', { needsApproval: true })], requestTimeout: 60_000 }
  ran.length = 0
  const session = await device(openMemoryStore(), { clock })
    .tab({ ...options, model: scriptedModel([[call('pay')], say('Well.')]) })
    .open()
  const { requests } = await session.send('go')
  slept = 60_000
  expect(await session.approve(requests[0]!.id)).toMatchObject({ refused: 'The time for this is up.' })
  await until(() => session.status.value === 'idle')
  expect(session.messages.value.map(textOf)).toContain('Tool call rejected: Nobody answered in time.')
  expect(ran).toEqual([])
})

test('[T6] [C52] a turn asks five times at most, answered or not, and the model is told', async () => {
  const ask = call('ask_user_question', { questions: [{ question: 'Which one?' }] })
  const model = scriptedModel([[ask, ask], ask, [ask, ask, ask], say('Well.'), ask])
  const session = await device()
    .tab({ model, humanInTheLoop: { askUser: true } })
    .open()
  let { requests } = await session.send('go')
  let asked = 0
  while (requests.length) {
    asked += 1
    const { id } = requests[0]!
    const answer = { type: 'answer', answers: [{ values: [], freeText: 'that' }] } as const
    requests = (await session.resolve(id, asked % 2 ? answer : { type: 'cancel' })).requests
  }
  expect(asked).toBe(5)
  expect(session.messages.value.map(textOf)).toContain('Well.')
  expect(textOf(model.requests[3]!.messages.at(-1)!)).toContain('You have asked 5 times')
  expect((await session.send('again')).requests).toHaveLength(1)
})

test('[T6] a call that needs a click asks each time and runs in the tab that was clicked', async () => {
  const here = device()
  const clicked: string[] = []
  const of = (name: string) => ({
    model: scriptedModel([[call('copy', { text: 'x' })], say('Copied.')]),
    tools: [{ name: 'copy', gesture: true, func: () => (clicked.push(name), 'ok') }],
    allowedTools: ['copy'],
  })
  const a = await here.tab(of('a')).open()
  const { requests } = await a.send('go')
  expect(requests).toMatchObject([{ tool: 'copy', gesture: true }])
  const b = await here.tab(of('b')).open()
  await until(() => b.requests.value.length === 1)
  await b.approve(requests[0]!.id)
  await until(() => b.status.value === 'idle' && b.messages.value.length > 3)
  expect(clicked).toEqual(['b'])
  expect(b.messages.value.map(textOf)).toContain('Copied.')
})

test('[T6] a click of long ago starts nothing: the person is asked for another', async () => {
  const store = openMemoryStore()
  const here = device(store)
  let now = 0
  const clock = { ...hastyClock(1), now: () => Date.now() + now }
  const late = device(store, { clock, name: 'late' })
  const tools = [{ name: 'copy', gesture: true, func: () => (ran.push('copy'), 'ok') }]
  ran.length = 0
  const tab = here.tab(
    { model: scriptedModel([[call('copy')]]), tools },
    {
      ...store,
      async append(batch) {
        const isAnswer = batch.entries.some(({ type }) => type === 'request-close')
        const answer = await store.append(batch)
        return isAnswer ? new Promise<never>(() => tab.kill()) : answer
      },
    },
  )
  const session = await tab.open()
  const [request] = (await session.send('go')).requests
  void session.approve(request!.id).then(() => {})
  await new Promise((resolve) => setTimeout(resolve, 50))
  now = 60_000
  const again = await late.tab({ model: scriptedModel([say('ok')]), tools }).open()
  await until(() => again.requests.value.length === 1)
  expect(ran).toEqual([])
  await again.approve(again.requests.value[0]!.id)
  await until(() => again.status.value === 'idle')
  expect(ran).toEqual(['copy'])
})

const asked = { name: 'pay', label: 'Pay', description: 'Asks the shop what it would cost.', needsApproval: true }
const day = 86_400_000

test.each([
  ['with the tool as it was', 'used', {}, 0],
  ['hours later', 'used', {}, day / 2],
  ['after a deploy that changed nothing a person reads', 'used', { effect: 'idempotent', timeout: 5_000 }, 0],
  ['with another description', 'asked for again', { description: 'Pays.' }, 0],
  ['with another label', 'asked for again', { label: 'Pay at once' }, 0],
  ['where it has become destructive', 'asked for again', { destructive: true }, 0],
  [
    'with other names for what is given',
    'asked for again',
    { parameters: { properties: { n: { title: 'Cents' } } } },
    0,
  ],
  ['a day later', 'asked for again', {}, day + 60_000],
  ['by a clock that was set back by days', 'asked for again', {}, -2 * day],
] as const)('[G5] %s, an approval that was not carried out is %s', async (_when, becomes, change, passed) => {
  ran.length = 0
  const paying = (more: object) => [{ ...asked, func: (args: unknown) => void ran.push(JSON.stringify(args)), ...more }]
  const store = await approvedAndLeft(paying({}))
  const clock = { ...hastyClock(1), now: () => Date.now() + passed }
  const again = await device(store, { clock, name: 'late' })
    .tab({ model: scriptedModel([say('ok')]), tools: paying(change) })
    .open()
  await until(() => again.status.value !== 'busy')
  expect(ran).toEqual(becomes === 'used' ? ['{"n":1}'] : [])
  if (becomes === 'used') return
  expect(again.requests.value).toMatchObject([{ kind: 'approval', args: { n: 1 }, ...change }])
  await again.approve(again.requests.value[0]!.id)
  expect(ran).toEqual(['{"n":1}'])
})

test('[G5] [C48] what a person edited is what they are asked about again', async () => {
  ran.length = 0
  const paying = { ...asked, func: (args: unknown) => void ran.push(JSON.stringify(args)) }
  const store = await approvedAndLeft([paying], { n: 2 })
  const tools = [{ ...paying, description: 'Pays.' }]
  const again = await device(store, { name: 'late' })
    .tab({ model: scriptedModel([say('ok')]), tools })
    .open()
  await until(() => again.status.value === 'paused')
  expect(again.requests.value).toMatchObject([{ description: 'Pays.', args: { n: 2 } }])
  // The rule that was offered is about other arguments.
  expect(again.requests.value[0]?.always).toBeUndefined()
  await again.approve(again.requests.value[0]!.id)
  expect(ran).toEqual(['{"n":2}'])
})

/** What is left where a call is approved in a tab that dies as the answer is written. */
async function approvedAndLeft(tools: ToolOptions[], args?: object): Promise<Store> {
  const store = openMemoryStore()
  let isAnswered = false
  const tab = device(store).tab(
    { model: scriptedModel([[call('pay', { n: 1 })]]), tools },
    {
      ...store,
      async append(batch) {
        const answer = await store.append(batch)
        isAnswered = batch.entries.some(({ type }) => type === 'request-close')
        return isAnswered ? new Promise<never>(() => tab.kill()) : answer
      },
    },
  )
  const session = await tab.open()
  const { requests } = await session.send('go')
  void session.approve(requests[0]!.id, args && { args }).then(() => {})
  await until(() => isAnswered)
  return store
}

/** Each way a person may be waited for, and what the model reads when nobody is there. */
const ways: readonly [string, ToolOptions['func'] | undefined, string][] = [
  ['a question of the model', undefined, 'Tool not found'],
  ['requestApproval of a tool', async (_args, ctx: ToolContext) => (await ctx.requestApproval(), 'done'), ''],
  ['ask of a tool', async (_args, ctx: ToolContext) => (await ctx.ask('Which?'), 'done'), ''],
  [
    'elicit of a tool',
    async (_args, ctx: ToolContext) =>
      (await ctx.elicit({ message: 'Go there.', url: 'https://example.com' })).action === 'decline'
        ? 'declined'
        : 'done',
    'declined',
  ],
]

function waiting(
  func: ToolOptions['func'] | undefined,
  options: Pick<SmartAgentOptions, 'requestTimeout' | 'permissionPrompts'>,
) {
  const question = call('ask_user_question', { questions: [{ question: 'Which?' }] })
  const model = scriptedModel([[func ? call('act') : question], say('Well.')])
  return { model, tools: func ? [{ name: 'act', func }] : [], humanInTheLoop: { askUser: true }, ...options }
}

test.each(ways)('[O10] %s counts as a no when its time is up', async (_way, func) => {
  const session = await device()
    .tab(waiting(func, { requestTimeout: 60 }))
    .open()
  const { requests } = await session.send('go')
  expect(requests[0]!.expiresAt).toBe(requests[0]!.openedAt + 60)
  await until(() => session.status.value === 'idle')
  const results = session.messages.value.filter(({ role }) => role === 'tool').map(textOf)
  expect(results).toHaveLength(1)
  expect(results[0]).not.toContain('done')
  expect(session.messages.value.map(textOf).at(-1)).toBe('Well.')
})

test.each(ways)('[K8] with permissionPrompts none %s is not waited for', async (_way, func, says) => {
  const options = waiting(func, { permissionPrompts: 'none' })
  const session = await device().tab(options).open()
  expect(await session.send('go')).toMatchObject({ terminalReason: 'completed', text: 'Well.', requests: [] })
  expect(textOf(options.model.requests[1]!.messages.at(-1)!)).toContain(says || 'Nobody can be asked')
})

test('[O10] [G4] whether a call happened is asked for as long as it takes', async () => {
  const here = device()
  const tools = [{ name: 'pay', func: () => (ran.push('pay'), new Promise<never>(() => {})) }]
  const options = () => ({ model: scriptedModel([[call('pay')]]), tools, requestTimeout: 30 })
  ran.length = 0
  const tab = here.tab(options())
  void (await tab.open()).send('go').then(() => {})
  await until(() => ran.length === 1)
  tab.kill()
  const again = await here.tab(options()).open()
  await until(() => again.requests.value.length === 1)
  expect(again.requests.value).toMatchObject([{ kind: 'outcome' }])
  expect(again.requests.value[0]).not.toHaveProperty('expiresAt')
})
