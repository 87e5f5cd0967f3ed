/** The four components as a Preact app uses them: imported from the package, given a real session by a prop. */
import type { SmartAgentOptions } from '@dogear/core'
import { openIndexedDbStore } from '@dogear/store'
import { call, say, scriptedModel, type Script } from '@dogear/testing'
import { ApprovalDialog, Chat, PlanChecklist, QuestionPicker } from '@dogear/widgets'
import type { Session } from '@dogear/worker'
import { cleanup, render } from '@testing-library/preact'
import type { VNode } from 'preact'
import { afterEach, expect, test, vi } from 'vitest'
import { userEvent } from 'vitest/browser'
import { button, clearPage, find, has, words } from '../../packages/widgets/src/testing/in-the-page.ts'
import { lookThrough } from '../../packages/widgets/src/testing/look-through.ts'
import { device, type Tab } from './device.ts'

const tabs: Tab[] = []
afterEach(() => {
  cleanup()
  clearPage()
  tabs.splice(0).forEach((tab) => tab.kill())
})

test('Chat: what is written is sent, the answer is shown, and another session takes its place', async () => {
  const { tab, session } = await sessionThat([say('Good ', 'morning.'), say('Good evening.')])
  const { host, rerender } = shown(<Chat session={session} heading="Concierge" accent="#b4472e" theme="dark" />)
  await userEvent.fill(find(host, 'textarea'), 'Hello')
  await userEvent.keyboard('{Enter}')
  await shows(host, 'Good morning.')
  expect(find(host, 'h2').textContent).toBe('Concierge')
  expect(find(host, '.root').style.getPropertyValue('--dogear-accent')).toBe('#b4472e')
  expect(find(host, '.root').style.colorScheme).toBe('dark')
  expect(session.messages.value.map(({ content }) => content)).toEqual(['Hello', 'Good morning.'])
  const other = await tab.open('s2')
  rerender(<Chat session={other} heading="Travel desk" />)
  await soon(() => expect(words(host)).not.toContain('Good morning.'))
  await other.send('And now?')
  await shows(host, 'Good evening.')
  expect(find(host, 'h2').textContent).toBe('Travel desk')
})

test('Chat: it tells its events, draws with the words of the app, and leaves nothing behind', async () => {
  const { session } = await sessionThat([say('Good morning.'), say('Still here.')])
  const onEvent = vi.fn(() => true)
  const { host, unmount } = shown(<Chat session={session} strings={{ send: 'Absenden' }} onEvent={onEvent} />)
  await userEvent.fill(find(host, 'textarea'), 'Hello')
  await userEvent.click(button(host, 'Absenden'))
  await shows(host, 'Good morning.')
  const message = expect.objectContaining({ role: 'assistant', content: 'Good morning.' })
  await soon(() => expect(onEvent).toHaveBeenCalledWith('message', { message }))
  unmount()
  expect(host.shadowRoot!.textContent).toBe('')
  expect((await session.send('And you?')).text).toBe('Still here.')
})

test('[C23] PlanChecklist: the plan as it is made, and as it goes on', async () => {
  const { session } = await sessionThat([
    call('manage_todo_list', { operation: 'write', todoList: steps('in-progress', 'not-started') }),
    say('Planned.'),
    call('manage_todo_list', { operation: 'write', todoList: steps('completed', 'in-progress') }),
    say('Half done.'),
  ])
  const { host } = shown(<PlanChecklist session={session} />)
  expect(words(host)).toBe('')
  await session.send('Plan it')
  await shows(host, 'Find a hotel')
  await shows(host, 'Book it')
  expect(stateOf(host, 'Find a hotel')).toBe('in-progress')
  await session.send('Go on')
  await soon(() => expect(stateOf(host, 'Find a hotel')).toBe('completed'))
  expect(stateOf(host, 'Book it')).toBe('in-progress')
})

test('[C48] ApprovalDialog: approved over the page, the tool runs with what was shown', async () => {
  const { session, booked } = await sessionThat([call('book_hotel', { nights: 3 }), say('Have a good time.')])
  const { host } = shown(<ApprovalDialog session={session} />)
  await session.send('Book it')
  await soon(() => expect(find<HTMLDialogElement>(host, 'dialog').matches(':modal')).toBe(true))
  expect(find(host, '.request').textContent).toContain('3')
  await lookThrough(host)
  await userEvent.click(button(host, 'Book'))
  await soon(() => expect(booked).toEqual([{ nights: 3 }]))
  await soon(() => expect(has(host, '.request')).toBe(false))
})

