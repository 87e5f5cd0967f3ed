/** Words sent while an agent works: when they are said, how they are changed, and that none is lost. */
import { textOf, type Batch, type Message, type ModelRequest } from '@dogear/core'
import { call, fail, forever, pause, say, scriptedModel } from '@dogear/testing'
import type { Session } from '@dogear/worker'
import { expect, test } from 'vitest'
import { device, until } from './device.ts'

test('[O8] [K40] words for later wait for the end of the turn, in the order they were sent', async () => {
  const { session, model, finish } = await working()
  const turns = ['two', 'three'].map((words) => session.send(words))
  await until(() => session.queued.value.length === 2)
  finish()
  expect(await Promise.all(turns)).toMatchObject([{ text: 'answer 2' }, { text: 'answer 3' }])
  expect(said(model.requests.at(-1))).toEqual(['look', 'seen', 'answer 1', 'two', 'answer 2', 'three'])
})

test('[K40] words for the next step join the turn after its results, and before the model is asked again', async () => {
  const { session, model, finish } = await working()
  const steering = session.send('only the cheap ones', { when: 'next' })
  const more = session.send('and near the river', { when: 'next' })
  await until(() => session.queued.value.length === 2)
  finish()
  expect(await steering).toMatchObject({ terminalReason: 'completed', text: 'answer 1' })
  expect(await more).toMatchObject({ text: 'answer 1' })
  expect(model.requests).toHaveLength(2)
  expect(model.requests[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user', 'user'])
  expect(said(model.requests[1]).slice(-2)).toEqual(['only the cheap ones', 'and near the river'])
  expect(session.queued.value).toEqual([])
  expect(session.messages.value.map(textOf)).toEqual([
    'look',
    '',
    'seen',
    'only the cheap ones',
    'and near the river',
    'answer 1',
  ])
})

test('[K40] words for the next step of a turn that has none begin the next turn, before those for later', async () => {
  let finish = () => {}
  const model = scriptedModel([
    [say('one'), pause(new Promise<void>((resolve) => (finish = resolve)))],
    say('two'),
    say('three'),
  ])
  const session = await device().tab({ model }).open()
  void session.send('first')
  await until(() => session.partial.value !== null)
  const later = session.send('later')
  const next = session.send('next', { when: 'next' })
  await until(() => session.queued.value.length === 2)
  expect(waitingWords(session)).toEqual(['next', 'later'])
  finish()
  expect(await next).toMatchObject({ text: 'two' })
  expect(await later).toMatchObject({ text: 'three' })
})

test('[G7] [K40] an interruption that its host did not live to make is made by the next one', async () => {
  const here = device()
  const model = scriptedModel([[say('long'), forever], say('Here I am.')])
  const tab = here.tab({ model })
  const session = await tab.open()
  void session.send('talk')
  await until(() => session.partial.value?.text === 'long')
  // Dies when the words have reached the journal, before it has done anything about them.
  let isDead = false
  const append = here.store.append.bind(here.store)
  here.store.append = async (batch) => {
    const answer = await append(batch)
    if (!isDead && batch.entries.some(({ type }) => type === 'queue-set')) tab.kill()
    isDead ||= batch.entries.some(({ type }) => type === 'queue-set')
    return answer
  }
  void session.send('stop that', { when: 'now' })
  await until(() => isDead)
  const after = await here.tab({ model }).open()
  await until(() => after.messages.value.length === 3, 'the words are answered')
  expect(after.messages.value.map(textOf)).toEqual(['talk', 'stop that', 'Here I am.'])
  expect(model.requests).toHaveLength(2)
})

test('[G7] [O8] words that wait are answered before later ones, also when their host dies between two turns', async () => {
  const here = device()
  const { store } = here
  let finish = () => {}
  const dying = {
    ...store,
    append: async (batch: Batch) => {
      const answer = await store.append(batch)
      if (batch.entries.some(({ type }) => type === 'turn-end')) tab.kill()
      return answer
    },
  }
  const first = scriptedModel([[say('one'), pause(new Promise<void>((resolve) => (finish = resolve)))]])
  const tab = here.tab({ model: first }, dying)
  const session = await tab.open()
  void session.send('first')
  await until(() => session.partial.value !== null)
  void session.send('second')
  await until(() => session.queued.value.length === 1)
  finish()
  await until(async () => (await store.entries('s1', 0)).some(({ type }) => type === 'turn-end'))
  await store.send({ type: 'send', content: 'third', when: 'later', commandId: 'c', sessionId: 's1', at: 1 })
  const model = scriptedModel(() => say('Fine.'))
  const next = await here.tab({ model }).open()
  await until(() => next.messages.value.length === 6)
  expect(model.requests.map((request) => said(request).at(-1))).toEqual(['second', 'third'])
})

test('[K40] what waits can be changed: its words in place, its urgency with its place', async () => {
  const { session, model, finish } = await working()
  const [two, three] = [session.send('two'), session.send('three')]
  await until(() => session.queued.value.length === 2)
  await session.editQueued(two.id, { content: 'two, please' })
  expect(waitingWords(session)).toEqual(['two, please', 'three'])
  await session.editQueued(three.id, { when: 'next' })
  expect(waitingWords(session)).toEqual(['three', 'two, please'])
  finish()
  expect(await three).toMatchObject({ text: 'answer 1' })
  expect(await two).toMatchObject({ text: 'answer 2' })
  expect(said(model.requests.at(-1))).toEqual(['look', 'seen', 'three', 'answer 1', 'two, please'])
})

test('[K40] what waits, sent now, stops the turn', async () => {
  const { session } = await working()
  const [two, three] = [session.send('two'), session.send('three')]
  await until(() => session.queued.value.length === 2)
  await session.editQueued(three.id, { when: 'now' })
  expect(await three).toMatchObject({ terminalReason: 'completed', text: 'answer 1' })
  expect(await two).toMatchObject({ text: 'answer 2' })
})

test('[K40] changing what does not wait any more is refused, and so is changing it to nothing', async () => {
  const { session, finish } = await working()
  const two = session.send('two')
  await until(() => session.queued.value.length === 1)
  expect((await session.editQueued(two.id, { content: '' })).refused).toContain('nothing to send')
  finish()
  await two
  expect((await session.editQueued(two.id, { content: 'too late' })).refused).toContain('do not wait any more')
})

test('[K40] a stop leaves what is queued, and begins nothing: the next words do', async () => {
  const { session, model } = await working()
  const two = session.send('two')
  await until(() => session.queued.value.length === 1)
  await session.stop()
  await until(() => session.status.value === 'idle')
  expect(waitingWords(session)).toEqual(['two'])
  expect(model.requests).toHaveLength(1)
  expect(await session.send('first this')).toMatchObject({ text: 'answer 1' })
  expect(await two).toMatchObject({ text: 'answer 2' })
})

test('[K40] a turn that fails leaves what is queued, and begins nothing', async () => {
  let finish = () => {}
  const held = new Promise<void>((resolve) => (finish = resolve))
  const model = scriptedModel([[pause(held), fail('model-failed')], say('after')])
  const session = await device().tab({ model }).open()
  const turn = session.send('one')
  void session.send('two')
  await until(() => session.queued.value.length === 1)
  finish()
  expect(await turn).toMatchObject({ terminalReason: 'model_error' })
  await until(() => session.status.value === 'idle')
  await new Promise((resolve) => setTimeout(resolve, 30))
  expect(session.queued.value).toMatchObject([{ content: 'two' }])
  expect(model.requests).toHaveLength(1)
})

test('[K40] what a stop has held back is sent when somebody says so, also after a reload', async () => {
  const { session, tab, again } = await working()
  void session.send('two')
  await until(() => session.queued.value.length === 1)
  await session.stop()
  await until(() => session.status.value === 'idle')
  tab.kill()
  const after = await again()
  expect(waitingWords(after)).toEqual(['two'])
  expect(after.status.value).toBe('idle')
  await after.editQueued(after.queued.value[0]!.commandId, { when: 'now' })
  await until(() => after.messages.value.length === 5, 'it is answered')
  expect(textOf(after.messages.value.at(-1)!)).toBe('answer 1')
})

test('[G1] [K40] what waits survives a reload, and is changed from a second tab while the first one works', async () => {
  const { session, again, finish } = await working()
  const two = session.send('two')
  const three = session.send('three')
  await until(() => session.queued.value.length === 2)
  const other = await again()
  expect(waitingWords(other)).toEqual(['two', 'three'])
  await other.editQueued(two.id, { content: 'two, changed there' })
  await other.unqueue(three.id)
  await until(() => session.queued.value.length === 1)
  expect(waitingWords(session)).toEqual(['two, changed there'])
  finish()
  expect(await two).toMatchObject({ text: 'answer 2' })
  expect((await three).refused).toContain('taken back')
})

test('words for the next step wait for their own turn where a guardrail must look at them', async () => {
  const seen: string[] = []
  const check = ({ text }: { text: string }) => void seen.push(text)
  const { session, model, finish } = await working({ guardrails: { request: [{ name: 'looks', check }] } })
  const steering = session.send('around the guardrail', { when: 'next' })
  await until(() => session.queued.value.length === 1)
  finish()
  expect(await steering).toMatchObject({ text: 'answer 2' })
  expect(seen).toEqual(['look', 'around the guardrail'])
  expect(said(model.requests[1])).toEqual(['look', 'seen'])
})

/** A session whose first turn runs a tool until `finish`, and then answers with numbers. */
async function working(options: object = {}) {
  const here = device()
  let finish = () => {}
  const running = new Promise<string>((resolve) => (finish = () => resolve('seen')))
  let isEntered = false
  const model = scriptedModel((request, n) => {
    if (n === 0) return call('look')
    return say(`answer ${request.messages.filter(({ role, content }) => role === 'assistant' && content).length + 1}`)
  })
  const tools = [{ name: 'look', effect: 'read' as const, func: () => ((isEntered = true), running) }]
  const tab = here.tab({ model, tools, ...options })
  const session = await tab.open()
  void session.send('look')
  await until(() => isEntered)
  return { session, model, tab, finish, again: () => here.tab({ model, tools, ...options }).open() }
}

function said(request: ModelRequest | undefined): string[] {
  return (request?.messages ?? []).map((message: Message) => textOf(message)).filter(Boolean)
}

function waitingWords(session: Session): string[] {
  return session.queued.value.map((queued) => textOf(queued))
}
