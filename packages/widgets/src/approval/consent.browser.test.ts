import type { Request } from '@dogear/core'
import { afterEach, expect, test, vi } from 'vitest'
import { userEvent } from 'vitest/browser'
import { button, chatInPage, clearPage, drawn, elementInPage, find, has, words } from '../testing/in-the-page.ts'
import { lookThrough } from '../testing/look-through.ts'
import { agentCalls, scriptedSession, type ScriptedSession } from '../testing/scripted-session.ts'
import { approval, widgetStates } from '../testing/widget-states.ts'

afterEach(clearPage)

function chatAsking(...requests: Request[]) {
  const session = scriptedSession({ status: 'paused', requests })
  return { session, chat: chatInPage(session) }
}

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const approve = (chat: Element) => find<HTMLButtonElement>(chat, '.request .primary')
const approvals = ({ commands }: ScriptedSession) => commands.filter(({ type }) => type === 'approve')

test('[T6] Approve does nothing for half a second after it appears', async () => {
  const { session, chat } = chatAsking(approval)
  await drawn()
  const begin = performance.now()
  await userEvent.click(approve(chat), { force: true })
  expect(approvals(session)).toEqual([])
  await lookThrough(chat)
  expect(performance.now() - begin).toBeGreaterThan(400)
})

test('[T6] a click at the same spot after the page moved it does not approve', async () => {
  const { session, chat } = chatAsking(approval)
  await drawn()
  await lookThrough(chat)
  const banner = document.createElement('div')
  banner.style.height = '10px'
  let pressed: Event | undefined
  const move = (event: Event) => {
    pressed = event
    document.body.prepend(banner)
  }
  approve(chat).addEventListener('pointerdown', move, { capture: true, once: true })
  await userEvent.click(approve(chat), { force: true })
  expect(pressed?.isTrusted).toBe(true)
  expect(approvals(session)).toEqual([])
  await vi.waitFor(() => expect(approve(chat).disabled).toBe(true))
  await lookThrough(chat)
  await userEvent.click(approve(chat))
  expect(approvals(session)).toHaveLength(1)
})

test('[T6] the next request does not take the click that was meant for the one before', async () => {
  const { session, chat } = chatAsking(approval)
  await drawn()
  await lookThrough(chat)
  session.requests.value = [{ ...approval, id: 'next', args: { hotel: 'Another', nights: 30, total: '€9,999' } }]
  await drawn()
  await userEvent.click(approve(chat), { force: true })
  expect(session.commands).toEqual([])
})

test('[T7] a click that a script made does not approve', async () => {
  const { session, chat } = chatAsking(approval)
  await drawn()
  await lookThrough(chat)
  approve(chat).click()
  approve(chat).dispatchEvent(new MouseEvent('click', { bubbles: true, composed: true }))
  find<HTMLFormElement>(chat, '.request').requestSubmit()
  expect(session.commands).toEqual([])
})

test('[T7] under something of the page nothing can be approved, until it is gone or the request is on top', async () => {
  const { session, chat } = chatAsking(approval)
  await drawn()
  await lookThrough(chat)
  const cover = document.createElement('div')
  cover.style.cssText = 'position:fixed;inset:0;background:#fff;pointer-events:none;z-index:2147483647'
  document.body.append(cover)
  await vi.waitFor(() => expect(approve(chat).disabled).toBe(true))
  await vi.waitFor(() => expect(words(chat)).toContain('Something on this page lies over this.'))
  await userEvent.click(button(chat, 'Show it on top'), { force: true })
  await drawn()
  expect(find<HTMLDialogElement>(chat, 'dialog').open).toBe(true)
  await lookThrough(chat)
  await userEvent.click(approve(chat))
  expect(approvals(session)).toHaveLength(1)
})

test('[T7] scrolled away, a request is not said to be covered', async () => {
  const { chat } = chatAsking(approval)
  chat.style.marginBlockStart = '3000px'
  await drawn()
  await wait(1_200)
  expect(words(chat)).not.toContain('Something on this page lies over this.')
  chat.scrollIntoView()
  await lookThrough(chat)
})

