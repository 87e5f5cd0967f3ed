/** Calls whose tool is on another tab's page: they run there, once, whichever tab dies. */
import { asTool, defineAgent, textOf, type Batch, type Entry, type Store, type ToolOptions } from '@dogear/core'
import { openMemoryStore } from '@dogear/store'
import { call, say, scriptedModel, smallDisk } from '@dogear/testing'
import type { Session } from '@dogear/worker'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { device, hastyClock, until, type Device } from './device.ts'

/** What really happened, outside of all tabs. */
type Ledger = { key: string; args: unknown; attempt: number }[]

function cart(ledger: Ledger, options: Partial<ToolOptions> = {}, reply: () => unknown = () => 'In the cart.') {
  return {
    name: 'add_to_cart',
    label: 'Add to cart',
    func: (args: unknown, { idempotencyKey: key, attempt }: { idempotencyKey: string; attempt: number }) => {
      ledger.push({ key, args, attempt })
      return reply()
    },
    ...options,
  }
}

interface Visit {
  readonly here?: Device
  /** The store as the shop's tab finds it, and as the other does. */
  readonly disk?: Store
  readonly deskDisk?: Store
  readonly item?: unknown
}

/** A tab on the shop's page has the tool; one on another page drives, and its model calls it. */
async function visit(tools: ToolOptions[], options: Visit = {}) {
  const { here = device(), item = 'lamp' } = options
  const { disk = here.store } = options
  const shop = here.tab({ model: scriptedModel(() => say('By the shop.')), tools }, disk)
  const inShop = await shop.open()
  await inShop.send('hello')
  const model = scriptedModel([call('add_to_cart', { item }), say('Added.')])
  const desk = here.tab({ model }, options.deskDisk)
  const atDesk = await desk.open()
  const turn = atDesk.send('add it')
  return { here, shop, inShop, desk, atDesk, turn, model }
}

/** As a page without tools tells it to its model. */
const cartFilled = { role: 'user', content: '[System Notice] add_to_cart({"item":"lamp"}) gave: In the cart.' }

test('[G3] [G6] a tool that only another tab’s page has runs there once, while the tab that drives goes on driving', async () => {
  const ledger: Ledger = []
  const { here, inShop, turn, model } = await visit([cart(ledger)])
  expect(await turn).toMatchObject({ text: 'Added.' })
  expect(ledger).toEqual([{ key: expect.stringMatching(/^s1:/), args: { item: 'lamp' }, attempt: 1 }])
  expect(model.requests[1]?.messages.at(-1)).toMatchObject(cartFilled)
  await until(() => wordsOf(inShop).at(-1) === 'Added.', 'the other tab shows the answer')
  const entries = await journalOf(here)
  expect(entries.filter(({ type }) => type === 'tool-result')).toHaveLength(1)
  expect(entries.find(({ type }) => type === 'tool-intent')).toMatchObject({ host: expect.any(String) })
  expect(await here.store.inbox('s1')).toEqual([])
})

test('[G2] the report leaves the inbox in the very write that brings its result', async () => {
  const store = openMemoryStore()
  const batches: Batch[] = []
  const watched = changed(store, { append: (batch) => (batches.push(batch), store.append(batch)) })
  await (
    await visit([cart([])], { here: device(watched) })
  ).turn
  const written = batches.filter(({ entries }) => entries.some(({ type }) => type === 'tool-result'))
  expect(written).toMatchObject([{ take: [expect.any(Number)] }])
})

test('[G5] what the other page’s tool wants approved is asked first, and what was shown is what runs', async () => {
  const ledger: Ledger = []
  const needsApproval = ({ item }: { item: string }) => item === 'lamp'
  const { atDesk, turn } = await visit([cart(ledger, { needsApproval })])
  await turn
  expect(ledger).toEqual([])
  const [request] = atDesk.requests.value
  expect(request).toMatchObject({ kind: 'approval', label: 'Add to cart', args: { item: 'lamp' } })
  expect(await atDesk.approve(request!.id, { args: { item: 'chair' } })).toMatchObject({ text: 'Added.' })
  expect(ledger).toMatchObject([{ args: { item: 'chair' } }])
  const other = await visit([cart(ledger, { needsApproval })], { item: 'clock' })
  expect(await other.turn).toMatchObject({ text: 'Added.' })
})

