import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
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
  const list = vi.fn(async (_query?: SessionQuery) => sessions)
  const open = vi.fn(async (id = 'first') => ({ ...scriptedSession(), id }))
  const chat = chatInPage(undefined, attributes)
  chat.agent = { open, sessions: { list } }
  return { chat, list, open }
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

test('other sessions are looked up again when the tab is looked at', async () => {
  const { chat, list } = chatAmong([])
  await drawn()
  const before = list.mock.calls.length
  list.mockResolvedValue(waitingSessions.slice(1))
  document.dispatchEvent(new Event('visibilitychange'))
  await drawn()
  expect(list.mock.calls.length).toBe(before + 1)
  expect(button(chat, 'Another conversation waits for you')).toBeTruthy()
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

test('only those that wait are asked for, again and again until the chat is gone', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const { chat, list } = chatAmong([])
  await drawn()
  const before = list.mock.calls.length
  expect(list).toHaveBeenLastCalledWith({ waiting: true, limit: 200 })
  list.mockResolvedValue(waitingSessions.slice(1))
  vi.advanceTimersByTime(5000)
  await drawn()
  expect(list.mock.calls.length).toBe(before + 1)
  expect(button(chat, 'Another conversation waits for you')).toBeTruthy()
  chat.remove()
  await drawn()
  vi.advanceTimersByTime(60_000)
  expect(list.mock.calls.length).toBe(before + 1)
})

test('after a logout nothing is told of other sessions, and nobody looks for them', async () => {
  document.title = 'Trips'
  const { chat, list } = chatAmong(waitingSessions)
  await drawn()
  expect(has(chat, 'header .quiet')).toBe(true)
  const before = list.mock.calls.length
  forgetUser()
  await drawn()
  document.dispatchEvent(new Event('visibilitychange'))
  await drawn()
  expect(list.mock.calls.length).toBe(before)
  expect(has(chat, 'header .quiet')).toBe(false)
  expect(document.title).toBe('Trips')
})

test('the launcher peeks at what waits elsewhere when nothing waits here', async () => {
  const { chat } = chatAmong(waitingSessions, { mode: 'popup' })
  await drawn()
  expect(find(chat, '.peek').textContent).toContain('2 conversations wait for you')
})
