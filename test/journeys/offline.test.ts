/** J6: offline is a state, not an error: words are kept, and sent once when there is a way. */
import { call, pause, say } from '@dogear/testing'
import { expect, test } from 'vitest'
import { useBrowser } from './support/browser.ts'
import { chatOf } from './support/chat.ts'
import { createGate } from './support/gate.ts'
import { pageWith, startScriptedSite } from './support/scripted-site.ts'

const browser = useBrowser()

const page = pageWith(`Dogear.mount('#agent', { agent: Dogear.createAgent({ endpoint: '/api/agent' }) })`)

test.concurrent('[G9] words sent offline are kept and said to be, and sent once when online', async () => {
  const site = await startScriptedSite({ pages: { '/': page }, script: [say('There you are.')] })
  const visitor = await browser.newVisitor()
  const chat = chatOf(await visitor.open(site.url))
  await chat.is('Ready')
  await visitor.context.setOffline(true)
  await chat.is('Offline – will continue')
  await chat.send('Hello?')
  await chat.says('Hello?')
  await chat.says('Connection lost. Your message is saved and goes on by itself.')
  await visitor.context.setOffline(false)
  await chat.says('There you are.')
  await chat.is('Saved')
  expect(await chat.read()).toEqual(['Hello?', 'There you are.'])
  expect(site.asked).toHaveLength(1)
})

test.concurrent('[G9] words sent offline survive a reload, and are sent once when the server is back', async () => {
  let isDown = true
  const site = await startScriptedSite({
    pages: { '/': page },
    script: [say('There you are.'), say('And again.')],
    api: (_request, response) => isDown && response.destroy() !== undefined,
  })
  const visitor = await browser.newVisitor()
  const tab = await visitor.open(site.url)
  const chat = chatOf(tab)
  await chat.is('Ready')
  await visitor.context.setOffline(true)
  await chat.send('Hello?')
  await chat.says('Connection lost.')
  await chat.send('And this')
  await chat.shows('Will send when online')
  await chat.composer.fill('a thought I had')
  await visitor.context.setOffline(false)
  await tab.reload()
  await chat.is('Offline – will continue')
  expect(await chat.read()).toEqual(['Hello?'])
  expect(await chat.queue.allInnerTexts()).toEqual(['And this'])
  expect(await chat.composer.inputValue()).toBe('a thought I had')
  isDown = false
  await chat.says('And again.')
  await chat.is('Saved')
  expect(await chat.read()).toEqual(['Hello?', 'There you are.', 'And this', 'And again.'])
  expect(site.asked).toHaveLength(2)
})

test.concurrent('[G9] an answer cut off by the network goes on where it was', async () => {
  const gate = createGate()
  const site = await startScriptedSite({
    pages: { '/': page },
    script: [[say('One, '), pause(gate.passed), say('two.')]],
  })
  const visitor = await browser.newVisitor()
  const chat = chatOf(await visitor.open(site.url))
  await chat.send('Count')
  await chat.says('One,')
  await visitor.context.setOffline(true)
  await chat.is('Offline – will continue')
  gate.open()
  await visitor.context.setOffline(false)
  await chat.says('two.')
  await chat.is('Saved')
  expect(await chat.read()).toEqual(['Count', 'One, two.'])
  expect(site.asked).toHaveLength(1)
})

test.concurrent(
  '[G9] what was queued and edited, then left offline and reloaded, is sent once each and in order',
  async () => {
    const gate = createGate()
    let isDown = false
    const site = await startScriptedSite({
      pages: { '/': page },
      script: [[say('One, '), pause(gate.passed), say('two.')], say('The train is at noon.'), say('A table for four.')],
      api: (_request, response) => isDown && response.destroy() !== undefined,
    })
    const visitor = await browser.newVisitor()
    const tab = await visitor.open(site.url)
    const chat = chatOf(tab)
    await chat.send('Count')
    await chat.says('One,')
    await chat.send('And the train?')
    await chat.send('And a table?')
    await chat.queue.nth(1).getByRole('button', { name: 'Edit' }).waitFor()
    await chat.queue.first().getByRole('button', { name: 'Edit' }).click()
    await chat.queue.first().getByRole('textbox').fill('When is the train?')
    await chat.queue.first().getByRole('textbox').press('Enter')
    await chat.shows('When is the train?')
    isDown = true
    await visitor.context.setOffline(true)
    await chat.is('Offline – will continue')
    await chat.shows('Will send when online')
    await visitor.context.setOffline(false)
    await tab.reload()
    await chat.is('Offline – will continue')
    expect(await chat.queue.allInnerTexts()).toEqual(['When is the train?', 'And a table?'])
    gate.open()
    isDown = false
    await chat.says('A table for four.')
    await chat.is('Saved')
    expect(await chat.queue.count()).toBe(0)
    expect(await chat.read()).toEqual([
      'Count',
      'One, two.',
      'When is the train?',
      'The train is at noon.',
      'And a table?',
      'A table for four.',
    ])
    expect(site.asked).toHaveLength(3)
  },
)

test.concurrent(
  '[G9] an approval given offline runs its tool once, and the turn goes on by itself when online',
  async () => {
    const bookHotel = pageWith(`
    const tool = {
      name: 'book_hotel',
      label: 'Book a room',
      needsApproval: true,
      func: ({ hotel }) => {
        localStorage.booked = (localStorage.booked ?? '') + hotel
        return 'Booked.'
      },
    }
    Dogear.mount('#agent', { agent: Dogear.createAgent({ endpoint: '/api/agent', tools: [tool] }) })
  `)
    const site = await startScriptedSite({
      pages: { '/': bookHotel },
      script: [call('book_hotel', { hotel: 'Casa Rio' }), say('All set.')],
    })
    const visitor = await browser.newVisitor()
    const tab = await visitor.open(site.url)
    const chat = chatOf(tab)
    await chat.send('Book it')
    await chat.shows('Book a room?')
    await visitor.context.setOffline(true)
    await chat.is('Offline – will continue')
    await chat.press('Book')
    await chat.says('Connection lost. Your message is saved and goes on by itself.')
    expect(await tab.evaluate('localStorage.booked')).toBe('Casa Rio')
    await visitor.context.setOffline(false)
    await chat.says('All set.')
    await chat.is('Saved')
    expect(await tab.evaluate('localStorage.booked')).toBe('Casa Rio')
    expect(site.asked[1]?.messages.at(-1)).toMatchObject({ role: 'tool', content: 'Booked.' })
  },
)
