/** Strict pages: the documented policy is enough, and where workers are refused there is another way. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { call, say } from '@dogear/testing'
import { expect, inject, test } from 'vitest'
import { useBrowser, type Tab } from './support/browser.ts'
import { chatOf } from './support/chat.ts'
import { startScriptedSite } from './support/scripted-site.ts'

const browser = useBrowser()

const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>A strict page</title>
<main><div id="agent"></div></main>
<script src="/dogear.js"></script>
<script src="/page.js"></script>
</html>`

const script = (options: string) => `
  const book = { name: 'book_hotel', label: 'Book a room', needsApproval: true, func: () => 'Booked.' }
  const agent = Dogear.createSmartAgent({
    endpoint: '/api/agent',
    tools: [book],
    useTodoList: true,
    humanInTheLoop: { askUser: true },
    ${options}
  })
  Dogear.mount('#agent', { agent, accent: '#b4472e' })
`

const policy = documentedPolicy()
const withoutBlob = policy.replace('worker-src blob:', "worker-src 'self'")
const withoutWorkers = policy.replace('worker-src blob:', "worker-src 'none'")

const markdown = `# A plan

Some *words* and \`code\`, [a link](https://example.com) and a list:

- [x] one
- [ ] two

| a | b |
| - | - |
| 1 | 2 |

\`\`\`js
console.log('hello')
\`\`\`

> quoted, with ![a picture](https://example.com/x.png) and <b onclick="alert(1)">HTML</b>`

test.concurrent('[T9] a whole journey under the documented policy violates nothing', async () => {
  const { tab, chat } = await visit(policy)
  await chat.send('Go')
  await chat.plan.click()
  await chat.shows('Find a hotel')
  await chat.element.getByLabel('River').check()
  await chat.press('Answer')
  await chat.press('Edit')
  await chat.press('Back')
  await chat.press('Book')
  await chat.says('quoted, with')
  await chat.is('Saved')
  await tab.reload()
  await chat.says('quoted, with')
  expect(await violations(tab)).toEqual([])
  expect(tab.complaints).toEqual([])
})

test.concurrent('[T9] a page without blob: workers gives the address of its own copy, and gets the same', async () => {
  const { tab, chat } = await visit(withoutBlob, "worker: '/dogear-worker.js'")
  await walkThrough(chat)
  expect(await violations(tab)).toEqual([])
  expect(tab.complaints).toEqual([])
})

test.concurrent(
  '[T9] a page without any worker gets the same on its own thread, with a word to its developer',
  async () => {
    const { tab, chat } = await visit(withoutWorkers)
    await walkThrough(chat)
    expect(tab.complaints.join('\n')).toContain("so the agent runs on the page's own thread.")
    expect(tab.complaints.join('\n')).toContain('worker-src blob:')
    await tab.reload()
    await chat.says('quoted, with')
  },
)

test.concurrent('where neither is allowed the visitor reads a sentence and the developer the fix', async () => {
  const { tab, chat } = await visit(withoutWorkers, "assets: 'https://elsewhere.example'")
  await chat.is('Stopped, nothing is lost')
  expect(tab.complaints.join('\n')).toContain("give worker: '/dogear-worker.js'")
})

/** From the README, so that what people copy is what is tested. */
function documentedPolicy(): string {
  const readme = readFileSync(join(inject('installed'), 'node_modules/dogear/README.md'), 'utf8')
  const [, documented] = /^Content-Security-Policy: (.+)$/m.exec(readme) ?? []
  if (documented === undefined) throw new Error('The README of dogear names no Content-Security-Policy.')
  return documented
}

async function walkThrough(chat: ReturnType<typeof chatOf>): Promise<void> {
  await chat.send('Go')
  await chat.element.getByLabel('River').check()
  await chat.press('Answer')
  await chat.press('Book')
  await chat.says('quoted, with')
  await chat.is('Saved')
}

async function visit(contentSecurityPolicy: string, options = '') {
  const questions = [{ question: 'Which area?', header: 'Area', options: [{ label: 'River' }, { label: 'Hills' }] }]
  const todoList = [
    { id: 1, step: 'Find a hotel', status: 'in-progress' },
    { id: 2, step: 'Book it' },
  ]
  const site = await startScriptedSite({
    pages: {
      '/': { html, headers: { 'content-security-policy': contentSecurityPolicy } },
      '/page.js': { html: script(options), headers: { 'content-type': 'text/javascript' } },
    },
    script: [
      [call('manage_todo_list', { operation: 'write', todoList }), call('ask_user_question', { questions })],
      call('book_hotel'),
      say(markdown),
    ],
  })
  const visitor = await browser.newVisitor()
  await visitor.context.addInitScript(() => {
    const seen: string[] = JSON.parse(sessionStorage.getItem('violations') ?? '[]')
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) => {
      seen.push(`${violatedDirective} ${blockedURI} ${sample}`)
      sessionStorage.setItem('violations', JSON.stringify(seen))
    })
  })
  const tab = await visitor.open(site.url)
  return { tab, chat: chatOf(tab) }
}

/** Over all loads of this tab. */
function violations(tab: Tab): Promise<string[]> {
  return tab.evaluate(() => JSON.parse(sessionStorage.getItem('violations') ?? '[]'))
}
