/** J12: one device, two people: nothing of the first is left for the second. */
import { pause, say, type Answer } from '@dogear/testing'
import type { Session } from 'dogear'
import { expect, test } from 'vitest'
import { useBrowser, type Tab } from './support/browser.ts'
import { chatOf } from './support/chat.ts'
import { createGate } from './support/gate.ts'
import { pageWith, startScriptedSite } from './support/scripted-site.ts'

const browser = useBrowser()

const page = pageWith(`
  const agentOf = (user) => Dogear.createAgent({ name: 'notes', endpoint: '/api/agent', user })
  const ada = agentOf('ada')
  const bob = agentOf('bob')
  const chat = Dogear.mount('#agent', { agent: ada })
`)

test.concurrent('[J12] another user sees, lists and opens nothing of the first', async () => {
  const { tab, chat } = await visit()
  await chat.send('My secret is 4711')
  await chat.says('Kept.')
  await chat.composer.fill('a half-written secret')
  const session = await tab.evaluate<string>('chat.session.then((session) => session.id)')
  await tab.evaluate('chat.update({ agent: bob })')
  await chat.is('Ready')
  expect(await everythingIn(tab)).not.toMatch(/secret/)
  expect(await tab.evaluate('bob.sessions.list()')).toEqual([])
  const opened = `bob.open(${JSON.stringify(session)}).then((session) => session.messages.value)`
  expect(await tab.evaluate(opened)).toEqual([])
  await tab.reload()
  await tab.evaluate('chat.update({ agent: bob })')
  await chat.is('Ready')
  expect(await everythingIn(tab)).not.toMatch(/secret/)
})

test.concurrent('[J12] the first user finds everything again', async () => {
  const { tab, chat } = await visit()
  await chat.send('My secret is 4711')
  await chat.says('Kept.')
  await tab.evaluate('chat.update({ agent: bob })')
  await chat.is('Ready')
  await tab.evaluate('chat.update({ agent: ada })')
  await chat.says('My secret is 4711')
})

test.concurrent('[J12] [T16] clear() deletes all that is kept, also while an answer streams', async () => {
  const gate = createGate()
  const { tab, chat } = await visit([say('Half a '), pause(gate.passed), say('secret.')])
  await chat.send('My secret is 4711')
  await chat.says('Half a')
  await chat.composer.fill('a half-written secret')
  const session = await tab.evaluateHandle<Session>('chat.session')
  await tab.evaluate('ada.sessions.clear()')
  gate.open()
  expect(await databases(tab)).toEqual([])
  expect(await storedText(tab)).not.toMatch(/secret/)
  expect(await session.evaluate(({ messages, pending }) => [...messages.value, ...pending.value])).toEqual([])
  await chat.is('Ready')
  expect(await everythingIn(tab)).not.toMatch(/secret|Half a/)
  await tab.reload()
  await chat.is('Ready')
  expect(await everythingIn(tab)).not.toMatch(/secret|Half a/)
  expect(await tab.evaluate('ada.sessions.list()')).toEqual([])
})

test.concurrent('[J12] a chat that was cleared begins anew with the next message', async () => {
  const { site, tab, chat } = await visit()
  await chat.send('My secret is 4711')
  await chat.says('Kept.')
  await tab.evaluate('ada.sessions.clear()')
  await chat.is('Ready')
  await chat.send('Hello again')
  await chat.says('Kept.')
  expect(await chat.read()).toEqual(['Hello again', 'Kept.'])
  expect(site.asked[1]?.messages.map(({ content }) => content)).toEqual(['Hello again'])
})

test.concurrent('[J12] [T16] clear() reaches the other tabs, and none of them brings anything back', async () => {
  const { site, visitor, tab, chat } = await visit()
  await chat.send('My secret is 4711')
  await chat.says('Kept.')
  const otherTab = await visitor.open(site.url)
  const other = chatOf(otherTab)
  await other.says('My secret is 4711')
  await other.composer.fill('another secret')
  await tab.evaluate('ada.sessions.clear()')
  await other.conversation.getByText('secret').waitFor({ state: 'detached' })
  expect(await everythingIn(otherTab)).not.toMatch(/secret/)
  expect(await storedText(otherTab)).not.toMatch(/secret/)
  expect(await databases(tab)).toEqual([])
})

test.concurrent('[J12] clear() of one user leaves the other alone', async () => {
  const { tab, chat } = await visit()
  await chat.send('I am Ada')
  await chat.says('Kept.')
  await tab.evaluate('chat.update({ agent: bob })')
  await chat.is('Ready')
  await chat.send('I am Bob')
  await chat.says('Kept.')
  await tab.evaluate('bob.sessions.clear()')
  await tab.evaluate('chat.update({ agent: ada })')
  await chat.says('I am Ada')
  expect(await databases(tab)).toEqual(['dogear:ada'])
})

async function visit(answer: Answer = say('Kept.')) {
  const site = await startScriptedSite({ pages: { '/': page }, script: () => answer })
  const visitor = await browser.newVisitor()
  const tab = await visitor.open(site.url)
  const chat = chatOf(tab)
  await chat.is('Ready')
  return { site, visitor, tab, chat }
}

/** All text a visitor could find in the page, also in its fields. */
function everythingIn(tab: Tab): Promise<string> {
  return tab.locator('dogear-chat').evaluate((element) => {
    const root = element.shadowRoot!
    const fields = [...root.querySelectorAll('textarea, input')].map((field) => (field as HTMLInputElement).value)
    return [root.textContent, ...fields].join('\n')
  })
}

async function databases(tab: Tab): Promise<string[]> {
  return tab.evaluate(async () => (await indexedDB.databases()).map(({ name = '' }) => name).sort())
}

function storedText(tab: Tab): Promise<string> {
  return tab.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))
}
