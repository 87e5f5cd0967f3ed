/** What a person allows: once, together, always, days later, in another tab; and never other bytes than they saw. */
import { call, say } from '@dogear/testing'
import type { Agent, Session } from 'dogear'
import { expect, test } from 'vitest'
import { useBrowser } from './support/browser.ts'
import { type Chat, chatOf } from './support/chat.ts'
import type { Script } from './support/scripted-provider.ts'
import { pageWith, startScriptedSite } from './support/scripted-site.ts'
import { changeJournal } from './support/stored-rows.ts'
import { until } from './support/until.ts'

const browser = useBrowser()

const tools = `
  const note = (line) => fetch('/ledger', { method: 'POST', body: line }).then(() => 'Done: ' + line)
  const payment = {
    type: 'object',
    properties: { to: { type: 'string' }, amount: { type: 'number' } },
    required: ['to', 'amount'],
  }
  const pay = {
    name: 'pay',
    label: 'Pay an invoice',
    needsApproval: true,
    alwaysBy: ['to'],
    parameters: payment,
    func: ({ to, amount }) => note(to + ' ' + amount),
  }
  const look = { name: 'look', effect: 'read', func: () => note('looked') }
  const write = { name: 'write', func: () => note('written') }
  const copy = {
    name: 'copy',
    label: 'Copy the code',
    gesture: true,
    parameters: { type: 'object', properties: { code: { type: 'string' } } },
    async func({ code }) {
      const isClicked = navigator.userActivation.isActive
      await navigator.clipboard.writeText(code)
      return note(window.name + (isClicked ? ' clicked' : ' not clicked'))
    },
  }
`

const pageOf = (options: string) =>
  pageWith(`${tools}
  const agent = Dogear.createAgent({ name: 'clerk', endpoint: '/api/agent', ${options} })
  window.agent = agent
  Dogear.mount('#agent', { agent })
`)

const pages = {
  '/': pageOf('tools: [pay, look, write, copy]'),
  '/plan': pageOf(`tools: [look, write], permissionMode: 'plan'`),
  // The same agent on a page that has none of its tools.
  '/bare': pageOf(''),
  '/nothing': '<!doctype html><link rel="icon" href="data:,"><title>Nothing</title>',
}

declare global {
  interface Window {
    agent: Agent
  }
}

const ann = (amount: number) => call('pay', { to: 'ann', amount })
const bob = (amount: number) => call('pay', { to: 'bob', amount })
const carl = (amount: number) => call('pay', { to: 'carl', amount })

test.concurrent(
  '[K35] [T6] "always" for this talk makes the rule it shows, for calls it fits, until it is revoked',
  async () => {
    const script = [ann(1), say('One.'), [ann(9), bob(2)], say('Two.'), ann(3), say('Three.')]
    const { site, tab, chat } = await visit(script)
    await chat.send('Pay Ann')
    await chooseAlways(chat, 'Don’t ask again in this conversation')
    await chat.shows('pay(to = "ann")')
    await chat.press('Pay')
    await chat.says('One.')
    await chat.send('Pay both')
    await chat.shows('bob')
    await until(() => site.ledger.length === 2, 'the payment to Ann runs unasked')
    expect(site.ledger).toEqual(['ann 1', 'ann 9'])
    await chat.press('Pay')
    await chat.says('Two.')
    expect(await tab.evaluate(rulesOf)).toEqual({ session: ['pay(to = "ann")'], user: [] })
    await tab.reload()
    await chat.says('Two.')
    await tab.evaluate(async () => {
      const session = await shownSession()
      await session.revokeRule('pay(to = "ann")')
      function shownSession() {
        return (document.querySelector('dogear-chat') as unknown as { ready: Promise<Session> }).ready
      }
    })
    await chat.send('Pay Ann again')
    await chat.shows('Pay an invoice?')
    expect(site.ledger).toEqual(['ann 1', 'ann 9', 'bob 2'])
    expect(await tab.evaluate(rulesOf)).toEqual({ session: [], user: [] })
  },
)

