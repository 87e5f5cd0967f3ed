/** J1: a static page. Start the proxy, copy the tag it prints, and an agent answers. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { useBrowser } from './support/browser.ts'
import { chatOf } from './support/chat.ts'
import { type RunningProxy, startProxy } from './support/proxy.ts'
import { startSite } from './support/site.ts'

const browser = useBrowser()
const folder = mkdtempSync(join(tmpdir(), 'dogear-static-'))
let proxy: RunningProxy

beforeAll(async () => {
  proxy = await startProxy()
})
afterAll(() => rmSync(folder, { recursive: true }))

test('[J1] the proxy prints one tag, and serves the script where the tag says', async () => {
  expect(proxy.printed().match(/<script/g)).toHaveLength(1)
  expect(proxy.tag).toContain(`src="${proxy.url}/dogear.js"`)
  const script = await fetch(`${proxy.url}/dogear.js`)
  expect(script.headers.get('content-type')).toContain('text/javascript')
})

test('[J1] the tag in a page opened from disk answers', async () => {
  await isGreeted(onDisk('index.html', pageWith(proxy.tag)))
})

test('[J1] the tag answers on any port of this machine, by either of its names', async () => {
  const { url } = await startSite({ pages: { '/': pageWith(proxy.tag) } })
  await isGreeted(url)
  await isGreeted(url.replace('127.0.0.1', 'localhost'))
})

test('[J1] the page at / of the proxy has the same agent alive', async () => {
  await isGreeted(proxy.url)
})

test('[J1] a page on disk without the token is not answered', async () => {
  const visitor = await browser.newVisitor()
  const tab = await visitor.open(onDisk('stranger.html', pageWith(proxy.tag.replace(/ data-token="[^"]*"/, ''))))
  const chat = chatOf(tab)
  await chat.open()
  await chat.send('hello')
  await chat.conversation.locator('.notice').waitFor()
  expect(await chat.read()).toEqual(['hello'])
  await visitor.leave()
})

async function isGreeted(address: string): Promise<void> {
  const visitor = await browser.newVisitor()
  const tab = await visitor.open(address)
  const chat = chatOf(tab)
  await chat.open()
  await chat.send('hello')
  await chat.says('Hello, and welcome.')
  await chat.is('Saved')
  expect(tab.complaints).toEqual([])
  await visitor.leave()
}

function pageWith(tag: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>My page</title><link rel="icon" href="data:,"><h1>My page</h1>${tag}</html>`
}

function onDisk(name: string, html: string): string {
  const file = join(folder, name)
  writeFileSync(file, html)
  return pathToFileURL(file).href
}
