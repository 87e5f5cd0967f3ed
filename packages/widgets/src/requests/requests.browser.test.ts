/** Requests as a person meets them in a chat. One long file, because it is one list: each kind, and each way to answer it. */
import type { Request } from '@dogear/core'
import { afterEach, expect, test, vi } from 'vitest'
import { userEvent } from 'vitest/browser'
import { button, chatInPage, clearPage, drawn, elementInPage, find, has, words } from '../testing/in-the-page.ts'
import { lookThrough } from '../testing/look-through.ts'
import { scriptedSession, userSays, type ScriptedSession } from '../testing/scripted-session.ts'
import { approval, asked } from '../testing/widget-states.ts'

afterEach(clearPage)

function sessionAsking(...requests: Request[]): ScriptedSession {
  return scriptedSession({ status: 'paused', pending: [userSays('u1', 'Book it')], requests })
}

test('[T5] what is approved is shown from the real arguments, every leaf of them', async () => {
  const args = { trip: 'Lisbon \u202Eevil\u{E0041}', guests: [{ name: 'Ana' }], none: null, note: 'x'.repeat(700) }
  const chat = chatInPage(sessionAsking({ ...approval, args }))
  await drawn()
  const sheet = find(chat, '.request')
  expect(sheet.textContent).toContain('Book a room?')
  expect(sheet.textContent).toContain('Lisbon ⟨U+202E⟩evil⟨U+E0041⟩')
  expect(sheet.textContent).toContain('"name"Ana')
  expect(sheet.textContent).toContain('Show all 700 characters')
  expect(sheet.querySelector('.reason')!.textContent).toContain('The agent says')
})

test('[C48] approving sends the decision once, after half a second', async () => {
  const session = sessionAsking(approval)
  const chat = chatInPage(session)
  await drawn()
  await userEvent.click(button(chat, 'Book'), { force: true })
  expect(session.commands).toEqual([])
  await lookThrough(chat)
  await userEvent.dblClick(button(chat, 'Book'))
  expect(session.commands).toEqual([{ type: 'approve', requestId: approval.id }])
})

test('[C48] a rejection carries the comment', async () => {
  const session = sessionAsking(approval)
  const chat = chatInPage(session)
  await drawn()
  button(chat, 'Don’t').click()
  await drawn()
  await userEvent.fill(find(chat, '.request textarea'), 'Too expensive')
  button(chat, 'Don’t do it').click()
  expect(session.commands).toEqual([{ type: 'reject', requestId: approval.id, comment: 'Too expensive' }])
})

test('[C49] arguments can be edited by their schema before they are approved', async () => {
  const session = sessionAsking({ ...approval, args: { ...(approval.args as object), rooms: [1] } })
  const chat = chatInPage(session)
  await drawn()
  button(chat, 'Edit').click()
  await drawn()
  const field = (name: string) =>
    find(
      chat,
      `#${[...chat.shadowRoot!.querySelectorAll('label')].find(({ textContent }) => textContent === name)!.htmlFor}`,
    )
  await userEvent.fill(field('Nights'), 'two')
  await drawn()
  expect(words(chat)).toContain('Write a number.')
  expect(button(chat, 'Book').disabled).toBe(true)
  await userEvent.fill(field('Nights'), '2')
  await userEvent.selectOptions(field('Breakfast'), 'true')
  await userEvent.fill(field('"rooms"'), '[1')
  await drawn()
  expect(words(chat)).toContain('This is not JSON yet.')
  await userEvent.fill(field('"rooms"'), '[1, 2]')
  await lookThrough(chat)
  await userEvent.click(button(chat, 'Book'))
  expect(session.commands).toEqual([
    {
      type: 'approve',
      requestId: approval.id,
      args: { hotel: 'Casa do Rio', nights: 2, total: '€396.00', breakfast: true, rooms: [1, 2] },
    },
  ])
})

test('[T6] Enter approves an edit, but never something destructive; Approve has no focus by itself', async () => {
  for (const destructive of [false, true]) {
    const session = sessionAsking({ ...approval, id: `r-${destructive}`, destructive })
    const chat = chatInPage(session)
    await drawn()
    button(chat, 'Edit').click()
    await drawn()
    await lookThrough(chat)
    await userEvent.click(find(chat, '.field input'))
    await lookThrough(chat)
    await userEvent.keyboard('{Enter}')
    expect(session.commands.length).toBe(destructive ? 0 : 1)
    expect(chat.shadowRoot!.activeElement).not.toBe(button(chat, 'Book'))
    chat.remove()
  }
})