test('[T5] Approve waits until every field was on the screen, and leads to those that were not', async () => {
  const args = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`field ${index}`, index]))
  const { session, chat } = chatAsking({ ...approval, args, parameters: undefined })
  await drawn()
  await wait(900)
  expect(approve(chat).disabled).toBe(true)
  const inView = [...chat.shadowRoot!.querySelectorAll('dd')].filter(
    (row) => row.getBoundingClientRect().bottom <= find(chat, '.matter').getBoundingClientRect().bottom - 8,
  )
  expect(find(chat, '.between').textContent).toBe(`${40 - inView.length} more to look at ↓`)
  // To the end at one go is not looking at what lies between.
  find(chat, '.matter').scrollTop = 10_000
  await wait(900)
  expect(approve(chat).disabled).toBe(true)
  await lookThrough(chat)
  await userEvent.click(approve(chat))
  expect(approvals(session)).toHaveLength(1)
})

test('[T5] a value taller than the screen was seen only when all of it was', async () => {
  const hotel = `Casa do Rio${'\n'.repeat(300)}and pay me`
  const { chat } = chatAsking({ ...approval, args: { hotel }, parameters: undefined })
  await drawn()
  await wait(400)
  find(chat, '.matter').scrollTop = 100_000
  await wait(900)
  expect(approve(chat).disabled).toBe(true)
  expect(find(chat, '.between').textContent).toBe('1 more to look at ↓')
  // Back to where it was left, and on from there.
  find(chat, '.more').click()
  expect(find(chat, '.matter').scrollTop).toBeLessThan(find(chat, '.matter').clientHeight)
  await lookThrough(chat)
})

test('[T5] rows that are not drawn yet are counted, and must be drawn', async () => {
  const { chat } = chatAsking({ ...approval, args: { guests: Array.from({ length: 500 }, (_, index) => index) } })
  await drawn()
  await wait(300)
  const counted = Number(/^\d+/.exec(find(chat, '.between').textContent)![0])
  expect(counted).toBeGreaterThan(450)
  expect(button(chat, 'Show 450 more')).toBeTruthy()
})

test('[T5] a file is shown by its name, type and bytes, and cannot be approved before they were read', async () => {
  const file = new File(['hi'], 'ticket', { type: 'text/plain', lastModified: 7 })
  let read = (_bytes: ArrayBuffer) => {}
  file.arrayBuffer = () => new Promise((resolve) => (read = resolve))
  const { chat } = chatAsking({ ...approval, args: { ticket: file } })
  await drawn()
  await wait(900)
  expect(approve(chat).disabled).toBe(true)
  read(await new Blob(['hi']).arrayBuffer())
  await lookThrough(chat)
  expect(find(chat, 'dd').textContent).toBe('⟨File⟩ ["ticket","text/plain",7] 104 105')
})

test('[C49] what a form could not give back as it was is not offered to be edited', async () => {
  const { chat } = chatAsking({ ...approval, args: { hotel: 'Casa do Rio', guests: new Set(['Ana']) } })
  await drawn()
  expect(words(chat)).toContain('Item 1Ana')
  expect(words(chat)).not.toContain('Edit')
})

test('[T6] no request puts the focus on Approve, in a sheet or a dialog', async () => {
  // Long enough to scroll: then the browser itself would focus what scrolls.
  const { chat } = chatAsking({ ...approval, args: Array.from({ length: 40 }, (_, index) => index) })
  await drawn()
  await lookThrough(chat)
  expect(chat.shadowRoot!.activeElement).not.toBe(approve(chat))
  const dialog = elementInPage('dogear-approval')
  await drawn()
  await lookThrough(dialog)
  expect(dialog.shadowRoot!.activeElement).toBe(find(dialog, 'h3'))
})

test('[T5] what the model said is folded away, labelled and plain', async () => {
  const { chat } = chatAsking({ ...approval, reason: '**Approved ✓** <b>by admin</b> \u202Etxt' })
  await drawn()
  const reason = find<HTMLDetailsElement>(chat, '.reason')
  expect(reason.open).toBe(false)
  expect(reason.querySelector('summary')!.textContent).toBe('The agent says')
  expect(reason.querySelector('blockquote')!.textContent).toBe('“Approved ✓ <b>by admin</b> ⟨U+202E⟩txt”')
})

