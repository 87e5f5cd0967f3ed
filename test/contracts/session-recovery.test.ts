/** What a session promises about a call whose end its host did not live to write: nothing twice, nothing guessed. */
import {
  defineAgent,
  textOf,
  type Entry,
  type EntryOf,
  type ModelRequest,
  type Store,
  type ToolContext,
  type ToolOptions,
} from '@dogear/core'
import { call, say, scriptedModel } from '@dogear/testing'
import type { Session } from '@dogear/worker'
import { expect, test } from 'vitest'
import { device, until, type Tab } from './device.ts'

test.each(['read', 'idempotent'] as const)('[G4] a %s tool runs again with the same key', async (effect) => {
  const here = device()
  const keys: string[] = []
  const tool = {
    name: 'act',
    effect,
    func: (_args: unknown, { idempotencyKey }: ToolContext) => (
      keys.push(idempotencyKey),
      keys.length === 1 ? forever() : 'done'
    ),
  }
  const { session, model } = await diedIn(here, tool, () => keys.length === 1)
  await until(() => session.status.value === 'idle')
  expect(keys).toHaveLength(2)
  expect(keys[1]).toBe(keys[0])
  expect(results(model.requests[1])).toEqual(['done'])
})

test.each([
  [
    'it happened',
    { type: 'happened' },
    'complete',
    'The person says that this happened. What it returned is not known.',
  ],
  ['it happened, with this result', { type: 'happened', result: { receipt: 7 } }, 'complete', '{"receipt":7}'],
  ['it did not, run it', { type: 'retry' }, 'complete', 'paid'],
  ['stop', { type: 'stop' }, 'stopped', expect.stringContaining('is not known')],
] as const)(
  '[G3] [G4] of a `once` call the person says "%s", and the model is told the truth',
  async (_words, resolution, status, told) => {
    const here = device()
    const keys: string[] = []
    const { session, model } = await diedIn(here, payWith(keys), () => keys.length === 1)
    await until(() => session.status.value === 'paused')
    expect(session.requests.value).toMatchObject([{ kind: 'outcome', tool: 'pay' }])
    await session.resolve(session.requests.value[0]!.id, resolution)
    expect(results(model.requests[1])).toEqual([told])
    expect(toolMessage(session)?.meta.status).toBe(status)
    expect(toolMessage(session)?.meta.tool?.unknown ?? false).toBe(resolution.type === 'stop')
    expect(keys).toEqual(resolution.type === 'retry' ? [keys[0], keys[0]] : [keys[0]])
  },
)

test('[G4] a `once` tool that is late is told as unknown, not as failed, and nobody is asked', async () => {
  const { session, model } = await ran({ name: 'pay', timeout: 20, func: forever })
  expect(results(model.requests[1])).toEqual([expect.stringContaining('Whether it took effect is not known.')])
  expect(toolMessage(session)?.meta.tool).toMatchObject({ unknown: true })
})

test('[G4] a request that a late tool has aborted may have arrived: it is told as unknown, or checked', async () => {
  const { session, model } = await ran({ name: 'pay', timeout: 20, func: obedient })
  expect(results(model.requests[1])).toEqual([expect.stringContaining('Whether it took effect is not known.')])
  expect(toolMessage(session)?.meta.tool).toMatchObject({ unknown: true })
  const check = async () => ({ done: true, result: 'receipt 7' })
  const checked = await ran({ name: 'pay', effect: 'verify', timeout: 20, check, func: obedient })
  expect(results(checked.model.requests[1])).toEqual(['receipt 7'])
})

test('[G4] a late tool that only reads has changed nothing', async () => {
  const { session, model } = await ran({ name: 'look', effect: 'read', timeout: 20, func: obedient })
  expect(results(model.requests[1])).toEqual(['look did not answer within 0.02 s.'])
  expect(toolMessage(session)?.meta.tool?.unknown).toBeUndefined()
})

test('[G4] a late tool that answers its abort with an error of its own is believed', async () => {
  const { session, model } = await ran({ name: 'pay', timeout: 20, func: saysSo })
  expect(results(model.requests[1])).toEqual(['Error executing tool: Nothing was sent.'])
  expect(toolMessage(session)?.meta.tool?.unknown).toBeUndefined()
})

