import { expect, test } from 'vitest'
import { agentCalls, agentSays, scriptedSession, userSays } from '../testing/scripted-session.ts'
import { approval } from '../testing/widget-states.ts'
import { splitTurns, turnRows } from './turn-rows.ts'

const session = scriptedSession()
const done = { name: 'search_hotels', result: 'ok' }

test('a turn begins with the person, and what came before the first is a turn as well', () => {
  const messages = [agentSays('a0', 'Welcome'), userSays('u1', 'Hi'), agentSays('a1', 'Hello'), userSays('u2', 'Bye')]
  expect(splitTurns(messages).map((turn) => turn.map(({ id }) => id))).toEqual([['a0'], ['u1', 'a1'], ['u2']])
})

test('[C56] what the model was told in a user’s name begins no turn and is not shown', () => {
  const told = {
    ...userSays('t.1.n', 'Call response.'),
    meta: { status: 'complete', createdAt: 0, origin: 'system' } as const,
  }
  const messages = [userSays('u1', 'Hi'), agentSays('a1', 'Hello'), told, agentSays('a2', 'Here.')]
  expect(splitTurns(messages)).toHaveLength(1)
  expect(turnRows(session, messages).map(({ type }) => type)).toEqual(['user', 'agent', 'agent'])
})

test('[C56] the structured answer is no action of the agent; a tool of the page by that name is', () => {
  const messages = agentCalls('t.1', 'Here.', [{ name: 'response', result: 'ok' }])
  const structured = scriptedSession({}, { outputSchema: { type: 'object', properties: {} } })
  expect(turnRows(structured, messages).map(({ type }) => type)).toEqual(['agent'])
  expect(turnRows(session, messages).map(({ type }) => type)).toEqual(['agent', 'calls'])
})

test('[C56] a structured answer with no words beside it is shown itself, once it was taken', () => {
  const structured = scriptedSession({}, { outputSchema: { type: 'object', properties: {} } })
  const [asked, result] = agentCalls('t.1', '', [{ name: 'response', result: 'ok' }])
  const taken = { ...result!, meta: { ...result!.meta, tool: { name: 'response', args: { city: 'Lisbon' } } } }
  expect(turnRows(structured, [asked!, taken])).toEqual([{ type: 'output', id: 't.1.0', value: { city: 'Lisbon' } }])
  const refused = { ...taken, meta: { ...taken.meta, status: 'error' as const } }
  expect(turnRows(structured, [asked!, refused])).toEqual([])
})

test('calls of steps without words between them are one run', () => {
  const messages = [
    ...agentCalls('t.1', 'Looking.', [done]),
    ...agentCalls('t.2', '', [done]),
    agentSays('t.3.m', 'Found.'),
  ]
  const rows = turnRows(session, messages)
  expect(rows.map(({ type }) => type)).toEqual(['agent', 'calls', 'agent'])
  expect(rows[1]).toMatchObject({ calls: [{ id: 't.1.0' }, { id: 't.2.0' }] })
})

test('a streaming step has the row its message will have', () => {
  const live = { calls: [], streaming: { stepId: 't.1', hasWords: true, tools: ['book_hotel'] } }
  expect(turnRows(session, [], live)).toMatchObject([
    { type: 'agent', id: 't.1.m' },
    { type: 'calls', calls: [{ id: 't.1.0', label: 'Book a room', state: 'waiting' }] },
  ])
})

test('a call is told in the tense of its state', () => {
  const intent = { argsHash: '', attempt: 1, key: '', at: 0 }
  const messages = agentCalls('t.1', '', [
    done,
    { name: 'search_hotels' },
    { name: 'search_hotels' },
    { name: 'read_it' },
  ])
  const open = { tool: 'search_hotels', args: '{}', done: false }
  const calls = [
    { ...open, callId: 't.1.1', intent },
    { ...open, callId: 't.1.2' },
  ]
  expect(turnRows(session, messages, { calls })).toMatchObject([
    {
      calls: [
        { label: 'Searched hotels', state: 'done' },
        { label: 'Searching hotels', state: 'running' },
        { label: 'Search hotels', state: 'waiting' },
        { label: 'Read it', state: 'skipped' },
      ],
    },
  ])
})

test('[C55] a call asks while an agent that works for it does', () => {
  const intent = { argsHash: '', attempt: 1, key: '', at: 0 }
  const messages = agentCalls('t.1', '', [{ name: 'ask_finder' }, { name: 'ask_finder' }])
  const calls = ['t.1.0', 't.1.1'].map((callId) => ({ callId, tool: 'ask_finder', args: '{}', done: false, intent }))
  const waiting = scriptedSession({ requests: [{ ...approval, path: ['t.1.1#2', 't.1.1#2.1.0'] }] })
  expect(turnRows(waiting, messages, { calls })).toMatchObject([{ calls: [{ state: 'running' }, { state: 'asking' }] }])
})
