/** Compaction in a session: on demand, across reloads and deaths, and what it teaches the next session. */
import { textOf, type Entry, type Message, type ModelRequest, type SmartAgentOptions, type Store } from '@dogear/core'
import { openMemoryStore } from '@dogear/store'
import { call, fail, say, scriptedModel, usage, type Answer } from '@dogear/testing'
import { expect, test } from 'vitest'
import { device, until, type Tab } from './device.ts'

test('[C33] [C37] a session that grew too long goes on, in a new tab too, and its originals can be read', async () => {
  const here = device()
  const model = scriptedModel(looking(4))
  const first = await here.tab(agentOf(model)).open()
  await first.send('go')
  expect(texts(await messagesOf(here.store))).toEqual([
    'go',
    ...Array.from({ length: 4 }, () => ['', found]).flat(),
    'Done.',
  ])

  const before = model.requests.length
  const second = await here.tab(agentOf(model)).open()
  await second.send('again')
  const shown = model.requests[before]!.messages
  expect(markersIn(shown)).toBeGreaterThan(0)
  expect(model.requests[before]!.tools?.map(({ name }) => name)).toContain('get_tool_response')
})

test('[C33] a session is compacted on demand, and refuses to be while it works', async () => {
  const here = device()
  const model = scriptedModel((request, n) => (isSummary(request) ? summary : looking(3)(request, n)))
  const session = await here.tab({ ...agentOf(model), summarization: false }).open()
  await session.send('go')
  expect(await session.compact()).toMatchObject({ terminalReason: 'completed' })
  const [compaction] = await compactionsOf(here.store)
  expect(compaction).toMatchObject({ trigger: 'manual', summary: 'So far.' })
  expect(compaction?.archived).toHaveLength(2)
  expect(session.usage.value.totals).toMatchObject({ default: { total: 12 } })
  expect(texts(session.messages.value)).toContain(found)

  const busy = session.send('again')
  expect((await session.compact()).refused).toMatch(/Wait until this turn has ended/)
  await busy
})

test('[C33] [C42] what was put out of the model’s sight stays out of it in a fork and in an import', async () => {
  const model = scriptedModel((request, n) => (isSummary(request) ? summary : looking(3)(request, n)))
  const tab = device().tab({ ...agentOf(model), summarization: false })
  const session = await tab.open()
  await session.send('go')
  await session.compact()
  const fork = await session.fork()
  const copy = await tab.client.import(session.agent, await session.snapshot({ tag: 'short' }))
  const told: string[][] = []
  for (const each of [session, fork, copy]) {
    await each.send('again')
    // A fork has ids of its own.
    told.push(texts(model.requests.at(-1)!.messages).map((text) => text.replace(/'.*'/, 'id')))
  }
  const [own = [], forked, imported] = told
  expect(own.filter((text) => text.startsWith('ARCHIVED'))).toHaveLength(2)
  expect(own.join()).toContain('So far.')
  expect(forked).toEqual(own)
  expect(imported).toEqual(own)
})

test('[C33] what failed can still be tried again after the context was shortened', async () => {
  const model = scriptedModel([call('look'), say('Seen.'), fail('model-failed'), say('Now.')])
  const tools = [{ name: 'look', effect: 'read' as const, func: () => 'seen' }]
  const session = await device().tab({ model, tools }).open()
  await session.send('look')
  expect(await session.send('and?')).toMatchObject({ terminalReason: 'model_error' })
  expect(await session.compact()).toMatchObject({ terminalReason: 'completed', refused: undefined })
  expect(session.lastEnd.value).toMatchObject({ terminalReason: 'model_error' })
  expect(await session.retry()).toMatchObject({ terminalReason: 'completed', text: 'Now.' })
})

test('[C33] [G3] [G15] whenever a tab dies while it compacts, the turn comes to the same end', async () => {
  const ended = await livedUntilDone([])
  expect(ended.compactions).toBeGreaterThan(0)
  for (const type of ['before', 'after'] as const) {
    for (let at = 1; at <= 30; at += 1) {
      const lived = await livedUntilDone([{ at, type }])
      expect(lived.texts, `died ${type} ${at}`).toEqual(ended.texts)
      expect(lived.compactions, `died ${type} ${at}`).toBeGreaterThan(0)
      expect(new Set(lived.ids).size).toBe(lived.ids.length)
    }
  }
  const lived = await livedUntilDone([{ at: 'summary', type: 'before' }])
  expect(lived.texts).toEqual(ended.texts)
  expect(lived.ids).toEqual(ended.ids)
}, 60_000)

test('[C40] what one session learnt of its user the next one knows, without a store of the developer', async () => {
  const here = device()
  const model = scriptedModel(looking(3))
  const options: SmartAgentOptions = { ...agentOf(model), memory: { scope: 'user' } }
  await (await here.tab(options).open('s1')).send('go')
  expect(await here.store.memory(Date.now).list({ scope: 'user' })).toMatchObject([{ key: 'city', value: 'Lisbon' }])

  await (await here.tab(options).open('s2')).send('hello')
  expect(textOf(model.requests.at(-1)!.messages[0]!)).toContain('- city: Lisbon')
})

