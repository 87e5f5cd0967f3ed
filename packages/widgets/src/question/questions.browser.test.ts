import type { Question } from '@dogear/core'
import { afterEach, expect, test } from 'vitest'
import { userEvent } from 'vitest/browser'
import { button, chatInPage, clearPage, drawn, find, has, words } from '../testing/in-the-page.ts'
import { scriptedSession } from '../testing/scripted-session.ts'
import { asked } from '../testing/widget-states.ts'

afterEach(clearPage)

function chatAsking(questions: readonly Question[], allowFreeText = true) {
  const session = scriptedSession({ status: 'paused', requests: [{ ...asked, questions, allowFreeText }] })
  return { session, chat: chatInPage(session) }
}

const tone: Question = {
  question: 'Which tone?',
  header: 'Tone',
  options: [
    { label: 'Warm', value: 'w', preview: 'Dear all,' },
    { label: 'Short', value: 's', preview: 'Hi' },
  ],
}
const extras: Question = { question: 'What else?', required: false, multiSelect: true, options: tone.options! }

test('[C54] several answers are looked over before they are sent, and each can be changed', async () => {
  const { session, chat } = chatAsking([tone, extras])
  await drawn()
  await userEvent.keyboard('{Tab}')
  find(chat, '.option input').focus()
  await userEvent.keyboard('1{Enter}')
  await drawn()
  expect(words(chat)).toContain('Optional')
  button(chat, 'Skip').click()
  await drawn()
  expect(session.commands).toEqual([])
  expect(find(chat, '.review').textContent).toContain('Which tone?Warm')
  expect(find(chat, '.review').textContent).toContain('What else?Not answered')
  button(chat, 'Change: Which tone?').click()
  await drawn()
  chat.shadowRoot!.querySelectorAll<HTMLElement>('.option input')[1]!.click()
  await drawn()
  button(chat, 'Next').click()
  await drawn()
  button(chat, 'Skip').click()
  await drawn()
  await userEvent.fill(find(chat, '.aside textarea'), ' Soon, please ')
  button(chat, 'Answer').click()
  expect(session.commands).toEqual([
    { type: 'answer', requestId: asked.id, answers: [{ values: ['s'] }, { values: [] }], notes: 'Soon, please' },
  ])
})

test('[C52] one question is sent at once, with a note if there is one, and shows what a choice looks like', async () => {
  const { session, chat } = chatAsking([tone])
  await drawn()
  expect(has(chat, '.preview')).toBe(false)
  find(chat, '.option input').click()
  await drawn()
  expect(find(chat, '.preview').textContent).toBe('Dear all,')
  expect(find<HTMLDetailsElement>(chat, '.aside').open).toBe(false)
  button(chat, 'Answer').click()
  expect(session.commands).toEqual([
    { type: 'answer', requestId: asked.id, answers: [{ values: ['w'] }], notes: undefined },
  ])
})

test('[C52] without free text there is no "Something else…"', async () => {
  const { chat } = chatAsking([tone], false)
  await drawn()
  expect(words(chat)).not.toContain('Something else…')
  expect(chat.shadowRoot!.querySelectorAll('.option')).toHaveLength(2)
})

test('[C52] it is said where several may be chosen, and only there', async () => {
  const { chat } = chatAsking([extras, tone])
  await drawn()
  expect(words(chat)).toContain('Choose any that fit.')
  button(chat, 'Skip').click()
  await drawn()
  expect(words(chat)).not.toContain('Choose any that fit.')
})

test('[C52] four questions are asked in turn, twelve options each, and none is lost on the way back', async () => {
  const options = Array.from({ length: 12 }, (_, index) => ({ label: `Option ${index + 1}` }))
  const four = ['One?', 'Two?', 'Three?', 'Four?'].map((question) => ({ question, options }))
  const { session, chat } = chatAsking(four)
  await drawn()
  for (const [index, { question }] of four.entries()) {
    expect(find(chat, 'h3').textContent).toBe(question)
    expect(words(chat)).toContain(`${index + 1} of 4`)
    chat.shadowRoot!.querySelectorAll<HTMLElement>('.option > [name]')[11 - index]!.click()
    await drawn()
    button(chat, 'Next').click()
    await drawn()
  }
  button(chat, 'Back').click()
  await drawn()
  expect(chat.shadowRoot!.querySelectorAll<HTMLInputElement>('.option > [name]')[8]!.checked).toBe(true)
  button(chat, 'Next').click()
  await drawn()
  button(chat, 'Answer').click()
  const chosen = ['Option 12', 'Option 11', 'Option 10', 'Option 9']
  expect(session.commands).toMatchObject([{ answers: chosen.map((label) => ({ values: [label] })) }])
})

test('[C53] the review, and the note in it, come back after a reload', async () => {
  const { chat } = chatAsking([{ ...tone, required: false }, extras])
  await drawn()
  button(chat, 'Skip').click()
  await drawn()
  button(chat, 'Skip').click()
  await drawn()
  await userEvent.fill(find(chat, '.aside textarea'), 'Half a note')
  chat.remove()
  await drawn()
  const { chat: next } = chatAsking([tone, extras])
  await drawn()
  expect(find<HTMLTextAreaElement>(next, '.aside textarea').value).toBe('Half a note')
  // What is needed by now was not answered.
  expect(button(next, 'Answer').disabled).toBe(true)
})
