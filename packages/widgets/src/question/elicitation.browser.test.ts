import type { Request } from '@dogear/core'
import { afterEach, expect, test } from 'vitest'
import { userEvent } from 'vitest/browser'
import { button, chatInPage, clearPage, drawn, elementInPage, find, has, words } from '../testing/in-the-page.ts'
import { scriptedSession } from '../testing/scripted-session.ts'
import { elicited, elicitedPage } from '../testing/widget-states.ts'

afterEach(clearPage)

async function chatAsking(request: Partial<Request> = {}, attributes?: Record<string, string>) {
  const session = scriptedSession({ status: 'paused', requests: [{ ...elicited, ...request }] })
  const chat = chatInPage(session, attributes)
  await drawn()
  await new Promise((resolve) => setTimeout(resolve, 550))
  return { session, chat }
}

const resolved = (resolution: object) => ({ type: 'resolve', requestId: elicited.id, resolution })

test('[K16] a tool’s form says whose it is, shows its words as they are, and sends what was filled in', async () => {
  const { session, chat } = await chatAsking({ message: 'Who **comes**?\u202E <b>' })
  expect(find(chat, '.request h3').textContent).toBe('“Book a room” asks you')
  expect(find(chat, '.says').textContent).toBe('Who **comes**?⟨U+202E⟩ <b>')
  await userEvent.fill(find(chat, '#field-0'), 'Ana')
  await userEvent.fill(find(chat, '#field-1'), 'ana@example.com')
  await userEvent.fill(find(chat, '#field-2'), '2026-05-14')
  await userEvent.selectOptions(find(chat, '#field-3'), 'Twin')
  await userEvent.click(button(chat, 'Send'))
  const content = { name: 'Ana', email: 'ana@example.com', arrival: '2026-05-14', bed: 't', guests: 2 }
  expect(session.commands).toEqual([resolved({ type: 'fill', content })])
})

test('[K16] what is missing or wrong is said at its field once it is sent, and leads there', async () => {
  const { session, chat } = await chatAsking()
  expect(has(chat, '.bad')).toBe(false)
  expect(find(chat, '[for=field-4]').textContent).toBe('Guests · Optional')
  expect(find(chat, '#field-0').ariaRequired).toBe('true')
  await userEvent.fill(find(chat, '#field-0'), 'Ana')
  await userEvent.fill(find(chat, '#field-1'), 'ana')
  await userEvent.fill(find(chat, '#field-4'), '9')
  await userEvent.click(button(chat, 'Send'))
  await drawn()
  expect(session.commands).toEqual([])
  expect(chat.shadowRoot!.activeElement).toBe(find(chat, '#field-1'))
  expect(find(chat, '#hint-1').textContent).toBe('Write an email address.')
  expect(find(chat, '#hint-2').textContent).toBe('This is needed.')
  expect(find(chat, '#hint-4').textContent).toBe('At most 4.')
  await userEvent.fill(find(chat, '#field-1'), 'ana@example.com')
  await drawn()
  expect(find(chat, '#hint-1').textContent).toBe('')
})

test('[K16] Decline says no, and closing says nothing', async () => {
  for (const [word, type] of [
    ['Decline', 'reject'],
    ['Close', 'cancel'],
  ] as const) {
    const { session, chat } = await chatAsking()
    await userEvent.click(button(chat, word))
    expect(session.commands).toEqual([resolved({ type })])
    chat.remove()
  }
})

test('[K16] a form half filled in comes back after a reload', async () => {
  const { chat } = await chatAsking()
  await userEvent.fill(find(chat, '#field-0'), 'An')
  chat.remove()
  await drawn()
  const { chat: next } = await chatAsking()
  expect(find<HTMLInputElement>(next, '#field-0').value).toBe('An')
})

test('[K16] [T6] a click meant for what was there before sends nothing', async () => {
  const session = scriptedSession({ status: 'paused', requests: [{ ...elicited, parameters: {} }] })
  const chat = chatInPage(session)
  await drawn()
  await userEvent.click(button(chat, 'Send'), { force: true })
  find<HTMLFormElement>(chat, '.request').requestSubmit()
  expect(session.commands).toEqual([])
})

test('[K16] a form is shown in one place: the question widget, a dialog, or the sheet', async () => {
  const { chat } = await chatAsking({}, { approval: 'modal' })
  expect(find<HTMLDialogElement>(chat, 'dialog').open).toBe(true)
  expect(chat.shadowRoot!.activeElement).toBe(find(chat, 'h3'))
  const picker = elementInPage('dogear-question')
  await drawn()
  expect(has(chat, '.request')).toBe(false)
  expect(find(picker, '.says').textContent).toBe(elicited.message)
})

test('[K16] a tool’s page is told by its host and opened by the person’s own click, and only then done', async () => {
  const { session, chat } = await chatAsking({ ...elicitedPage, id: elicited.id })
  const link = find<HTMLAnchorElement>(chat, 'a.button')
  expect(find(chat, '.values b').textContent).toBe('pay.casa-do-rio.example')
  expect({ target: link.target, rel: link.rel }).toEqual({ target: '_blank', rel: 'noopener noreferrer' })
  const scripted = new MouseEvent('click', { bubbles: true, composed: true, cancelable: true })
  link.dispatchEvent(scripted)
  expect(scripted.defaultPrevented).toBe(true)
  await drawn()
  expect(button(chat, 'Done').disabled).toBe(true)
  // The tab it opens would be the test's to close.
  link.addEventListener('click', (event) => event.preventDefault())
  await userEvent.click(link)
  await drawn()
  await userEvent.click(button(chat, 'Done'))
  expect(session.commands).toEqual([resolved({ type: 'fill', content: {} })])
})

test('[K16] that the page was opened is known after a reload', async () => {
  const { chat } = await chatAsking(elicitedPage)
  const link = find<HTMLAnchorElement>(chat, 'a.button')
  link.addEventListener('click', (event) => event.preventDefault())
  await userEvent.click(link)
  chat.remove()
  await drawn()
  const { chat: next } = await chatAsking(elicitedPage)
  expect(button(next, 'Done').disabled).toBe(false)
})

test.each([
  ['https://bank.example@evil.example/pay', 'evil.example'],
  ['https://exаmple.com/pay', 'xn--exmple-4nf.com'],
])('[K16] [T5] %s is marked with where it leads', async (url, host) => {
  const { chat } = await chatAsking({ ...elicitedPage, url })
  expect(find(chat, '.values b').textContent).toBe(host)
  expect(find(chat, '.values .warn').textContent).toBe(`Look twice: this leads to ${host}`)
})

test.each(['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', 'not an address', ''])(
  '[K16] [T5] %s is no page to open',
  async (url) => {
    const { chat } = await chatAsking({ ...elicitedPage, url })
    expect(has(chat, '.request a')).toBe(false)
    expect(words(chat)).toContain('This is no web address, so it can’t be opened.')
    expect(has(chat, '.primary')).toBe(false)
  },
)
