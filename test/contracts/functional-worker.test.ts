/** Agents called like functions from a page: the worker runs them, and what the page is told is the same. */
import { functionalAgent, restoreSnapshot, type FunctionalOptions, type Snapshot } from '@dogear/core'
import { call, countingIds, forever, say, scriptedModel, type Script } from '@dogear/testing'
import { createRuns } from '@dogear/worker'
import { browserClock, sha256 } from '@dogear/worker/host'
import { expect, test } from 'vitest'
import { device, until, type Tab } from './device.ts'
import { functional, hello, told } from './functional.ts'

const ran: unknown[] = []
const book = { name: 'book', func: ({ hotel }: { hotel: string }) => (ran.push(hotel), `booked ${hotel}`) }
const guarded = { ...book, needsApproval: true }

/** The same agent as `functional`, but for where it runs. */
function inWorker(script: Script, options: FunctionalOptions = {}, tab: Tab = device().tab({})) {
  const model = scriptedModel(script)
  const ports = { clock: browserClock, hash: sha256, ids: countingIds('turn'), warn: () => {} }
  const agent = functionalAgent({ name: 'tester', model, ...options }, ports, (job) =>
    tab.client.runs(createRuns).run(job),
  )
  return { agent, model, tab }
}

test('a run in the worker gives the same state and the same events as one in place', async () => {
  const script = [[call('book', { hotel: 'A' }), call('nothing')], say('one', ' two')]
  const clock = { ...browserClock, now: () => 0 }
  const here = functional(script, { tools: [book], runtimeProfile: undefined, ports: { clock } })
  const inPlace = await here.agent.invoke(hello)
  const { agent } = inWorker(script, { tools: [book], runtimeProfile: 'balanced' })
  const events: Parameters<typeof told>[0][number][] = []
  const result = await agent.invoke(hello, { onEvent: (event) => events.push(event) })
  expect(withoutTimes(result)).toEqual(withoutTimes(inPlace))
  expect(told(events).sort()).toEqual(told(here.events).sort())
})

test('[C62] the answer streams to the page, and a signal of the page stops it', async () => {
  const { agent, model } = inWorker([[say('one'), forever]])
  const controller = new AbortController()
  const chunks: string[] = []
  const { metadata, messages } = await agent.invoke(hello, {
    signal: controller.signal,
    onStream({ text }) {
      chunks.push(text)
      controller.abort()
    },
  })
  expect(metadata.terminalReason).toBe('aborted_streaming')
  expect(chunks.join('')).toBe('one')
  expect(messages.at(-1)).toMatchObject({ content: 'one', meta: { status: 'stopped' } })
  expect(model.requests).toHaveLength(1)
})

test('[C41] the page is asked at each checkpoint, with its own state', async () => {
  ran.length = 0
  const { agent } = inWorker([call('book', { hotel: 'Sol' }), say('Done.')], { tools: [book] })
  const first = await agent.invoke(hello, {
    onStateChange: (state) => Array.isArray(state.messages.at(-1)?.tool_calls),
  })
  expect(first.state.ctx).toMatchObject({ __paused: { stage: 'after_agent' } })
  expect(ran).toEqual([])
  await expect(agent.resume(agent.snapshot(first.state))).resolves.toMatchObject({ content: 'Done.' })
  expect(ran).toEqual(['Sol'])
})

test('[C21] two runs of agents with one name do not hear each other', async () => {
  const tab = device().tab({})
  const one = inWorker([call('who'), say('first')], { tools: [{ name: 'who', func: () => 'one' }] }, tab)
  const two = inWorker([call('who'), say('second')], { tools: [{ name: 'who', func: () => 'two' }] }, tab)
  const heard: string[] = []
  const results = await Promise.all([
    one.agent.invoke(hello, { onEvent: ({ type }) => type === 'finalAnswer' && heard.push('one') }),
    two.agent.invoke(hello, { onEvent: ({ type }) => type === 'finalAnswer' && heard.push('two') }),
  ])
  expect(results.map(({ content }) => content)).toEqual(['first', 'second'])
  expect(results.map(({ messages }) => messages[2]?.content)).toEqual(['one', 'two'])
  expect(heard.sort()).toEqual(['one', 'two'])
})

test('a run whose worker dies is refused with the reason', async () => {
  const { agent, tab, model } = inWorker([[say('one'), forever]])
  const running = agent.invoke(hello)
  await until(() => model.requests.length === 1, 'the model was asked')
  tab.killWorker()
  await expect(running).rejects.toMatchObject({ code: 'worker-lost' })
}, 20_000)

test('[C42] [C47] a state that waits for a person opens as a session, and is answered there', async () => {
  ran.length = 0
  const { agent } = functional([call('book', { hotel: 'Sol' })], { tools: [guarded] })
  const { state } = await agent.invoke(hello)
  const snapshot = JSON.parse(JSON.stringify(agent.snapshot(state))) as Snapshot
  const tab = device().tab({ model: scriptedModel([say('Booked.')]), tools: [guarded] })
  const session = await tab.client.import((await tab.open('other')).agent, snapshot)
  await until(() => session.requests.value.length === 1, 'the request is there')
  expect(session.requests.value[0]).toMatchObject({ kind: 'approval', tool: 'book', args: { hotel: 'Sol' } })
  const result = await session.approve(session.requests.value[0]?.id ?? '')
  expect(result).toMatchObject({ terminalReason: 'completed', text: 'Booked.' })
  expect(ran).toEqual(['Sol'])
})

test('[C42] [C47] a session that waits for a person goes on as a state', async () => {
  ran.length = 0
  const tab = device().tab({ model: scriptedModel([call('book', { hotel: 'Sol' })]), tools: [guarded] })
  const session = await tab.open()
  await session.send('a room')
  const snapshot = JSON.parse(JSON.stringify(await session.snapshot({ tag: 'here' }))) as Snapshot
  const { agent } = functional([say('Booked.')], { tools: [guarded] })
  const restored = restoreSnapshot(snapshot)
  const [pending] = restored.pendingApprovals ?? []
  expect(pending).toMatchObject({ toolName: 'book', args: { hotel: 'Sol' }, status: 'pending' })
  const approved = agent.resolveToolApproval(restored, { id: pending?.id ?? '', approved: true })
  const { content, metadata } = await agent.resume(agent.snapshot(approved))
  expect(content).toBe('Booked.')
  expect(metadata.drift).toBeUndefined()
  expect(ran).toEqual(['Sol'])
})

test('[G3] a session’s snapshot taken while a tool runs does not run it twice', async () => {
  ran.length = 0
  const hang = { name: 'hang', func: () => (ran.push('hang'), new Promise(() => {})) }
  const tab = device().tab({ model: scriptedModel([call('hang')]), tools: [hang] })
  const session = await tab.open()
  void session.send('go')
  await until(() => ran.length === 1, 'the tool runs')
  const snapshot = await session.snapshot({ tag: 'middle' })
  const elsewhere = device().tab({ model: scriptedModel([]), tools: [hang] })
  const copy = await elsewhere.client.import((await elsewhere.open('other')).agent, snapshot)
  await until(() => copy.requests.value.length === 1, 'the person is asked')
  expect(copy.requests.value[0]).toMatchObject({ kind: 'outcome', tool: 'hang' })
  expect(ran).toEqual(['hang'])
})

/** A run's times are its own; nothing else may differ. */
function withoutTimes(value: unknown): unknown {
  const times = /^(createdAt|timestamp|durationMs|requestedAt|at)$/
  return JSON.parse(JSON.stringify(value, (key, item) => (times.test(key) ? 0 : (item as unknown))))
}
