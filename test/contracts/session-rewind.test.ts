/** Rewind: what tools did since is undone where they can, each call once at most, whatever dies. */
import { asHandoff, defineAgent, textOf, type Store, type ToolOptions } from '@dogear/core'
import { openMemoryStore } from '@dogear/store'
import { call, say, scriptedModel } from '@dogear/testing'
import type { Session } from '@dogear/worker'
import { expect, test } from 'vitest'
import { device, until, type Tab } from './device.ts'

test('[K23] a rewind undoes the calls left behind, the newest first, and says what it could not', async () => {
  const undone: unknown[] = []
  const session = await device()
    .tab(
      shop({
        undo: (args, { result, idempotencyKey }) => void undone.push([args, result, idempotencyKey]),
      }),
    )
    .open()
  await session.send('hello')
  await session.send('buy 1')
  await session.send('buy 2')
  await session.send('mail')
  const [, hello] = session.messages.value
  const dry = await session.rewind(hello!.id, { dryRun: true })
  expect(names(dry)).toEqual({ undone: ['buy', 'buy'], notUndone: ['mail'], unknown: [] })
  expect([undone, texts(session).length]).toEqual([[], 16])
  const rewound = await session.rewind(hello!.id)
  expect(names(rewound)).toEqual({ undone: ['buy', 'buy'], notUndone: ['mail'], unknown: [] })
  expect(rewound.undone[0]).toMatchObject({ tool: 'buy', label: 'Buy' })
  expect(undone).toEqual([
    [{ n: 2 }, { order: 2 }, expect.stringMatching(/^s1:/)],
    [{ n: 1 }, { order: 1 }, expect.stringMatching(/^s1:/)],
  ])
  expect(texts(session)).toEqual(['hello', 'to hello'])
  await session.send('again')
  expect(texts(session)).toEqual(['hello', 'to hello', 'again', 'to again'])
})

test('[K23] what was undone once is never undone again, also after going back to it', async () => {
  let count = 0
  const session = await device()
    .tab(shop({ undo: () => void (count += 1) }))
    .open()
  await session.send('hello')
  await session.send('buy 1')
  const [, hello, buy] = session.messages.value
  await session.rewind(hello!.id)
  await session.goto(buy!.id)
  expect(texts(session)).toContain('buy 1')
  expect(names(await session.rewind(hello!.id))).toEqual({ undone: ['buy'], notUndone: [], unknown: [] })
  expect(count).toBe(1)
})

test('[K23] an undo that throws is reported with its reason, and one that hangs as unknown; neither is tried again', async () => {
  let count = 0
  const undo = ({ n }: { n: number }) => {
    count += 1
    if (n === 1) throw new Error('already shipped')
    return new Promise<never>(() => {})
  }
  const session = await device()
    .tab(shop({ undo, timeout: 400 }))
    .open()
  await session.send('buy 1')
  await session.send('buy 2')
  const beginning = session.messages.value[0]!.id
  const first = await session.rewind(null)
  expect(first).toMatchObject({ undone: [], notUndone: [{ error: 'already shipped' }], unknown: [{ tool: 'buy' }] })
  await session.goto(beginning)
  const second = await session.rewind(null)
  expect(names(second)).toEqual(names(first))
  expect(count).toBe(2)
})

test('[K23] only a call that ran, and did what it should, is undone', async () => {
  const undone: unknown[] = []
  const session = await device()
    .tab({
      model: scriptedModel(({ messages }) => {
        const last = messages.at(-1)!
        return last.role === 'tool' ? say('done') : call('pay', { how: textOf(last) })
      }),
      tools: [
        {
          name: 'pay',
          cache: { scope: 'session' },
          needsApproval: ({ how }: { how: string }) => how === 'given',
          func: ({ how }: { how: string }) => (how === 'fails' ? Promise.reject(new Error('no')) : how),
          undo: ({ how }: { how: string }) => void undone.push(how),
        },
      ],
    })
    .open()
  await session.send('once')
  // The same call once more: its result stands in.
  await session.send('once')
  await session.send('fails')
  const { requests } = await session.send('given')
  await session.resolve(requests[0]!.id, { type: 'result', result: 'by hand' })
  await until(() => session.status.value === 'idle')
  const rewound = await session.rewind(null)
  expect(undone).toEqual(['once'])
  expect(names(rewound)).toEqual({ undone: ['pay'], notUndone: ['pay'], unknown: [] })
})

test('[K23] [C58] a call is undone by the tool of the agent that asked for it', async () => {
  const undone: string[] = []
  const tool = (whose: string) => ({ name: 'pay', func: () => whose, undo: () => void undone.push(whose) })
  const clerk = defineAgent({
    name: 'clerk',
    model: scriptedModel([call('pay'), say('Paid.')]),
    tools: [tool('clerk')],
  })
  const model = scriptedModel([call('handoff_to_clerk', { reason: 'pay' })])
  const session = await device()
    .tab({ model, tools: [tool('own'), asHandoff(clerk)] })
    .open()
  await session.send('pay')
  await session.rewind(null)
  expect(undone).toEqual(['clerk'])
})