test("[C40] a store of the page's own is reached from the worker", async () => {
  const here = device()
  const kept = new Map<string, string>()
  const store = {
    get: async () => undefined,
    upsert: async ({ key, value }: { key: string; value: string }) => void kept.set(key, value),
    markObsolete: async () => {},
    semanticSearch: async () => [],
    list: async () => [...kept].map(([key, value]) => ({ ...sure, key, value, scope: 'tenant', lastUpdatedAt: '' })),
  } as NonNullable<SmartAgentOptions['memory']>['store']
  const model = scriptedModel(looking(3))
  const session = await here.tab({ ...agentOf(model), memory: { store, scope: 'tenant' } }).open()
  await session.send('go')
  expect([...kept]).toEqual([['city', 'Lisbon']])
})

const found = 'found '.repeat(400)
const sure = { key: 'city', value: 'Lisbon', confidence: 0.9 }
const summary: Answer = [
  say(JSON.stringify({ stable_facts: [sure], rawSummary: 'So far.' })),
  usage({ input: 10, output: 2 }),
]

function agentOf(model: ReturnType<typeof scriptedModel>): SmartAgentOptions {
  return {
    model,
    runtimeProfile: 'balanced',
    summarization: { summaryTriggerTokens: 1_000 },
    tools: [{ name: 'look', effect: 'read', func: () => found }],
  }
}

/** Looks so often after the newest words, then answers; sums up when asked to. */
function looking(times: number) {
  return (request: ModelRequest, _n: number): Answer => {
    if (isSummary(request)) return summary
    const { messages } = request
    const calls = messages
      .slice(messages.findLastIndex(({ role }) => role === 'user'))
      .filter((message) => message.tool_calls?.some((each) => each.function.name === 'look'))
    return calls.length < times && textOf(messages.findLast(({ role }) => role === 'user')!) === 'go'
      ? call('look')
      : say('Done.')
  }
}

function isSummary({ messages }: ModelRequest): boolean {
  return textOf(messages[0]!).startsWith('Sum up')
}

function markersIn(messages: readonly Message[]): number {
  return messages.filter((message) => textOf(message).startsWith('ARCHIVED_TOOL_RESPONSE executionId:')).length
}

interface Death {
  /** The n-th time the tab asks its disk, or the first time its model sums up. */
  readonly at: number | 'summary'
  readonly type: 'before' | 'after'
}

async function livedUntilDone(deaths: readonly Death[]) {
  const store = openMemoryStore()
  const here = device(store)
  let left = [...deaths]
  let tab: Tab | undefined
  let dead = false
  const die = () => {
    left = []
    dead = true
    tab?.kill()
  }
  const model = scriptedModel((request, n) => {
    if (isSummary(request) && left.some(({ at }) => at === 'summary')) die()
    return looking(4)(request, n)
  })
  let asked = 0
  const disk = new Proxy(store, {
    get(target, key: keyof Store) {
      const method = target[key] as (...args: unknown[]) => unknown
      if (key === 'memory') return method
      return async (...args: unknown[]) => {
        asked += 1
        const death = left.find(({ at }) => at === asked)
        if (death?.type === 'before') return (die(), new Promise(() => {}))
        const value = await method.apply(target, args)
        if (death) return (die(), new Promise(() => {}))
        return value
      }
    },
  })
  for (let lives = 0; lives < 3; lives += 1) {
    dead = false
    tab = here.tab(agentOf(model), disk)
    const opened = await Promise.race([tab.open(), until(() => dead, 'a death').then(() => undefined)])
    if (!opened) continue
    const isSaid = (await store.inbox('s1')).length > 0 || (await messagesOf(store)).length > 0
    if (!isSaid) opened.send('go')
    await until(() => dead || isDone(opened.messages.value), 'an end')
    if (!dead) break
  }
  tab?.kill()
  const compactions = await compactionsOf(store)
  return {
    texts: texts(await messagesOf(store)),
    compactions: compactions.length,
    ids: compactions.map(({ id }) => id.replace(/^.*?\./, '')),
  }
}

function isDone(messages: readonly Message[]): boolean {
  return messages.some((message) => textOf(message) === 'Done.')
}

async function messagesOf(store: Store): Promise<Message[]> {
  return (await store.entries('s1', 0)).flatMap((entry) => bodyOf(entry) ?? [])
}

function bodyOf(entry: Entry): Message | undefined {
  if (entry.type === 'message-add') return entry.message
  if (entry.type !== 'tool-result') return undefined
  return { id: entry.callId, role: 'tool', content: entry.result.content, meta: { status: 'complete', createdAt: 0 } }
}

async function compactionsOf(store: Store) {
  return (await store.entries('s1', 0)).flatMap((entry) => (entry.type === 'compaction-add' ? [entry.compaction] : []))
}

function texts(messages: readonly Message[]): string[] {
  return messages.map(textOf)
}