test('a half-written comment survives a reload', async () => {
  const chat = chatInPage(sessionAsking(approval))
  await drawn()
  button(chat, 'Don’t').click()
  await drawn()
  await userEvent.fill(find(chat, '.request textarea'), 'Ask for a')
  chat.remove()
  await drawn()
  const next = chatInPage(sessionAsking(approval))
  await drawn()
  expect(find<HTMLTextAreaElement>(next, '.request textarea').value).toBe('Ask for a')
})

test('the composer keeps its words and gets its focus back after a request', async () => {
  const session = scriptedSession()
  const chat = chatInPage(session)
  await drawn()
  await userEvent.fill(find(chat, '.composer textarea'), 'One more thing')
  session.requests.value = [approval]
  await drawn()
  expect(chat.shadowRoot!.activeElement).toBe(find(chat, '.request h3'))
  session.requests.value = []
  await drawn()
  const composer = find<HTMLTextAreaElement>(chat, '.composer textarea')
  expect(composer.value).toBe('One more thing')
  expect(chat.shadowRoot!.activeElement).toBe(composer)
})

test('exactly one place shows a request: its own widget, else the open chat, else the launcher', async () => {
  const session = sessionAsking(approval)
  const chat = chatInPage(session, { mode: 'popup' })
  await drawn()
  expect(find(chat, '.peek').textContent).toContain('Book a room?')
  chat.show(true)
  await drawn()
  expect(has(chat, '.request')).toBe(true)
  const dialog = elementInPage('dogear-approval')
  await drawn()
  expect(has(chat, '.request')).toBe(false)
  expect(find<HTMLDialogElement>(dialog, 'dialog').open).toBe(true)
  dialog.remove()
  await drawn()
  expect(has(chat, '.request')).toBe(true)
})

test('exactly one place shows a request, also when two chats show one session', async () => {
  const session = sessionAsking(approval)
  const closed = chatInPage(session, { mode: 'popup' })
  const chats = [chatInPage(session), chatInPage(session)]
  await drawn()
  expect(chats.filter((chat) => has(chat, '.request'))).toHaveLength(1)
  expect(has(closed, '.peek')).toBe(false)
})

test('a docked panel that is closed tells the page once, and shows it when the page opens it', async () => {
  const told: string[] = []
  const listen = (event: Event) => told.push((event as CustomEvent<{ request: Request }>).detail.request.id)
  document.addEventListener('dogear-request', listen)
  const session = scriptedSession()
  const chat = chatInPage(session, { mode: 'panel' })
  await drawn()
  chat.show(false)
  await drawn()
  session.requests.value = [approval]
  await drawn()
  expect(told).toEqual([approval.id])
  chat.show(true)
  await drawn()
  expect(has(chat, '.request')).toBe(true)
  document.removeEventListener('dogear-request', listen)
  expect(told).toHaveLength(1)
})

test('dogear-approval mode="card" asks in its place on the page, and leaves the focus alone', async () => {
  const session = sessionAsking(approval)
  const chat = chatInPage(session)
  await drawn()
  find(chat, '.request h3').focus()
  const card = elementInPage('dogear-approval', { mode: 'card' })
  await drawn()
  expect(has(card, 'dialog')).toBe(false)
  expect(has(chat, '.request')).toBe(false)
  expect(card.shadowRoot!.activeElement).toBe(null)
  await lookThrough(card)
  await userEvent.click(button(card, 'Book'))
  expect(session.commands).toEqual([{ type: 'approve', requestId: approval.id }])
  card.removeAttribute('mode')
  await drawn()
  expect(find<HTMLDialogElement>(card, 'dialog').open).toBe(true)
})

test('[T5] what a question hides is marked in the peek, too', async () => {
  const [question] = asked.questions!
  const questions = [{ ...question!, question: 'Which \u202Eaera?' }]
  const chat = chatInPage(sessionAsking({ ...asked, questions }), { mode: 'popup' })
  await drawn()
  expect(find(chat, '.peek .words').textContent).toBe('Which ⟨U+202E⟩aera?')
})

test('[C47] what a tool proposes for what is missing stands in the form, and is said to be new', async () => {
  const defaults = { breakfast: true, nights: 9 }
  const session = sessionAsking({ ...approval, defaults })
  const chat = chatInPage(session)
  await drawn()
  button(chat, 'Edit').click()
  await drawn()
  expect(find<HTMLInputElement>(chat, '#field-1').value).toBe('3')
  expect(find(chat, '#hint-3').textContent).toContain('Was none')
  await lookThrough(chat)
  await userEvent.click(button(chat, 'Book'))
  expect(session.commands).toMatchObject([{ args: { ...(approval.args as object), breakfast: true } }])
})

