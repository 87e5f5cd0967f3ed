/** What a stop promises, wherever in a turn it comes; and what comes after it. */
import { textOf, type Model } from '@dogear/core'
import { call, fail, faulty, forever, say, scriptedModel, usage } from '@dogear/testing'
import { openMemoryStore } from '@dogear/store'
import { expect, test } from 'vitest'
import { device, until } from './device.ts'

const never = () => new Promise<never>(() => {})

test('[O12] a stop ends a turn whose instructions never come', async () => {
  const session = await device()
    .tab({ model: scriptedModel([say('never')]), instructions: never })
    .open()
  const turn = session.send('go')
  await until(() => session.status.value === 'busy')
  await session.stop()
  expect(await turn).toMatchObject({ terminalReason: 'aborted_streaming' })
})

test.each(['stop', 'now'] as const)(
  'a model of the page is told of a %s, so that nobody pays for what nobody wants',
  async (how) => {
    const model = scriptedModel([[say('one'), forever], say('two')])
    // Told, it fails: that is nobody's problem.
    const told: string[] = []
    const stop = (key: string) => (told.push(key), Promise.reject(new Error('cannot be told')))
    const session = await device()
      .tab({ model: { ...model, stop } })
      .open()
    const turn = session.send('go')
    await until(() => session.partial.value?.text === 'one')
    if (how === 'stop') await session.stop()
    else void session.send('no, this', { when: 'now' })
    expect(await turn).toMatchObject({ terminalReason: 'aborted_streaming', text: 'one' })
    await until(() => told.length > 0)
    expect(told).toEqual([`s1:${turn.id}.1`])
  },
)

test.each(['validate', 'needsApproval'] as const)('[O12] a stop ends a turn whose %s never answers', async (hangs) => {
  const asked: string[] = []
  const hang = () => (asked.push(hangs), never())
  const tool = {
    name: 'book',
    func: () => 'never',
    ...(hangs === 'needsApproval' && { needsApproval: hang }),
    ...(hangs === 'validate' && {
      schema: { '~standard': { version: 1 as const, vendor: 'own', validate: hang } },
      parameters: { type: 'object' },
    }),
  }
  const model = scriptedModel([[say('I will book.'), call('book')]])
  const session = await device()
    .tab({ model, tools: [tool] })
    .open()
  const turn = session.send('go')
  await until(() => asked.length === 1)
  await session.stop()
  expect(await turn).toMatchObject({ text: 'I will book.' })
  expect(session.status.value).toBe('idle')
})

test.each(['costEstimator', 'tokenCounter', 'memory'] as const)(
  '[O12] a stop ends a turn whose %s never answers',
  async (hangs) => {
    let isAsked = false
    const hang = () => ((isAsked = true), never())
    const upsert = hangs === 'memory' ? hang : async () => {}
    const summary = JSON.stringify({
      stable_facts: [{ key: 'city', value: 'Lisbon', confidence: 1 }],
      rawSummary: 'Sum.',
    })
    const model = scriptedModel(({ messages }) => {
      if (textOf(messages[0]!).startsWith('Sum up')) return say(summary)
      const seen = messages.filter(({ role }) => role === 'tool').length
      return seen < 3 ? [call('look'), usage({ output: 1 })] : say('Seen.')
    })
    const session = await device()
      .tab({
        model,
        tools: [{ name: 'look', func: () => 'lorem ipsum '.repeat(400) }],
        runtimeProfile: 'balanced',
        summarization: { summaryTriggerTokens: 2_000 },
        memory: {
          scope: 'user',
          store: {
            upsert,
            get: async () => undefined,
            list: async () => [],
            markObsolete: async () => {},
            semanticSearch: async () => [],
          },
        },
        ...(hangs !== 'memory' && { [hangs]: hang }),
      })
      .open()
    const turn = session.send('go')
    await until(() => isAsked)
    await session.stop()
    expect((await turn).terminalReason).toMatch(/^aborted/)
    expect(session.status.value).toBe('idle')
  },
)

