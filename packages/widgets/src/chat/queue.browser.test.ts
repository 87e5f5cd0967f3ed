import { afterEach, expect, test } from 'vitest'
import { userEvent } from 'vitest/browser'
import type { Queued } from '@dogear/core'
import { button, chatInPage, clearPage, drawn, find, has } from '../testing/in-the-page.ts'
import { scriptedSession, userSays, type SessionState } from '../testing/scripted-session.ts'

afterEach(clearPage)

const said = userSays('u1', 'Three nights in Lisbon')
const train: Queued = { commandId: 'c2', content: 'Then the train', when: 'later' }
const table: Queued = { commandId: 'c3', content: 'And a table', when: 'later' }
const boat: Queued = { commandId: 'c4', content: 'And a boat', when: 'later' }

async function waiting(queued: readonly Queued[], state: SessionState = {}, height = '600px') {
  const session = scriptedSession({ status: 'busy', pending: [said], queued, ...state })
  const chat = chatInPage(session)
  chat.style.height = height
  await drawn()
  return { session, chat, composer: find<HTMLTextAreaElement>(chat, '.composer textarea') }
}

function rows(chat: Element): HTMLElement[] {
  return [...chat.shadowRoot!.querySelectorAll<HTMLElement>('.queue li')]
}

function buttonIn(row: HTMLElement, name: string): HTMLElement {
  return row.querySelector<HTMLElement>(`[aria-label="${name}"]`)!
}

function focused(chat: Element): Element | null {
  return chat.shadowRoot!.activeElement
}

test('[K40] words that wait stand in order above the composer, and any of them can be sent now', async () => {
  const { session, chat, composer } = await waiting([train, table])
  expect(rows(chat).map((row) => row.textContent)).toEqual(['Then the train', 'And a table'])
  expect(find(chat, '.queue summary').textContent).toBe('Next in line2')
  expect(find(chat, '.queue').getBoundingClientRect().bottom).toBeLessThanOrEqual(composer.getBoundingClientRect().top)
  expect(find(chat, '[role=log]').textContent).not.toContain('Then the train')
  buttonIn(rows(chat)[1]!, 'Send now').click()
  expect(session.commands).toEqual([{ type: 'editQueued', commandId: 'c3', when: 'now' }])
})

test('[K40] words are changed where they wait: Enter saves, Escape leaves, and the keyboard stays in place', async () => {
  const { session, chat } = await waiting([train, table])
  buttonIn(rows(chat)[0]!, 'Edit').focus()
  await userEvent.keyboard('{Enter}')
  await drawn()
  await userEvent.keyboard(' not{Escape}')
  await drawn()
  expect(session.commands).toEqual([])
  expect(focused(chat)).toBe(buttonIn(rows(chat)[0]!, 'Edit'))
  await userEvent.keyboard('{Enter}')
  await drawn()
  await userEvent.keyboard(' at noon{Enter}')
  await drawn()
  expect(session.commands).toEqual([{ type: 'editQueued', commandId: 'c2', content: 'Then the train at noon' }])
  expect(focused(chat)).toBe(buttonIn(rows(chat)[0]!, 'Edit'))
})

test('[K40] words taken back go into an empty composer; what is being written there is never replaced', async () => {
  const { session, chat, composer } = await waiting([train, table])
  buttonIn(rows(chat)[0]!, 'Take back').click()
  await drawn()
  expect(composer.value).toBe('Then the train')
  buttonIn(rows(chat)[1]!, 'Take back').click()
  await drawn()
  expect(composer.value).toBe('Then the train')
  expect(session.commands).toEqual([
    { type: 'unqueue', commandId: 'c2' },
    { type: 'unqueue', commandId: 'c3' },
  ])
})

test('[K40] words that were sent while they were being changed leave the change in the composer', async () => {
  const { session, chat, composer } = await waiting([train])
  await userEvent.fill(composer, 'Half a thought')
  await userEvent.click(button(chat, 'Edit'))
  await drawn()
  await userEvent.keyboard(' at noon')
  session.queued.value = []
  await drawn()
  expect(composer.value).toBe('Half a thought\nThen the train at noon')
})

test('[K40] a change that came too late is in the composer, not lost', async () => {
  const { session, chat, composer } = await waiting([train])
  const { editQueued } = session
  session.editQueued = (commandId, change) => {
    const { id, saved } = editQueued(commandId, change)
    const refused = {
      terminalReason: 'completed',
      text: '',
      requests: [],
      usage: { totals: {} },
      permissionDenials: [],
      isError: false,
      stopReason: null,
      modelUsage: {},
      steps: 0,
      durationMs: 0,
      refused: 'sent',
    } as const
    return { id, saved, then: (resolve) => Promise.resolve(refused).then(resolve) }
  }
  await userEvent.click(button(chat, 'Edit'))
  await drawn()
  await userEvent.keyboard(' at noon{Enter}')
  await drawn()
  expect(composer.value).toBe('Then the train at noon')
})

