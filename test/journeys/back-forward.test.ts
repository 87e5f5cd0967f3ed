/** The Back button: a page that the browser had kept whole comes back to a session that went on without it. */
import { call, pause, say } from '@dogear/testing'
import { expect, test } from 'vitest'
import { type Tab, useBrowser } from './support/browser.ts'
import { chatOf } from './support/chat.ts'
import { createGate } from './support/gate.ts'
import type { Script } from './support/scripted-provider.ts'
import { pageWith, startScriptedSite } from './support/scripted-site.ts'
import { until } from './support/until.ts'

// Playwright turns off what is tested here.
const browser = useBrowser({ ignoreDefaultArgs: ['--disable-back-forward-cache'] })

const page = pageWith(`
  window.returns = []
  addEventListener('pageshow', (event) => returns.push(event.persisted))
  const pay = {
    name: 'pay',
    effect: 'once',
    func: (_args, { callId }) => fetch('/ledger', { method: 'POST', body: callId }).then(() => 'Paid.'),
  }
  Dogear.mount('#agent', { agent: Dogear.createAgent({ endpoint: '/api/agent', tools: [pay] }) })
`)

/** Pays, and then says so, each time it is asked. */
const pays: Script = (_request, n) => (n % 2 === 0 ? call('pay') : say(`Paid ${(n + 1) / 2}.`))

test.concurrent('[G3] [G6] [X11] a page brought back shows what another tab did, and its person goes on', async () => {
  const { site, first, openAnother } = await visit(pays)
  await first.chat.send('One')
  await first.chat.says('Paid 1.')
  await first.chat.is('Saved')
  const second = await openAnother()
  await second.chat.says('Paid 1.')
  await leave(first.tab)
  await second.chat.send('Two')
  await second.chat.says('Paid 2.')
  await second.chat.send('Three')
  await second.chat.says('Paid 3.')
  expect(await comeBack(first.tab)).toEqual([false, true])
  await first.chat.says('Paid 3.')
  await first.chat.send('Four')
  await first.chat.says('Paid 4.')
  await second.chat.says('Paid 4.')
  await first.chat.is('Saved')
  expect(await first.chat.read()).toEqual(everyWord(4))
  expect(await second.chat.read()).toEqual(everyWord(4))
  expect([new Set(site.ledger).size, site.ledger.length, site.asked.length]).toEqual([4, 4, 8])
})

test.concurrent('[G6] [X11] a page brought back goes on with what a tab left open that is gone by now', async () => {
  const gate = createGate()
  const { site, first, openAnother } = await visit((_request, n) =>
    n === 0 ? say('Hello.') : [say('One, '), pause(gate.passed), say('two.')],
  )
  await first.chat.send('I am here')
  await first.chat.says('Hello.')
  await first.chat.is('Saved')
  const second = await openAnother()
  await second.chat.says('Hello.')
  await leave(first.tab)
  await second.chat.send('Count')
  await second.chat.says('One,')
  await second.tab.close()
  await comeBack(first.tab)
  await first.chat.says('One,')
  gate.open()
  await first.chat.says('two.')
  await first.chat.is('Saved')
  expect(await first.chat.read()).toEqual(['I am here', 'Hello.', 'Count', 'One, two.'])
  expect(site.asked).toHaveLength(2)
})

test.concurrent(
  '[G3] [G6] [X11] a page that drove leaves the session to a tab opened meanwhile, and goes on when it is back',
  async () => {
    const { site, first, openAnother } = await visit(pays)
    await first.chat.send('One')
    await first.chat.says('Paid 1.')
    await first.chat.is('Saved')
    await leave(first.tab)
    const second = await openAnother()
    await second.chat.send('Two')
    await second.chat.says('Paid 2.')
    // Kept, or thrown away where the other tab asked for the lock before this one let go of it: the browser chooses.
    await comeBack(first.tab)
    await first.chat.says('Paid 2.')
    await first.chat.send('Three')
    await first.chat.says('Paid 3.')
    await second.chat.says('Paid 3.')
    expect(await first.chat.read()).toEqual(everyWord(3))
    expect([new Set(site.ledger).size, site.ledger.length, site.asked.length]).toEqual([3, 3, 6])
  },
)

async function visit(script: Script) {
  const pages = { '/': page, '/elsewhere': '<!doctype html><title>Elsewhere</title>' }
  const site = await startScriptedSite({ pages, script })
  const visitor = await browser.newVisitor()
  const openAnother = async () => {
    const tab = await visitor.open(site.url)
    return { tab, chat: chatOf(tab) }
  }
  return { site, first: await openAnother(), openAnother }
}

async function leave(tab: Tab): Promise<void> {
  await tab.goto(new URL('/elsewhere', tab.url()).href)
}

/** For each time this page was shown, whether the browser had kept it. */
async function comeBack(tab: Tab): Promise<boolean[]> {
  // What was kept is not loaded again, so that nobody hears of a load.
  await tab.goBack({ waitUntil: 'commit' })
  const returns = () => tab.evaluate<boolean[]>('window.returns ?? []')
  await until(async () => (await returns()).length > 0, 'the page is shown')
  return returns()
}

function everyWord(turns: number): string[] {
  return ['One', 'Two', 'Three', 'Four'].slice(0, turns).flatMap((words, at) => [words, `Paid ${at + 1}.`])
}