test('[G5] nothing runs when the arguments in the journal are not those of the intent', async () => {
  const ledger: Ledger = []
  const store = openMemoryStore()
  const forged = changed(store, {
    async entries(...range: Parameters<Store['entries']>) {
      const entries = await store.entries(...range)
      return entries.map((entry) =>
        entry.type === 'call-request' ? { ...entry, call: { ...entry.call, args: '{"item":"yacht"}' } } : entry,
      )
    },
  })
  const { turn, model } = await visit([cart(ledger)], { here: device(store), disk: forged })
  await turn
  expect(ledger).toEqual([])
  expect(model.requests[1]?.messages.at(-1)?.content).toContain('changed after they were approved')
})

test('arguments are checked by the schema of the page that has the tool', async () => {
  const ledger: Ledger = []
  const schema = z.object({ item: z.string().transform((item) => item.toUpperCase()) })
  const wrong = await visit([cart(ledger, { schema, parameters: { type: 'object' } })], { item: 7 })
  await wrong.turn
  expect(wrong.model.requests[1]?.messages.at(-1)?.content).toContain('Invalid arguments for add_to_cart')
  expect(ledger).toEqual([])
  await (
    await visit([cart(ledger, { schema, parameters: { type: 'object' } })])
  ).turn
  expect(ledger).toMatchObject([{ args: { item: 'LAMP' } }])
})

test('a tool’s own question is asked from the other page, and its answer goes back there', async () => {
  const heard: unknown[] = []
  const ask: ToolOptions = {
    name: 'add_to_cart',
    func: async (_args, { ask }) => {
      heard.push(await ask([{ question: 'How many?' }]))
      return 'Done.'
    },
  }
  const { here, atDesk, turn } = await visit([ask])
  await turn
  const [request] = atDesk.requests.value
  expect(request).toMatchObject({ kind: 'question' })
  const answered = atDesk.resolve(request!.id, { type: 'answer', answers: [{ values: [], freeText: 'two' }] })
  expect(await answered).toMatchObject({ text: 'Added.' })
  expect(heard).toHaveLength(1)
  expect(await here.store.inbox('s1')).toEqual([])
})

test('a tool that may be tried again is tried again in the tab that has it', async () => {
  const ledger: Ledger = []
  const failOnce = () => {
    if (ledger.length === 1) throw new Error('busy')
    return 'In the cart.'
  }
  const retry = { maxRetries: 1, backoffMs: 1 }
  const { here, turn } = await visit([cart(ledger, { effect: 'idempotent', retry }, failOnce)])
  expect(await turn).toMatchObject({ text: 'Added.' })
  expect(ledger.map(({ attempt }) => attempt)).toEqual([1, 2])
  expect(await here.store.inbox('s1')).toEqual([])
})

test('[G3] [G4] the other tab dies before it has begun: a person says that it did not happen, and it runs where the tool is next', async () => {
  const ledger: Ledger = []
  const store = openMemoryStore()
  const blind = changed(store, {
    async entries(...range: Parameters<Store['entries']>) {
      const entries = await store.entries(...range)
      return entries.some(({ type }) => type === 'tool-intent') ? new Promise<never>(() => {}) : entries
    },
  })
  const { here, shop, atDesk, turn } = await visit([cart(ledger)], { here: device(store), disk: blind })
  await until(() => atDesk.calls.value[0]?.intent !== undefined, 'the intent is written')
  shop.kill()
  await turn
  const [request] = atDesk.requests.value
  expect(request).toMatchObject({ kind: 'outcome', label: 'Add to cart' })
  const retried = atDesk.resolve(request!.id, { type: 'retry' })
  await until(() => atDesk.waiting.value === 'page', 'no tab has it')
  await here.tab({ model: scriptedModel([]), tools: [cart(ledger)] }).open()
  expect(await retried).toMatchObject({ text: 'Added.' })
  expect(ledger).toMatchObject([{ attempt: 2 }])
})

