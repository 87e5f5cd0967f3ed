/** Every key of the WAI-ARIA Authoring Practices for a dialog, a radio group, a checkbox; and those of our own. */
import type { Request } from '@dogear/core'
import { afterEach, expect, test } from 'vitest'
import { userEvent } from 'vitest/browser'
import { button, chatInPage, clearPage, drawn, elementInPage, find, has } from '../testing/in-the-page.ts'
import { lookThrough } from '../testing/look-through.ts'
import { scriptedSession } from '../testing/scripted-session.ts'
import { approval, asked, widgetStates } from '../testing/widget-states.ts'

afterEach(clearPage)

const [travel] = asked.questions!

async function chatAsking(request: Request | readonly Request[], attributes?: Record<string, string>) {
  const session = scriptedSession({ status: 'paused', requests: [request].flat() })
  const chat = chatInPage(session, attributes)
  await drawn()
  return { session, chat }
}

/** A button of the page itself, with the focus. */
function pageButton(): HTMLButtonElement {
  const own = document.createElement('button')
  own.textContent = 'The page’s own'
  document.body.append(own)
  own.focus()
  return own
}

async function press(keys: string): Promise<void> {
  await userEvent.keyboard(keys)
  await drawn()
}

const active = (host: Element) => host.shadowRoot!.activeElement
const approve = (host: Element) => find<HTMLButtonElement>(host, '.request .primary')
const inputs = (chat: Element) => [...chat.shadowRoot!.querySelectorAll<HTMLInputElement>('.option > [name]')]
const chosen = (chat: Element) => inputs(chat).findIndex(({ checked }) => checked) + 1

for (const key of ['{Tab}', '{Shift>}{Tab}{/Shift}']) {
  test(`dialog, ${key}: goes round in it, and never to the page below`, async () => {
    const own = pageButton()
    const { chat } = await chatAsking(approval, { approval: 'modal' })
    await lookThrough(chat)
    const reached = new Set<Element | null>()
    for (let presses = 0; presses < 12; presses += 1) {
      await press(key)
      expect(document.activeElement).not.toBe(own)
      reached.add(active(chat))
      if (active(chat)) expect(find(chat, 'dialog').contains(active(chat))).toBe(true)
    }
    for (const name of ['Don’t', 'Edit', 'Book']) expect(reached).toContain(button(chat, name))
  })
}

test('dialog, Escape: puts it aside, and the focus back to where it was', async () => {
  const own = pageButton()
  const { session, chat } = await chatAsking(approval, { approval: 'modal' })
  expect(active(chat)).toBe(find(chat, 'h3'))
  await press('{Escape}')
  expect(has(chat, 'dialog')).toBe(false)
  expect(document.activeElement).toBe(own)
  expect(session.commands).toEqual([])
})

test('dialog, decided: the focus is back where it was', async () => {
  const own = pageButton()
  const { session, chat } = await chatAsking(approval, { approval: 'modal' })
  session.requests.value = []
  await drawn()
  expect(has(chat, 'dialog')).toBe(false)
  expect(document.activeElement).toBe(own)
})

test('dialog, the next one: its title has the focus, and the page gets it back after the last', async () => {
  const own = pageButton()
  const dialog = elementInPage<HTMLElement & { session?: unknown }>('dogear-approval')
  const session = scriptedSession({ requests: [approval, { ...approval, id: 'next', label: 'Rent a bike' }] })
  dialog.session = session
  await drawn()
  session.requests.value = session.requests.value.slice(1)
  await drawn()
  expect(active(dialog)).toBe(find(dialog, 'h3'))
  expect(find(dialog, 'h3').textContent).toBe('Rent a bike?')
  await press('{Escape}')
  expect(document.activeElement).toBe(own)
})

test('sheet, Tab: leaves it for the page, because it is no dialog', async () => {
  const { chat } = await chatAsking(approval)
  await lookThrough(chat)
  const own = pageButton()
  approve(chat).focus()
  await press('{Tab}')
  expect(document.activeElement).toBe(own)
})

test('sheet, Escape: closes a chat that can be closed, and answers nothing', async () => {
  const { session, chat } = await chatAsking(approval, { mode: 'popup', open: '' })
  find(chat, '.request h3').focus()
  await press('{Escape}')
  expect(has(chat, '.request')).toBe(false)
  expect(active(chat)).toBe(find(chat, '.launcher'))
  expect(session.commands).toEqual([])
})

test('sheet: who presses a button that goes stays in it, and is in the composer after the last', async () => {
  const { session, chat } = await chatAsking(approval)
  for (const name of ['Don’t', 'Back', 'Edit', 'Back']) {
    button(chat, name).focus()
    await press('{Enter}')
    expect(active(chat)).toBe(find(chat, 'h3'))
  }
  await lookThrough(chat)
  approve(chat).focus()
  await press('{Enter}')
  expect(active(chat)).toBe(find(chat, 'h3'))
  session.requests.value = []
  await drawn()
  expect(active(chat)).toBe(find(chat, '.composer textarea'))
})

