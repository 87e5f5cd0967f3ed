/** J7: a second tab follows live, may answer what the first asked, and finishes when the first is gone. */
import { call, pause, say } from '@dogear/testing'
import { expect, test } from 'vitest'
import { useBrowser } from './support/browser.ts'
import { chatOf } from './support/chat.ts'
import { createGate } from './support/gate.ts'
import type { Script } from './support/scripted-provider.ts'
import { pageWith, startScriptedSite } from './support/scripted-site.ts'
import { until } from './support/until.ts'

const browser = useBrowser()

const page = pageWith(`
  const book = {
    name: 'book_hotel',
    label: 'Book a room',
    needsApproval: true,
    func: () => fetch('/ledger', { method: 'POST', body: 'booked' }).then(() => 'Booked.'),
  }
  Dogear.mount('#agent', { agent: Dogear.createAgent({ endpoint: '/api/agent', tools: [book] }) })
`)

test.concurrent('[G6] the second tab sees the words while the first one gets them', async () => {
  const gate = createGate()
  const { site, first, openAnother } = await visit([[say('One, '), pause(gate.passed), say('two.')]])
  await first.chat.send('Count')
  await first.chat.says('One,')
  const second = await openAnother()
  await second.chat.says('One,')
  gate.open()
  await second.chat.says('two.')
  await second.chat.is('Saved')
  await first.chat.is('Saved')
  expect(await second.chat.read()).toEqual(await first.chat.read())
  expect(site.asked).toHaveLength(1)
})

test.concurrent('[G6] [C47] the second tab approves what the first asked, and it happens once', async () => {
  const { site, first, openAnother } = await visit([call('book_hotel'), say('All set.')])
  await first.chat.send('Book it')
  await first.chat.shows('Book a room?')
  const second = await openAnother()
  await second.chat.press('Book')
  await second.chat.says('All set.')
  await first.chat.says('All set.')
  await first.chat.says('Answered in another tab')
  expect(await second.chat.conversation.getByText('Answered in another tab').count()).toBe(0)
  expect(site.ledger).toEqual(['booked'])
})

test.concurrent('a message from the second tab is answered in both', async () => {
  const { first, openAnother } = await visit([say('Hello one.'), say('Hello two.')])
  await first.chat.send('I am one')
  await first.chat.says('Hello one.')
  const second = await openAnother()
  await second.chat.says('Hello one.')
  await second.chat.send('I am two')
  await second.chat.says('Hello two.')
  await first.chat.says('Hello two.')
  expect(await first.chat.read()).toEqual(await second.chat.read())
})

test.concurrent(
  '[G6] the tab whose person writes drives: its page runs the tools, and the first follows word by word',
  async () => {
    const gate = createGate()
    const script = [say('Hello.'), call('where_am_i'), [say('One, '), pause(gate.passed), say('two.')]]
    const asks = pageWith(`
    const here = {
      name: 'where_am_i',
      func: () => fetch('/ledger', { method: 'POST', body: window.name }).then(() => 'Here.'),
    }
    Dogear.mount('#agent', { agent: Dogear.createAgent({ endpoint: '/api/agent', tools: [here] }) })
  `)
    const { site, first, openAnother } = await visit(script, asks)
    await first.tab.evaluate(() => void (window.name = 'first'))
    await first.chat.send('I am one')
    await first.chat.says('Hello.')
    const second = await openAnother()
    await second.tab.evaluate(() => void (window.name = 'second'))
    await second.chat.says('Hello.')
    await second.chat.send('I am two')
    await first.chat.says('One,')
    expect(site.ledger).toEqual(['second'])
    gate.open()
    await first.chat.says('two.')
    await first.chat.is('Saved')
    expect(await first.chat.read()).toEqual(await second.chat.read())
    expect(site.asked).toHaveLength(3)
  },
)