test('a page that prevents dogear-request asks in its own way', async () => {
  const prevent = (event: Event) => event.preventDefault()
  document.addEventListener('dogear-request', prevent)
  const chat = chatInPage(sessionAsking(approval))
  await drawn()
  document.removeEventListener('dogear-request', prevent)
  expect(has(chat, '.request')).toBe(false)
  expect(find(chat, '.status').textContent).toBe('Waiting for you')
})

test('answered elsewhere, the sheet closes and says so', async () => {
  const session = sessionAsking(approval)
  const chat = chatInPage(session)
  await drawn()
  session.requests.value = []
  session.answeredElsewhere.value = { requestId: approval.id }
  await drawn()
  expect(has(chat, '.request')).toBe(false)
  expect(words(chat)).toContain('Answered in another tab')
  session.messages.value = session.pending.value
  session.pending.value = [userSays('u2', 'Thanks')]
  await drawn()
  expect(words(chat)).not.toContain('Answered in another tab')
})

test('Escape puts a dialog aside without an answer, and leaves a way back', async () => {
  const session = sessionAsking(approval)
  const chat = chatInPage(session, { approval: 'modal' })
  await drawn()
  expect(find<HTMLDialogElement>(chat, 'dialog').open).toBe(true)
  await userEvent.keyboard('{Escape}')
  await drawn()
  expect(has(chat, 'dialog')).toBe(false)
  expect(session.commands).toEqual([])
  find(chat, '.peek').click()
  await drawn()
  expect(find<HTMLDialogElement>(chat, 'dialog').open).toBe(true)
})

test('several requests are answered one after the other', async () => {
  const session = sessionAsking(approval, { ...approval, id: 'second', label: 'Rent a bike' })
  const chat = chatInPage(session)
  await drawn()
  expect(words(chat)).toContain('1 of 2')
  session.requests.value = session.requests.value.slice(1)
  await drawn()
  expect(find(chat, '.request h3').textContent).toBe('Rent a bike?')
})

test('[G4] an unknown outcome is asked for, and the answer is the person’s', async () => {
  const session = sessionAsking({ ...approval, id: 'o1', kind: 'outcome' })
  const chat = chatInPage(session)
  await drawn()
  expect(words(chat)).toContain('Did it happen? Book a room')
  button(chat, 'It happened').click()
  expect(session.commands).toEqual([{ type: 'resolve', requestId: 'o1', resolution: { type: 'happened' } }])
})

test('[G4] what came of it may be written down, comes back after a reload, and goes with "It happened" alone', async () => {
  const outcome = { ...approval, id: 'o1', kind: 'outcome' } as const
  const chat = chatInPage(sessionAsking(outcome))
  await drawn()
  await userEvent.fill(find(chat, '.request textarea'), ' Receipt 7 ')
  chat.remove()
  await drawn()
  const session = sessionAsking(outcome)
  const next = chatInPage(session)
  await drawn()
  expect(find<HTMLTextAreaElement>(next, '.request textarea').value).toBe(' Receipt 7 ')
  button(next, 'It happened').click()
  const resolution = { type: 'happened', result: 'Receipt 7' }
  expect(session.commands).toEqual([{ type: 'resolve', requestId: 'o1', resolution }])
})

test.each([
  ['It didn’t, run it', 'retry'],
  ['Stop here', 'stop'],
])('[G4] "%s" takes no result along, and can be reached and pressed by keyboard alone', async (word, type) => {
  const session = sessionAsking({ ...approval, id: 'o1', kind: 'outcome' })
  const chat = chatInPage(session)
  await drawn()
  await vi.waitFor(() => expect(button(chat, word).disabled).toBe(false))
  await userEvent.fill(find(chat, '.request textarea'), 'Receipt 7')
  await new Promise((resolve) => setTimeout(resolve, 550))
  for (let presses = 0; chat.shadowRoot!.activeElement?.textContent !== word && presses < 5; presses += 1) {
    await userEvent.keyboard('{Tab}')
  }
  await userEvent.keyboard('{Enter}')
  expect(session.commands).toEqual([{ type: 'resolve', requestId: 'o1', resolution: { type } }])
})

test('[G4] [T7] a click that a script made does not run it again, a person’s does', async () => {
  const session = sessionAsking({ ...approval, id: 'o1', kind: 'outcome' })
  const chat = chatInPage(session)
  const run = () => button(chat, 'It didn’t, run it')
  await drawn()
  await vi.waitFor(() => expect(run().disabled).toBe(false))
  run().click()
  find<HTMLFormElement>(chat, '.request').requestSubmit()
  expect(session.commands).toEqual([])
  await userEvent.click(run())
  expect(session.commands).toEqual([{ type: 'resolve', requestId: 'o1', resolution: { type: 'retry' } }])
})