test.concurrent('[K35] "always" for the browser holds in the next session too, until it is revoked', async () => {
  const script = [ann(1), say('One.'), ann(2), say('Two.'), ann(3), say('Three.')]
  const { site, tab, chat } = await visit(script)
  await chat.send('Pay Ann')
  await chooseAlways(chat, 'Don’t ask again in this browser')
  await chat.press('Pay')
  await chat.says('One.')
  expect(await tab.evaluate(rulesOf)).toEqual({ session: [], user: ['pay(to = "ann")'] })
  await startNewSession(tab)
  await chat.send('Pay Ann')
  await chat.says('Two.')
  expect(site.ledger).toEqual(['ann 1', 'ann 2'])
  await tab.evaluate(async () => {
    const [kept] = await window.agent.rules.list()
    await window.agent.rules.revoke(kept!.id)
  })
  await chat.send('Pay Ann')
  await chat.shows('Pay an invoice?')
  expect(site.ledger).toHaveLength(2)
  expect(await tab.evaluate(rulesOf)).toEqual({ session: [], user: [] })
})

test.concurrent('[C49] [T5] several of one kind are approved together, but for the one that is left out', async () => {
  const { site, chat } = await visit([[ann(1), bob(2), carl(3)], say('All set.')])
  await chat.send('Pay all three')
  await chat.press('All 3 together')
  await chat.shows('Pay an invoice? 3 times')
  await chat.element.getByRole('checkbox', { name: '2 of 3' }).uncheck()
  await lookThrough(chat)
  await chat.press('Pay 2')
  await until(() => site.ledger.length === 2, 'both are paid')
  expect([...site.ledger].sort()).toEqual(['ann 1', 'carl 3'])
  await chat.shows('bob')
  await chat.press('Don’t')
  await chat.press('Don’t do it')
  await chat.says('All set.')
  expect(site.ledger).toHaveLength(2)
  expect(site.asked).toHaveLength(2)
})

test.concurrent(
  '[C47] [G1] [G3] of three that wait over a reload two are answered, and the third runs once, later',
  async () => {
    const { site, tab, chat } = await visit([[ann(1), bob(2), carl(3)], say('All set.')])
    await chat.send('Pay all three')
    await chat.shows('1 of 3')
    await tab.reload()
    await chat.shows('1 of 3')
    expect(site.ledger).toEqual([])
    await chat.press('Pay')
    await chat.shows('1 of 2')
    await chat.press('Pay')
    // Paid and kept: whoever leaves between the two is asked what came of it.
    await until(() => site.ledger.length === 2, 'two are paid')
    await tab.waitForFunction(() => {
      const { session } = document.querySelector('dogear-chat') as unknown as { session: Session }
      return session.pending.value.filter(({ role }) => role === 'tool').length === 2
    })
    await tab.reload()
    await chat.shows('carl')
    await chat.is('Waiting for you')
    expect(site.ledger).toEqual(['ann 1', 'bob 2'])
    expect(site.asked).toHaveLength(1)
    await chat.press('Pay')
    await chat.says('All set.')
    await tab.reload()
    await chat.says('All set.')
    await chat.is('Saved')
    expect(site.ledger).toEqual(['ann 1', 'bob 2', 'carl 3'])
    expect(site.asked).toHaveLength(2)
  },
)

test.concurrent(
  '[C47] [G5] a request of nine days ago is answered as if it were new, and runs what it shows',
  async () => {
    const { site, tab, chat } = await visit([ann(1), say('All set.')])
    await chat.send('Pay Ann')
    await chat.shows('Pay an invoice?')
    await tab.goto(`${site.url}/nothing`)
    expect(await changeJournal(tab, { daysOlder: 9 })).toBeGreaterThan(3)
    await tab.goto(site.url)
    await chat.shows('Pay an invoice?')
    const age = await tab.evaluate(async () => {
      const { ready } = document.querySelector('dogear-chat') as unknown as { ready: Promise<Session> }
      return Date.now() - (await ready).requests.value[0]!.openedAt
    })
    expect(age).toBeGreaterThan(9 * 86_400_000)
    await chat.press('Pay')
    await chat.says('All set.')
    expect(site.ledger).toEqual(['ann 1'])
  },
)

test.concurrent(
  '[G5] [C48] one byte changed on the disk between the approval and the run, and nothing runs',
  async () => {
    const { site, tab, chat } = await visit([ann(1), say('It was refused.')])
    await chat.send('Pay Ann')
    await chat.shows('Pay an invoice?')
    // Approved on a page without the tool: the yes is kept, and carried out on the next page that has it.
    await tab.goto(`${site.url}/bare`)
    await chat.press('Pay')
    await chat.says('Continues on a page that has “Pay an invoice”.')
    await tab.goto(`${site.url}/nothing`)
    expect(await changeJournal(tab, { type: 'request-open', replace: ['ann', 'aNn'] })).toBe(1)
    await tab.goto(site.url)
    await chat.says('It was refused.')
    expect(site.ledger).toEqual([])
    expect(site.asked[1]?.messages.at(-1)?.content).toContain('The arguments changed after they were approved')
  },
)

