/** Following a session by events: what it is now, and all that comes after it, once and in order. */
import { textOf } from '@dogear/core'
import { call, fail, forever, say, scriptedModel } from '@dogear/testing'
import { follow, type Session, type SessionEvent } from '@dogear/worker'
import { expect, test } from 'vitest'
import { device, until } from './device.ts'

function followed(session: Session) {
  const events: SessionEvent[] = []
  const { snapshot, unfollow } = follow(session, (event) => events.push(event))
  const names = () =>
    events.map((event) =>
      event.type === 'status' ? `status ${event.status}` : event.type === 'turn' ? `turn ${event.reason}` : event.type,
    )
  return { events, snapshot, unfollow, names }
}

const withoutDeltas = (names: string[]) => names.filter((name) => !name.endsWith('_delta'))

test('[O14] a turn is told in order, and its status before what follows from it', async () => {
  const model = scriptedModel([[...say('I look.'), call('look', { at: 'sea' })], say('Blue.')])
  const session = await device()
    .tab({ model, tools: [{ name: 'look', func: () => 'seen' }] })
    .open()
  const { events, names } = followed(session)
  await session.send('go')
  await until(() => names().includes('turn stop'))
  expect(withoutDeltas(names())).toEqual([
    'status busy',
    'message',
    ...['title', 'store'],
    ...['text_start', 'text_end', 'tool_use_start', 'tool_use_end', 'message', 'step'],
    ...['tool_result', 'message'],
    ...['text_start', 'text_end', 'message', 'step'],
    ...['status idle', 'turn stop', 'tree', 'store'],
  ])
  const said = events.map((event) => (event.type === 'text_delta' ? event.delta : '')).join('')
  expect(said).toBe('I look.Blue.')
  expect(events.find(({ type }) => type === 'tool_use_delta')).toMatchObject({ name: 'look', delta: '{"at":"sea"}' })
})

test('[O14] whoever joins in the middle of an answer has its beginning in the snapshot and the rest as events', async () => {
  let speak = () => {}
  const mayEnd = new Promise<void>((resolve) => (speak = resolve))
  const model = scriptedModel([[...say('one '), { type: 'wait', until: mayEnd }, ...say('two')]])
  const session = await device().tab({ model }).open()
  const turn = session.send('count')
  await until(() => session.partial.value?.text === 'one ')
  const { snapshot, events, names } = followed(session)
  expect(snapshot).toMatchObject({ status: 'busy', messages: [], partial: { text: 'one ' } })
  expect(snapshot.pending.map(textOf)).toEqual(['count'])
  speak()
  await turn
  await until(() => names().includes('turn stop'))
  const rest = events.map((event) => (event.type === 'text_delta' ? event.delta : '')).join('')
  expect(rest).toBe('two')
  expect(withoutDeltas(names())).toEqual(['text_end', 'message', 'step', 'status idle', 'turn stop', 'tree', 'store'])
})

test('[O14] a request is told as a pause, after the status it brings; its answer goes on', async () => {
  const model = scriptedModel([call('pay'), say('Paid.')])
  const session = await device()
    .tab({ model, tools: [{ name: 'pay', func: () => 'ok', needsApproval: true }] })
    .open()
  const { events, names } = followed(session)
  const { requests } = await session.send('go')
  await until(() => names().includes('pause'))
  expect(names().slice(-2)).toEqual(['status paused', 'pause'])
  expect(events.at(-1)).toMatchObject({ request: { id: requests[0]!.id, tool: 'pay' } })
  await session.approve(requests[0]!.id)
  await until(() => names().includes('turn stop'))
  expect(names().filter((name) => name.startsWith('status'))).toEqual([
    'status busy',
    'status paused',
    'status busy',
    'status idle',
  ])
})

