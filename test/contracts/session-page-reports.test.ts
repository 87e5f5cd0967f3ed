/** A page outlives its worker: whoever drives by then waits for what the page has begun, and hears of it. */
import { defineAgent, textOf, type Batch, type EntryOf, type Store, type ToolOptions } from '@dogear/core'
import { openMemoryStore } from '@dogear/store'
import { call, say, scriptedModel } from '@dogear/testing'
import type { Session } from '@dogear/worker'
import { expect, test } from 'vitest'
import { device, hastyClock, until, type Device, type Tab } from './device.ts'

// Side by side: it takes a page some four seconds to miss its worker.

test.concurrent(
  '[G3] [G4] only the worker dies and a second tab drives: it waits for the page, and asks nobody',
  async () => {
    const here = device()
    const pay = slowTool('pay')
    const { first, second, model } = await twoTabs(here, pay.tool)
    first.killWorker()
    await untilRestarted(first)
    expect(second.status.value).toBe('busy')
    pay.finish('receipt 7')
    await until(() => second.status.value === 'idle', 'the second goes on')
    expect(await resultsIn(here)).toMatchObject([{ status: 'complete', content: 'receipt 7' }])
    expect(textOf(model.requests[0]!.messages.at(-1)!)).toBe('receipt 7')
    expect(await isAsked(here)).toBe(false)
    expect(pay.entered()).toBe(1)
    expect(await here.store.inbox('s1')).toEqual([])
  },
)

test.concurrent('[G1] [G4] what came while the page had no worker is not lost to the tab that drives', async () => {
  const here = device()
  const scroll = slowTool('scroll', { effect: 'page' })
  const { first, second } = await twoTabs(here, scroll.tool)
  first.killWorker()
  scroll.finish('at the end')
  await untilRestarted(first)
  await until(() => second.status.value === 'idle', 'the second goes on')
  expect(await resultsIn(here)).toMatchObject([{ status: 'complete', content: 'at the end' }])
})

test.concurrent(
  '[G3] [G4] a call that never reached its page is not begun there any more: the model hears that nothing was run',
  async () => {
    const here = device()
    const pay = slowTool('pay')
    const { first, second } = await twoTabs(here, pay.tool, (tab) => tab.killWorker())
    await untilRestarted(first)
    await until(() => second.status.value === 'idle', 'the second goes on')
    expect(await resultsIn(here)).toMatchObject([
      { status: 'error', content: expect.stringContaining('Nothing was run') },
    ])
    expect(await isAsked(here)).toBe(false)
    expect(pay.entered()).toBe(0)
  },
)

test.concurrent(
  '[G4] the page is waited for as long as it lives: closed, it leaves the question what happened',
  async () => {
    const here = device()
    const pay = slowTool('pay')
    const { first, second } = await twoTabs(here, pay.tool)
    first.killWorker()
    await new Promise((resolve) => setTimeout(resolve, 3500))
    expect(second.requests.value).toEqual([])
    first.kill()
    await until(() => second.requests.value[0]?.kind === 'outcome', 'it asks')
    expect(await second.resolve(second.requests.value[0]!.id, { type: 'happened' })).toMatchObject({ text: 'Paid.' })
    expect(pay.entered()).toBe(1)
  },
)

test.concurrent('a stop by the tab that drives reaches the tool on a page with another worker', async () => {
  const here = device()
  let isStopped = false
  const func: ToolOptions['func'] = (_args, { signal }) =>
    new Promise(() => signal.addEventListener('abort', () => (isStopped = true)))
  const { first, second } = await twoTabs(here, { name: 'pay', func })
  first.killWorker()
  await untilRestarted(first)
  // It has heard from the tab that drives.
  await new Promise((resolve) => setTimeout(resolve, 200))
  await second.stop()
  await until(() => isStopped, 'the tool is told')
})

test.concurrent(
  '[G3] [G4] the worker of a tab that runs a call for another dies: its page reports all the same',
  async () => {
    const here = device()
    const add = slowTool('add')
    const { shop, desk } = await shopAndDesk(here, add.tool)
    await until(() => add.entered() === 1)
    shop.killWorker()
    await untilRestarted(shop)
    add.finish('in the cart')
    await until(() => desk.status.value === 'idle', 'the desk goes on')
    expect(await resultsIn(here)).toMatchObject([{ status: 'complete', content: 'in the cart' }])
    expect(await isAsked(here)).toBe(false)
    expect(await here.store.inbox('s1')).toEqual([])
  },
)

test.concurrent(
  '[G3] nor is its call made where the tool is as well by then, although its target says "not done"',
  async () => {
    const here = device()
    const sent: string[] = []
    const mail = slowTool('mail', { effect: 'verify', check: async () => ({ done: sent.length > 0 }) })
    const { shop, desk, atDesk } = await shopAndDesk(here, mail.tool)
    await until(() => mail.entered() === 1)
    const agent = defineAgent({ name: 'tester', model: scriptedModel([say('Mailed.')]), tools: [mail.tool] })
    await atDesk.client.open(agent, { type: 'id', id: 's1' })
    shop.killWorker()
    await untilRestarted(shop)
    sent.push('the only one')
    mail.finish('sent')
    await until(() => desk.status.value === 'idle', 'the desk goes on')
    expect(mail.entered()).toBe(1)
  },
)

