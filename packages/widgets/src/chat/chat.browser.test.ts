import { afterEach, expect, test, vi } from 'vitest'
import { userEvent } from 'vitest/browser'
import { button, chatInPage, clearPage, drawn, find, has, words } from '../testing/in-the-page.ts'
import { agentCalls, agentSays, scriptedSession, streaming, userSays } from '../testing/scripted-session.ts'
import { approval, widgetStates } from '../testing/widget-states.ts'

afterEach(clearPage)

const said = userSays('u1', 'Three nights in Lisbon')

test('an answer keeps its element from the first word to the last', async () => {
  const session = scriptedSession({ status: 'busy', pending: [said], partial: streaming('t1.1', 'I compared') })
  const chat = chatInPage(session)
  await drawn()
  const article = find(chat, '.agent')
  session.partial.value = streaming('t1.1', 'I compared seven places.')
  await drawn()
  expect(article.textContent).toContain('seven places')
  session.partial.value = null
  session.pending.value = [said, agentSays('t1.1.m', 'I compared seven places. Done.')]
  await drawn()
  expect(find(chat, '.agent')).toBe(article)
  expect(article.textContent).toContain('Done.')
})

test('a hundred deltas in one frame are drawn once', async () => {
  const session = scriptedSession({ status: 'busy', pending: [said], partial: streaming('t1.1', 'a') })
  const chat = chatInPage(session)
  await drawn()
  let changes = 0
  const observer = new MutationObserver(() => changes++)
  observer.observe(find(chat, '.agent'), { childList: true, subtree: true, characterData: true })
  for (let count = 1; count <= 100; count++) session.partial.value = streaming('t1.1', 'a '.repeat(count))
  await drawn()
  expect(changes).toBe(1)
})

test('an answer that was picked up again says where', async () => {
  const text = 'First part.\n\nSecond part.'
  const chat = chatInPage(scriptedSession({ messages: [said, agentSays('t1.1.m', text, { resumedAt: [13] })] }))
  await drawn()
  const mark = find(chat, '.resumed')
  expect(mark.textContent).toBe('Picked up here')
  expect(mark.previousElementSibling?.textContent).toBe('First part.')
  expect(mark.nextElementSibling?.textContent).toBe('Second part.')
})

test('a cut answer is labelled, and its open marks are closed', async () => {
  const chat = chatInPage(scriptedSession({ messages: [said, agentSays('m', 'It is **Casa', { status: 'partial' })] }))
  await drawn()
  expect(find(chat, '.agent').textContent).toBe('It is CasaCut off here')
})

test('Enter sends and empties the composer; Shift+Enter and an input method do not', async () => {
  const session = scriptedSession()
  const chat = chatInPage(session)
  await drawn()
  const composer = find<HTMLTextAreaElement>(chat, 'textarea')
  await userEvent.click(composer)
  await userEvent.keyboard('Hello{Shift>}{Enter}{/Shift}there')
  composer.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true }))
  expect(session.commands).toEqual([])
  await userEvent.keyboard('{Enter}')
  expect(session.commands).toEqual([{ type: 'send', content: 'Hello\nthere' }])
  expect(composer.value).toBe('')
})

test('typed keys do not reach the page, whose shortcuts would fire', async () => {
  const heard = vi.fn()
  document.addEventListener('keydown', heard)
  const chat = chatInPage(scriptedSession())
  await drawn()
  await userEvent.click(find(chat, 'textarea'))
  await userEvent.keyboard('s')
  document.removeEventListener('keydown', heard)
  expect(heard).not.toHaveBeenCalled()
})

test('send becomes stop while the agent works, and send again once something is written', async () => {
  const session = scriptedSession({ status: 'busy', pending: [said] })
  const chat = chatInPage(session)
  await drawn()
  button(chat, 'Stop').click()
  expect(session.commands).toEqual([{ type: 'stop' }])
  await userEvent.fill(find(chat, 'textarea'), 'And breakfast?')
  button(chat, 'Send').click()
  expect(session.commands.at(-1)).toMatchObject({ type: 'send', content: 'And breakfast?' })
})