test.each([
  ['once', 'outcome'],
  ['verify', 'outcome'],
] as const)(
  '[G3] [G4] the other tab dies while it runs a `%s` tool: a person is asked, and nothing runs again',
  async (effect, kind) => {
    const ledger: Ledger = []
    const check = async () => undefined
    const { shop, atDesk, turn } = await visit([cart(ledger, { effect, check }, () => new Promise(() => {}))], {
      here: device(openMemoryStore(), { clock: hastyClock(50) }),
    })
    await until(() => ledger.length === 1, 'it runs')
    shop.kill()
    await turn
    const [request] = atDesk.requests.value
    expect(request).toMatchObject({ kind })
    expect(await atDesk.resolve(request!.id, { type: 'happened' })).toMatchObject({ text: 'Added.' })
    expect(ledger).toHaveLength(1)
  },
)

test('[G3] the other tab dies while it runs a `page` tool: nobody is asked, and the model is told', async () => {
  const ledger: Ledger = []
  const { shop, turn, model } = await visit([cart(ledger, { effect: 'page' }, () => new Promise(() => {}))])
  await until(() => ledger.length === 1, 'it runs')
  shop.kill()
  expect(await turn).toMatchObject({ text: 'Added.' })
  expect(model.requests[1]?.messages.at(-1)?.content).toContain('The page was left before this finished')
  expect(ledger).toHaveLength(1)
})

test('[G3] the other tab dies while it runs a `read` tool: it runs again, with the same key, in the next tab that has it', async () => {
  const ledger: Ledger = []
  const { here, shop, atDesk, turn } = await visit([cart(ledger, { effect: 'read' }, () => new Promise(() => {}))])
  await until(() => ledger.length === 1, 'it runs')
  shop.kill()
  await until(() => atDesk.waiting.value === 'page', 'no tab has it')
  await here.tab({ model: scriptedModel([]), tools: [cart(ledger, { effect: 'read' })] }).open()
  expect(await turn).toMatchObject({ text: 'Added.' })
  expect(ledger.map(({ attempt }) => attempt)).toEqual([1, 2])
  expect(ledger[0]?.key).toBe(ledger[1]?.key)
})

test('[G1] [G3] the other tab dies after it has reported: its result stands, and nobody is asked', async () => {
  const ledger: Ledger = []
  const { here, shop, desk, atDesk, turn } = await visit([
    cart(ledger, {}, () => {
      desk.freeze()
      return 'In the cart.'
    }),
  ])
  await untilAsync(async () => (await here.store.inbox('s1')).length === 1, 'the report is in the inbox')
  shop.kill()
  desk.thaw()
  expect(await turn).toMatchObject({ text: 'Added.' })
  expect(atDesk.requests.value).toEqual([])
  expect(ledger).toHaveLength(1)
  expect(await here.store.inbox('s1')).toEqual([])
})

test('[G3] [G6] the owner dies while the other tab runs: that tab takes over, finishes, and asks nobody', async () => {
  const ledger: Ledger = []
  const gate = held()
  const { desk, inShop } = await visit([cart(ledger, {}, () => gate.passed)])
  await until(() => ledger.length === 1, 'it runs')
  desk.kill()
  await until(() => inShop.status.value === 'busy')
  gate.open('In the cart.')
  await until(() => wordsOf(inShop).at(-1) === 'By the shop.' && inShop.status.value === 'idle', 'it is answered')
  expect(inShop.requests.value).toEqual([])
  expect(ledger).toHaveLength(1)
})

test('[G3] [G6] the owner dies while another tab runs, and a third takes over: it waits for the one that runs', async () => {
  const ledger: Ledger = []
  const gate = held()
  const here = device(openMemoryStore(), { clock: hastyClock(50) })
  const { desk, shop } = await visit([cart(ledger, {}, () => gate.passed)], { here })
  await until(() => ledger.length === 1, 'it runs')
  // It has the tool itself, and must not run what another tab runs.
  const third = await here.tab({ model: scriptedModel(() => say('By the third.')), tools: [cart(ledger)] }).open()
  // Frozen, it is no owner; but it lives.
  shop.freeze()
  desk.kill()
  await third.rename('still there?')
  await until(() => third.title.value === 'still there?', 'the third drives')
  expect(third.requests.value).toEqual([])
  gate.open('In the cart.')
  shop.thaw()
  await until(() => wordsOf(third).at(-1) === 'By the third.', 'it is answered')
  expect(third.messages.value.at(-2)).toMatchObject({ role: 'tool', content: 'In the cart.' })
  expect(ledger).toHaveLength(1)
})