test.concurrent('[G6] the second tab finishes the answer when the first is closed', async () => {
  const gate = createGate()
  const { site, first, openAnother } = await visit([[say('One, '), pause(gate.passed), say('two.')]])
  await first.chat.send('Count')
  const second = await openAnother()
  await second.chat.says('One,')
  await first.tab.close()
  gate.open()
  await second.chat.says('two.')
  await second.chat.is('Saved')
  expect(site.asked).toHaveLength(1)
})

test.concurrent('[G6] [X2] the second tab finishes the answer when the first crashes', async () => {
  const gate = createGate()
  const { site, first, openAnother } = await visit([[say('One, '), pause(gate.passed), say('two.')]])
  await first.chat.send('Count')
  const second = await openAnother()
  await second.chat.says('One,')
  const crashed = first.tab.waitForEvent('crash')
  const devtools = await first.tab.context().newCDPSession(first.tab)
  void devtools.send('Page.crash').catch(() => {})
  await crashed
  gate.open()
  await second.chat.says('two.')
  await second.chat.is('Saved')
  expect(site.asked).toHaveLength(1)
})

test.concurrent('[G3] [X2] what ran in a crashed tab is asked about in the other, not run again', async () => {
  const script = [call('book_hotel'), say('Good.')]
  const slow = page.replace("then(() => 'Booked.')", 'then(() => new Promise(() => {}))')
  const { site, first, openAnother } = await visit(script, slow)
  await first.chat.send('Book it')
  await first.chat.press('Book')
  await until(() => site.ledger.length === 1, 'the room is booked')
  const second = await openAnother()
  const crashed = first.tab.waitForEvent('crash')
  const devtools = await first.tab.context().newCDPSession(first.tab)
  void devtools.send('Page.crash').catch(() => {})
  await crashed
  await second.chat.shows('Did it happen? Book a room')
  await second.chat.press('It happened')
  await second.chat.says('Good.')
  expect(site.ledger).toEqual(['booked'])
})

test.concurrent('[O19] what waits in one tab is told at once in the other, which shows another session', async () => {
  const { site, first, openAnother } = await visit([call('book_hotel'), say('All set.')])
  const second = await openAnother()
  await second.tab.evaluate(() => Object.assign(document.querySelector('dogear-chat')!, { session: 'another' }))
  await first.chat.send('Book it')
  await first.chat.shows('Book a room?')
  await second.tab.waitForFunction(() => document.title === '(1) A page')
  await second.tab.getByRole('button', { name: 'Another conversation waits for you' }).click()
  await second.tab.getByRole('button', { name: 'Book it' }).click()
  await second.chat.press('Book')
  await second.chat.says('All set.')
  await second.tab.waitForFunction(() => document.title === 'A page')
  expect(site.ledger).toEqual(['booked'])
})

const list = pageWith(`
  const agent = Dogear.createAgent({ endpoint: '/api/agent' })
  Dogear.mount('#agent', { agent, session: 'another' })
  agent.sessions.subscribe((sessions) => {
    document.querySelector('h1').textContent = sessions.map(({ title, status }) => title + ': ' + status).join()
  })
`)

test.concurrent('[O19] a page that watches the list is told what a session does in another tab', async () => {
  const gate = createGate()
  const { first, openAnother } = await visit([[say('One, '), pause(gate.passed), say('two.')]])
  const { tab } = await openAnother('/list')
  await first.chat.send('Count')
  await tab.getByRole('heading', { name: 'Count: busy' }).waitFor()
  gate.open()
  await tab.getByRole('heading', { name: 'Count: idle' }).waitFor()
})

async function visit(script: Script, html = page) {
  const site = await startScriptedSite({ pages: { '/': html, '/list': list }, script })
  const visitor = await browser.newVisitor()
  const openAnother = async (path = '') => {
    const tab = await visitor.open(site.url + path)
    return { tab, chat: chatOf(tab) }
  }
  return { site, first: await openAnother(), openAnother }
}