test('a draft comes back after the page was left', async () => {
  const chat = chatInPage(scriptedSession())
  await drawn()
  await userEvent.fill(find(chat, 'textarea'), 'Half a thought')
  chat.remove()
  await drawn()
  const next = chatInPage(scriptedSession())
  await drawn()
  expect(find<HTMLTextAreaElement>(next, 'textarea').value).toBe('Half a thought')
})

test('words on their way are shown at once, and offline say when they will go', async () => {
  const session = scriptedSession({ unsaved: [{ commandId: 'c1', text: 'Is there a tram?' }] })
  const chat = chatInPage(session)
  await drawn()
  expect(find(chat, '.user').textContent).toContain('Is there a tram?Saving')
  session.connection.value = { type: 'offline' }
  await drawn()
  expect(find(chat, '.user').textContent).toContain('Will send when online')
  expect(find(chat, '.status').textContent).toBe('Offline – will continue')
})

test('[G4] a call whose outcome nobody knows is shown as that, neither as running nor as failed', async () => {
  const chat = chatInPage(scriptedSession(widgetStates.outcome))
  await drawn()
  const [over, open] = [...chat.shadowRoot!.querySelectorAll<HTMLElement>('.card[data-state="unknown"]')]
  expect(over!.innerText).toMatch(/^Send message/)
  expect(over!.innerText).toContain('Outcome unknown')
  expect(open!.querySelector('summary')!.innerText).toMatch(/Book a room[^]*Outcome unknown/)
  expect(open!.querySelector('.icon')!.classList).toContain('unknown')
  expect(has(chat, '.card[data-state="running"], .card[data-state="failed"]')).toBe(false)
})

test('[G4] an unknown outcome is not lost in a line for several calls', async () => {
  const result = { name: 'look', result: 'seen' }
  const messages = [said, ...agentCalls('t1.1', '', [result, { ...result, status: 'stopped', unknown: true }, result])]
  const chat = chatInPage(scriptedSession({ messages }))
  await drawn()
  expect(find(chat, '.card summary').innerText).toMatch(/3 actions[^]*1 unknown/)
})

test('[G16] a parked session says so, runs nothing, and can be tried again or stopped', async () => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
  const session = scriptedSession(widgetStates.parked)
  const chat = chatInPage(session)
  await drawn()
  expect(find(chat, '.notice').textContent).toContain('stopped the page three times at the same place')
  expect(find(chat, '.status').textContent).toBe('Stopped, nothing is lost')
  expect(has(chat, '.dots')).toBe(false)
  const [stop, again] = [...chat.shadowRoot!.querySelectorAll<HTMLElement>('.notice button')]
  again!.click()
  stop!.click()
  expect(session.commands).toEqual([{ type: 'resume' }, { type: 'stop' }])
  logged.mockRestore()
})

test('a failed turn is one plain sentence, one retry, and its cause for developers', async () => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
  const error = { code: 'network', message: 'POST /api/agent failed. Is the proxy running?' } as const
  const session = scriptedSession({
    messages: [said],
    lastEnd: { turnId: 't1', terminalReason: 'model_error', error },
  })
  const chat = chatInPage(session)
  await drawn()
  expect(words(chat)).toContain('The service can’t be reached. Your message is saved.')
  expect(find(chat, '.notice details').textContent).toContain('Is the proxy running?')
  expect(logged).toHaveBeenCalledTimes(1)
  button(chat, 'Try again').click()
  expect(session.commands).toEqual([{ type: 'retry' }])
  logged.mockRestore()
})

const intent = { argsHash: '', attempt: 1, key: 's1:t1.1.0', at: 0 }

