/** J4: the agent asks before it acts, and does exactly what was approved. */
import { call, say } from '@dogear/testing'
import { expect, test } from 'vitest'
import { useBrowser } from './support/browser.ts'
import { chatOf } from './support/chat.ts'
import { pageWith, startScriptedSite } from './support/scripted-site.ts'
import type { Script } from './support/scripted-provider.ts'

const browser = useBrowser()

const page = pageWith(`
  const bookHotel = Dogear.createTool({
    name: 'book_hotel',
    label: 'Book a room',
    needsApproval: true,
    parameters: {
      type: 'object',
      properties: { hotel: { type: 'string' }, nights: { type: 'integer', minimum: 1 } },
      required: ['hotel', 'nights'],
    },
    async func({ hotel, nights }) {
      await fetch('/ledger', { method: 'POST', body: hotel + ' ' + nights })
      if (hotel === 'Casa Cheia') throw new Error('The house is full.')
      return 'Booked.'
    },
  })
  Dogear.mount('#agent', { agent: Dogear.createAgent({ endpoint: '/api/agent', tools: [bookHotel] }) })
`)

const proposal = [say('It is near the river.'), call('book_hotel', { hotel: 'Casa Rio', nights: 3 })]

test.concurrent('[C47] nothing happens before the visitor approves, then it happens once', async () => {
  const { site, chat } = await visit([proposal, say('All set.')])
  await chat.send('Three nights, please')
  await chat.shows('Book a room?')
  await chat.shows('Casa Rio')
  await chat.is('Waiting for you')
  expect(site.ledger).toEqual([])
  await chat.press('Book')
  await chat.says('All set.')
  await chat.is('Saved')
  expect(site.ledger).toEqual(['Casa Rio 3'])
  expect(site.asked[1]?.messages.at(-1)).toMatchObject({ role: 'tool', content: 'Booked.' })
})

test.concurrent('[C50] [G5] the visitor edits the arguments, and those run', async () => {
  const { site, chat } = await visit([proposal, say('Two nights it is.')])
  await chat.send('Three nights, please')
  await chat.press('Edit')
  await chat.element.getByLabel('Nights').fill('0')
  await chat.shows('At least 1.')
  expect(await chat.element.getByRole('button', { name: 'Book' }).isDisabled()).toBe(true)
  await chat.element.getByLabel('Nights').fill('2')
  await chat.press('Book')
  await chat.says('Two nights it is.')
  expect(site.ledger).toEqual(['Casa Rio 2'])
})

test.concurrent('[C48] the visitor says no and why, and the model reads it', async () => {
  const { site, chat } = await visit([proposal, say('Then somewhere quieter.')])
  await chat.send('Three nights, please')
  await chat.press('Don’t')
  await chat.element.getByLabel('What should it do instead?').fill('too loud there')
  await chat.press('Don’t do it')
  await chat.says('Then somewhere quieter.')
  await chat.says('You said no')
  expect(site.ledger).toEqual([])
  expect(site.asked[1]?.messages.at(-1)).toMatchObject({ content: 'Tool call rejected: too loud there' })
})

test.concurrent('[C47] [G1] a reload leaves the question open, with what was written into it', async () => {
  const { site, tab, chat } = await visit([proposal, say('All set.')])
  await chat.send('Three nights, please')
  await chat.press('Don’t')
  await chat.element.getByLabel('What should it do instead?').fill('too loud')
  await tab.reload()
  await chat.shows('Book a room?')
  expect(await chat.element.getByLabel('What should it do instead?').inputValue()).toBe('too loud')
  await chat.press('Back')
  await chat.press('Book')
  await chat.says('All set.')
  expect(site.ledger).toEqual(['Casa Rio 3'])
  expect(site.asked).toHaveLength(2)
})

test.concurrent('[C16] a tool that throws after the approval fails in its card, and the talk goes on', async () => {
  const full = call('book_hotel', { hotel: 'Casa Cheia', nights: 1 })
  const { site, tab, chat } = await visit([full, say('It is full, sorry.'), say('Gladly.')])
  await chat.send('One night, please')
  await chat.press('Book')
  await chat.says('It is full, sorry.')
  await chat.says('Error executing tool: The house is full.')
  expect(site.ledger).toEqual(['Casa Cheia 1'])
  expect(tab.complaints.join()).toContain('Tool "book_hotel" threw: The house is full.')
  await chat.send('Something else then')
  await chat.says('Gladly.')
})

async function visit(script: Script) {
  const site = await startScriptedSite({ pages: { '/': page }, script })
  const tab = await (await browser.newVisitor()).open(site.url)
  return { site, tab, chat: chatOf(tab) }
}
