/** J11: a site of several pages, each loaded anew: the chat and the work in it come along. */
import { call, pause, say } from '@dogear/testing'
import { expect, test } from 'vitest'
import { useBrowser } from './support/browser.ts'
import { chatOf } from './support/chat.ts'
import { createGate } from './support/gate.ts'
import type { Script } from './support/scripted-provider.ts'
import { pageWith, startScriptedSite } from './support/scripted-site.ts'
import { until } from './support/until.ts'

const browser = useBrowser()

const shop = pageWith(
  `
  const addToCart = {
    name: 'add_to_cart',
    label: 'Add to cart',
    func: () => fetch('/ledger', { method: 'POST', body: \`a chair from \${location.pathname}\` }).then(() => 'In the cart.'),
  }
  Dogear.mount({ agent: Dogear.createAgent({ name: 'shop', endpoint: '/api/agent', tools: [addToCart] }) })
`,
  { title: 'Shop', body: '<a href="/about">About us</a>' },
)
const about = pageWith(`Dogear.mount({ agent: Dogear.createAgent({ name: 'shop', endpoint: '/api/agent' }) })`, {
  title: 'About us',
  body: '<a href="/">Shop</a>',
})

test.concurrent('[J11] open panel, draft and running turn come along to the next page', async () => {
  const gate = createGate()
  const { site, tab, chat } = await visit([[say('We make '), pause(gate.passed), say('chairs.')]])
  await chat.open()
  await chat.send('What do you make?')
  await chat.says('We make')
  await chat.composer.fill('And what do they')
  await tab.getByRole('link', { name: 'About us' }).click()
  await tab.waitForURL('**/about')
  await chat.says('We make')
  expect(await chat.composer.inputValue()).toBe('And what do they')
  gate.open()
  await chat.says('chairs.')
  await chat.is('Saved')
  expect(site.asked).toHaveLength(1)
  expect(tab.complaints).toEqual([])
})

test.concurrent('[J11] a closed panel stays closed on the next page', async () => {
  const { tab, chat } = await visit([])
  await chat.open()
  await chat.press('Close')
  await tab.getByRole('link', { name: 'About us' }).click()
  await tab.waitForURL('**/about')
  await chat.launcher.waitFor()
  expect(await chat.panel.count()).toBe(0)
})

test.concurrent('[J11] a tool of another page waits and says so, and runs when the visitor is back there', async () => {
  const gate = createGate()
  const { site, tab, chat } = await visit([
    [say('A good choice. '), pause(gate.passed), call('add_to_cart')],
    say('It is in your cart.'),
  ])
  await chat.open()
  await chat.send('I take the chair')
  await chat.says('A good choice.')
  await tab.getByRole('link', { name: 'About us' }).click()
  await tab.waitForURL('**/about')
  await chat.says('A good choice.')
  gate.open()
  await chat.says('Continues on a page that has “Add to cart”.')
  expect(site.ledger).toEqual([])
  await tab.getByRole('link', { name: 'Shop' }).click()
  await chat.says('It is in your cart.')
  await chat.is('Saved')
  expect(site.ledger).toEqual(['a chair from /'])
})

test.concurrent('[J11] a visitor who does not go back skips the tool, and the talk goes on', async () => {
  const gate = createGate()
  const { site, tab, chat } = await visit([
    [say('A good choice. '), pause(gate.passed), call('add_to_cart')],
    say('As you like.'),
  ])
  await chat.open()
  await chat.send('I take the chair')
  await chat.says('A good choice.')
  await tab.getByRole('link', { name: 'About us' }).click()
  await chat.says('A good choice.')
  gate.open()
  await chat.press('Skip')
  await chat.says('As you like.')
  await chat.is('Saved')
  expect(site.ledger).toEqual([])
})

test.concurrent(
  '[J11] [G3] [G6] a tool of the page in another tab runs there, once, and the talk goes on in this one',
  async () => {
    const { site, visitor, tab, chat } = await visit([say('Welcome.'), call('add_to_cart'), say('It is in your cart.')])
    await chat.open()
    await chat.send('Hello')
    await chat.says('Welcome.')
    const other = await visitor.open(`${site.url}/about`)
    const there = chatOf(other)
    await there.says('Welcome.')
    await there.send('I take the chair')
    await there.says('It is in your cart.')
    await there.is('Saved')
    await chat.says('It is in your cart.')
    expect(site.ledger).toEqual(['a chair from /'])
    expect(site.asked).toHaveLength(3)
    expect([...tab.complaints, ...other.complaints]).toEqual([])
  },
)

test.concurrent(
  '[J11] [G3] [X2] the tab that ran the tool crashes: the visitor is asked what happened, and nothing runs again',
  async () => {
    const script = [say('Welcome.'), call('add_to_cart'), say('Good.')]
    const { site, visitor, tab, chat } = await visit(
      script,
      shop.replace("then(() => 'In the cart.')", 'then(() => new Promise(() => {}))'),
    )
    await chat.open()
    await chat.send('Hello')
    await chat.says('Welcome.')
    const there = chatOf(await visitor.open(`${site.url}/about`))
    await there.says('Welcome.')
    await there.send('I take the chair')
    await until(() => site.ledger.length === 1, 'the chair is in the cart')
    const crashed = tab.waitForEvent('crash')
    const devtools = await tab.context().newCDPSession(tab)
    void devtools.send('Page.crash').catch(() => {})
    await crashed
    await there.shows('Did it happen? Add to cart')
    await there.press('It happened')
    await there.says('Good.')
    expect(site.ledger).toHaveLength(1)
  },
)

async function visit(script: Script, html = shop) {
  const site = await startScriptedSite({ pages: { '/': html, '/about': about }, script })
  const visitor = await browser.newVisitor()
  const tab = await visitor.open(site.url)
  return { site, visitor, tab, chat: chatOf(tab) }
}
