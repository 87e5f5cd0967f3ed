/** What a session promises about a tool's own rules: how it is tried again, and when an earlier result stands in. */
import { textOf } from '@dogear/core'
import { call, say, scriptedModel } from '@dogear/testing'
import { expect, test } from 'vitest'
import { device, until } from './device.ts'

test('[C15] each try of a call is an intent of its own with the same key, and a throw reaches shouldRetry as it is', async () => {
  const here = device()
  class Busy extends Error {}
  let tries = 0
  const book = {
    name: 'book',
    retry: { maxRetries: 2, backoffMs: 1, shouldRetry: (error: unknown) => error instanceof Busy },
    func: () => {
      if ((tries += 1) < 3) throw new Busy('busy')
      return 'booked'
    },
  }
  const session = await here.tab({ model: scriptedModel([call('book'), say('Done.')]), tools: [book] }).open()
  expect(await session.send('book')).toMatchObject({ terminalReason: 'completed' })
  const entries = await here.store.entries('s1', 0)
  const intents = entries.flatMap((entry) => (entry.type === 'tool-intent' ? [entry] : []))
  expect(intents.map(({ attempt }) => attempt)).toEqual([1, 2, 3])
  expect(new Set(intents.map(({ key }) => key)).size).toBe(1)
  expect(entries.filter(({ type }) => type === 'tool-result')).toHaveLength(1)
})

test('[C15] [G4] a crash in the middle of a second try asks the person, like any other', async () => {
  const here = device()
  let tries = 0
  const pay = {
    name: 'pay',
    retry: { maxRetries: 2, backoffMs: 1, shouldRetry: () => true },
    func: () => {
      if ((tries += 1) === 1) throw new Error('refused before it was taken')
      return new Promise(() => {})
    },
  }
  const options = { model: scriptedModel([call('pay'), say('Done.')]), tools: [pay] }
  const tab = here.tab(options)
  void (await tab.open()).send('pay')
  await until(() => tries === 2)
  tab.kill()
  const again = await here.tab(options).open()
  await until(() => again.status.value === 'paused')
  expect(again.requests.value[0]).toMatchObject({ kind: 'outcome', tool: 'pay' })
})

test('[C15] a cached result of a session stands in after a reload; one of a turn only in that turn', async () => {
  const here = device()
  let runs = 0
  const func = () => `run ${(runs += 1)}`
  const tools = [
    { name: 'kept', cache: { scope: 'session' as const, keyFn: () => 'same' }, func },
    { name: 'brief', cache: true, func },
  ]
  const both = [call('kept', { n: 1 }), call('brief')]
  const model = scriptedModel([both, [call('kept', { n: 2 }), call('brief')], say('One.'), both, say('Two.')])
  const tab = here.tab({ model, tools })
  const session = await tab.open()
  await session.send('first')
  tab.kill()
  const again = await here.tab({ model, tools }).open()
  await again.send('second')
  const results = model.requests
    .at(-1)
    ?.messages.filter(({ role }) => role === 'tool')
    .map(textOf)
  expect(results).toEqual(['run 1', 'run 2', 'run 1', 'run 2', 'run 1', 'run 3'])
  const intents = (await here.store.entries('s1', 0)).filter(({ type }) => type === 'tool-intent')
  expect(intents).toHaveLength(3)
})

test('[C19] a turn taken up later has its whole time, and one that waited for its person has lost none', async () => {
  const here = device()
  const model = scriptedModel([call('book'), call('look'), say('Done.')])
  const tools = [
    { name: 'book', needsApproval: true, func: () => 'booked' },
    { name: 'look', func: () => 'seen' },
  ]
  const session = await here.tab({ model, tools, limits: { maxWallClockMs: 300 } }).open()
  const { requests } = await session.send('book')
  await new Promise((resolve) => setTimeout(resolve, 350))
  expect(await session.approve(requests[0]!.id)).toMatchObject({ terminalReason: 'completed', text: 'Done.' })
})

test('[C20] a limit of cost without an estimator is said to have no effect, once a turn', async () => {
  const here = device()
  const model = scriptedModel([call('look'), say('Done.')])
  const tab = here.tab({ model, tools: [{ name: 'look', func: () => 'seen' }], limits: { maxCostUsd: 1 } })
  const session = await tab.open()
  await session.send('go')
  expect(tab.warnings).toEqual([expect.stringContaining('give the agent a costEstimator')])
})