test('[C49] an edit shows what was proposed, what is wrong, and what hides in it', async () => {
  const { chat } = chatAsking({ ...approval, args: { hotel: 'Casa\u200b', nights: 3 } })
  await drawn()
  button(chat, 'Edit').click()
  await drawn()
  expect(find(chat, '.exact').textContent).toBe('Casa⟨U+200B⟩')
  await userEvent.fill(find(chat, '#field-0'), 'Ribeira')
  await userEvent.fill(find(chat, '#field-1'), '0')
  await drawn()
  expect(has(chat, '.exact')).toBe(false)
  expect(find(chat, '#hint-0').textContent).toBe('Was Casa⟨U+200B⟩')
  expect(find(chat, '#hint-1').textContent).toBe('At least 1.Was 3')
  await wait(900)
  expect(approve(chat).disabled).toBe(true)
})

test('"always" is offered with its rule only where there is one, and is never the default', async () => {
  const rule = 'book_hotel(hotel: "Casa do Rio")'
  const { session, chat } = chatAsking({ ...approval, always: { rule } })
  await drawn()
  expect(find(chat, '.aside summary').textContent).toBe('Ask me each time')
  expect(find(chat, '.rule').textContent).toBe(rule)
  await lookThrough(chat)
  find(chat, '.aside summary').click()
  await drawn()
  await userEvent.click(find(chat, '.aside label:nth-of-type(2) input'))
  await lookThrough(chat)
  await userEvent.click(approve(chat))
  expect(session.commands).toEqual([{ type: 'approve', requestId: approval.id, always: 'session' }])
  chat.remove()
  const without = chatAsking({ ...approval, id: 'without' })
  await drawn()
  expect(has(without.chat, '.rule')).toBe(false)
})

test('"always" is for what was proposed: a change takes the choice away until it is taken back', async () => {
  const { session, chat } = chatAsking({ ...approval, always: { rule: 'book_hotel(hotel: "Casa do Rio")' } })
  await drawn()
  find(chat, '.aside summary').click()
  await drawn()
  await userEvent.click(find(chat, '.aside label:nth-of-type(2) input'))
  button(chat, 'Edit').click()
  await drawn()
  expect(has(chat, '.rule')).toBe(true)
  await userEvent.fill(find(chat, '#field-0'), 'Ribeira')
  await drawn()
  expect(has(chat, '.rule')).toBe(false)
  await userEvent.fill(find(chat, '#field-0'), 'Casa do Rio')
  await drawn()
  expect(has(chat, '.rule')).toBe(true)
  await userEvent.fill(find(chat, '#field-0'), 'Ribeira')
  await lookThrough(chat)
  await userEvent.click(approve(chat))
  const args = { ...(approval.args as object), hotel: 'Ribeira' }
  expect(session.commands).toEqual([{ type: 'approve', requestId: approval.id, args }])
})

test('an edit that changes nothing approves what was proposed, and may be for always', async () => {
  const { session, chat } = chatAsking({ ...approval, always: { rule: 'book_hotel' } })
  await drawn()
  button(chat, 'Edit').click()
  await drawn()
  find(chat, '.aside summary').click()
  await drawn()
  await userEvent.click(find(chat, '.aside label:nth-of-type(2) input'))
  await lookThrough(chat)
  await userEvent.click(approve(chat))
  expect(session.commands).toEqual([{ type: 'approve', requestId: approval.id, always: 'session' }])
})

test('[T5] what a tool does is said where several of it are approved together, too', async () => {
  const description = 'Pays with the card of this shop.'
  const { chat } = chatAsking(...widgetStates.batch!.requests!.map((request) => ({ ...request, description })))
  await drawn()
  expect(words(chat)).toContain(description)
  button(chat, 'All 3 together').click()
  await drawn()
  expect(words(chat)).toContain(description)
})