test('[G3] [G4] owner and the tab that runs both die: the next owner asks what happened', async () => {
  const ledger: Ledger = []
  const { here, desk, shop } = await visit([cart(ledger, {}, () => new Promise(() => {}))])
  await until(() => ledger.length === 1, 'it runs')
  desk.kill()
  shop.kill()
  const next = await here.tab({ model: scriptedModel([say('Good.')]), tools: [cart(ledger)] }).open()
  await until(() => next.requests.value[0]?.kind === 'outcome', 'it asks')
  expect(await next.resolve(next.requests.value[0]!.id, { type: 'happened' })).toMatchObject({ text: 'Good.' })
  expect(ledger).toHaveLength(1)
})

test('[G1] [G3] owner and the tab that ran both die with the report in the inbox: the next owner takes it', async () => {
  const ledger: Ledger = []
  const { here, desk, shop } = await visit([
    cart(ledger, {}, () => {
      desk.freeze()
      return 'In the cart.'
    }),
  ])
  await untilAsync(async () => (await here.store.inbox('s1')).length === 1, 'the report is in the inbox')
  desk.kill()
  shop.kill()
  const model = scriptedModel([say('Good.')])
  const next = await here.tab({ model }).open()
  await until(() => next.status.value === 'idle', 'it is finished')
  expect(model.requests[0]?.messages.at(-1)).toMatchObject(cartFilled)
  expect(ledger).toHaveLength(1)
})

test('[G10] [G3] on a disk that is full by then the other tab reports into the room kept for the result', async () => {
  const disk = smallDisk(openMemoryStore(), 10_000_000)
  const ledger: Ledger = []
  const fill = () => {
    disk.room = disk.used
    return 'In the cart. '.repeat(100)
  }
  const { here, turn } = await visit([cart(ledger, {}, fill)], { here: device(disk) })
  expect(await turn).toMatchObject({ text: 'Added.' })
  expect((await journalOf(here)).filter(({ type }) => type === 'tool-result')).toMatchObject([
    { result: { status: 'complete', content: 'In the cart. '.repeat(100) } },
  ])
  expect(ledger).toHaveLength(1)
})

test('[G4] one look at the other tab that fails is no end of its call', async () => {
  const lock = { acquire: () => Promise.reject(new DOMException('', 'SecurityError')) }
  const here = device(openMemoryStore(), { clock: hastyClock(50), lock })
  const ledger: Ledger = []
  const gate = held()
  let isRefused = false
  const failing = changed(here.store, {
    async side(kind, sessionId, id) {
      if (ledger.length === 0 || isRefused || !id.includes(':host:')) return here.store.side(kind, sessionId, id)
      isRefused = true
      throw new Error('the connection was lost')
    },
  })
  const { turn } = await visit([cart(ledger, {}, () => gate.passed)], { here, deskDisk: failing })
  await until(() => isRefused, 'a look fails')
  gate.open('In the cart.')
  expect(await turn).toMatchObject({ text: 'Added.' })
  expect((await journalOf(here)).filter(({ type }) => type === 'tool-result')).toMatchObject([
    { result: { status: 'complete', content: 'In the cart.' } },
  ])
})