test.each([
  ['was never begun', {}],
  ['is tried again', { intent, decision: { type: 'run' } }],
  ['was begun on a page that is gone', { intent }],
] as const)('a call that %s and needs another page says which, and is skipped alone', async (_what, begun) => {
  const session = scriptedSession({
    status: 'busy',
    waiting: 'page',
    pending: [said],
    calls: [
      { callId: 't1.1.0', tool: 'search_hotels', args: '{}', done: false },
      { callId: 't1.1.1', tool: 'search_hotels', args: '{}', done: false, intent },
      { callId: 't1.1.2', tool: 'add_to_cart', label: 'Add to cart', args: '{}', done: false, ...begun },
    ],
  })
  const chat = chatInPage(session)
  await drawn()
  expect(words(chat)).toContain('Continues on a page that has “Add to cart”.')
  button(chat, 'Skip').click()
  expect(session.commands).toEqual([{ type: 'stop-task', task: 't1.1.2' }])
  session.calls.value = session.calls.value.slice(0, 2)
  await drawn()
  expect(words(chat)).not.toContain('Continues on')
})

test('tool cards tell the tense, the outcome, and on request with what', async () => {
  const calls = agentCalls('t1.1', '', [
    { name: 'search_hotels', args: { maxPrice: 150 }, result: '["Casa do Rio"]', summary: '7 found', durationMs: 1200 },
    { name: 'search_hotels', result: 'No answer.\nTry later.', status: 'error' },
  ])
  const chat = chatInPage(scriptedSession({ messages: [said, ...calls] }))
  await drawn()
  const card = find<HTMLDetailsElement>(chat, '.card')
  expect(card.textContent).toContain('Searched hotels')
  expect(card.textContent).toContain('7 found · 1.2 s')
  card.open = true
  await drawn()
  expect(card.textContent).toContain('Max price150')
  expect(card.textContent).toContain('Casa do Rio')
  expect(find(chat, '.card[data-state=failed]').textContent).toMatch(/No answer\.$/)
})

test('a call that took no time does not say how long', async () => {
  const calls = agentCalls('t1.1', '', [{ name: 'look', result: 'ok', summary: 'Seen', durationMs: 12 }])
  const chat = chatInPage(scriptedSession({ messages: [said, ...calls] }))
  await drawn()
  expect(find(chat, '.card .meta').textContent).toBe('Seen')
})

test('a step of the plan that is the visitor’s says so in their words', async () => {
  const chat = chatInPage(scriptedSession(widgetStates.plan))
  await drawn()
  expect(find(chat, '.steps .chip').textContent).toBe('you')
})

test('three calls that are over fold into one line', async () => {
  const done = { name: 'look', result: 'ok', durationMs: 1000 }
  const chat = chatInPage(scriptedSession({ messages: [said, ...agentCalls('t1.1', '', [done, done, done])] }))
  await drawn()
  const cards = chat.shadowRoot!.querySelectorAll('.card')
  expect(cards).toHaveLength(1)
  expect(cards[0]!.textContent).toBe('3 actions3 s')
})

test('the plan has its own place, so its tool has no card', async () => {
  const calls = agentCalls('t1.1', '', [{ name: 'manage_todo_list', result: 'ok' }])
  const chat = chatInPage(scriptedSession({ messages: [said, ...calls] }))
  await drawn()
  expect(has(chat, '.card')).toBe(false)
})

test('a screen reader hears finished answers, whole and once', async () => {
  const session = scriptedSession({ status: 'busy', pending: [said], partial: streaming('t1.1', 'I compared') })
  const chat = chatInPage(session)
  await drawn()
  const live = find(chat, '[aria-live=polite]')
  expect(live.textContent).toBe('')
  session.partial.value = null
  session.pending.value = [said, agentSays('t1.1.m', 'I compared seven places.')]
  await drawn()
  expect(live.textContent).toBe('The agent said: I compared seven places.')
  expect(find(chat, '[role=log]').getAttribute('aria-live')).toBe('off')
})

test('a popup opens with the focus in its composer, and Escape gives it back to the launcher', async () => {
  const chat = chatInPage(scriptedSession(), { mode: 'popup' })
  await drawn()
  expect(has(chat, '.frame')).toBe(false)
  await userEvent.click(find(chat, '.launcher'))
  await drawn()
  expect(chat.shadowRoot!.activeElement).toBe(find(chat, 'textarea'))
  await userEvent.keyboard('{Escape}')
  await drawn()
  expect(has(chat, '.frame')).toBe(false)
  expect(chat.shadowRoot!.activeElement).toBe(find(chat, '.launcher'))
})

