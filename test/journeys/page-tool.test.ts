/** J3: a tool that reads the page, with no bundler and no zod. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../.build/steps.mjs'
import { useBrowser } from './support/browser.ts'
import { chatOf } from './support/chat.ts'
import { startProxy } from './support/proxy.ts'
import { readmeExample } from './support/readme-example.ts'
import { startSite } from './support/site.ts'

const browser = useBrowser()

test('[J3] what a function of the page returns shows in its card', async () => {
  const { url: proxy } = await startProxy()
  const { url } = await startSite({ folder: join(root, 'playground'), proxy })
  await readsTheTitle(`${url}/examples/page-tool.html`, { label: 'Read the title', title: 'Read the page' })
})

test("[J3] the README's page works as it stands, from its head, before there is a body", async () => {
  const { url: proxy } = await startProxy()
  const { url } = await startSite({ pages: { '/': readmeExample('script', proxy), '/favicon.ico': '' } })
  await readsTheTitle(url, { label: 'Page title', title: 'Casa do Rio' })
})

async function readsTheTitle(address: string, { label, title }: { label: string; title: string }): Promise<void> {
  const visitor = await browser.newVisitor()
  const tab = await visitor.open(address)
  const chat = chatOf(tab)
  await chat.open()
  await chat.send('What is this page?')
  await chat.is('Saved')
  const card = chat.cards.filter({ hasText: label })
  await card.locator('summary').click()
  await card.getByText(title).waitFor()
  expect((await chat.read()).at(-1)).toContain(title)
  expect(tab.complaints).toEqual([])
  await visitor.leave()
}