test.concurrent(
  '[G3] [G4] where no page can be told to live, a person is asked, and the question closes when the page reports',
  async () => {
    const clock = hastyClock(20)
    const here = device(openMemoryStore(), { clock, lock: forbidden })
    const pay = slowTool('pay')
    const { first, second } = await twoTabs(here, pay.tool)
    first.killWorker()
    await until(() => second.requests.value[0]?.kind === 'outcome', 'it asks')
    await untilRestarted(first)
    pay.finish('receipt 7')
    await until(() => second.status.value === 'idle', 'it goes on by itself')
    expect(await resultsIn(here)).toMatchObject([{ status: 'complete', content: 'receipt 7' }])
    expect(pay.entered()).toBe(1)
  },
)

test.concurrent('[G3] what a page has reported outranks a person who says that it did not happen', async () => {
  const here = device()
  const pay = slowTool('pay')
  const { first, second } = await twoTabs(here, pay.tool)
  first.kill()
  await until(() => second.requests.value[0]?.kind === 'outcome', 'it asks')
  const { id: requestId, callId } = second.requests.value[0]!
  const row = { sessionId: 's1', at: 1 }
  const reply = { status: 'complete', content: 'receipt 7' } as const
  await here.store.send({ type: 'resolve', requestId, resolution: { type: 'retry' }, commandId: 'c1', ...row })
  await here.store.send({ type: 'report', reply, commandId: `${callId}.report.1.0`, ...row })
  await second.rename('look again')
  await until(() => second.status.value === 'idle', 'it goes on')
  expect(await resultsIn(here)).toMatchObject([{ content: 'receipt 7' }])
  expect(pay.entered()).toBe(1)
})

const forbidden = { acquire: () => Promise.reject(new DOMException('', 'SecurityError')) }

/** Ends when the test says so. */
function slowTool(name: string, options: Partial<ToolOptions> = {}) {
  let entered = 0
  let finish: (result: string) => void = () => {}
  const done = new Promise<string>((resolve) => (finish = resolve))
  const tool: ToolOptions = { name, func: () => ((entered += 1), done), ...options }
  return { tool, entered: () => entered, finish: (result: string) => finish(result) }
}

/** The first drives and is in the call; the second waits in line. `intended`: told once the intent is written. */
async function twoTabs(
  here: Device,
  given: ToolOptions,
  intended?: (first: Tab) => void,
): Promise<{ first: Tab; second: Session; model: ReturnType<typeof scriptedModel> }> {
  let isDone = false
  let entered = 0
  const tool: ToolOptions = { ...given, func: (args, context) => ((entered += 1), given.func?.(args, context)) }
  const disk = changed(here.store, {
    async append(batch: Batch) {
      const answer = await here.store.append(batch)
      if (batch.entries.some(({ type }) => type === 'tool-intent') && !isDone) {
        isDone = true
        intended?.(first)
      }
      return answer
    },
  })
  const first = here.tab({ model: scriptedModel([call(tool.name), say('By the first.')]), tools: [tool] }, disk)
  const opened = await first.open()
  const model = scriptedModel(() => say('Paid.'))
  const second = await here.tab({ model, tools: [tool] }).open()
  void opened.send('go')
  await until(() => (intended ? isDone : entered === 1), 'the call is begun')
  return { first, second, model }
}

/** A tab on the shop's page has the tool; one on another page drives, and its model calls it. */
async function shopAndDesk(here: Device, tool: ToolOptions): Promise<{ shop: Tab; atDesk: Tab; desk: Session }> {
  const shop = here.tab({ model: scriptedModel(() => say('By the shop.')), tools: [tool] })
  await (await shop.open()).send('hello')
  const atDesk = here.tab({ model: scriptedModel([call(tool.name), say('Done.')]) })
  const desk = await atDesk.open()
  void desk.send('go')
  return { shop, atDesk, desk }
}

async function untilRestarted(tab: Tab): Promise<void> {
  await until(() => tab.warnings.some((warning) => warning.includes('started anew')), 'another worker')
}

async function resultsIn(here: Device) {
  const entries = await here.store.entries('s1', 0)
  return entries.flatMap((entry) => (entry.type === 'tool-result' ? (entry as EntryOf<'tool-result'>).result : []))
}

async function isAsked(here: Device): Promise<boolean> {
  return (await here.store.entries('s1', 0)).some(({ type }) => type === 'request-open')
}

function changed(store: Store, methods: Partial<Store>): Store {
  return { ...store, ...methods }
}
