import type { Session } from '@dogear/worker'
import { afterEach, expect, test, vi } from 'vitest'
import { mount } from '../mount.ts'
import { button, chatInPage, clearPage, drawn, elementInPage, find, has, words } from '../testing/in-the-page.ts'
import { agentSays, scriptedSession, userSays } from '../testing/scripted-session.ts'
import { plan } from '../testing/widget-states.ts'
import { forgetUser } from '../ui-state.ts'
import type { ChatElement } from './chat-element.ts'
import { defineElements } from './define-elements.ts'

afterEach(clearPage)

const agentOf = (session: Session, user?: string) => ({ name: 'concierge', user, open: vi.fn(async () => session) })

test('mount puts a launcher on the page, and its handle opens, sends, listens and takes it away', async () => {
  const session = scriptedSession()
  const chat = mount({ agent: agentOf(session), heading: 'Concierge' })
  const heard: string[] = []
  const off = chat.on('open', () => heard.push('open'))
  chat.on('close', () => heard.push('close'))
  expect(await chat.session).toBe(session)
  await drawn()
  expect(has(chat.element, '.launcher')).toBe(true)
  chat.open()
  await drawn()
  off()
  chat.toggle()
  await drawn()
  chat.open()
  await drawn()
  expect(heard).toEqual(['open', 'close'])
  chat.update({ heading: 'Travel desk' })
  await drawn()
  expect(find(chat.element, 'h2').textContent).toBe('Travel desk')
  expect((await chat.send('Hello')).terminalReason).toBe('completed')
  expect(session.commands).toMatchObject([{ type: 'send', content: 'Hello' }])
  chat.destroy()
  await drawn()
  expect(session.commands.at(-1)).toEqual({ type: 'close' })
  expect(document.querySelector('dogear-chat')).toBeNull()
})

test('mount into a target fills it, and a target that is not there is said', async () => {
  const box = document.createElement('div')
  box.id = 'agent'
  document.body.append(box)
  mount('#agent', { agent: agentOf(scriptedSession()) })
  await drawn()
  expect(has(box.querySelector('dogear-chat')!, '.frame')).toBe(true)
  expect(() => mount('#nowhere')).toThrow('mount() found no element for "#nowhere"')
})

test('an element opens its session by its attributes, and another when they change', async () => {
  const sessions = [scriptedSession(), scriptedSession()]
  const open = vi.fn(async (_id?: string) => sessions[open.mock.calls.length - 1]!)
  const connect = vi.fn((_options: object) => ({ open }))
  defineElements({ connect })
  const chat = elementInPage<ChatElement>('dogear-chat', { endpoint: '/api/agent', user: 'ana', session: 'trip' })
  expect(await chat.ready).toBe(sessions[0])
  expect(connect.mock.calls[0]![0]).toMatchObject({ endpoint: '/api/agent', user: 'ana' })
  expect(open).toHaveBeenCalledWith('trip')
  chat.setAttribute('heading', 'Same session')
  await drawn()
  chat.setAttribute('user', 'rui')
  await drawn()
  expect(connect).toHaveBeenCalledTimes(2)
  expect(sessions[0]!.commands).toEqual([{ type: 'close' }])
  expect(chat.session).toBe(sessions[1])
  defineElements({ connect: undefined })
})

test('properties set before the element was defined are not lost', async () => {
  const session = scriptedSession({ messages: [userSays('u', 'Hi')] })
  const chat = document.createElement('dogear-chat') as ChatElement
  // As a page does that runs before the script: a plain value over the setter.
  Object.defineProperty(chat, 'agent', {
    value: agentOf(session),
    configurable: true,
    enumerable: true,
    writable: true,
  })
  document.body.append(chat)
  expect(await chat.ready).toBe(session)
  const next = scriptedSession()
  chat.agent = agentOf(next)
  await drawn()
  expect(chat.session).toBe(next)
})

test('a session that cannot be opened is one plain sentence, the cause is in the console, and it can be tried again', async () => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
  const session = scriptedSession()
  const open = vi.fn(async () => session as Session).mockRejectedValueOnce(new Error('The disk is gone.'))
  const chat = elementInPage<ChatElement>('dogear-chat')
  chat.agent = { open }
  await drawn()
  expect(words(chat)).toContain('That didn’t work.')
  expect(logged.mock.calls.flat().join()).toContain('The disk is gone.')
  button(chat, 'Try again').click()
  expect(await chat.ready).toBe(session)
  logged.mockRestore()
})

test('events tell the page what happens, and nothing of what was there before', async () => {
  const heard: string[] = []
  const listen = (event: Event) => heard.push(event.type)
  const types = ['ready', 'status', 'message', 'tool'].map((type) => `dogear-${type}`)
  for (const type of types) document.addEventListener(type, listen)
  const session = scriptedSession({ messages: [userSays('u0', 'Hi'), agentSays('a0', 'Hello')] })
  chatInPage(session)
  await drawn()
  session.status.value = 'busy'
  session.pending.value = [userSays('u1', 'Book it')]
  session.messages.value = [...session.messages.value, userSays('u1', 'Book it'), agentSays('a1', 'Done')]
  session.pending.value = []
  for (const type of types) document.removeEventListener(type, listen)
  expect(heard).toEqual(['dogear-ready', 'dogear-status', 'dogear-message', 'dogear-message'])
})