test('[O12] a stop does not wait for a model of the page that ignores its signal', async () => {
  const deaf: Model = {
    async *stream() {
      yield { type: 'text-delta', text: 'listen' }
      await never()
    },
  }
  const session = await device().tab({ model: deaf }).open()
  const turn = session.send('go')
  await until(() => session.partial.value?.text === 'listen')
  await session.stop()
  expect(await turn).toMatchObject({ terminalReason: 'aborted_streaming', text: 'listen' })
})

test('[O12] a stop ends a tool that hangs, tells it so, and the model later reads that it is not known', async () => {
  const here = device()
  const signals: AbortSignal[] = []
  const model = scriptedModel([call('pay'), say('What now?')])
  const pay = {
    name: 'pay',
    func: (_args: unknown, { signal }: { signal: AbortSignal }) => (signals.push(signal), never()),
  }
  const session = await here.tab({ model, tools: [pay] }).open()
  const turn = session.send('pay')
  await until(() => signals.length === 1)
  await session.stop()
  expect(await turn).toMatchObject({ terminalReason: 'aborted_tools' })
  await until(() => signals[0]!.aborted, 'the tool is told')
  await session.send('and?')
  const told = model.requests[1]!.messages.find(({ role }) => role === 'tool')
  expect(told?.content).toContain('not known')
})

test('[O12] a stop also ends a call that was joined after its worker died', async () => {
  const here = device()
  const signals: AbortSignal[] = []
  const pay = {
    name: 'pay',
    func: (_args: unknown, { signal }: { signal: AbortSignal }) => (signals.push(signal), never()),
  }
  const tab = here.tab({ model: scriptedModel([call('pay')]), tools: [pay] })
  const session = await tab.open()
  const turn = session.send('pay')
  await until(() => signals.length === 1)
  tab.killWorker()
  await until(() => tab.warnings.length > 0 && session.connection.value.type === 'online', 'a new worker')
  expect(signals[0]!.aborted).toBe(false)
  await session.stop()
  expect(await turn).toMatchObject({ terminalReason: 'aborted_tools' })
  await until(() => signals[0]!.aborted, 'the tool is told')
  expect(signals).toHaveLength(1)
}, 15_000)

test('a stop ends a turn that waits for the network, and one that waits for a person', async () => {
  const offline = await device()
    .tab({ model: scriptedModel(() => fail('network')) })
    .open()
  const waiting = offline.send('go')
  await until(() => offline.waiting.value === 'network')
  await offline.stop()
  expect(await waiting).toMatchObject({ terminalReason: 'aborted_streaming' })
  expect(offline.waiting.value).toBeNull()

  const model = scriptedModel([call('book'), say('All right.')])
  const session = await device()
    .tab({ model, tools: [{ name: 'book', needsApproval: true, func: () => 'never' }] })
    .open()
  await session.send('book')
  await session.stop()
  await until(() => session.status.value === 'idle')
  expect(session.requests.value).toEqual([])
  expect(session.messages.value.at(-1)).toMatchObject({ role: 'tool', meta: { status: 'stopped' } })
  expect(await session.send('leave it')).toMatchObject({ text: 'All right.' })
})

test('a stop and an approval at once leave one result, and what ran is what it says', async () => {
  for (let ticks = 0; ticks < 24; ticks += 1) {
    const here = device()
    let ran = 0
    const model = scriptedModel([call('book'), say('Done.')])
    const session = await here
      .tab({ model, tools: [{ name: 'book', needsApproval: true, func: () => void (ran += 1) }] })
      .open()
    const { requests } = await session.send('book')
    void session.approve(requests[0]!.id)
    for (let tick = 0; tick < ticks * 4; tick += 1) await Promise.resolve()
    await session.stop()
    await until(() => session.status.value === 'idle')
    const results = session.messages.value.filter(({ role }) => role === 'tool')
    expect(results, `${ticks}`).toHaveLength(1)
    if (ran === 0) expect(textOf(results[0]!)).toContain('before this was run')
  }
})

test('a stop with nothing running, or a second stop, changes nothing', async () => {
  const here = device()
  const model = scriptedModel([[say('one'), forever], say('two')])
  const session = await here.tab({ model }).open()
  await session.stop()
  const turn = session.send('go')
  await until(() => session.partial.value?.text === 'one')
  await Promise.all([session.stop(), session.stop()])
  expect(await turn).toMatchObject({ text: 'one' })
  expect(await session.send('again')).toMatchObject({ text: 'two' })
  expect(await here.store.inbox('s1')).toEqual([])
})