test('questions, Next and Back: the keys go on in the question that comes', async () => {
  const { chat } = await chatAsking({ ...asked, questions: [travel!, { ...travel!, question: 'And back?' }] })
  await userEvent.click(inputs(chat)[0]!)
  await userEvent.click(button(chat, 'Next'))
  await drawn()
  expect(active(chat)!.textContent).toBe('And back?')
  await press('2')
  expect(chosen(chat)).toBe(2)
  await userEvent.click(button(chat, 'Back'))
  await drawn()
  expect(active(chat)).toBe(find(chat, 'h3'))
})

for (const destructive of [false, true]) {
  test(`[T6] Enter on Approve ${destructive ? 'does nothing for what is destructive' : 'approves'}, Space approves`, async () => {
    for (const [key, count] of [
      ['{Enter}', destructive ? 0 : 1],
      [' ', 1],
    ] as const) {
      const { session, chat } = await chatAsking({ ...approval, id: `r${key}`, destructive })
      await lookThrough(chat)
      approve(chat).focus()
      await press(key)
      expect(session.commands).toHaveLength(count)
      chat.remove()
    }
  })
}

test('[T6] Enter anywhere else in a destructive request does not approve it', async () => {
  const { session, chat } = await chatAsking({ ...approval, destructive: true, always: { rule: 'book_hotel' } })
  await lookThrough(chat)
  find(chat, '.aside summary').click()
  button(chat, 'Edit').click()
  await drawn()
  await lookThrough(chat)
  const stops = chat.shadowRoot!.querySelectorAll<HTMLElement>('.request :is(h3, input, select, summary)')
  expect(stops.length).toBeGreaterThan(6)
  for (const stop of stops) {
    stop.focus()
    await press('{Enter}')
  }
  expect(session.commands).toEqual([])
})

test.each(['{ArrowDown}', '{ArrowRight}'])('radio group, %s: chooses the next', async (key) => {
  const { chat } = await chatAsking({ ...asked, questions: [travel!] })
  inputs(chat)[0]!.focus()
  await press(' ')
  expect(chosen(chat)).toBe(1)
  await press(key)
  expect(chosen(chat)).toBe(2)
  expect(active(chat)).toBe(inputs(chat)[1])
})

test.each(['{ArrowUp}', '{ArrowLeft}'])(
  'radio group, %s: chooses the one before, and before the first the last',
  async (key) => {
    const { chat } = await chatAsking({ ...asked, questions: [travel!], allowFreeText: false })
    inputs(chat)[1]!.focus()
    await press(' ')
    await press(key)
    expect(chosen(chat)).toBe(1)
    await press(key)
    expect(chosen(chat)).toBe(3)
  },
)

test('radio group, ArrowDown onto “Something else…”: writes there, and Shift+Tab leads back to the group', async () => {
  const { chat } = await chatAsking({ ...asked, questions: [travel!] })
  inputs(chat)[2]!.focus()
  await press(' ')
  await press('{ArrowDown}')
  expect(active(chat)).toBe(find(chat, '.text'))
  await press('{Shift>}{Tab}{/Shift}')
  await press('{ArrowUp}')
  expect(chosen(chat)).toBe(3)
})

test('radio group, Tab: one stop for all of it, at what is chosen', async () => {
  const { chat } = await chatAsking({ ...asked, questions: [travel!], allowFreeText: false })
  inputs(chat)[1]!.focus()
  await press(' ')
  find(chat, 'h3').focus()
  await press('{Tab}')
  expect(active(chat)).toBe(inputs(chat)[1])
  await press('{Tab}')
  expect(active(chat)!.matches('.option *')).toBe(false)
})

test('checkbox, Space: chooses, and chooses no more', async () => {
  const { chat } = await chatAsking({ ...asked, questions: [{ ...travel!, multiSelect: true }] })
  inputs(chat)[1]!.focus()
  await press(' ')
  expect(inputs(chat).map(({ checked }) => checked)).toEqual([false, true, false, false])
  await press(' ')
  expect(chosen(chat)).toBe(0)
})

test('checkbox, Space: leaves one out of those approved together', async () => {
  const { chat } = await chatAsking(widgetStates.batch!.requests!)
  button(chat, 'All 3 together').click()
  await drawn()
  find(chat, '.item input').focus()
  await press(' ')
  expect(approve(chat).textContent).toBe('Book 2')
})

test('number keys: choose by their row, also from the title, and none that is not there', async () => {
  const { chat } = await chatAsking({ ...asked, questions: [travel!], allowFreeText: false })
  find(chat, 'h3').focus()
  await press('3')
  expect(chosen(chat)).toBe(3)
  await press('1')
  expect(chosen(chat)).toBe(1)
  await press('9')
  await press('0')
  expect(chosen(chat)).toBe(1)
  expect(active(chat)).toBe(inputs(chat)[0])
})

test.each([false, true])(
  '[T6] no Approve has the focus when it appears, however it appears (destructive: %s)',
  async (destructive) => {
    const request = { ...approval, destructive, parameters: undefined, args: {} }
    for (const place of ['sheet', 'modal']) {
      const session = scriptedSession()
      const chat = chatInPage(session, { approval: place })
      await drawn()
      find(chat, '.composer textarea').focus()
      session.requests.value = [request]
      await drawn()
      expect(active(chat)).toBe(find(chat, 'h3'))
      await lookThrough(chat)
      await press('{Enter}')
      await press(' ')
      expect(session.commands).toEqual([])
      chat.remove()
    }
  },
)
