/** Calls on their way to the page when a tab freezes or its worker dies: begun once, by whoever drives by then, or not at all. */
import type { Batch, Store, ToolOptions } from '@dogear/core'
import { openMemoryStore } from '@dogear/store'
import { call, say, scriptedModel } from '@dogear/testing'
import { expect, test } from 'vitest'
import { device, hastyClock, until, type Device } from './device.ts'

test.each([
  ['before it hears that the intent is written', false],
  ['with the call on its way to the page', true],
])('[G3] [G6] [X7] a tab that froze %s leaves the tool to the tab that took over', async (_when, isSent) => {
  const here = hastyDevice()
  const paid: string[] = []
  const { frozen, second } = await frozenOnItsWay(here, [pay(paid)], { isSent })
  await second.rename('still there?')
  await until(() => second.requests.value[0]?.kind === 'outcome', 'the other tab asks what happened')
  const [request] = second.requests.value
  expect(await second.resolve(request!.id, { type: 'retry' })).toMatchObject({ text: 'Paid.' })
  expect(paid).toHaveLength(1)
  frozen.thaw()
  await pause(200)
  expect(paid).toHaveLength(1)
})

test('[G3] [X7] a tab that froze there and still drives when it wakes begins the tool, once', async () => {
  const here = hastyDevice()
  const paid: string[] = []
  const { frozen, first } = await frozenOnItsWay(here, [pay(paid)])
  await pause(200)
  expect(paid).toEqual([])
  frozen.thaw()
  await until(() => first.status.value === 'idle', 'the turn ends')
  expect(paid).toHaveLength(1)
  expect((await here.store.entries('s1', 0)).some(({ type }) => type === 'request-open')).toBe(false)
})

test('[G3] [X7] it may freeze again while it asks: an answer that comes late is not one to begin by', async () => {
  const here = hastyDevice()
  const paid: string[] = []
  let reads = 0
  const { frozen, second } = await frozenOnItsWay(here, [pay(paid)], {
    async read(id) {
      const row = await here.store.session(id)
      if ((reads += 1) === 1) frozen.freeze()
      return row
    },
  })
  await pause(200)
  frozen.thaw()
  await until(() => reads === 1, 'it asks')
  await second.rename('still there?')
  await until(() => second.requests.value[0]?.kind === 'outcome', 'the other tab asks what happened')
  const [request] = second.requests.value
  await second.resolve(request!.id, { type: 'retry' })
  expect(paid).toHaveLength(1)
  frozen.thaw()
  await pause(200)
  expect(paid).toHaveLength(1)
})

test('[G3] [X7] stopped while its tab is frozen, a call is never begun', async () => {
  const here = hastyDevice()
  const paid: string[] = []
  const { frozen, first, second } = await frozenOnItsWay(here, [pay(paid)])
  await second.stop()
  await until(() => second.status.value === 'idle', 'it stops')
  frozen.thaw()
  await until(() => first.status.value === 'idle', 'the thawed tab follows')
  await pause(200)
  expect(paid).toEqual([])
})

test('[G3] [X7] a tab frozen on its way to a tool it has for another finds that nobody waits for it any more', async () => {
  const here = hastyDevice()
  const paid: string[] = []
  const shop = here.tab(
    { model: scriptedModel(() => say('By the shop.')), tools: [pay(paid)] },
    changed(here.store, {
      async entries(...range) {
        const entries = await here.store.entries(...range)
        if (entries.some((entry) => entry.type === 'tool-intent')) shop.freeze()
        return entries
      },
    }),
  )
  await (await shop.open()).send('hello')
  const desk = await here.tab({ model: scriptedModel([call('pay'), say('Stopped.')]) }).open()
  void desk.send('pay')
  await until(() => desk.calls.value[0]?.intent?.host !== undefined, 'the call is given to the shop')
  await pause(200)
  expect(paid).toEqual([])
  await desk.stop()
  await until(() => desk.status.value === 'idle', 'it stops')
  shop.thaw()
  await pause(200)
  expect(paid).toEqual([])
})