test('[K23] [K37] a call that a fork brought along is not undone a second time from there', async () => {
  const undone: unknown[] = []
  const undo = ({ n }: { n: number }) => void undone.push(n)
  const tab = device().tab(shop({ undo, cache: { scope: 'session' } }))
  const session = await tab.open()
  await session.send('buy 1')
  // Its result stands in: this one did nothing.
  await session.send('buy 1')
  const fork = await session.fork()
  expect(names(await fork.rewind(null))).toEqual({ undone: [], notUndone: ['buy'], unknown: [] })
  expect(undone).toEqual([])
})

test('[K23] a rewind is refused to a message that is not there', async () => {
  const session = await device().tab(shop({})).open()
  await session.send('hello')
  expect(await session.rewind('nowhere')).toMatchObject({ refused: 'This session has no message "nowhere".' })
  expect(texts(session)).toEqual(['hello', 'to hello'])
})

test.each(['die-before', 'die-after'] as const)(
  '[K23] [G3] [G7] when a tab does %s at any one moment of a rewind, it is finished by the next, and no undo runs twice',
  async (type) => {
    let deaths = 0
    for (let at = 1; at <= 25; at += 1) {
      const store = openMemoryStore()
      const world = device(store)
      const undone: string[] = []
      const options = shop({ undo: ({ n }: { n: number }) => void undone.push(`buy ${n}`) })
      const before = world.tab(options)
      const calm = await before.open()
      for (const words of ['hello', 'buy 1', 'buy 2', 'buy 3']) await calm.send(words)
      const target = calm.messages.value[1]!.id
      before.kill()

      const disk = mortalDisk(store, at, type)
      const tab: Tab = world.tab(options, disk.store)
      disk.dies(() => tab.kill())
      const death = disk.death
      const opened = await Promise.race([tab.open().catch(() => undefined), death])
      const isOpen = opened !== undefined && opened !== 'dead'
      const lived = isOpen ? await Promise.race([opened.rewind(target), death]) : 'dead'
      tab.kill()
      if (lived === 'dead') deaths += 1

      const session = await world.tab(options).open()
      await until(() => session.connection.value.type === 'online')
      // Lost before it was saved: the person asks again.
      if (lived === 'dead' && !(await isSaved(store))) await session.rewind(target)
      await until(() => texts(session).length === 2, `rewind ${type} ${at}`)
      expect(new Set(undone).size).toBe(undone.length)
      const entries = await store.entries('s1', 0)
      const rewound = entries.findLast((entry) => entry.type === 'cursor-set')
      const {
        undone: said = [],
        unknown = [],
        notUndone = [],
      } = rewound?.type === 'cursor-set' ? (rewound.rewound ?? {}) : {}
      expect([...said, ...unknown, ...notUndone]).toHaveLength(3)
      expect(undone.length).toBeGreaterThanOrEqual(said.length)
      expect(unknown.length).toBeLessThanOrEqual(1)
      expect(await store.inbox('s1')).toEqual([])
      session.close()
    }
    expect(deaths).toBeGreaterThan(8)
  },
  60_000,
)

/** Buys, which may be undone, and mails, which may not. */
function shop(buy: Partial<ToolOptions>) {
  const model = scriptedModel(({ messages }) => {
    const last = messages.at(-1)!
    const words = textOf(last)
    if (last.role === 'tool') return say('done')
    if (words.startsWith('buy')) return [call('look'), call('buy', { n: Number(words.slice(4)) })]
    return words === 'mail' ? [call('mail')] : say(`to ${words}`)
  })
  return {
    model,
    tools: [
      { name: 'buy', func: ({ n }: { n: number }) => ({ order: n }), ...buy },
      { name: 'mail', func: () => 'sent' },
      { name: 'look', effect: 'read' as const, func: () => 'seen' },
    ],
  }
}

async function isSaved(store: Store): Promise<boolean> {
  if ((await store.inbox('s1')).length) return true
  return (await store.entries('s1', 0)).some(({ type }) => type === 'cursor-set')
}

function mortalDisk(store: Store, at: number, type: 'die-before' | 'die-after') {
  let asked = 0
  let kill = () => {}
  let die: (dead: 'dead') => void = () => {}
  const death = new Promise<'dead'>((resolve) => (die = resolve))
  const proxy = new Proxy(store, {
    get(target, key: keyof Store) {
      const method = target[key] as (...args: unknown[]) => unknown
      return async (...args: unknown[]) => {
        const isNow = (asked += 1) === at
        if (isNow && type === 'die-before') return end()
        const value = await method.apply(target, args)
        return isNow ? end() : value
      }
    },
  })
  function end(): Promise<never> {
    kill()
    die('dead')
    return new Promise(() => {})
  }
  return { store: proxy, death, dies: (how: () => void) => void (kill = how) }
}

function names({ undone, notUndone, unknown }: Awaited<ReturnType<Session['rewind']>>) {
  const of = (calls: readonly { tool: string }[]) => calls.map(({ tool }) => tool)
  return { undone: of(undone), notUndone: of(notUndone), unknown: of(unknown) }
}

function texts({ messages, pending }: Session): string[] {
  return [...messages.value, ...pending.value].map(textOf)
}
