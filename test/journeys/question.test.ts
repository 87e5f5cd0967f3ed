/** J5: the agent asks what it does not know, and gets the visitor's own words. */
import { call, say } from '@dogear/testing'
import { expect, test } from 'vitest'
import { useBrowser } from './support/browser.ts'
import { chatOf } from './support/chat.ts'
import { pageWith, startScriptedSite, type ScriptedSite } from './support/scripted-site.ts'

const browser = useBrowser()

const page = pageWith(`
  const agent = Dogear.createSmartAgent({ endpoint: '/api/agent', humanInTheLoop: { askUser: true } })
  Dogear.mount('#agent', { agent })
`)

const area = { question: 'Which area?', header: 'Area', options: [{ label: 'River' }, { label: 'Hills' }] }
const extras = {
  question: 'What else?',
  header: 'Extras',
  multiSelect: true,
  options: [{ label: 'Breakfast' }, { label: 'Parking' }, { label: 'A view' }],
}

test.concurrent('[C52] one question, one choice', async () => {
  const { site, chat } = await visitorAsked(area)
  await chat.is('Waiting for you')
  await chat.element.getByLabel('Hills').check()
  await chat.press('Answer')
  await chat.says('Thank you.')
  expect(answersTo(site)).toMatchObject([{ question: 'Which area?', values: ['Hills'] }])
})

test.concurrent('[C52] several questions, several choices, and words of their own', async () => {
  const { site, chat } = await visitorAsked(area, extras)
  await chat.element.getByLabel('Something else…').check()
  await chat.element.getByPlaceholder('Your answer').fill('on a boat')
  await chat.press('Next')
  await chat.shows('2 of 2')
  await chat.element.getByLabel('Breakfast').check()
  await chat.element.getByLabel('A view').check()
  await chat.press('Next')
  await chat.shows('Is this right?')
  await chat.element.getByRole('textbox', { name: 'Anything to add?' }).fill('and no stairs')
  await chat.press('Answer')
  await chat.says('Thank you.')
  expect(site.asked[1]?.messages.at(-1)?.content).toContain('"reviewerNotes":"and no stairs"')
  expect(answersTo(site)).toMatchObject([
    { question: 'Which area?', values: [], freeText: 'on a boat' },
    { question: 'What else?', values: ['Breakfast', 'A view'] },
  ])
})

test.concurrent('[C54] a visitor who does not answer is let be, and the model is told', async () => {
  const { site, chat } = await visitorAsked(area)
  await chat.press('Don’t answer')
  await chat.says('Thank you.')
  expect(site.asked[1]?.messages.at(-1)).toMatchObject({ role: 'tool', content: expect.stringContaining('cancelled') })
  expect(await chat.element.locator('form.request').count()).toBe(0)
})

test.concurrent('[C53] [G1] a reload in the middle keeps the place and what was chosen', async () => {
  const { site, tab, chat } = await visitorAsked(area, extras)
  await chat.element.getByLabel('River').check()
  await chat.press('Next')
  await chat.element.getByLabel('Parking').check()
  await tab.reload()
  await chat.shows('2 of 2')
  expect(await chat.element.getByLabel('Parking').isChecked()).toBe(true)
  await chat.press('Next')
  await tab.reload()
  await chat.shows('Is this right?')
  await chat.press('Answer')
  await chat.says('Thank you.')
  expect(answersTo(site)).toMatchObject([{ values: ['River'] }, { values: ['Parking'] }])
  expect(site.asked).toHaveLength(2)
})

async function visitorAsked(...questions: object[]) {
  const script = [call('ask_user_question', { questions }), say('Thank you.')]
  const site = await startScriptedSite({ pages: { '/': page }, script })
  const tab = await (await browser.newVisitor()).open(site.url)
  const chat = chatOf(tab)
  await chat.send('Find me a room')
  await chat.shows('Which area?')
  return { site, tab, chat }
}

function answersTo(site: ScriptedSite): object[] {
  const result = site.asked[1]?.messages.at(-1)?.content
  return typeof result === 'string' ? JSON.parse(result).answers : []
}