test.concurrent('[G5] the same approval, with nothing changed, runs on the page that has the tool', async () => {
  const { site, tab, chat } = await visit([ann(1), say('All set.')])
  await chat.send('Pay Ann')
  await chat.shows('Pay an invoice?')
  await tab.goto(`${site.url}/bare`)
  await chat.press('Pay')
  await chat.says('Continues on a page that has “Pay an invoice”.')
  await tab.goto(`${site.url}/nothing`)
  await tab.goto(site.url)
  await chat.says('All set.')
  expect(site.ledger).toEqual(['ann 1'])
})

test.concurrent('[K8] in plan mode only reads run; leaving it asks, and after the yes writes run', async () => {
  const script = [
    [call('look'), call('write')],
    call('exit_plan_mode', { plan: 'Write it down.' }),
    call('write'),
    say('Done.'),
  ]
  const { site, chat } = await visit(script, '/plan')
  await chat.send('Write it')
  await chat.shows('Write it down.')
  await chat.is('Waiting for you')
  expect(site.ledger).toEqual(['looked'])
  await chat.element.locator('.request .primary').click()
  await chat.says('Done.')
  expect(site.ledger).toEqual(['looked', 'written'])
})

test.concurrent('[K8] a plan that is turned down leaves plan mode on, and the model reads why', async () => {
  const script = [call('exit_plan_mode', { plan: 'Write it down.' }), call('write'), say('Then not.')]
  const { site, chat } = await visit(script, '/plan')
  await chat.send('Write it')
  await chat.shows('Write it down.')
  await chat.press('Don’t')
  await chat.element.getByLabel('What should it do instead?').fill('ask Ann first')
  await chat.press('Don’t do it')
  await chat.says('Then not.')
  expect(site.asked[1]?.messages.at(-1)?.content).toContain('ask Ann first')
  expect(site.ledger).toEqual([])
})

test.concurrent('[G6] what needs a click runs in the tab that was clicked, though another drives', async () => {
  const { site, visitor, tab, chat } = await visit([call('copy', { code: 'LX-207' }), say('Copied.')])
  await tab.evaluate(() => void (window.name = 'first'))
  await visitor.context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await chat.send('Copy it')
  await chat.shows('Copy the code?')
  const second = await visitor.open(site.url)
  await second.evaluate(() => void (window.name = 'second'))
  await chatOf(second).press('Copy')
  await chatOf(second).says('Copied.')
  await chat.says('Answered in another tab')
  expect(site.ledger).toEqual(['second clicked'])
  expect(await second.evaluate(() => navigator.clipboard.readText())).toBe('LX-207')
})

/** As a person would: what does not fit on the screen is brought there before it can be approved. */
async function lookThrough({ element }: Chat): Promise<void> {
  const approve = element.locator('.request .primary')
  const more = element.getByRole('button', { name: /more to look at/ })
  // It is gone once everything was seen, maybe while it is being pressed.
  const showMore = () => more.click({ timeout: 500 }).catch(() => {})
  await until(async () => (await approve.isEnabled()) || (await showMore(), false), 'everything was seen')
}

async function chooseAlways(chat: Chat, words: string): Promise<void> {
  await chat.element.locator('summary', { hasText: 'Ask me each time' }).click()
  await chat.element.getByLabel(words).check()
}

async function rulesOf(): Promise<{ session: string[]; user: string[] }> {
  const { ready } = document.querySelector('dogear-chat') as unknown as { ready: Promise<Session> }
  const session = (await ready).rules.value.map(({ rule }) => rule)
  const user = (await window.agent.rules.list()).map(({ rule }) => rule)
  return { session, user }
}

async function startNewSession(tab: { evaluate<T>(run: () => T): Promise<T> }): Promise<void> {
  await tab.evaluate(
    () => void ((document.querySelector('dogear-chat') as unknown as { session: string }).session = 'new'),
  )
}

async function visit(script: Script, path: keyof typeof pages = '/') {
  const site = await startScriptedSite({ pages, script })
  const visitor = await browser.newVisitor()
  const tab = await visitor.open(site.url + path)
  return { site, visitor, tab, chat: chatOf(tab) }
}
