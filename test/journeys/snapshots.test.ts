/** Named snapshots: a place kept by name, and opened again as a session of its own. */
import { say } from '@dogear/testing'
import { expect, test } from 'vitest'
import { useBrowser } from './support/browser.ts'
import { chatOf } from './support/chat.ts'
import { pageWith, startScriptedSite } from './support/scripted-site.ts'

const browser = useBrowser()

const page = pageWith(`
  const agent = Dogear.createAgent({ name: 'trips', endpoint: '/api/agent' })
  const chat = Dogear.mount('#agent', { agent })
`)

test.concurrent('[C42] a snapshot is kept by its tag over a reload, and opens as a new session', async () => {
  const script = [say('By the river.'), say('In the hills.'), say('A view it is.')]
  const site = await startScriptedSite({ pages: { '/': page }, script })
  const tab = await (await browser.newVisitor()).open(site.url)
  const chat = chatOf(tab)
  await chat.send('Where?')
  await chat.says('By the river.')
  await chat.is('Saved')
  await tab.evaluate(`chat.session.then((session) => session.snapshot({ tag: 'river' })).then(() => {})`)
  await chat.send('Or?')
  await chat.says('In the hills.')
  await tab.reload()
  await chat.says('In the hills.')

  const tags = await tab.evaluate(
    `chat.session.then((session) => session.snapshots()).then((rows) => rows.map((row) => row.tag))`,
  )
  expect(tags).toEqual(['river'])
  await tab.evaluate(`(async () => {
    const [river] = await (await chat.session).snapshots()
    chat.update({ session: await agent.sessions.import(river) })
  })()`)
  await chat.element.getByText('In the hills.').waitFor({ state: 'detached' })
  expect(await chat.read()).toEqual(['Where?', 'By the river.'])
  await chat.send('With a view?')
  await chat.says('A view it is.')
  expect(site.asked[2]?.messages.map(({ content }) => content)).toEqual(['Where?', 'By the river.', 'With a view?'])
  expect(await tab.evaluate('agent.sessions.list().then((all) => all.length)')).toBe(2)
})

test.concurrent('[C42] a snapshot goes out as JSON and comes back on another device', async () => {
  const site = await startScriptedSite({ pages: { '/': page }, script: [say('By the river.')] })
  const here = await (await browser.newVisitor()).open(site.url)
  await chatOf(here).send('Where?')
  await chatOf(here).is('Saved')
  const file = await here.evaluate<string>(
    `chat.session.then((session) => session.snapshot({ tag: 'river' })).then(JSON.stringify)`,
  )
  const there = await (await browser.newVisitor()).open(site.url)
  await there.evaluate(`agent.sessions.import(${file}).then((session) => chat.update({ session }))`)
  await chatOf(there).says('By the river.')
  expect(await chatOf(there).read()).toEqual(['Where?', 'By the river.'])
})

test.concurrent('[C42] a file that is no snapshot is refused with a reason, and changes nothing', async () => {
  const site = await startScriptedSite({ pages: { '/': page }, script: [] })
  const tab = await (await browser.newVisitor()).open(site.url)
  const refusal = await tab.evaluate(
    `agent.sessions.import({ some: 'file' }).catch((error) => error.code + ': ' + error.message)`,
  )
  expect(refusal).toMatch(/^snapshot-invalid: This is not a snapshot/)
  expect(await tab.evaluate('agent.sessions.list()')).toEqual([])
})