test('[O14] a stop is told as cancelled, a failure as its error, and a turn that goes on stays busy', async () => {
  const model = scriptedModel([[...say('one'), forever], fail('forbidden'), say('two'), say('three')])
  const onTurn = ({ turn }: { turn: number }) => (turn === 1 ? { continue: 'more' } : ('stop' as const))
  const session = await device().tab({ model, onTurn }).open()
  const { events, names, unfollow } = followed(session)
  void session.send('go').then(() => {})
  await until(() => session.partial.value?.text === 'one')
  await session.stop()
  await until(() => names().includes('cancelled'))
  expect(names().slice(-4)).toEqual(['status idle', 'cancelled', 'tree', 'store'])
  await session.send('again')
  await until(() => names().includes('error'))
  expect(names().slice(-4)).toEqual(['status idle', 'error', 'tree', 'store'])
  expect(events.at(-3)).toMatchObject({ error: { code: 'forbidden' } })
  const before = events.length
  await session.send('and again')
  await until(() => names().includes('turn stop'))
  const told = names().slice(before)
  expect(told.filter((name) => name.startsWith('status') || name.startsWith('turn'))).toEqual([
    'status busy',
    'turn continue',
    'status idle',
    'turn stop',
  ])
  await session.set({ system: 'Be kind.' })
  await until(() => names().at(-2) === 'state')
  unfollow()
  const last = events.length
  await session.set({ system: 'Be brief.' })
  await until(() => session.status.value === 'idle')
  expect(events).toHaveLength(last)
})

test('[O18] what a turn adds to the tree is told after it, a title and another branch when they come; all of it is saved', async () => {
  const model = scriptedModel([say('Blue.'), say('Grey.')])
  const here = device()
  const session = await here.tab({ model }).open()
  const { events } = followed(session)
  await session.send('What colour is the sea?')
  const [question, answer] = session.messages.value
  await until(() => events.at(-1)?.type === 'store')
  expect(events.slice(-3)).toEqual([
    { type: 'turn', reason: 'stop' },
    { type: 'tree', newNodes: [question!.id, answer!.id] },
    { type: 'store', saved: 'tree' },
  ])
  expect((await here.store.entries('s1', 0)).at(-1)).toMatchObject({ type: 'turn-end' })
  expect(events).toContainEqual({ type: 'title', title: 'What colour is the sea?' })

  await session.rename('The sea')
  await until(() => events.at(-2)?.type === 'title')
  expect(events.slice(-2)).toEqual([
    { type: 'title', title: 'The sea' },
    { type: 'store', saved: 'state' },
  ])

  await session.goto(question!.id)
  await until(() => events.at(-2)?.type === 'tree')
  expect(events.slice(-2)).toEqual([
    { type: 'tree', newNodes: [] },
    { type: 'store', saved: 'tree' },
  ])
})

test('[O18] whoever joins in the middle of a turn is told at its end of all that it added', async () => {
  let speak = () => {}
  const mayEnd = new Promise<void>((resolve) => (speak = resolve))
  const session = await device()
    .tab({ model: scriptedModel([[...say('one '), { type: 'wait', until: mayEnd }, ...say('two')]]) })
    .open()
  const turn = session.send('count')
  await until(() => session.partial.value?.text === 'one ')
  const { events, names } = followed(session)
  speak()
  await turn
  await until(() => names().includes('tree'))
  const newNodes = session.messages.value.map(({ id }) => id)
  expect(newNodes).toHaveLength(2)
  expect(events).toContainEqual({ type: 'tree', newNodes })
})

test('[O14] what a dead worker had not told is told in its place, and nothing twice', async () => {
  const model = scriptedModel([call('look'), say('Seen.')])
  let look = () => {}
  const seen = new Promise<string>((resolve) => (look = () => resolve('seen')))
  const tab = device().tab({ model, tools: [{ name: 'look', effect: 'read', func: () => seen }] })
  const session = await tab.open()
  const { events, names } = followed(session)
  const turn = session.send('go')
  await until(() => session.calls.value.some(({ intent }) => intent))
  tab.killWorker()
  look()
  await turn
  await until(() => names().includes('turn stop'))
  const messages = events.flatMap((event) => (event.type === 'message' ? [event.message.id] : []))
  expect(messages).toEqual(session.messages.value.map(({ id }) => id))
})
