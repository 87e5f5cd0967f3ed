import { afterEach, expect, test, vi } from 'vitest'
import { userEvent } from 'vitest/browser'
import { button, chatInPage, clearPage, drawn, find } from '../testing/in-the-page.ts'
import { scriptedSession } from '../testing/scripted-session.ts'
import { approval, elicited } from '../testing/widget-states.ts'

afterEach(() => {
  vi.restoreAllMocks()
  clearPage()
})

async function editing(args: unknown) {
  const chat = chatInPage(scriptedSession({ status: 'paused', requests: [{ ...approval, args }] }))
  await drawn()
  button(chat, 'Edit').click()
  await drawn()
  return chat
}

function isAllInView({ scrollHeight, clientHeight, scrollWidth, clientWidth }: Element): boolean {
  return scrollHeight <= clientHeight && scrollWidth <= clientWidth
}

test('a field that is written into stays the same, however long its text becomes', async () => {
  const chat = await editing({ hotel: 'Casa' })
  const asking = chatInPage(scriptedSession({ status: 'paused', requests: [elicited] }))
  await drawn()
  for (const host of [chat, asking]) {
    const field = find(host, '#field-0')
    await userEvent.click(field)
    await userEvent.keyboard(' '.padEnd(60, 'do Rio '))
    await drawn()
    expect(find(host, '#field-0')).toBe(field)
    expect(host.shadowRoot!.activeElement).toBe(field)
  }
})

const rooms = Array.from({ length: 20 }, (_, index) => ({ room: index, guest: 'Ana' }))

test('[T5] nothing of what is proposed lies out of view in its field', async () => {
  const chat = await editing({ hotel: 'ＷＩＤＥ'.repeat(10), total: 'W'.repeat(39), rooms })
  for (const name of ['0', '2', '4']) {
    const field = find(chat, `#field-${name}`)
    // An input of one line would hide the end.
    expect(field.localName).toBe('textarea')
    expect(isAllInView(field)).toBe(true)
  }
})

test('[T5] fields grow also in browsers without field-sizing', async () => {
  vi.spyOn(CSS, 'supports').mockReturnValue(false)
  const chat = chatInPage(
    scriptedSession({ status: 'paused', requests: [{ ...approval, args: { hotel: '', rooms } }] }),
  )
  await drawn()
  const without = new CSSStyleSheet()
  without.replaceSync('textarea { field-sizing: fixed !important }')
  chat.shadowRoot!.adoptedStyleSheets = [...chat.shadowRoot!.adoptedStyleSheets, without]
  button(chat, 'Edit').click()
  await drawn()
  const [text, json] = [find<HTMLTextAreaElement>(chat, '#field-0'), find<HTMLTextAreaElement>(chat, '#field-4')]
  expect(isAllInView(json)).toBe(true)
  const before = text.clientHeight
  await userEvent.fill(text, 'Casa do Rio, '.repeat(20))
  await drawn()
  expect(text.clientHeight).toBeGreaterThan(before)
  expect(isAllInView(text)).toBe(true)
  chat.style.width = '300px'
  window.dispatchEvent(new Event('resize'))
  await drawn()
  expect(isAllInView(text)).toBe(true)
  await userEvent.fill(text, 'Casa')
  await drawn()
  expect(text.clientHeight).toBe(before)
})
