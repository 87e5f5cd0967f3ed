/** J6: offline is a state, not an error: words are kept, and sent once when there is a way. */
import { pause, say } from '@dogear/testing'
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
  await chat.says('Will send when online')
  await chat.composer.fill('a thought I had')
  await visitor.context.setOffline(false)
  await tab.reload()
  await chat.is('Offline – will continue')
  expect(await chat.read()).toEqual(['Hello?', 'And this'])
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
