/** Tools that need a person's click: what the browser gives only for one is still given once the decision is journalled. */
import { call, say } from '@dogear/testing'
import { expect, test } from 'vitest'
import { useBrowser } from './support/browser.ts'
import { chatOf } from './support/chat.ts'
import { pageWith, startScriptedSite } from './support/scripted-site.ts'
import { until } from './support/until.ts'

// Else a window opens without a click, too.
const browser = useBrowser({ ignoreDefaultArgs: ['--disable-popup-blocking'] })

const page = pageWith(`
  const done = (request) => new Promise((resolve) => (request.onsuccess = () => resolve(request.result)))
  const journalled = async () => {
    const database = await done(indexedDB.open('dogear'))
    const entries = await done(database.transaction('journal').objectStore('journal').getAll())
    database.close()
    return entries.map(({ type }) => type)
  }
  const report = () => window.open('/report', '_blank')
  const openReport = {
    name: 'open_report',
    label: 'Open the report',
    gesture: true,
    async func() {
      const kept = await journalled()
      const opened = report()
      return (opened ? 'opened after ' : 'blocked after ') + kept.slice(-2).join(', ')
    },
  }
  const pick = () => new Promise((resolve) => {
    const input = Object.assign(document.createElement('input'), { type: 'file' })
    input.onchange = () => resolve(input.files[0].name)
    input.click()
  })
  const attach = {
    name: 'attach',
    label: 'Attach a file',
    gesture: true,
    async func() {
      const kept = await journalled()
      return (await pick()) + ' after ' + kept.slice(-2).join(', ')
    },
  }
  const agent = Dogear.createAgent({ name: 'clerk', endpoint: '/api/agent', tools: [openReport, attach] })
  Dogear.mount('#agent', { agent })
`)

test.concurrent(
  '[G6] a window that a tool opens is not blocked: the click still counts after the journal',
  async () => {
    const { visitor, tab, chat, site, unclicked } = await visit('open_report')
    expect(await unclicked('report() === null')).toBe(true)
    const opening = visitor.context.waitForEvent('page')
    await chat.press('Open')
    await (await opening).getByText('The report').waitFor()
    await tab.bringToFront()
    await chat.says('Done.')
    expect(site.asked[1]?.messages.at(-1)?.content).toBe('opened after request-close, tool-intent')
  },
)

test.concurrent(
  '[G6] a file that a tool asks for can be picked: the click still counts after the journal',
  async () => {
    const { tab, chat, site, unclicked } = await visit('attach')
    let choosers = 0
    tab.on('filechooser', () => (choosers += 1))
    await unclicked('void pick()')
    expect(tab.complaints.join()).toContain('File chooser dialog can only be shown with a user activation.')
    const choosing = tab.waitForEvent('filechooser')
    await chat.press('Attach')
    await (await choosing).setFiles({ name: 'passport.txt', mimeType: 'text/plain', buffer: Buffer.from('Ada') })
    await chat.says('Done.')
    expect(site.asked[1]?.messages.at(-1)?.content).toBe('passport.txt after request-close, tool-intent')
    expect(choosers).toBe(1)
  },
)

/** The agent has asked, and more time has passed than the browser keeps a click in mind. */
async function visit(tool: string) {
  const pages = { '/': page, '/report': '<!doctype html><link rel="icon" href="data:,"><title>R</title>The report' }
  const site = await startScriptedSite({ pages, script: [call(tool), say('Done.')] })
  const visitor = await browser.newVisitor()
  const tab = await visitor.open(site.url)
  const chat = chatOf(tab)
  await chat.send('Go')
  await chat.element.locator('.request').waitFor()
  const tools = await visitor.context.newCDPSession(tab)
  // Not tab.evaluate, which is as good as a click.
  const unclicked = async (expression: string) => {
    const { result } = await tools.send('Runtime.evaluate', { expression })
    return result.value as unknown
  }
  await until(async () => (await unclicked('navigator.userActivation.isActive')) === false, 'the click is forgotten')
  return { visitor, tab, chat, site, unclicked }
}
