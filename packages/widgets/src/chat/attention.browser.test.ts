import { afterEach, expect, test, vi } from 'vitest'
import type { SessionInfo, SessionQuery } from '@dogear/worker'
import { button, chatInPage, clearPage, drawn, find, has, words } from '../testing/in-the-page.ts'
import { scriptedSession } from '../testing/scripted-session.ts'
import { approval, waitingSessions } from '../testing/widget-states.ts'
import { forgetUser } from '../ui-state.ts'

afterEach(clearPage)

test('what waits is counted before the page’s title, and the title is given back', async () => {
  document.title = 'Trips'
  const session = scriptedSession({ requests: [approval] })
  const chat = chatInPage(session)
  const second = chatInPage(session)
  await drawn()
  expect(document.title).toBe('(1) Trips')
  session.requests.value = [approval, { ...approval, id: 'second' }]
  expect(document.title).toBe('(2) Trips')
  document.title = 'Trips · Lisbon'
  await drawn()
  expect(document.title).toBe('(2) Trips · Lisbon')
  session.requests.value = []
  expect(document.title).toBe('Trips · Lisbon')
  session.requests.value = [approval]
  chat.remove()
  await drawn()
  expect(document.title).toBe('(1) Trips · Lisbon')
  second.remove()
  await drawn()
  expect(document.title).toBe('Trips · Lisbon')
})

test('attention="quiet" leaves the title alone', async () => {
  document.title = 'Trips'
  chatInPage(scriptedSession({ requests: [approval] }), { attention: 'quiet' })
  await drawn()
  expect(document.title).toBe('Trips')
})

function chatAmong(sessions: readonly SessionInfo[], attributes: Record<string, string> = {}) {
  const stop = vi.fn()
  const subscribe = vi.fn((told: (sessions: readonly SessionInfo[]) => void, _query?: SessionQuery) => {
    told(sessions)
    return stop
  })
  const open = vi.fn(async (id = 'first') => ({ ...scriptedSession(), id }))
  const chat = chatInPage(undefined, attributes)
  chat.agent = { open, sessions: { subscribe } }
  return { chat, subscribe, stop, open }
}

test('the header tells which other sessions wait, and leads there', async () => {
  const done = { ...waitingSessions[0]!, id: 'done', title: 'Nothing waits here', waiting: 0 }
  const { chat, open } = chatAmong([...waitingSessions, done])
  await drawn()
  button(chat, '2 conversations wait for you').click()
  await drawn()
  expect(find(chat, '.inbox').textContent).toContain('A weekend in Porto2 waitingBook a room · Pay the deposit')
  expect(words(chat)).not.toContain('Nothing waits here')
  find(chat, '.inbox button').click()
  await drawn()
  expect(open).toHaveBeenLastCalledWith('porto')
  expect(chat.session!.id).toBe('porto')
})

test('[T16] what waits for one user is not told to the next, also while their own session opens', async () => {
  const { chat } = chatAmong(waitingSessions)
  await drawn()
  expect(has(chat, 'header .quiet')).toBe(true)
  chat.agent = { user: 'rui', open: () => new Promise(() => {}) }
  await drawn()
  expect(has(chat, 'header .quiet')).toBe(false)
})

test('the session that is shown is not told of as another one, and without others there is nothing to tell', async () => {
  const { chat } = chatAmong([{ ...waitingSessions[0]!, id: 'first' }])
  await drawn()
  expect(has(chat, 'header .quiet')).toBe(false)
})

test('what waits in other sessions is counted in the title once, and not what a chat shows itself', async () => {
  document.title = 'Trips'
  const { chat } = chatAmong(waitingSessions)
  chatAmong(waitingSessions)
  await drawn()
  expect(document.title).toBe('(3) Trips')
  chatInPage({ ...scriptedSession({ requests: [approval] }), id: 'porto' })
  await drawn()
  expect(document.title).toBe('(2) Trips')
  chat.setAttribute('attention', 'quiet')
  await drawn()
  expect(document.title).toBe('(2) Trips')
})

test('only those that wait are asked for, and told as they change, until the chat is gone', async () => {
  const { chat, subscribe, stop } = chatAmong([])
  await drawn()
  const [told, query] = subscribe.mock.lastCall!
  expect(query).toEqual({ waiting: true, limit: 200 })
  told(waitingSessions.slice(1))
  await drawn()
  expect(button(chat, 'Another conversation waits for you')).toBeTruthy()
  told([])
  await drawn()
  expect(has(chat, 'header .quiet')).toBe(false)
  expect(stop).not.toHaveBeenCalled()
  chat.remove()
  await drawn()
  expect(stop).toHaveBeenCalledTimes(subscribe.mock.calls.length)
})

test('[T16] after a logout nothing is told of other sessions, before anybody has looked for them', async () => {
  document.title = 'Trips'
  const { chat } = chatAmong(waitingSessions)
  await drawn()
  expect(has(chat, 'header .quiet')).toBe(true)
  forgetUser()
  await drawn()
  expect(has(chat, 'header .quiet')).toBe(false)
  expect(document.title).toBe('Trips')
})

test('the launcher peeks at what waits elsewhere when nothing waits here', async () => {
  const { chat } = chatAmong(waitingSessions, { mode: 'popup' })
  await drawn()
  expect(find(chat, '.peek').textContent).toContain('2 conversations wait for you')
})