test('[C48] ApprovalDialog: as a card in the app it is rejected with a comment, which the model reads', async () => {
  const { session, model, booked } = await sessionThat([call('book_hotel', { nights: 3 }), say('As you wish.')])
  const { host } = shown(<ApprovalDialog session={session} mode="card" />)
  await session.send('Book it')
  await soon(() => button(host, 'Don’t').click())
  expect(has(host, 'dialog')).toBe(false)
  await soon(() => expect(has(host, '.request textarea')).toBe(true))
  await userEvent.fill(find(host, '.request textarea'), 'Too loud there')
  button(host, 'Don’t do it').click()
  await soon(() => expect(session.messages.value.at(-1)?.content).toBe('As you wish.'))
  expect(JSON.stringify(model.requests.at(-1))).toContain('Too loud there')
  expect(booked).toEqual([])
})

test('[C54] QuestionPicker: what is picked is the answer the model reads', async () => {
  const { session, model } = await sessionThat([call('ask_user_question', { questions }), say('By train it is.')])
  const { host } = shown(<QuestionPicker session={session} />)
  await session.send('Take me there')
  await shows(host, 'How would you like to get there?')
  await userEvent.click(find(host, '.option:nth-child(1) input'))
  await userEvent.click(button(host, 'Answer'))
  await soon(() => expect(session.messages.value.at(-1)?.content).toBe('By train it is.'))
  expect(JSON.stringify(model.requests.at(-1))).toContain('By train')
  expect(has(host, '.request')).toBe(false)
})

test('a request is shown in one place: in a component of its own, and in the chat once that is gone', async () => {
  const { session } = await sessionThat([call('book_hotel', { nights: 3 })])
  const chat = shown(<Chat session={session} />)
  const dialog = shown(<ApprovalDialog session={session} mode="card" />)
  await session.send('Book it')
  await shows(dialog.host, 'Book a room?')
  expect(has(chat.host, '.request')).toBe(false)
  dialog.unmount()
  await soon(() => expect(has(chat.host, '.request')).toBe(true))
})

test('[C50] [C53] what a component asked before a reload it asks after it, and is answered once', async () => {
  const script = [[call('book_hotel', { nights: 3 }), call('ask_user_question', { questions })], say('All set.')]
  const { tab, session, reopened, booked } = await sessionThat(script)
  const before = shown(<ApprovalDialog session={session} mode="card" />)
  await session.send('Book it, and take me there')
  await shows(before.host, 'Book a room?')
  tab.kill()
  cleanup()
  const again = await reopened()
  const approval = shown(<ApprovalDialog session={again} mode="card" />)
  const question = shown(<QuestionPicker session={again} />)
  await shows(question.host, 'How would you like to get there?')
  await userEvent.click(find(question.host, '.option input'))
  await userEvent.click(button(question.host, 'Answer'))
  await lookThrough(approval.host)
  await userEvent.click(button(approval.host, 'Book'))
  await soon(() => expect(again.messages.value.at(-1)?.content).toBe('All set.'))
  expect(booked).toEqual([{ nights: 3 }])
})

const questions = [
  { question: 'How would you like to get there?', options: [{ label: 'By train' }, { label: 'By plane' }] },
]

function steps(...states: string[]) {
  return ['Find a hotel', 'Book it'].map((step, index) => ({ id: index + 1, step, status: states[index] }))
}

/** A session of a concierge on a real disk, in a tab that can be left and opened again. */
async function sessionThat(script: Script) {
  const booked: unknown[] = []
  const here = device(await openIndexedDbStore({ name: crypto.randomUUID() }))
  const model = scriptedModel(script)
  const agent: SmartAgentOptions = {
    model,
    useTodoList: true,
    humanInTheLoop: { askUser: true },
    tools: [{ name: 'book_hotel', label: 'Book a room', needsApproval: true, func: (args) => void booked.push(args) }],
  }
  const open = async (): Promise<{ tab: Tab; session: Session }> => {
    const tab = here.tab(agent)
    tabs.push(tab)
    return { tab, session: await tab.open('s1') }
  }
  return { ...(await open()), model, booked, reopened: async () => (await open()).session }
}

/** Rendered into a box of its own, as an app would; `host` is what stands there. */
function shown(component: VNode) {
  const { container, ...rendered } = render(component)
  return { ...rendered, host: container.firstElementChild! }
}

function shows(host: Element, text: string): Promise<void> {
  return soon(() => expect(words(host)).toContain(text))
}

/** Long enough for a busy machine. */
function soon(check: () => void): Promise<void> {
  return vi.waitFor(check, { timeout: 10_000 })
}

function stateOf(host: Element, step: string): string | undefined {
  const row = [...host.shadowRoot!.querySelectorAll<HTMLElement>('li')].find((each) => each.textContent?.includes(step))
  return row?.dataset.state
}