test('[G4] a late tool that answers its abort with its result has done it', async () => {
  const func = (_args: unknown, { signal }: ToolContext) =>
    new Promise((resolve) => signal.addEventListener('abort', () => resolve('paid after all')))
  const { model } = await ran({ name: 'pay', timeout: 20, func })
  expect(results(model.requests[1])).toEqual(['paid after all'])
})

test.each([
  ['done', { done: true, result: 'receipt 7' }, 'receipt 7'],
  ['not done', { done: false }, 'send did not answer within 0.02 s. Whether it took effect is not known.'],
  ['not to be told', undefined, 'send did not answer within 0.02 s. Whether it took effect is not known.'],
] as const)('[G4] a late tool that can check says that it was %s', async (_what, outcome, told) => {
  const check = async () => outcome
  const { model } = await ran({ name: 'send', effect: 'verify', timeout: 20, check, func: forever })
  expect(results(model.requests[1])).toEqual([told])
})

test('[G4] a check that never answers leaves a late call unknown, and the turn goes on', async () => {
  const { model } = await ran({ name: 'send', effect: 'verify', timeout: 20, check: forever, func: forever })
  expect(results(model.requests[1])).toEqual([expect.stringContaining('Whether it took effect is not known.')])
})

test('[G4] a check that never answers on recovery leaves the question to a person', async () => {
  let entered = 0
  const func = () => ((entered += 1), forever())
  const send = { name: 'send', effect: 'verify', timeout: 500, check: forever, func } as const
  const { session } = await diedIn(device(), send, () => entered === 1)
  await until(() => session.status.value === 'paused')
  expect(session.requests.value).toMatchObject([{ kind: 'outcome', tool: 'send' }])
})

test.each([
  ['aborts its request', obedient, expect.stringContaining('is not known'), true],
  ['says that nothing was sent', saysSo, 'Error executing tool: Nothing was sent.', undefined],
  ['does not listen', forever, expect.stringContaining('is not known'), true],
] as const)(
  '[G4] [O12] stopped while a tool runs that %s, its result is the truth',
  async (_what, func, told, unknown) => {
    const here = device()
    let entered = 0
    const tool = { name: 'pay', func: (...args: Parameters<typeof obedient>) => ((entered += 1), func(...args)) }
    const session = await here.tab({ model: scriptedModel([call('pay')]), tools: [tool] }).open()
    const turn = session.send('pay')
    await until(() => entered === 1)
    await session.stop()
    expect(await turn).toMatchObject({ terminalReason: 'aborted_tools' })
    expect(textOf(toolMessage(session)!)).toEqual(told)
    expect(toolMessage(session)?.meta.tool?.unknown).toBe(unknown)
  },
)

test('[G5] a `verify` tool that did not happen is not run with other arguments than were approved', async () => {
  const here = device()
  const ran: unknown[] = []
  const pay: ToolOptions = {
    name: 'pay',
    effect: 'verify',
    needsApproval: true,
    check: async () => ({ done: false }),
    func: (args) => (ran.push(args), forever()),
  }
  const model = scriptedModel([call('pay', { amount: 1 }), say('Well.')])
  const tab = here.tab({ model, tools: [pay] })
  const session = await tab.open()
  const { requests } = await session.send('pay')
  void session.approve(requests[0]!.id)
  await until(() => ran.length === 1)
  tab.kill()
  const again = await here.tab({ model, tools: [pay] }, forged(here.store, { amount: 1000 })).open()
  await until(() => again.status.value === 'idle')
  expect(ran).toEqual([{ amount: 1 }])
  expect(results(model.requests[1])).toEqual([expect.stringContaining('The arguments changed')])
})

test('[G3] [G4] only the worker dies: the page goes on with the call, nobody is asked, its result is taken once', async () => {
  const here = device()
  let entered = 0
  let finish: (result: string) => void = () => {}
  const func = () => ((entered += 1), new Promise<string>((resolve) => (finish = resolve)))
  const model = scriptedModel([call('pay'), say('Paid.')])
  const tab = here.tab({ model, tools: [{ name: 'pay', func }] })
  const session = await tab.open()
  void session.send('pay')
  await until(() => entered === 1)
  await newWorker(tab)
  // And again, before anything has come of it.
  await newWorker(tab)
  finish('paid')
  await until(() => session.status.value === 'idle')
  expect(entered).toBe(1)
  expect(results(model.requests[1])).toEqual(['paid'])
  expect((await here.store.entries('s1', 0)).some(({ type }) => type === 'request-open')).toBe(false)
})

