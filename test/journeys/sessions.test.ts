/** Many conversations: the list of the example, always up to date, in every tab. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../.build/steps.mjs'
import { type Tab, useBrowser } from './support/browser.ts'
import { chatOf } from './support/chat.ts'
import { startProxy } from './support/proxy.ts'
import { startSite } from './support/site.ts'

const browser = useBrowser()

test('[O19] [K37] conversations are begun, found, renamed, put away and deleted, and both tabs know at once', async () => {
  const { url } = await startSite({ folder: join(root, 'playground'), proxy: (await startProxy({ pace: 2 })).url })
  const visitor = await browser.newVisitor()
  const first = await visitor.open(`${url}/examples/sessions.html`)
  const second = await visitor.open(`${url}/examples/sessions.html`)
  const chat = chatOf(first)
  await chat.send('hello')
  await chat.says('Hello, and welcome.')
  await shows(second, ['hello'])
  await press(first, 'New conversation')
  await chat.is('Ready')
  await chat.send('ask me something')
  await shows(second, ['ask me something · Waits for you', 'hello'])

  second.once('dialog', (dialog) => void dialog.accept('A greeting'))
  await press(second, 'Rename', 'hello')
  await shows(first, ['ask me something · Waits for you', 'A greeting'])
  await first.getByRole('searchbox').fill('welcome')
  await shows(first, ['A greeting'])
  await first.getByRole('searchbox').fill('')
  await press(first, 'Archive', 'ask me something')
  await shows(second, ['A greeting'])
  await second.getByLabel('Archived').check()
  await shows(second, ['ask me something · Waits for you'])
  await press(second, 'Bring back')
  await shows(second, [])
  await shows(first, ['ask me something · Waits for you', 'A greeting'])

  await press(first, 'A greeting')
  await chat.says('Hello, and welcome.')
  await press(first, 'Delete', 'ask me something')
  await shows(first, ['A greeting'])
  expect([...first.complaints, ...second.complaints]).toEqual([])
  await visitor.leave()
})

async function press(tab: Tab, name: string, row?: string): Promise<void> {
  const place = row === undefined ? tab.locator('main') : tab.locator('#sessions li', { hasText: row })
  await place.getByRole('button', { name, exact: true }).click()
}

/** What each row says besides what can be done with it. */
async function shows(tab: Tab, rows: string[]): Promise<void> {
  const read = () =>
    tab
      .locator('#sessions li')
      .evaluateAll((items) =>
        items.map((item) => [...item.querySelectorAll('button:first-child, span')].map((part) => part.textContent)),
      )
  await expect
    .poll(async () => (await read()).map((parts) => parts.filter(Boolean).join(' · ')), { timeout: 10_000 })
    .toEqual(rows)
}