test('[C55] [G3] a helper’s call runs in the tab that has its tool, once, when that tab no longer drives', async () => {
  const here = device()
  const ledger: Ledger = []
  const answers = scriptedModel(({ messages }) => {
    const task = messages.find(({ role }) => role === 'user')
    const hasResult = messages.at(-1) !== task
    if (task && textOf(task) === 'go shopping') return hasResult ? say('All bought.') : call('helper', { input: 'buy' })
    return hasResult ? say('Bought.') : call('add_to_cart', { item: 'lamp' })
  })
  const options = (tools: ToolOptions[]) => {
    const helper = defineAgent({ name: 'helper', model: answers, tools })
    return { model: answers, tools: [asTool(helper, { toolName: 'helper' })] }
  }
  const shop = here.tab(options([cart(ledger, { needsApproval: true })]))
  const inShop = await shop.open()
  const atDesk = await here.tab(options([])).open()
  await inShop.send('go shopping')
  expect(inShop.requests.value).toMatchObject([{ kind: 'approval', tool: 'add_to_cart' }])
  // The next in line has it from now on.
  const thief = await here.lock.acquire('dogear::s1', { wait: false, steal: true })
  thief?.release()
  await until(() => atDesk.requests.value.length === 1, 'the desk shows it')
  expect(await atDesk.approve(atDesk.requests.value[0]!.id)).toMatchObject({ text: 'All bought.' })
  expect(ledger).toMatchObject([{ args: { item: 'lamp' }, attempt: 1 }])
  const intents = (await journalOf(here)).filter((entry) => entry.type === 'tool-intent' && entry.path.length > 0)
  expect(intents).toMatchObject([{ host: expect.any(String), path: [expect.any(String)] }])
  expect(await here.store.inbox('s1')).toEqual([])
})

test('a call whose tool no tab has waits, and goes on by itself in a tab that opens with it', async () => {
  const ledger: Ledger = []
  const { here, shop, atDesk, turn } = await visit([cart(ledger, { needsApproval: true })])
  await turn
  shop.kill()
  const approved = atDesk.approve(atDesk.requests.value[0]!.id)
  await until(() => atDesk.waiting.value === 'page', 'it waits')
  const back = here.tab({ model: scriptedModel([]), tools: [cart(ledger, { needsApproval: true })] })
  await back.open()
  expect(await approved).toMatchObject({ text: 'Added.' })
  expect(atDesk.waiting.value).toBeNull()
  expect(ledger).toHaveLength(1)
})

/** The shop's tab is closed, and the desk's model calls its tool beside one of the desk's own. */
async function closedShop({ here = device(), disk = here.store }: { here?: Device; disk?: Store } = {}) {
  const shop = here.tab({ model: scriptedModel(() => say('By the shop.')), tools: [cart([])] })
  await (await shop.open()).send('hello')
  shop.kill()
  const gate = held()
  const tools = [{ name: 'look', func: () => gate.passed }]
  const model = scriptedModel([[call('look'), call('add_to_cart')], say('Without it, then.')])
  const desk = here.tab({ model, tools }, disk)
  const atDesk = await desk.open()
  const turn = atDesk.send('add it')
  await until(() => atDesk.waiting.value === 'page' && atDesk.calls.value[0]?.intent !== undefined, 'it waits')
  return { here, desk, atDesk, turn, model, tools, gate, callId: atDesk.calls.value[1]!.callId }
}

test('a call that waits for its page can be skipped: what runs beside it goes on, and so does the turn', async () => {
  const { here, atDesk, turn, model, gate, callId } = await closedShop()
  await atDesk.stopTask(callId)
  await until(() => atDesk.calls.value[1]?.done === true, 'it is skipped')
  expect(atDesk.calls.value[0]?.done).toBe(false)
  gate.open('A lamp.')
  expect(await turn).toMatchObject({ text: 'Without it, then.', terminalReason: 'completed' })
  expect(model.requests[1]?.messages.map(textOf)).toContain('A lamp.')
  const skipped = atDesk.messages.value.find(({ id }) => id === `${callId}.r`)
  expect(skipped).toMatchObject({ content: expect.stringContaining('skipped'), meta: { status: 'skipped' } })
  expect(skipped?.meta.tool?.unknown).toBeUndefined()
  expect(await here.store.inbox('s1')).toEqual([])
})

test('[G1] a skip whose tab dies before it is carried out is carried out by the next one', async () => {
  const store = openMemoryStore()
  let isHeld = false
  const append = (batch: Batch) => {
    if (!batch.entries.some((entry) => entry.type === 'tool-result')) return store.append(batch)
    isHeld = true
    return new Promise<never>(() => {})
  }
  const { here, desk, atDesk, tools, gate, callId } = await closedShop({
    here: device(store),
    disk: changed(store, { append }),
  })
  await atDesk.stopTask(callId)
  await until(() => isHeld)
  desk.kill()
  gate.open('A lamp.')
  const again = await here
    .tab({ model: scriptedModel([say('Good.')]), tools: tools.map((tool) => ({ ...tool, effect: 'read' as const })) })
    .open()
  await until(() => again.status.value === 'idle', 'it is skipped')
  expect(wordsOf(again).at(-1)).toBe('Good.')
  expect(await store.inbox('s1')).toEqual([])
})

