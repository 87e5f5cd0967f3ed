/** J12: the user changes while everything of the first is on the screen: widgets and API have nothing of it for the next. */
import { call, say, type Answer } from '@dogear/testing'
import type { Agent, ChatHandle, Session } from 'dogear'
import { expect, test } from 'vitest'
import { useBrowser, type Tab } from './support/browser.ts'
import { chatOf } from './support/chat.ts'
import { pageWith, startScriptedSite } from './support/scripted-site.ts'

const browser = useBrowser()

const pay = `const pay = {
  name: 'pay',
  label: 'Pay the secret bill',
  needsApproval: true,
  alwaysBy: ['to'],
  parameters: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] },
  func: ({ to }) => 'Paid ' + to,
}`

const pages = {
  '/': pageWith(
    `${pay}
    const agentOf = (user) => Dogear.createSmartAgent({
      name: 'clerk', endpoint: '/api/agent', user, tools: [pay], useTodoList: true, humanInTheLoop: { askUser: true },
    })
    Object.assign(window, { ada: agentOf('ada'), bob: agentOf('bob') })
    window.chat = Dogear.mount('#agent', { agent: ada })`,
    {
      body: `<dogear-plan></dogear-plan>
        <dogear-approval mode="card"></dogear-approval>
        <dogear-question></dogear-question>
        <div id="agent"></div>`,
    },
  ),
  '/attribute': pageWith(`${pay}; document.querySelector('dogear-chat').tools = [pay]`, {
    body: '<dogear-chat mode="popup" endpoint="/api/agent" user="ada"></dogear-chat>',
  }),
}

const todoList = [
  { id: 1, step: 'Find the secret door', status: 'in-progress' },
  { id: 2, step: 'Open it' },
]
const questions = [{ question: 'Which secret door?', options: [{ label: 'The left one' }, { label: 'The right one' }] }]
const planAsksAndPays = [
  call('manage_todo_list', { operation: 'write', todoList }),
  call('ask_user_question', { questions }),
  call('pay', { to: 'a secret aunt' }),
]

declare global {
  interface Window {
    ada: Agent
    bob: Agent
    chat: ChatHandle
    held: Session
  }
}

test.concurrent(
  '[J12] plan, approval, question, title and inbox show nothing of the first user to the next',
  async () => {
    const { tab, chat } = await visit('/', [call('pay', { to: 'a secret friend' }), planAsksAndPays])
    await tab.evaluate(async () => {
      const errand = await window.ada.open('errand')
      await errand.send('A secret errand')
      errand.close()
    })
    await chat.send('My secret trip')
    for (const element of ['dogear-plan', 'dogear-question', 'dogear-approval']) {
      await tab
        .locator(element)
        .getByText(/secret/)
        .first()
        .waitFor()
    }
    await chat.element.locator('header .quiet').click()
    await chat.shows('A secret errand')
    expect(await tab.title()).toBe('(3) A page')
    // As long as the next user's own session takes to open, and if it never does.
    await tab.evaluate(() =>
      window.chat.update({ agent: { name: 'clerk', user: 'bob', open: () => new Promise(() => {}) } }),
    )
    await chat.element.getByText('My secret trip').waitFor({ state: 'detached' })
    expect(await chat.element.locator('header .quiet').count()).toBe(0)
    expect(await everythingIn(tab)).not.toMatch(/secret/i)
    await tab.evaluate(() => window.chat.update({ agent: window.bob }))
    await chat.is('Ready')
    expect(await everythingIn(tab)).not.toMatch(/secret/i)
    expect(await tab.title()).toBe('A page')
    expect(await chat.element.locator('header .quiet').count()).toBe(0)
  },
)

test.concurrent(
  '[J12] no call of the next user’s agent finds sessions, requests, rules or snapshots of the first',
  async () => {
    const { tab, chat } = await visit('/', [call('pay', { to: 'a secret friend' }), say('Paid.'), planAsksAndPays])
    await chat.send('Pay them')
    const kept = await tab.evaluate(async () => {
      const session = await window.chat.session
      while (!session.requests.value[0]) await new Promise(requestAnimationFrame)
      await session.approve(session.requests.value[0].id, { always: 'user' })
      await session.snapshot({ tag: 'secret' })
      await session.rename('A secret title')
      await session.send('My secret trip')
      const [rules, snapshots] = [await window.ada.rules.list(), await session.snapshots()]
      return {
        id: session.id,
        rules: rules.length,
        snapshots: snapshots.length,
        requests: session.requests.value.length,
      }
    })
    expect(kept).toMatchObject({ rules: 1, snapshots: 1, requests: 2 })
    await tab.evaluate(() => window.chat.update({ agent: window.bob }))
    await chat.is('Ready')
    const found = await tab.evaluate(async (id) => {
      const { bob } = window
      const exported = await Promise.allSettled([bob.sessions.export(id), bob.sessions.rename(id, 'Mine')])
      const lists = [await bob.sessions.list(), await bob.sessions.list({ text: 'secret' }), await bob.rules.list()]
      const before = [await bob.sessions.get(id), (await bob.sessions.export(id, { raw: true })).entries.length]
      const session = await bob.open(id)
      const { messages, pending, requests, calls, queued, rules } = session
      const signals = [messages, pending, requests, calls, queued, rules].flatMap(({ value }) => value as unknown[])
      const single = [session.plan, session.title, session.partial, session.lastEnd].map(({ value }) => value ?? null)
      return {
        exported: exported.map(({ status }) => status),
        lists,
        before,
        signals,
        single,
        snapshots: await session.snapshots(),
      }
    }, kept.id)
    expect(found).toEqual({
      exported: ['rejected', 'rejected'],
      lists: [[], [], []],
      before: [undefined, 0],
      signals: [],
      single: [null, null, null, null],
      snapshots: [],
    })
  },
)