test.each([
  ['while the page that was to do it lives', undefined],
  [
    'where nobody can tell whether that page lives',
    { acquire: () => Promise.reject(new DOMException('', 'SecurityError')) },
  ],
])('[G3] [G4] [X7] what a target has "not done" is not done again %s', async (_where, lock) => {
  const here = device(openMemoryStore(), { clock: hastyClock(50), lock })
  const sent: string[] = []
  let finish = () => {}
  let isEntered = false
  const mail: ToolOptions = {
    name: 'pay',
    effect: 'verify',
    check: async () => ({ done: sent.length > 0, result: 'sent' }),
    func: async (_args, { callId }) => {
      isEntered = true
      await new Promise<void>((resolve) => (finish = resolve))
      sent.push(callId)
    },
  }
  const frozen = here.tab({ model: scriptedModel([call('pay'), say('Never.')]), tools: [mail] })
  const first = await frozen.open()
  const second = await here.tab({ model: scriptedModel([say('Sent.')]), tools: [mail] }).open()
  void first.send('mail')
  await until(() => isEntered)
  frozen.freeze()
  await second.rename('still there?')
  await until(() => second.requests.value[0]?.kind === 'outcome', 'a person is asked')
  finish()
  frozen.thaw()
  await until(() => second.status.value === 'idle', 'it goes on by itself')
  expect(sent).toHaveLength(1)
})

test('[G3] [G4] only the worker dies before the call reaches the page: the next one has it begun, and nobody is asked', async () => {
  const here = device()
  const paid: string[] = []
  let isDead = false
  const tab = here.tab(
    { model: scriptedModel([call('pay'), say('Paid.')]), tools: [pay(paid)] },
    afterIntent(here.store, () => {
      if (!isDead) tab.killWorker()
      isDead = true
    }),
  )
  const session = await tab.open()
  void session.send('pay')
  await until(() => isDead)
  expect(paid).toEqual([])
  await until(() => tab.warnings.length === 1, 'another worker')
  await until(() => session.status.value === 'idle', 'the turn ends')
  expect(paid).toHaveLength(1)
  const entries = await here.store.entries('s1', 0)
  expect(entries.some(({ type }) => type === 'request-open')).toBe(false)
  expect(entries.filter(({ type }) => type === 'tool-intent')).toHaveLength(1)
})

test('a call that is begun at once costs no look at the store', async () => {
  const here = device()
  const asked: string[] = []
  const disk = new Proxy(here.store, {
    get: (target, key: keyof Store) => {
      const method = target[key] as (...args: unknown[]) => unknown
      return (...args: unknown[]) => (asked.push(key), method.apply(target, args))
    },
  })
  const model = scriptedModel([call('pay'), say('Paid.')])
  const during: string[] = []
  const func = () => void during.push(...asked.slice(asked.lastIndexOf('append') + 1))
  await (await here.tab({ model, tools: [{ name: 'pay', func }] }, disk).open()).send('pay')
  expect(asked).toContain('append')
  expect(during).toEqual([])
})

interface Way {
  /** It freezes with the call on its way to the page, not before it hears that its intent is written. */
  readonly isSent?: boolean
  /** What it finds when it looks at the session's row afterwards. */
  readonly read?: Store['session']
}

/** Two tabs; the first freezes on its way to the tool. */
async function frozenOnItsWay(here: Device, tools: ToolOptions[], { isSent = false, read }: Way = {}) {
  let isFrozen = false
  const freeze = () => {
    isFrozen = true
    frozen.freeze()
  }
  const disk = afterIntent(here.store, () => isSent || freeze())
  const session: Store['session'] = (id) => (isFrozen && read ? read(id) : here.store.session(id))
  const frozen = here.tab({ model: scriptedModel([call('pay'), say('Paid.')]), tools }, changed(disk, { session }))
  const first = await frozen.open()
  first.listen((entry) => entry.type === 'tool-intent' && isSent && freeze())
  const second = await here.tab({ model: scriptedModel(() => say('Paid.')), tools }).open()
  void first.send('pay')
  await until(() => isFrozen, 'the intent is committed')
  return { frozen, first, second }
}

function afterIntent(store: Store, then: () => unknown): Store {
  return changed(store, {
    async append(batch: Batch) {
      const answer = await store.append(batch)
      if (batch.entries.some(({ type }) => type === 'tool-intent')) then()
      return answer
    },
  })
}

function changed(store: Store, methods: Partial<Store>): Store {
  return { ...store, ...methods }
}

function hastyDevice(): Device {
  return device(openMemoryStore(), { clock: hastyClock(50) })
}

function pay(paid: string[]): ToolOptions {
  return { name: 'pay', func: (_args, { callId }) => void paid.push(callId) }
}

/** Ten seconds on the hasty clock. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