test('[G4] a call that was begun and then waits for its page is skipped as one that may have happened', async () => {
  const ledger: Ledger = []
  const { shop, atDesk } = await visit([cart(ledger, {}, () => new Promise(() => {}))])
  await until(() => ledger.length === 1, 'it runs')
  shop.kill()
  await until(() => atDesk.requests.value[0]?.kind === 'outcome', 'it asks')
  const turn = atDesk.resolve(atDesk.requests.value[0]!.id, { type: 'retry' })
  await until(() => atDesk.waiting.value === 'page', 'it waits')
  const { callId } = atDesk.calls.value[0]!
  await atDesk.stopTask(callId)
  await turn
  const skipped = atDesk.messages.value.find(({ id }) => id === `${callId}.r`)
  expect(skipped?.meta).toMatchObject({ status: 'skipped', tool: { unknown: true } })
})

test('a call that runs is not skipped', async () => {
  const { here, atDesk, turn, gate, callId, model } = await closedShop()
  await atDesk.stopTask(atDesk.calls.value[0]!.callId)
  await atDesk.stopTask(callId)
  await until(() => atDesk.calls.value[1]?.done === true, 'the other is skipped')
  expect(atDesk.calls.value[0]?.done).toBe(false)
  gate.open('A lamp.')
  expect(await turn).toMatchObject({ text: 'Without it, then.' })
  expect(model.requests[1]?.messages.map(textOf)).toContain('A lamp.')
  await untilAsync(async () => (await here.store.inbox('s1')).length === 0, 'the command is answered')
})

test('a stop reaches the tool in the other tab', async () => {
  let stopped = false
  const slow: ToolOptions = {
    name: 'add_to_cart',
    func: (_args, { signal }) =>
      new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => {
          stopped = true
          reject(signal.reason)
        }),
      ),
  }
  const { atDesk, turn } = await visit([slow])
  await until(() => atDesk.calls.value[0]?.intent !== undefined, 'it runs')
  await atDesk.stop()
  await turn
  expect(atDesk.lastEnd.value?.terminalReason).toBe('aborted_tools')
  await until(() => stopped, 'the tool is told')
})

test('[G3] [T13] who only says that it has the tool is not believed: the call waits for a tab that lives', async () => {
  const ledger: Ledger = []
  const { here, shop, atDesk, turn } = await visit([cart(ledger, { needsApproval: true })])
  await turn
  shop.kill()
  const tool = { name: 'add_to_cart', label: 'x', parameters: {}, effect: 'read', timeout: 1, asks: [] }
  const stranger = here.transport.open('dogear::s1', (message) => {
    if ((message as { type: string }).type === 'seek') {
      stranger.post({ type: 'found', host: 'nobody', name: 'add_to_cart', tool })
    }
  })
  void atDesk.approve(atDesk.requests.value[0]!.id)
  await until(() => atDesk.waiting.value === 'page', 'it waits')
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(atDesk.waiting.value).toBe('page')
  expect((await journalOf(here)).filter(({ type }) => type === 'tool-intent')).toEqual([])
})

function held() {
  let open = (_value: string) => {}
  const passed = new Promise<string>((resolve) => (open = resolve))
  return { passed, open: (value: string) => open(value) }
}

function changed(store: Store, methods: globalThis.Partial<Store>): Store {
  return new Proxy(store, {
    get: (target, key: keyof Store) => methods[key] ?? (target[key] as () => unknown).bind(target),
  })
}

function wordsOf(session: Session): string[] {
  return session.messages.value.map(textOf)
}

function journalOf(here: Device): Promise<Entry[]> {
  return here.store.entries('s1', 0)
}

async function untilAsync(seen: () => Promise<boolean>, what: string): Promise<void> {
  for (let tries = 0; tries < 500; tries += 1) {
    if (await seen()) return
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  throw new Error(`${what} did not happen`)
}
