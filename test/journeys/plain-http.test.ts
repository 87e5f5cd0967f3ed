/** A site without https: its pages have no Web Locks, and a row in the store says which tab drives. */
import { call, pause, say } from '@dogear/testing'
import { expect, test } from 'vitest'
import { useBrowser } from './support/browser.ts'
import { chatOf } from './support/chat.ts'
import { createGate } from './support/gate.ts'
import { pageWith, startScriptedSite } from './support/scripted-site.ts'
import { until } from './support/until.ts'

// Only loopback is trusted without https, whatever it is called.
const browser = useBrowser({ args: ['--host-resolver-rules=MAP dogear.test 127.0.0.1'] })

const page = pageWith(`
  const pay = {
    name: 'pay',
    label: 'Pay the invoice',
    async func() {
      await fetch('/ledger', { method: 'POST', body: window.name })
      if (window.name === 'first') await new Promise(() => {})
      return 'Paid.'
    },
  }
  Dogear.mount('#agent', { agent: Dogear.createAgent({ endpoint: '/api/agent', tools: [pay] }) })
`)

test('[G3] [G4] [G6] without Web Locks a second tab follows, and goes on when the first crashes inside a call', async () => {
  const gate = createGate()
  const script = [
    [say('One, '), pause(gate.passed), say('two.')],
    call('pay'),
    say('Then all is well.'),
    call('pay'),
    say('Paid again.'),
  ]
  const site = await startScriptedSite({ pages: { '/': page }, script, host: 'dogear.test' })
  const visitor = await browser.newVisitor()
  const open = async (name: string) => {
    const tab = await visitor.open(site.url)
    expect(await tab.evaluate(() => [isSecureContext, 'locks' in navigator])).toEqual([false, false])
    await tab.evaluate((given) => void (window.name = given), name)
    return { tab, chat: chatOf(tab) }
  }
  const first = await open('first')
  await first.chat.send('Count')
  await first.chat.says('One,')
  const second = await open('second')
  await second.chat.says('One,')
  gate.open()
  await second.chat.says('two.')

  await first.chat.send('Pay it')
  await until(() => site.ledger.length === 1, 'the invoice is paid')
  const crashed = first.tab.waitForEvent('crash')
  const devtools = await visitor.context.newCDPSession(first.tab)
  void devtools.send('Page.crash').catch(() => {})
  await crashed
  await second.chat.shows('Did it happen? Pay the invoice')
  await second.chat.press('It happened')
  await second.chat.says('Then all is well.')
  await second.chat.send('Pay the other')
  await second.chat.says('Paid again.')
  expect(site.ledger).toEqual(['first', 'second'])
  expect(site.asked).toHaveLength(5)
})
