import { afterEach, expect, test } from 'vitest'
import { userEvent } from 'vitest/browser'
import { button, chatInPage, clearPage, drawn, find, has } from '../testing/in-the-page.ts'
import { agentCalls, agentSays, scriptedSession, userSays } from '../testing/scripted-session.ts'

afterEach(clearPage)

const said = userSays('u1', 'Three nights in Lisbon')
const answer = agentSays('t1.1.m', 'Casa do Rio.')

test('[O17] edited words are sent by Enter; Escape leaves them as they were, and the keyboard where it was', async () => {
  const session = scriptedSession({ messages: [said, answer] })
  const chat = chatInPage(session)
  await drawn()
  await userEvent.click(button(chat, 'Edit'))
  await drawn()
  const field = find<HTMLTextAreaElement>(chat, '.editor textarea')
  expect(field.value).toBe('Three nights in Lisbon')
  expect(field.getRootNode()).toHaveProperty('activeElement', field)
  await userEvent.keyboard(' and{Escape}')
  await drawn()
  expect(has(chat, '.editor')).toBe(false)
  expect((find(chat, '.words').getRootNode() as ShadowRoot).activeElement).toBe(button(chat, 'Edit'))
  await userEvent.click(button(chat, 'Edit'))
  await drawn()
  await userEvent.keyboard(' and Porto{Enter}')
  await drawn()
  expect(session.commands).toEqual([{ type: 'edit', messageId: 'u1', content: 'Three nights in Lisbon and Porto' }])
})

test('[O17] who edits words after which something was done reads that it stays done', async () => {
  const calls = agentCalls('t1.1', '', [{ name: 'book_hotel', result: 'ok' }])
  const chat = chatInPage(scriptedSession({ messages: [said, ...calls, answer] }))
  await drawn()
  await userEvent.click(button(chat, 'Edit'))
  await drawn()
  expect(find(chat, '.editor').textContent).toContain('What was done since stays done.')
})

test('[O17] an answer is asked for again, and its other versions are a click away', async () => {
  const branches = { 't1.1.m': { ids: ['t0.1.m', 't1.1.m'], index: 1 } }
  const session = scriptedSession({ messages: [said, answer], branches })
  const chat = chatInPage(session)
  await drawn()
  expect(find(chat, '.versions').getAttribute('aria-label')).toBe('Version 2 of 2')
  const [before, after] = chat.shadowRoot!.querySelectorAll<HTMLElement>('.versions button')
  await userEvent.click(after!, { force: true })
  await userEvent.click(before!)
  await userEvent.click(button(chat, 'Answer again'))
  expect(session.commands).toEqual([
    { type: 'goto', messageId: 't0.1.m' },
    { type: 'regenerate', messageId: 't1.1.m' },
  ])
})

test('[O17] nothing is offered while a turn runs, and what is offered moves nothing', async () => {
  const session = scriptedSession({ messages: [said, answer] })
  const chat = chatInPage(session)
  await drawn()
  const height = find(chat, '.turn').getBoundingClientRect().height
  session.status.value = 'busy'
  await drawn()
  expect(find(chat, '.turn').textContent).not.toContain('Edit')
  expect(find(chat, '.turn').textContent).not.toContain('Answer again')
  expect(find(chat, '.turn').getBoundingClientRect().height).toBe(height)
})
