/** Never loses its place: a reload, a dead worker and a killed browser, in the middle of words and of tools. */
import { call, pause, say } from '@dogear/testing'
import { expect, test } from 'vitest'
import { useBrowser } from './support/browser.ts'
import { chatOf } from './support/chat.ts'
import { createGate } from './support/gate.ts'
import { keptWords } from './support/kept-words.ts'
import { killableBrowser } from './support/killable-browser.ts'
import { after, type Script } from './support/scripted-provider.ts'
import { pageWith, startScriptedSite } from './support/scripted-site.ts'
import { until } from './support/until.ts'

const browser = useBrowser()

const page = pageWith(`
  const pay = (effect) => ({
    name: 'pay_' + effect,
    label: 'Pay the invoice',
    effect,
    async func(args, { idempotencyKey }) {
      const done = new Promise((resolve) => (window.finishPaying = resolve))
      await fetch('/ledger', { method: 'POST', body: effect + ' ' + idempotencyKey })
      await done
      return 'receipt 7'
    },
  })
  const agent = Dogear.createAgent({ endpoint: '/api/agent', tools: ['once', 'idempotent', 'page'].map(pay) })
  Dogear.mount('#agent', { agent })
`)

/** Keeps the page's workers at hand, to end them behind its back. */
const keepWorkers = `
  const workers = []
  window.Worker = class extends Worker {
    constructor(...args) {
      super(...args)
      workers.push(this)
    }
  }
  window.endWorker = () => workers.at(-1).terminate()
`

const numbers = ['One, ', 'two, ', 'three, ', 'four, ', 'five, ', 'six, ', 'seven, ', 'eight, ', 'nine, ']

/** Slow enough to be kept on the disk on the way, and held back before its last word. */
function counting(held: Promise<unknown>): Script {
  return () => [...numbers.map((word, at) => [after(at * 300), ...say(word)]).flat(), pause(held), ...say('ten.')]
}

test.concurrent('[G7] a reload mid-answer shows the words, marks the place, and asks the model once', async () => {
  const gate = createGate()
  const { site, tab, chat } = await visit(counting(gate.passed))
  await chat.send('Count')
  await until(async () => (await keptWords(tab)).startsWith('One, '), 'the first words are on the disk')
  await tab.reload()
  await chat.says('One, ')
  await chat.says('Picked up here')
  gate.open()
  await chat.says('ten.')
  await chat.is('Saved')
  expect(await chat.read()).toEqual(['Count', `${numbers.join('')}ten.`])
  expect(site.asked).toHaveLength(1)
  expect(tab.complaints).toEqual([])
})

test.concurrent('[G7] [X1] a dead worker mid-answer is replaced, and asks the model once', async () => {
  const gate = createGate()
  const { site, tab, chat } = await visit(counting(gate.passed))
  await chat.send('Count')
  await until(async () => (await keptWords(tab)).startsWith('One, '), 'the first words are on the disk')
  await tab.evaluate('endWorker()')
  gate.open()
  await chat.says('ten.')
  await chat.says('Picked up here')
  await chat.is('Saved')
  expect(await chat.read()).toEqual(['Count', `${numbers.join('')}ten.`])
  expect(site.asked).toHaveLength(1)
  expect(tab.complaints.join()).toContain('The worker stopped answering and was started anew.')
})

test.concurrent('[G3] [X1] a tool that runs while the worker dies is joined, not run again', async () => {
  const { site, tab, chat } = await visit([call('pay_once'), say('Paid.')])
  await chat.send('Pay it')
  await until(() => site.ledger.length === 1, 'the invoice is being paid')
  await tab.evaluate('endWorker()')
  await until(() => tab.complaints.length > 0, 'the page notices')
  await tab.evaluate('finishPaying()')
  await chat.says('Paid.')
  await chat.is('Saved')
  expect(site.ledger).toHaveLength(1)
  expect(site.asked[1]?.messages.at(-1)).toMatchObject({ role: 'tool', content: 'receipt 7' })
})

test.concurrent('[G3] [G4] a tool cut off by a reload is asked about, and the model is told the truth', async () => {
  const { site, tab, chat } = await visit([call('pay_once'), say('Then all is well.')])
  await chat.send('Pay it')
  await until(() => site.ledger.length === 1, 'the invoice is being paid')
  await tab.reload()
  await chat.shows('Did it happen? Pay the invoice')
  await chat.press('It happened')
  await chat.says('Then all is well.')
  expect(site.ledger).toHaveLength(1)
  expect(site.asked[1]?.messages.at(-1)?.role).toBe('tool')
})

test.concurrent('[G4] an idempotent tool cut off by a reload runs again with the same key', async () => {
  const { site, tab, chat } = await visit([call('pay_idempotent'), say('Paid.')])
  await chat.send('Pay it')
  await until(() => site.ledger.length === 1, 'the invoice is being paid')
  await tab.reload()
  await until(() => site.ledger.length === 2, 'it is paid again')
  await tab.evaluate('finishPaying()')
  await chat.says('Paid.')
  expect(site.ledger[0]).toBe(site.ledger[1])
})

test.concurrent('[G4] a tool of the page cut off by a reload neither repeats nor asks', async () => {
  const { site, tab, chat } = await visit([call('pay_page'), say('Let me look.')])
  await chat.send('Pay it')
  await until(() => site.ledger.length === 1, 'the invoice is being paid')
  await tab.reload()
  await chat.says('Let me look.')
  expect(site.ledger).toHaveLength(1)
  expect(site.asked[1]?.messages.at(-1)).toMatchObject({
    content: 'The page was left before this finished. Look at the page before repeating it.',
  })
})

test.concurrent('an Enter before the session is open is not for nothing', async () => {
  const gate = createGate()
  const early = pageWith(`
    const agent = Dogear.createAgent({ endpoint: '/api/agent', worker: '/dogear-worker.js' })
    Dogear.mount('#agent', { agent })
  `)
  const site = await startScriptedSite({ pages: { '/': early }, script: [say('Here I am.')] })
  const visitor = await browser.newVisitor()
  await visitor.context.route('**/dogear-worker.js', (route) => gate.passed.then(() => route.continue()))
  const tab = await visitor.open(site.url)
  const chat = chatOf(tab)
  await chat.send('Are you there?')
  gate.open()
  await chat.says('Here I am.')
  expect(await chat.read()).toEqual(['Are you there?', 'Here I am.'])
  expect(await chat.composer.inputValue()).toBe('')
})

test.concurrent('[G1] [X3] a killed browser comes back with the words, and the turn finishes', async () => {
  const gate = createGate()
  const site = await startScriptedSite({ pages: { '/': page }, script: counting(gate.passed) })
  const machine = killableBrowser()
  const before = await machine.open(site.url)
  await chatOf(before).send('Count')
  await until(async () => (await keptWords(before)).startsWith('One, '), 'the first words are on the disk')
  await machine.kill()
  const chat = chatOf(await machine.open(site.url))
  await chat.says('One, ')
  gate.open()
  await chat.says('ten.')
  await chat.is('Saved')
  expect(await chat.read()).toEqual(['Count', `${numbers.join('')}ten.`])
  expect(site.asked).toHaveLength(1)
})

async function visit(script: Script) {
  const site = await startScriptedSite({ pages: { '/': page }, script })
  const visitor = await browser.newVisitor()
  await visitor.context.addInitScript(keepWorkers)
  const tab = await visitor.open(site.url)
  return { site, tab, chat: chatOf(tab) }
}