test.concurrent(
  '[J12] a session of the first user that the page still holds does nothing, and sees nothing of the next',
  async () => {
    const { tab, chat } = await visit('/', [planAsksAndPays, say('Hello, Bob.')])
    await chat.send('My secret trip')
    await tab.locator('dogear-approval').getByText('a secret aunt').first().waitFor()
    await tab.evaluate(async () => void (window.held = await window.chat.session))
    await tab.evaluate(() => window.chat.update({ agent: window.bob }))
    await chat.is('Ready')
    // Both users may have a session with this id.
    const seen = await tab.evaluate(async () => {
      const { bob, held } = window
      const session = await bob.open(held.id)
      await session.send('I am Bob')
      await session.snapshot({ tag: 'of Bob' })
      const [request] = held.requests.value
      const asked = [held.send('Go on'), held.approve(request!.id), held.snapshots(), held.snapshot({ tag: 'mine' })]
      const settled = await Promise.allSettled(asked)
      held.resume()
      const words = [...held.messages.value, ...held.pending.value].map(({ content }) => content)
      return { codes: settled.map((each) => (each.status === 'rejected' ? each.reason.code : each.value)), words }
    })
    expect(seen.codes).toEqual(Array(4).fill('session-closed'))
    expect(JSON.stringify(seen.words)).not.toContain('Bob')
    expect(await tab.evaluate(async () => (await window.chat.session) === window.held)).toBe(false)
  },
)

test.concurrent(
  '[J12] the attribute `user` of an element changes: peek, badge and panel are the next user’s',
  async () => {
    const { tab, chat } = await visit('/attribute', [call('pay', { to: 'a secret friend' }), say('Hello, Bob.')])
    await chat.open()
    await chat.send('My secret trip')
    await chat.shows('Pay the secret bill?')
    await chat.press('Close')
    await chat.element.locator('.peek', { hasText: 'Pay the secret bill?' }).waitFor()
    expect(await tab.title()).toBe('(1) A page')
    await chat.element.evaluate((element) => element.setAttribute('user', 'bob'))
    await chat.element.locator('.peek').waitFor({ state: 'detached' })
    expect(await everythingIn(tab)).not.toMatch(/secret/)
    await chat.open()
    await chat.is('Ready')
    await chat.send('I am Bob')
    await chat.says('Hello, Bob.')
    expect(await everythingIn(tab)).not.toMatch(/secret/)
    expect(await tab.title()).toBe('A page')
    await chat.element.evaluate((element) => element.setAttribute('user', 'ada'))
    await chat.shows('Pay the secret bill?')
    expect(await everythingIn(tab)).not.toContain('Bob')
  },
)

async function visit(path: keyof typeof pages, script: readonly Answer[]) {
  const site = await startScriptedSite({ pages, script })
  const visitor = await browser.newVisitor()
  const tab = await visitor.open(site.url + path)
  const chat = chatOf(tab)
  if (path === '/') await chat.is('Ready')
  return { tab, chat }
}

/** All text a visitor could find in the page, in any widget, also in fields and names. */
function everythingIn(tab: Tab): Promise<string> {
  return tab.evaluate(() => {
    const named = '[aria-label], [title], [placeholder]'
    const roots = [...document.querySelectorAll('*')].flatMap(({ shadowRoot }) => shadowRoot ?? [])
    const texts = roots.flatMap((root) => [
      root.textContent,
      ...[...root.querySelectorAll('textarea, input')].map((field) => (field as HTMLInputElement).value),
      ...[...root.querySelectorAll(named)]
        .map((each) => each.cloneNode(false) as Element)
        .map((each) => each.outerHTML),
    ])
    return [document.title, ...texts].join('\n')
  })
}