test('a popup that was left open comes back open, without taking the focus', async () => {
  const chat = chatInPage(scriptedSession(), { mode: 'popup' })
  await drawn()
  chat.show(true)
  await drawn()
  chat.remove()
  await drawn()
  const next = chatInPage(scriptedSession(), { mode: 'popup' })
  await drawn()
  expect(has(next, '.frame')).toBe(true)
})

test('the list follows the end, but never a reader who scrolled up', async () => {
  const long = 'A line of an answer.\n\n'.repeat(60)
  const session = scriptedSession({ status: 'busy', pending: [said], partial: streaming('t1.1', long) })
  const chat = chatInPage(session)
  chat.style.height = '400px'
  await drawn()
  const list = find(chat, '.list')
  const distance = () => list.scrollHeight - list.scrollTop - list.clientHeight
  expect(distance()).toBeLessThan(2)
  session.partial.value = streaming('t1.1', long + long)
  await drawn()
  expect(distance()).toBeLessThan(2)
  list.scrollTop = 100
  await drawn()
  session.partial.value = streaming('t1.1', long + long + long)
  await drawn()
  expect(list.scrollTop).toBe(100)
  button(chat, 'Jump to latest').click()
  await drawn()
  expect(distance()).toBeLessThan(2)
})

test('nothing leads to the end where a shorter answer shows all of it', async () => {
  const session = scriptedSession({ messages: [said, agentSays('a1', 'An answer.\n\n'.repeat(60))] })
  const chat = chatInPage(session)
  chat.style.height = '400px'
  await drawn()
  find(chat, '.list').scrollTop = 0
  await drawn()
  expect(has(chat, '.jump')).toBe(true)
  session.messages.value = [said, agentSays('a2', 'Short.')]
  await drawn()
  expect(has(chat, '.jump')).toBe(false)
})

test('earlier messages load when their place comes near, and the line that is read stays where it is', async () => {
  const turns = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => [
      userSays(`u${from + index}`, `Question ${from + index}`),
      agentSays(`a${from + index}`, 'An answer.\n\n'.repeat(8)),
    ]).flat()
  const session = scriptedSession({ messages: turns(20, 30), hasOlder: true })
  const chat = chatInPage(session)
  chat.style.height = '400px'
  await drawn()
  expect(session.commands).toEqual([])
  const list = find(chat, '.list')
  list.scrollTop = 40
  await expect.poll(() => session.commands).toEqual([{ type: 'loadOlder' }])
  const slip = [...chat.shadowRoot!.querySelectorAll('.slip')].find(({ textContent }) => textContent === 'Question 20')!
  const before = slip.getBoundingClientRect().top
  session.messages.value = turns(10, 30)
  session.hasOlder.value = false
  await drawn()
  expect(Math.abs(slip.getBoundingClientRect().top - before)).toBeLessThan(40)
})

test('a turn that begins here starts at the top of the list', async () => {
  const session = scriptedSession({ messages: [said, agentSays('a1', 'An answer.\n\n'.repeat(40))] })
  const chat = chatInPage(session)
  chat.style.height = '500px'
  await drawn()
  session.status.value = 'busy'
  session.pending.value = [userSays('u2', 'And now?')]
  await drawn()
  const list = find(chat, '.list').getBoundingClientRect()
  const slips = chat.shadowRoot!.querySelectorAll('.slip')
  expect(slips[1]!.getBoundingClientRect().top - list.top).toBeLessThan(60)
})

test('nothing takes the focus while the page is used', async () => {
  const field = document.createElement('input')
  document.body.append(field)
  const session = scriptedSession({ status: 'busy', pending: [said], partial: streaming('t1.1', 'I') })
  chatInPage(session)
  field.focus()
  await drawn()
  session.partial.value = streaming('t1.1', 'I compared')
  session.requests.value = [approval]
  await drawn()
  expect(document.activeElement).toBe(field)
})
