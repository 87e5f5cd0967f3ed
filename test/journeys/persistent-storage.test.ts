/** The browser is asked to keep what is stored: once, and not before there is something to keep. */
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { root } from '../../.build/steps.mjs'
import { type Tab, useBrowser } from './support/browser.ts'
import { chatOf } from './support/chat.ts'
import { startProxy } from './support/proxy.ts'
import { startSite } from './support/site.ts'

const browser = useBrowser()
let page: string

beforeAll(async () => {
  const proxy = await startProxy()
  const site = await startSite({ folder: join(root, 'playground'), proxy: proxy.url })
  page = `${site.url}/examples/break-it.html`
})

test('[G11] the browser is asked after the first words are saved, once, and what it said is shown', async () => {
  const visitor = await browser.newVisitor()
  await visitor.context.addInitScript(() => {
    const ask = navigator.storage.persist.bind(navigator.storage)
    const counted = { asked: 0 }
    Object.assign(window, { counted })
    navigator.storage.persist = () => ((counted.asked += 1), ask())
  })
  const tab = await visitor.open(page)
  const chat = chatOf(tab)
  await chat.is('Ready')
  expect(await asked(tab)).toBe(0)
  await chat.send('hello')
  await chat.says('Hello, and welcome.')
  await chat.send('thank you')
  await chat.says('You are welcome.')
  expect(await asked(tab)).toBe(1)
  const isPersisted = await tab.evaluate(() => navigator.storage.persisted())
  await tab
    .locator('#storage', {
      hasText: isPersisted ? 'keeps it until you delete it' : 'may delete it when the disk is full',
    })
    .waitFor()
  await visitor.leave()
})

test('[G11] a yes of the browser is shown, and after a reload it is not asked again', async () => {
  const visitor = await browser.newVisitor()
  await visitor.context.addInitScript(() => {
    const { storage } = navigator
    storage.persist = async () => {
      localStorage.setItem('asked', `${Number(localStorage.getItem('asked')) + 1}`)
      return true
    }
    storage.persisted = async () => localStorage.getItem('asked') !== null
  })
  const tab = await visitor.open(page)
  const chat = chatOf(tab)
  await chat.is('Ready')
  await tab.locator('#storage', { hasText: 'may delete it when the disk is full' }).waitFor()
  await chat.send('hello')
  await tab.locator('#storage', { hasText: 'keeps it until you delete it' }).waitFor()
  await chat.says('Hello, and welcome.')
  await tab.reload()
  await tab.locator('#storage', { hasText: 'keeps it until you delete it' }).waitFor()
  await chat.send('thank you')
  await chat.says('You are welcome.')
  expect(await tab.evaluate(() => localStorage.getItem('asked'))).toBe('1')
  await visitor.leave()
})

function asked(tab: Tab): Promise<number> {
  return tab.evaluate(() => (window as unknown as { counted: { asked: number } }).counted.asked)
}