test('a link in an answer can be routed by the page', async () => {
  const text = '[Hours](https://example.com/hours)'
  const chat = chatInPage(scriptedSession({ messages: [userSays('u', 'Hi'), agentSays('a', text)] }))
  const hrefs: string[] = []
  chat.addEventListener('dogear-link', (event) => {
    event.preventDefault()
    hrefs.push((event as CustomEvent<{ href: string }>).detail.href)
  })
  await drawn()
  const click = new MouseEvent('click', { bubbles: true, cancelable: true })
  find(chat, '.markdown a').dispatchEvent(click)
  expect(hrefs).toEqual(['https://example.com/hours'])
  expect(click.defaultPrevented).toBe(true)
})

test('the height a page gives is obeyed, and there is one where it gives none', async () => {
  const chat = chatInPage(scriptedSession())
  await drawn()
  expect(find(chat, '.frame').getBoundingClientRect().height).toBe(560)
  chat.style.height = '480px'
  expect(find(chat, '.frame').getBoundingClientRect().height).toBe(480)
})

test('colours follow the page when it toggles its dark class', async () => {
  const chat = chatInPage(scriptedSession(), { theme: 'auto' })
  await drawn()
  const ground = () => getComputedStyle(find(chat, '.sheet')).backgroundColor
  document.documentElement.className = 'light'
  await drawn()
  expect(ground()).toBe('rgb(255, 255, 255)')
  document.documentElement.className = 'dark'
  await drawn()
  expect(ground()).toBe('rgb(29, 30, 33)')
  chat.setAttribute('theme', 'light')
  await drawn()
  expect(ground()).toBe('rgb(255, 255, 255)')
})

test('the accent is the page’s to choose', async () => {
  const chat = chatInPage(scriptedSession({ messages: [userSays('u', 'Hi')] }), { accent: 'rgb(1, 2, 3)' })
  await drawn()
  expect(getComputedStyle(find(chat, '.frame > .ear')).backgroundColor).toBe('rgb(1, 2, 3)')
})

test('hostile page styles stay outside', async () => {
  const style = document.createElement('style')
  style.textContent = '* { color: red !important; font-size: 30px !important } button { all: unset }'
  document.head.append(style)
  const chat = chatInPage(scriptedSession({ messages: [userSays('u', 'Hi'), agentSays('a', 'Hello')] }), {
    theme: 'light',
  })
  await drawn()
  const { color, fontSize } = getComputedStyle(find(chat, '.agent p'))
  style.remove()
  expect({ color, fontSize }).toEqual({ color: 'rgb(23, 24, 27)', fontSize: '15px' })
})

test('starters are sent as they read', async () => {
  const session = scriptedSession()
  const chat = chatInPage(session)
  const starter = document.createElement('button')
  starter.slot = 'starter'
  starter.textContent = ' Plan a weekend '
  chat.append(starter)
  await drawn()
  button(chat, 'Plan a weekend').click()
  expect(session.commands).toMatchObject([{ type: 'send', content: 'Plan a weekend' }])
})

test('a plan element shows the session of the chat it is for', async () => {
  const checklist = elementInPage('dogear-plan', { for: 'second' })
  chatInPage(scriptedSession(), { id: 'first' })
  chatInPage(scriptedSession({ plan }), { id: 'second' })
  await drawn()
  expect(find(checklist, '.steps').hidden).toBe(false)
  expect(words(checklist)).toContain('Book the hotel')
  expect(words(checklist)).toContain('3 of 5')
})

test('a step that changes flashes once, and only that step', async () => {
  const session = scriptedSession({ plan })
  const checklist = elementInPage<HTMLElement & { session?: Session }>('dogear-plan')
  checklist.session = session
  await drawn()
  expect(has(checklist, '[data-changed]')).toBe(false)
  const steps = plan.steps.map((step) => (step.id === 3 ? { ...step, status: 'completed' as const } : step))
  session.plan.value = { ...plan, version: 4, steps }
  await drawn()
  const changed = [...checklist.shadowRoot!.querySelectorAll('[data-changed]')]
  expect(changed.map(({ textContent }) => textContent)).toEqual(['Done: Book the hotel'])
})

test('words can be replaced one by one', async () => {
  const chat = chatInPage(scriptedSession())
  chat.strings = { send: 'Absenden', status: { new: 'Bereit' } }
  await drawn()
  expect(button(chat, 'Absenden')).toBeTruthy()
  expect(find(chat, '.status').textContent).toBe('Bereit')
})

test('[J12] what a widget remembers of a user can be forgotten', async () => {
  for (const user of ['ana', 'ana-maria']) {
    const chat = mount({ agent: agentOf(scriptedSession(), user) })
    await chat.session
    chat.open()
    await drawn()
    chat.destroy()
    await drawn()
  }
  forgetUser('ana')
  const keys = [...Object.keys(localStorage), ...Object.keys(sessionStorage)].filter((key) => key.startsWith('dogear|'))
  expect(keys.length).toBeGreaterThan(0)
  expect(keys.filter((key) => key.startsWith('dogear|ana|'))).toEqual([])
})

test('in a page from right to left the fold is on the left', async () => {
  document.documentElement.dir = 'rtl'
  const chat = chatInPage(scriptedSession({ messages: [userSays('u', 'Hi')] }))
  await drawn()
  const ear = find(chat, '.frame > .ear').getBoundingClientRect()
  const frame = find(chat, '.frame').getBoundingClientRect()
  document.documentElement.dir = 'ltr'
  expect(ear.left).toBe(frame.left)
})
