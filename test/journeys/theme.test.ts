/** J8: the chat wears the page's colours and takes the page's size. */
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { root } from '../../.build/steps.mjs'
import { useBrowser } from './support/browser.ts'
import { type Chat, chatOf } from './support/chat.ts'
import { startProxy } from './support/proxy.ts'
import { startSite } from './support/site.ts'

const browser = useBrowser()
const patience = { timeout: 20_000 }
const light = 'rgb(255, 255, 255)'
const dark = 'rgb(29, 30, 33)'
let address: string

beforeAll(async () => {
  const { url: proxy } = await startProxy()
  const { url } = await startSite({ folder: join(root, 'playground'), proxy })
  address = `${url}/examples/theme.html`
})

test('[J8] the page changes its dark class, and the chat goes with it', async () => {
  const { tab, chat } = await visit()
  expect(await paper(chat)).toBe(light)
  await tab.getByRole('button', { name: 'Toggle the dark class' }).click()
  await expect.poll(() => paper(chat), patience).toBe(dark)
  await tab.getByRole('button', { name: 'Toggle the dark class' }).click()
  await expect.poll(() => paper(chat), patience).toBe(light)
  expect(tab.complaints).toEqual([])
})

test('[J8] a page that says dark by a class alone is followed too', async () => {
  const { url: proxy } = await startProxy()
  const { url } = await startSite({ pages: { '/': bareElement }, proxy })
  const tab = await (await browser.newVisitor({ colorScheme: 'light' })).open(url)
  const chat = chatOf(tab)
  await chat.is('Ready')
  expect(await paper(chat)).toBe(light)
  await tab.evaluate(() => document.documentElement.classList.add('dark'))
  await expect.poll(() => paper(chat), patience).toBe(dark)
})

test('[J8] theme="dark" is dark on a light page, also when it is set later', async () => {
  const { chat } = await visit()
  await chat.element.evaluate((element) => element.setAttribute('theme', 'dark'))
  await expect.poll(() => paper(chat), patience).toBe(dark)
})

test('[J8] --dogear-accent colours the fold', async () => {
  const { tab, chat } = await visit()
  await chat.send('hello')
  await chat.is('Saved')
  expect(await fold(chat)).toBe('rgb(224, 96, 126)')
  await tab.getByRole('button', { name: 'Another accent' }).click()
  await expect.poll(() => fold(chat), patience).toBe('rgb(42, 161, 152)')
})

test('[J8] the height the page gives is the height it has, before and after an answer', async () => {
  const { chat } = await visit()
  expect(await heights(chat)).toEqual([480, 480])
  await chat.send('show me a long answer')
  await chat.is('Saved')
  expect(await heights(chat)).toEqual([480, 480])
})

test('[J8] in a box with a height it fills the box, and in one without it has a height of its own', async () => {
  const page = (style: string) => `<!doctype html><link rel="icon" href="data:,"><div id="agent" ${style}></div>
    <script src="/dogear.js"></script><script>Dogear.mount('#agent', { endpoint: '/api/agent' })</script>`
  const { url: proxy } = await startProxy()
  const pages = { '/bare': page(''), '/high': page('style="height: 620px"') }
  const { url } = await startSite({ pages, proxy })
  const visitor = await browser.newVisitor()
  for (const [path, height] of [
    ['/bare', 560],
    ['/high', 620],
  ] as const) {
    const chat = chatOf(await visitor.open(`${url}${path}`))
    await chat.is('Ready')
    expect(await heights(chat)).toEqual([height, height])
  }
})

const bareElement = `<!doctype html><link rel="icon" href="data:,">
  <dogear-chat endpoint="/api/agent"></dogear-chat><script src="/dogear.js"></script>`

async function visit() {
  const visitor = await browser.newVisitor({ colorScheme: 'light' })
  const tab = await visitor.open(address)
  const chat = chatOf(tab)
  await chat.is('Ready')
  return { tab, chat }
}

function paper(chat: Chat): Promise<string> {
  return chat.panel.locator('.sheet').evaluate((sheet) => getComputedStyle(sheet).backgroundColor)
}

function fold(chat: Chat): Promise<string> {
  return chat.panel.locator('> .ear').evaluate((ear) => getComputedStyle(ear).backgroundColor)
}

async function heights(chat: Chat): Promise<(number | undefined)[]> {
  const boxes = [await chat.element.boundingBox(), await chat.panel.boundingBox()]
  return boxes.map((box) => box?.height)
}