test('[K40] after a stop or a failure the words say that they are held, also offline', async () => {
  const { session, chat } = await waiting([train])
  const state = () => find(chat, '.queue summary').textContent
  session.status.value = 'idle'
  session.lastEnd.value = { turnId: 't1', terminalReason: 'aborted_streaming' }
  await drawn()
  expect(state()).toBe('Held until you send')
  session.connection.value = { type: 'offline' }
  session.lastEnd.value = { turnId: 't1', terminalReason: 'model_error', error: { code: 'network', message: 'No.' } }
  await drawn()
  expect(state()).toBe('Held until you send')
  session.queued.value = [{ ...train, when: 'now' }]
  await drawn()
  expect(state()).toBe('Will send when online')
})

test('[G9] offline, words that wait say when they go: also when only the server cannot be reached', async () => {
  const { session, chat } = await waiting([train], { connection: { type: 'offline' } })
  expect(find(chat, '.queue summary').textContent).toBe('Will send when online')
  session.connection.value = { type: 'online' }
  await drawn()
  expect(find(chat, '.queue summary').textContent).toBe('Next in line')
  session.waiting.value = 'network'
  await drawn()
  expect(find(chat, '.queue summary').textContent).toBe('Will send when online')
})

test('[G9] words go in line at once, and keep their element when they are saved', async () => {
  const { session, chat } = await waiting([], { unsaved: [{ commandId: 'c2', text: 'Then the train' }] })
  const [row] = rows(chat)
  expect(row!.textContent).toBe('Then the trainSaving')
  expect(find(chat, '[role=log]').textContent).not.toContain('Then the train')
  session.unsaved.value = []
  session.queued.value = [train]
  await drawn()
  expect(rows(chat)).toEqual([row])
  expect(row!.textContent).toBe('Then the train')
})

test('[a11y] a screen reader hears how many words wait, and for what', async () => {
  const { session, chat } = await waiting([])
  const live = find(chat, '.queue [role=status]')
  expect(live.textContent).toBe('')
  session.queued.value = [train, table]
  await drawn()
  expect(live.textContent).toBe('Next in line: 2')
})

test('[a11y] whoever used the keyboard in a row that leaves goes on in the composer', async () => {
  const { session, chat, composer } = await waiting([train, table])
  buttonIn(rows(chat)[0]!, 'Send now').focus()
  session.queued.value = [table]
  await drawn()
  expect(focused(chat)).toBe(composer)
  composer.blur()
  session.queued.value = []
  await drawn()
  expect(focused(chat)).toBe(null)
})

test('nothing moves under the pointer when words leave, until it has gone', async () => {
  const { session, chat } = await waiting([train, table, boat])
  const tops = () => rows(chat).map((row) => Math.round(row.getBoundingClientRect().top))
  const before = tops()
  await userEvent.hover(buttonIn(rows(chat)[1]!, 'Take back'))
  session.queued.value = [train, boat]
  await drawn()
  expect(tops()).toEqual(before)
  expect(getComputedStyle(buttonIn(rows(chat)[1]!, 'Take back')).visibility).toBe('hidden')
  session.queued.value = []
  await drawn()
  expect(tops()).toEqual(before)
  await userEvent.hover(find(chat, 'header'))
  await drawn()
  expect(rows(chat)).toEqual([])
})

test('several fold to their number where there is no room, and many scroll where there is', async () => {
  const { chat: low } = await waiting([train, table], {}, '400px')
  const details = find<HTMLDetailsElement>(low, '.queue details')
  expect(details.open).toBe(false)
  expect(find(low, '.queue summary').textContent).toBe('Next in line2')
  await userEvent.click(find(low, '.queue summary'))
  await drawn()
  expect(details.open).toBe(true)
  low.remove()
  const many = Array.from({ length: 20 }, (_, index) => ({ ...train, commandId: `c${index}` }))
  const { chat: high } = await waiting(many)
  expect(find<HTMLDetailsElement>(high, '.queue details').open).toBe(true)
  expect(find(high, '.queue').clientHeight).toBeLessThan(600 * 0.4)
  expect(find(high, '.conversation').clientHeight).toBeGreaterThan(150)
})

test('one message never folds, and at 320 px its words have room beside its buttons', async () => {
  const { chat } = await waiting([train], {}, '400px')
  chat.style.width = '320px'
  await drawn()
  expect(find<HTMLDetailsElement>(chat, '.queue details').open).toBe(true)
  const [row] = rows(chat)
  expect(row!.scrollWidth).toBeLessThanOrEqual(row!.clientWidth)
  expect(row!.querySelector('.words')!.getBoundingClientRect().width).toBeGreaterThanOrEqual(120)
  expect(buttonIn(row!, 'Send now').getBoundingClientRect().width).toBeGreaterThanOrEqual(36)
})

test('right to left, the buttons stand at the left of the words', async () => {
  document.documentElement.dir = 'rtl'
  const { chat } = await waiting([train])
  const [row] = rows(chat)
  const left = (element: Element) => element.getBoundingClientRect().left
  expect(left(buttonIn(row!, 'Send now'))).toBeLessThan(left(buttonIn(row!, 'Edit')))
  expect(left(buttonIn(row!, 'Edit'))).toBeLessThan(left(row!.querySelector('.words')!))
  document.documentElement.removeAttribute('dir')
})

test('nothing waits: nothing is shown', async () => {
  const { chat } = await waiting([])
  expect(has(chat, '.queue details')).toBe(false)
})