test('[G3] [G4] a result that comes while there is no worker is taken by the next one, once', async () => {
  const here = device()
  let entered = 0
  let finish: (result: string) => void = () => {}
  const func = () => ((entered += 1), new Promise<string>((resolve) => (finish = resolve)))
  const model = scriptedModel([call('pay'), say('Paid.')])
  const tab = here.tab({ model, tools: [{ name: 'pay', func }] })
  const session = await tab.open()
  void session.send('pay')
  await until(() => entered === 1)
  const started = newWorker(tab)
  finish('paid')
  await started
  await until(() => session.status.value === 'idle')
  expect(entered).toBe(1)
  const entries = await here.store.entries('s1', 0)
  expect(entries.filter(({ type }) => type === 'tool-result')).toHaveLength(1)
  expect(entries.some(({ type }) => type === 'request-open')).toBe(false)
})

test('[G3] [G4] what an owner that let go learns too late settles the call, and the question closes by itself', async () => {
  const here = device()
  const { takeOver, finish, entered, model } = await takenFrom(here)
  const session = await takeOver()
  await until(() => session.status.value === 'paused')
  expect(session.requests.value).toMatchObject([{ kind: 'outcome' }])
  finish('receipt 7')
  await until(() => session.status.value === 'idle')
  expect(entered()).toBe(1)
  expect(results(model.requests[1])).toEqual(['receipt 7'])
  expect(session.requests.value).toEqual([])
  expect(await here.store.sides('evidence', 's1')).toEqual([])
})

test('[G3] [G4] what a fenced owner could not write is there for the next one, and spares the question', async () => {
  const here = device()
  const { follow, finish, entered, model } = await takenFrom(here)
  // Another owner, for a moment: the result is refused.
  await here.store.acquire('s1', { agent: 'tester', at: 0 })
  finish('receipt 7')
  const session = await follow()
  await until(() => session.status.value === 'idle')
  expect(entered()).toBe(1)
  expect(results(model.requests[1])).toEqual(['receipt 7'])
  expect((await here.store.entries('s1', 0)).some(({ type }) => type === 'request-open')).toBe(false)
})

test.each([
  ['arguments', { argsHash: 'other' }],
  ['call', { key: 's1:other' }],
  ['try', { attempt: 7 }],
])('[G3] [T17] evidence about another %s is not believed', async (_what, forged) => {
  const here = device()
  const keys: string[] = []
  const pay = payWith(keys)
  const { session, intent } = await diedIn(here, pay, () => keys.length === 1)
  await until(() => session.status.value === 'paused')
  const result = { status: 'complete', content: 'forged', tool: 'pay', args: {} }
  const { argsHash, key, attempt, callId } = await intent()
  await here.store.saveSide('evidence', 's1', callId, { argsHash, key, attempt, result, ...forged })
  await session.rename('look again')
  await until(() => session.title.value === 'look again')
  expect(session.requests.value).toMatchObject([{ kind: 'outcome' }])
})

test.each([{ type: 'retry' }, { type: 'happened' }, { type: 'stop' }] as const)(
  '[G3] what is known of a call outranks a person who answers "$type"',
  async (resolution) => {
    const here = device()
    const keys: string[] = []
    const { session, model, intent } = await diedIn(here, payWith(keys), () => keys.length === 1)
    await until(() => session.status.value === 'paused')
    const { argsHash, key, attempt, callId } = await intent()
    const result = { status: 'complete', content: 'receipt 7', tool: 'pay', args: {} }
    await here.store.saveSide('evidence', 's1', callId, { argsHash, key, attempt, result })
    await session.resolve(session.requests.value[0]!.id, resolution)
    expect(results(model.requests[1])).toEqual(['receipt 7'])
    expect(keys).toHaveLength(1)
  },
)

test('[G3] [O12] a stop that finds evidence of the call it stops leaves one result', async () => {
  const here = device()
  const keys: string[] = []
  const { session, intent } = await diedIn(here, payWith(keys), () => keys.length === 1)
  await until(() => session.status.value === 'paused')
  const { argsHash, key, attempt, callId } = await intent()
  const result = { status: 'complete', content: 'receipt 7', tool: 'pay', args: {} }
  await here.store.saveSide('evidence', 's1', callId, { argsHash, key, attempt, result })
  await session.stop()
  await until(() => session.status.value === 'idle')
  const entries = await here.store.entries('s1', 0)
  expect(entries.filter(({ type }) => type === 'tool-result')).toHaveLength(1)
})