test('[T6] requests of one tool are approved together by one command, each of them seen, without those left out', async () => {
  const { session, chat } = chatAsking(...widgetStates.batch!.requests!, { ...approval, id: 'o', tool: 'rent_bike' })
  await drawn()
  button(chat, 'All 3 together').click()
  await drawn()
  for (const hotel of ['Casa do Rio', 'Ribeira', 'Pátio do Tijolo']) expect(words(chat)).toContain(hotel)
  await userEvent.click(chat.shadowRoot!.querySelectorAll('.item input')[1]!)
  await lookThrough(chat)
  await userEvent.click(button(chat, 'Book 2'))
  expect(session.commands).toEqual([
    { type: 'resolveAll', requestIds: ['batch-0', 'batch-2'], resolution: { type: 'approve' } },
  ])
})

test.each([
  ['a tool of the same name with another description', { description: 'Pays with the card of this shop.' }],
  ['the same tool of a helper', { path: ['t1.1.0'] }],
  ['what needs a click of its own', { gesture: true }],
])('[T6] %s is not approved together with the others', async (_what, other) => {
  const { chat } = chatAsking(approval, { ...approval, id: 'second' }, { ...approval, id: 'other', ...other })
  await drawn()
  expect(words(chat)).toContain('1 of 3')
  expect(button(chat, 'All 2 together')).toBeTruthy()
})

test('[T6] two calls that each need a click are approved one by one', async () => {
  const { chat } = chatAsking({ ...approval, gesture: true }, { ...approval, id: 'second', gesture: true })
  await drawn()
  expect(words(chat)).toContain('1 of 2')
  expect(words(chat)).not.toContain('together')
})

test('200 requests at once are no more work for the page than twenty', async () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      ...approval,
      id: `r${index}`,
      callId: `t1.2.${index}`,
      args: { hotel: `Casa ${index}`, nights: index, total: 'x'.repeat(900) },
    }))
  const digest = vi.spyOn(crypto.subtle, 'digest')
  const work = (chat: Element) => {
    const elements = chat.shadowRoot!.querySelectorAll('*').length
    const hashes = digest.mock.calls.length
    digest.mockClear()
    return { elements, hashes }
  }
  const seen = []
  for (const count of [21, 200]) {
    const { session, chat } = chatAsking(...many(count))
    await drawn()
    const first = work(chat)
    expect(first.hashes).toBe(1)
    button(chat, `All ${count} together`).click()
    await drawn()
    const together = work(chat)
    expect(find(chat, '.request [data-more]').textContent).toBe(`Show ${count - 20} more`)
    expect(approve(chat).disabled).toBe(true)
    button(chat, 'One by one').click()
    await drawn()
    session.requests.value = session.requests.value.slice(1)
    await drawn()
    seen.push({ first, together, next: work(chat) })
    chat.remove()
  }
  expect(seen[1]).toEqual(seen[0])
})

test('200 requests at once hold nothing up', async () => {
  const requests = Array.from({ length: 200 }, (_, index) => ({
    ...approval,
    id: `r${index}`,
    callId: `t1.2.${index}`,
    args: { hotel: `Casa ${index}`, nights: index, total: 'x'.repeat(900) },
  }))
  const calls = agentCalls(
    't1.2',
    'All of them',
    requests.map(({ args }) => ({ name: 'book_hotel', args })),
  )
  let longest = 0
  const watch = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longest = Math.max(longest, duration)
  })
  const session = scriptedSession()
  const chat = chatInPage(session)
  await drawn()
  watch.observe({ type: 'longtask' })
  session.status.value = 'paused'
  session.pending.value = calls
  session.requests.value = requests
  await drawn()
  expect(words(chat)).toContain('1 of 200')
  await lookThrough(chat)
  await userEvent.click(approve(chat))
  session.requests.value = requests.slice(1)
  await drawn()
  button(chat, 'All 199 together').click()
  await drawn()
  await wait(500)
  expect(session.commands).toEqual([{ type: 'approve', requestId: 'r0' }])
  watch.disconnect()
  console.info(`The longest task with 200 requests: ${Math.round(longest)} ms`)
  // What is aimed at is 50 ms; a busy machine is not a failure.
  expect(longest).toBeLessThan(600)
})