test('[G4] [T6] what ran is seen to its end before it runs again', async () => {
  const args = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`field${at}`, 'value']))
  const chat = chatInPage(sessionAsking({ ...approval, id: 'o1', kind: 'outcome', args }))
  await vi.waitFor(() => expect(words(chat)).toContain('more to look at'))
  expect(button(chat, 'It didn’t, run it').disabled).toBe(true)
  expect(button(chat, 'It happened').disabled).toBe(false)
})

test('[G4] [T6] a click meant for what was there before does not run it again, nor does Enter in the field', async () => {
  const session = sessionAsking({ ...approval, id: 'o1', kind: 'outcome' })
  const chat = chatInPage(session)
  await drawn()
  button(chat, 'It didn’t, run it').click()
  await userEvent.type(find(chat, '.request textarea'), 'Paid{Enter}')
  expect(session.commands).toEqual([])
})

test.each([
  ['Go on', 'approve'],
  ['Stop here', 'stop'],
])('[C41] a checkpoint shows what is about to run, and "%s" answers it', async (word, type) => {
  const args = [{ 'Book a room': { hotel: 'Casa do Rio' } }]
  const session = sessionAsking({
    id: 's.checkpoint',
    kind: 'checkpoint',
    openedAt: 0,
    callId: '',
    tool: '',
    argsHash: '',
    args,
  })
  const chat = chatInPage(session)
  await drawn()
  expect(find(chat, '.request h3').textContent).toBe('Go on?')
  expect(words(chat)).toContain('HotelCasa do Rio')
  await vi.waitFor(() => expect(button(chat, word).disabled).toBe(false))
  await userEvent.click(button(chat, word))
  expect(session.commands).toEqual([{ type: 'resolve', requestId: 's.checkpoint', resolution: { type } }])
})

test('[C41] [T6] a click meant for what was there before does not go on at a checkpoint', async () => {
  const session = sessionAsking({ ...approval, id: 's.checkpoint', kind: 'checkpoint' })
  const chat = chatInPage(session)
  await drawn()
  button(chat, 'Go on').click()
  expect(session.commands).toEqual([])
})

test('[C54] questions are answered one at a time, by keys or by hand, and sent by index', async () => {
  const session = sessionAsking(asked)
  const chat = chatInPage(session)
  await drawn()
  expect(words(chat)).toContain('1 of 2')
  expect(button(chat, 'Next').disabled).toBe(true)
  find(chat, '.option input').focus()
  await userEvent.keyboard('2')
  await drawn()
  expect(chat.shadowRoot!.querySelectorAll<HTMLInputElement>('.option input')[1]!.checked).toBe(true)
  await userEvent.keyboard('{Enter}')
  await drawn()
  expect(words(chat)).toContain('Anything I should know?')
  await userEvent.fill(find(chat, '.text'), ' No meat, please ')
  button(chat, 'Next').click()
  await drawn()
  button(chat, 'Answer').click()
  expect(session.commands).toMatchObject([
    {
      type: 'answer',
      requestId: asked.id,
      answers: [{ values: ['By plane'] }, { values: [], freeText: 'No meat, please' }],
    },
  ])
})

test('[C54] "Something else…" becomes a field, in which numbers are just numbers', async () => {
  const session = sessionAsking({ ...asked, questions: asked.questions!.slice(0, 1) })
  const chat = chatInPage(session)
  await drawn()
  find(chat, '.option:last-child input').click()
  await drawn()
  await userEvent.keyboard('By 2 boats')
  button(chat, 'Answer').click()
  expect(session.commands).toMatchObject([{ answers: [{ values: [], freeText: 'By 2 boats' }] }])
})

test('[C54] several options may be chosen when the question says so', async () => {
  const [question] = asked.questions!
  const session = sessionAsking({ ...asked, questions: [{ ...question!, multiSelect: true }] })
  const chat = chatInPage(session)
  await drawn()
  const boxes = chat.shadowRoot!.querySelectorAll<HTMLInputElement>('.option input')
  boxes[0]!.click()
  await drawn()
  boxes[2]!.click()
  await drawn()
  boxes[0]!.click()
  await drawn()
  button(chat, 'Answer').click()
  expect(session.commands).toMatchObject([{ answers: [{ values: ['I have a car'] }] }])
})

test('[C53] a question can be declined, and half an answer survives a reload', async () => {
  const chat = chatInPage(sessionAsking(asked))
  await drawn()
  find(chat, '.option input').click()
  chat.remove()
  await drawn()
  const session = sessionAsking(asked)
  const next = chatInPage(session)
  await drawn()
  expect(find<HTMLInputElement>(next, '.option input').checked).toBe(true)
  button(next, 'Don’t answer').click()
  expect(session.commands).toEqual([{ type: 'resolve', requestId: asked.id, resolution: { type: 'cancel' } }])
})
