/** The playground: every example opens as it stands, and the tour keeps what it promises. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createServer, type ViteDevServer } from 'vite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { root } from '../../.build/steps.mjs'
import { type Tab, useBrowser } from './support/browser.ts'
import { type Chat, chatOf } from './support/chat.ts'
import { startProxy } from './support/proxy.ts'
import { startSite } from './support/site.ts'

const browser = useBrowser()
const folder = join(root, 'playground')
let url: string
/** The one example that a bundler has to read first is served as `npm start` does. */
let bundling: ViteDevServer

beforeAll(async () => {
  const proxy = await startProxy({ pace: 8 })
  const site = await startSite({ folder, proxy: proxy.url })
  url = site.url
  bundling = await createServer({
    root: folder,
    configFile: join(root, 'vite.config.ts'),
    logLevel: 'warn',
    server: { host: '127.0.0.1', port: 0, ws: false, proxy: { '^/api/agent/': url } },
  })
  await bundling.listen()
  await bundling.warmupRequest('/examples/npm-app.ts')
  await bundling.waitForRequestsIdle()
})
afterAll(() => bundling.close())

const examples = readFileSync(join(folder, 'shell/examples.js'), 'utf8').match(/(?<=file: ')[^']+/g)!

test.each(examples)('the example %s opens, shows its source, and answers', async (file) => {
  const visitor = await browser.newVisitor()
  const address = file === 'npm-app' ? bundling.resolvedUrls!.local[0] : `${url}/`
  const tab = await visitor.open(`${address}examples/${file}.html`)
  const source = tab.locator('.source', { hasText: 'This page' })
  await source.waitFor()
  expect(await source.innerText()).toContain(file === 'npm-app' ? './npm-app.ts' : '/dogear.js')
  expect(await source.innerText()).not.toContain('/shell/playground.css')
  const chat = chatOf(tab)
  if (await chat.launcher.isVisible()) await chat.open()
  await chat.is('Ready')
  await chat.send('hello')
  await chat.says('Hello, and welcome.')
  expect(tab.complaints).toEqual([])
  await visitor.leave()
})

test('every example is listed, and each leads to the next', async () => {
  const visitor = await browser.newVisitor()
  const tab = await visitor.open(`${url}/examples/`)
  expect(await tab.locator('.examples > li').count()).toBe(14)
  await tab.getByRole('link', { name: 'One tag' }).click()
  await tab.getByRole('link', { name: /^Next/ }).click()
  await tab.waitForURL(/npm-app/)
  await visitor.leave()
})

test('the tour can be taken from its first step to its last', async () => {
  const visitor = await browser.newVisitor({ permissions: ['clipboard-read', 'clipboard-write'] })
  const tab = await visitor.open(url)
  const chat = chatOf(tab)
  await press(tab, 'Say hello')
  await chat.says('Hello, and welcome.')
  await chat.is('Saved')
  await leavesInTheMiddle(tab, chat)
  await losesTheNetwork(tab, chat)
  await decidesInASecondTab(tab, chat)
  await press(tab, 'Copy')
  expect(await tab.evaluate(() => navigator.clipboard.readText())).toContain(`<script src="${url}/dogear.js"`)
  await tab.locator('.tour:not(:has(> li:not([data-state="done"])))').waitFor()
  // In the tunnel a developer is told so.
  expect(tab.complaints.filter((line) => !line.includes('The server cannot be reached.'))).toEqual([])
  await visitor.leave()
})

test('what can be broken by hand goes on, and its journal can be watched', async () => {
  const visitor = await browser.newVisitor()
  const tab = await visitor.open(`${url}/examples/break-it.html`)
  const chat = chatOf(tab)
  await chat.is('Ready')
  await chat.send('count to 60')
  await chat.says('26, 27, 28')
  await tab.getByRole('button', { name: 'Kill the worker' }).click()
  await chat.says('Picked up here')
  await chat.says('59, 60. That is all 60 of them.')
  await tab.locator('#journal li', { hasText: 'turn-end' }).waitFor()
  await tab.getByRole('button', { name: 'Offline' }).click()
  await chat.send('thank you')
  await chat.is('Offline')
  await tab.getByRole('button', { name: 'Reload' }).click()
  await tab.getByRole('button', { name: 'Offline', pressed: true }).click()
  await chat.says('You are welcome.')
  await tab.locator('#journal li', { hasText: 'turn-end' }).nth(1).waitFor()
  await runsOutOfSpace(tab, chat)
  await opensASecondTab(tab, chat)
  await visitor.leave()
})

async function runsOutOfSpace(tab: Tab, chat: Chat): Promise<void> {
  await chat.send('count to 30')
  await chat.says('1, 2, 3')
  await tab.getByRole('button', { name: 'Disk full' }).click()
  await chat.shows('This device is out of space. Free some, and it goes on by itself.')
  expect(await tab.locator('#journal li', { hasText: 'turn-end' }).count()).toBe(2)
  await tab.getByRole('button', { name: 'Disk full', pressed: true }).click()
  await chat.says('29, 30. That is all 30 of them.')
  await tab.locator('#journal li', { hasText: 'turn-end' }).nth(2).waitFor()
}

async function opensASecondTab(tab: Tab, chat: Chat): Promise<void> {
  const opened = tab.context().waitForEvent('page')
  await tab.getByRole('link', { name: 'A second tab' }).click()
  const other = chatOf(await opened)
  await other.says('29, 30. That is all 30 of them.')
  await other.send('hello')
  await other.says('Hello, and welcome.')
  await chat.says('Hello, and welcome.')
  await tab.locator('#journal li', { hasText: 'turn-end' }).nth(3).waitFor()
  expect(await chat.read()).toEqual(await other.read())
}

async function leavesInTheMiddle(tab: Tab, chat: Chat): Promise<void> {
  await press(tab, 'Count to 60')
  // A second in: what is kept of an answer under way is written once a second.
  await chat.says('26, 27, 28')
  await press(tab, 'Reload now')
  await chat.says('Picked up here')
  await chat.says('59, 60. That is all 60 of them.')
  await chat.is('Saved')
}

async function losesTheNetwork(tab: Tab, chat: Chat): Promise<void> {
  await tab.getByRole('switch', { name: 'Offline' }).click()
  await chat.send('thank you')
  await chat.is('Offline')
  await tab.reload()
  await chat.is('Offline')
  await tab.getByRole('switch', { name: 'Offline' }).click()
  await chat.says('You are welcome.')
  expect((await chat.read()).filter((words) => words.startsWith('thank you'))).toHaveLength(1)
}

async function decidesInASecondTab(tab: Tab, chat: Chat): Promise<void> {
  await press(tab, 'Plan a weekend in Lisbon')
  await chat.press('Don’t answer')
  await chat.element.getByText('Book a room?').waitFor()
  const opened = tab.context().waitForEvent('page')
  await press(tab, 'Open a second tab')
  await chatOf(await opened).press('Book')
  await chat.says('It is settled')
}

async function press(tab: Tab, name: string): Promise<void> {
  await tab.locator('.tour').getByRole('button', { name, exact: true }).click()
}