test('asking again after a stop does not show the model its own unfinished words', async () => {
  const model = scriptedModel([[say('Once upon'), forever], say('A whole story.')])
  const session = await device().tab({ model }).open()
  void session.send('a story')
  await until(() => session.partial.value?.text === 'Once upon')
  await session.stop()
  await until(() => session.status.value === 'idle')
  expect(await session.retry()).toMatchObject({ text: 'A whole story.' })
  expect(model.requests[1]!.messages.map((message) => textOf(message))).toEqual(['a story'])
  expect((await session.retry()).refused).toContain('nothing to try again')
})

test('words that must be said now stop what runs, and also what waits for a person', async () => {
  const model = scriptedModel([[say('long'), forever], call('book'), say('Here I am.')])
  const session = await device()
    .tab({ model, tools: [{ name: 'book', needsApproval: true, func: () => 'never' }] })
    .open()
  const first = session.send('talk')
  await until(() => session.partial.value?.text === 'long')
  const second = session.send('book', { when: 'now' })
  expect(await first).toMatchObject({ terminalReason: 'aborted_streaming' })
  expect(await second).toMatchObject({ terminalReason: 'paused' })
  expect(await session.send('never mind', { when: 'now' })).toMatchObject({ text: 'Here I am.' })
})

test('words taken back from the queue are never sent, and their turn ends', async () => {
  const model = scriptedModel([[say('busy'), forever], say('third')])
  const session = await device().tab({ model }).open()
  void session.send('first')
  await until(() => session.partial.value?.text === 'busy')
  const second = session.send('second')
  const third = session.send('third')
  await until(() => session.queued.value.length === 2)
  await session.unqueue(second.id)
  await second
  await session.editQueued(third.id, { when: 'now' })
  expect(await third).toMatchObject({ text: 'third' })
  expect(session.messages.value.some((message) => textOf(message) === 'second')).toBe(false)
})

test('nothing at all is not sent', async () => {
  const session = await device()
    .tab({ model: scriptedModel([]) })
    .open()
  expect((await session.send('')).refused).toContain('nothing to send')
  expect(session.messages.value).toEqual([])
})

test('[G1] words that could not be stored are said not to be, and their turn fails', async () => {
  const store = faulty(openMemoryStore(), [{ on: 'send', nth: 1, fault: 'fail', code: 'storage-full' }])
  const session = await device(store)
    .tab({ model: scriptedModel([say('hello')]) })
    .open()
  const turn = session.send('hi')
  await expect(turn.saved).rejects.toMatchObject({ code: 'storage-full' })
  await expect(turn).rejects.toMatchObject({ code: 'storage-full' })
  expect(session.connection.value).toMatchObject({ type: 'failed' })
  expect(await session.send('hi again')).toMatchObject({ text: 'hello' })
  expect(session.connection.value).toMatchObject({ type: 'online' })
})

test('[G2] a journal that could not be written ends nothing: the session goes on when its person does', async () => {
  for (const fault of ['fail', 'commit-fail'] as const) {
    for (const nth of [2, 3, 4, 5]) {
      const store = faulty(openMemoryStore(), [{ on: 'append', nth, fault }])
      const here = device(store)
      let ran = 0
      const model = scriptedModel((request) =>
        request.messages.some(({ role }) => role === 'tool') ? say('Booked.') : call('book'),
      )
      const tab = here.tab({ model, tools: [{ name: 'book', effect: 'idempotent', func: () => (ran += 1) }] })
      const session = await tab.open()
      void session.send('go')
      await until(() => session.connection.value.type === 'failed', `${fault} ${nth} is seen`)
      session.resume()
      const said = () => session.messages.value.map((message) => textOf(message)).at(-1)
      await until(() => said() === 'Booked.', `${fault} ${nth} goes on`)
      expect(session.connection.value.type).toBe('online')
      const entries = await here.store.entries('s1', 0)
      expect(entries.filter((entry) => entry.type === 'tool-result')).toHaveLength(1)
    }
  }
})