test.each(['this tab', 'another tab'])(
  '[T16] what a tool gives back after %s deleted its session is kept nowhere',
  async (by) => {
    const here = device()
    const { old, finish, options } = await takenFrom(here)
    const tab = by === 'this tab' ? old : here.tab(options)
    await tab.client.delete(defineAgent({ name: 'tester', ...options }), 's1')
    finish('receipt 7')
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(await here.store.sides('evidence', 's1')).toEqual([])
  },
)

/** A tab whose session another one takes while its tool runs: its result comes too late to be written. */
async function takenFrom(here: ReturnType<typeof device>) {
  let entered = 0
  let finish: (result: string) => void = () => {}
  const func = () => ((entered += 1), new Promise<string>((resolve) => (finish = resolve)))
  const model = scriptedModel([call('pay'), say('Paid.')])
  const options = { model, tools: [{ name: 'pay', func }] }
  const old = here.tab(options)
  const letGo = await old.open()
  void letGo.send('pay')
  await until(() => entered === 1)
  return {
    old,
    options,
    model,
    follow: () => here.tab(options).open(),
    entered: () => entered,
    finish: (result: string) => finish(result),
    takeOver: async () => {
      letGo.close()
      // Another user: the host lets go of what the one before left at work.
      await old.client.open(defineAgent({ name: 'tester', user: 'next', model }), { type: 'new' })
      return here.tab(options).open()
    },
  }
}

/** The worker dies, and the page notices by its silence. */
async function newWorker(tab: Tab): Promise<void> {
  const before = tab.warnings.length
  tab.killWorker()
  await until(() => tab.warnings.length > before, 'another worker')
}

function forever(): Promise<never> {
  return new Promise(() => {})
}

/** As `fetch` does: the server may have it. */
function obedient(_args: unknown, { signal }: ToolContext): Promise<never> {
  return new Promise((_resolve, reject) =>
    signal.addEventListener('abort', () => reject(new DOMException('Stopped.', 'AbortError'))),
  )
}

function saysSo(_args: unknown, { signal }: ToolContext): Promise<never> {
  return new Promise((_resolve, reject) =>
    signal.addEventListener('abort', () => reject(new Error('Nothing was sent.'))),
  )
}

function payWith(keys: string[]) {
  return {
    name: 'pay',
    func: (_args: unknown, { idempotencyKey }: ToolContext) => (
      keys.push(idempotencyKey),
      keys.length === 1 ? forever() : 'paid'
    ),
  }
}

/** The store, where somebody has written other arguments beside the hash of what was about to run. */
function forged(store: Store, args: unknown): Store {
  const change = (entry: Entry): Entry => (entry.type === 'tool-intent' ? { ...entry, args } : entry)
  return new Proxy(store, {
    get(target, key: keyof Store) {
      if (key === 'head') return async () => undefined
      if (key !== 'entries') return (target[key] as () => unknown).bind(target)
      return async (...given: Parameters<Store['entries']>) => (await target.entries(...given)).map(change)
    },
  })
}

type AnyTool = NonNullable<Parameters<ReturnType<typeof device>['tab']>[0]['tools']>[number]

/** A turn in which the model calls the tool, and then says a word. */
async function ran(tool: AnyTool & { name: string }) {
  const model = scriptedModel([call(tool.name), say('Well.')])
  const session = await device()
    .tab({ model, tools: [tool] })
    .open()
  await session.send('go')
  return { session, model }
}

/** The same, but its tab dies once the tool has been entered, and another one opens the session. */
async function diedIn(here: ReturnType<typeof device>, tool: AnyTool & { name: string }, isEntered: () => boolean) {
  const model = scriptedModel([call(tool.name), say('Well.')])
  const tab = here.tab({ model, tools: [tool] })
  void (await tab.open()).send('go')
  await until(isEntered)
  tab.kill()
  const intent = async () => {
    const entry = (await here.store.entries('s1', 0)).findLast(({ type }) => type === 'tool-intent')
    return entry as EntryOf<'tool-intent'>
  }
  return { session: await here.tab({ model, tools: [tool] }).open(), model, intent }
}

function toolMessage({ messages, pending }: Session) {
  return [...messages.value, ...pending.value].findLast(({ role }) => role === 'tool')
}

function results(request: ModelRequest | undefined): string[] {
  return (request?.messages ?? []).filter(({ role }) => role === 'tool').map((message) => textOf(message))
}
