/** axe finds nothing wrong, in each state of the chat, light and dark, as a visitor reaches it. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { call, fail, pause, say } from '@dogear/testing'
import type { AxeResults } from 'axe-core'
import { expect, test } from 'vitest'
import { useBrowser, type Tab } from './support/browser.ts'
import { chatOf, type Chat } from './support/chat.ts'
import { createGate } from './support/gate.ts'
import { pageWith, startScriptedSite, type ScriptedSiteOptions } from './support/scripted-site.ts'

const browser = useBrowser()
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const page = pageWith(`
  const tools = [
    {
      name: 'book_hotel',
      label: 'Book a room',
      needsApproval: true,
      parameters: {
        type: 'object',
        properties: { hotel: { type: 'string' }, nights: { type: 'integer' }, view: { type: 'boolean' } },
      },
      func: () => 'Booked.',
    },
    { name: 'find_hotels', label: 'Find hotels', func: () => [{ name: 'Casa Rio', price: 90 }] },
    { name: 'wait', label: 'Wait a moment', func: () => new Promise(() => {}) },
  ]
  const agent = Dogear.createSmartAgent({
    endpoint: '/api/agent',
    tools,
    useTodoList: true,
    humanInTheLoop: { askUser: true },
  })
  const mode = new URLSearchParams(location.search).get('mode') ?? 'inline'
  Dogear.mount(mode === 'inline' ? '#agent' : undefined, { agent, mode, starters: ['Plan a weekend', 'Say hello'] })
`)

const todoList = [
  { id: 1, step: 'Find a hotel', status: 'completed' },
  { id: 2, step: 'Ask about the budget', status: 'in-progress' },
  { id: 3, step: 'Book it', status: 'not-started' },
]
const questions = [
  { question: 'Which area?', header: 'Area', options: [{ label: 'River', description: 'Loud' }, { label: 'Hills' }] },
  {
    question: 'What else?',
    header: 'Extras',
    multiSelect: true,
    options: [{ label: 'Breakfast' }, { label: 'A view' }],
  },
]
const words =
  '## A heading\n\nSome *words*, `code` and [a link](https://example.com).\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n- [x] done\n\n```js\n1 + 1\n```'

interface State {
  readonly site: Omit<ScriptedSiteOptions, 'pages'>
  readonly path?: string
  readonly reach: (chat: Chat, tab: Tab) => Promise<void>
}

const states: Readonly<Record<string, State>> = {
  'an empty chat': { site: { script: [] }, reach: (chat) => chat.is('Ready') },
  'a closed launcher, and what waits beside it': {
    site: { script: [call('book_hotel', { hotel: 'Casa Rio', nights: 2 })] },
    path: '/?mode=popup',
    async reach(chat) {
      await chat.open()
      await chat.send('Book it')
      await chat.shows('Book a room?')
      await chat.press('Close')
      await chat.shows('Book a room?')
    },
  },
  'an answer that streams': {
    site: { script: [[say(words), pause(createGate().passed)]] },
    async reach(chat) {
      await chat.send('Tell me')
      await chat.says('A heading')
    },
  },
  'a finished answer with a tool, its card open': {
    site: { script: [call('find_hotels', { city: 'Lisbon' }), say(words)] },
    async reach(chat) {
      await chat.send('Find one')
      await chat.is('Saved')
      await chat.cards.first().locator('summary').click()
      await chat.says('Casa Rio')
    },
  },
  'a tool that runs': {
    site: { script: [call('wait')] },
    async reach(chat) {
      await chat.send('Wait')
      await chat.says('Wait a moment')
    },
  },
  'a plan, open': {
    site: { script: [call('manage_todo_list', { operation: 'write', todoList }), say('Planned.')] },
    async reach(chat) {
      await chat.send('Plan')
      await chat.is('Saved')
      await chat.plan.click()
      await chat.shows('Book it')
    },
  },
  'an approval': {
    site: { script: [[say('It is near.'), call('book_hotel', { hotel: 'Casa Rio', nights: 2, view: true })]] },
    async reach(chat) {
      await chat.send('Book it')
      await chat.shows('Book a room?')
    },
  },
  'an approval being edited': {
    site: { script: [call('book_hotel', { hotel: 'Casa Rio', nights: 2, view: true })] },
    async reach(chat) {
      await chat.send('Book it')
      await chat.press('Edit')
      await chat.element.getByLabel('Nights').fill('many')
    },
  },
  'an approval being rejected': {
    site: { script: [call('book_hotel', { hotel: 'Casa Rio', nights: 2, view: true })] },
    async reach(chat) {
      await chat.send('Book it')
      await chat.press('Don’t')
    },
  },
  'a call whose outcome nobody knows, and what came of it': {
    site: { script: [call('wait')] },
    async reach(chat, tab) {
      await chat.send('Wait')
      await chat.element.locator('.card[data-state=running]').waitFor()
      await tab.reload()
      await chat.shows('Did it happen? Wait a moment')
      await chat.says('Outcome unknown')
      await chat.element.getByLabel('If it happened').fill('It came at ten.')
    },
  },
  'a question': {
    site: { script: [call('ask_user_question', { questions })] },
    async reach(chat) {
      await chat.send('Ask me')
      await chat.element.getByLabel('River').check()
    },
  },
  'a question of several choices, with words of one’s own': {
    site: { script: [call('ask_user_question', { questions })] },
    async reach(chat) {
      await chat.send('Ask me')
      await chat.element.getByLabel('River').check()
      await chat.press('Next')
      await chat.element.getByLabel('Something else…').check()
    },
  },
  'answers to look over before they are sent': {
    site: { script: [call('ask_user_question', { questions })] },
    async reach(chat) {
      await chat.send('Ask me')
      await chat.element.getByLabel('River').check()
      await chat.press('Next')
      await chat.element.getByLabel('A view').check()
      await chat.press('Next')
      await chat.shows('Is this right?')
    },
  },
  'several approvals, together': {
    site: { script: [['Casa Rio', 'Casa Alta', 'Casa Mar'].map((hotel) => call('book_hotel', { hotel, nights: 2 }))] },
    async reach(chat) {
      await chat.send('Book all')
      await chat.press('All 3 together')
      await chat.shows('Book a room? 3 times')
    },
  },
  'an approval of what hides something': {
    site: { script: [call('book_hotel', { hotel: 'https://exаmple.com/\u202e', nights: 2, note: 'x'.repeat(700) })] },
    async reach(chat) {
      await chat.send('Book it')
      await chat.shows('Look twice: this leads to xn--exmple-4nf.com')
    },
  },
  offline: {
    site: { script: [] },
    async reach(chat, tab) {
      await chat.is('Ready')
      await tab.context().setOffline(true)
      await chat.send('Hello?')
      await chat.says('Connection lost.')
      await chat.send('And this')
      await chat.shows('Will send when online')
    },
  },
  'words in line, one of them being edited': {
    site: { script: [[say(words), pause(createGate().passed)]] },
    async reach(chat) {
      await queueTwo(chat)
      await chat.queue.first().getByRole('button', { name: 'Edit' }).click()
    },
  },
  'words held after a stop': {
    site: { script: [[say(words), pause(createGate().passed)]] },
    async reach(chat) {
      await queueTwo(chat)
      await chat.press('Stop')
      await chat.shows('Held until you send')
    },
  },
  'a turn that waits for a new sign-in, and words behind it': {
    site: { script: [], api: (_request, response) => !!response.writeHead(401).end() },
    path: '/signed-in',
    async reach(chat) {
      await chat.send('Hello')
      await chat.says('Sign in again to go on.')
      await chat.send('And this')
      await chat.shows('Next in line')
    },
  },
  'an error, its details open': {
    site: { script: [fail('model-failed')] },
    async reach(chat) {
      await chat.send('Hello')
      await chat.shows('Try again')
      await chat.conversation.getByText('Details').click()
    },
  },
  'a chat that could not be opened': {
    site: { script: [] },
    path: '/broken',
    reach: (chat) => chat.shows('This assistant isn’t set up yet.'),
  },
}

test.concurrent.for(Object.entries(states))('[a11y] %s', async ([, { site: options, path = '/', reach }]) => {
  const broken = page.replace("endpoint: '/api/agent',", '')
  const signedIn = page.replace("endpoint: '/api/agent',", "endpoint: '/api/agent', token: () => 'old',")
  const site = await startScriptedSite({ ...options, pages: { '/': page, '/broken': broken, '/signed-in': signedIn } })
  const tab = await (await browser.newVisitor({ reducedMotion: 'reduce' })).open(`${site.url}${path}`)
  await reach(chatOf(tab), tab)
  for (const colorScheme of ['light', 'dark'] as const) {
    await tab.emulateMedia({ colorScheme })
    expect({ colorScheme, violations: await violations(tab) }).toEqual({ colorScheme, violations: [] })
  }
})

async function queueTwo(chat: Chat): Promise<void> {
  await chat.send('Tell me')
  await chat.says('A heading')
  await chat.send('And a tram?')
  await chat.send('And a table?')
  await chat.queue.nth(1).getByRole('button', { name: 'Edit' }).waitFor()
}

async function violations(tab: Tab): Promise<string[]> {
  await tab.evaluate(axe)
  const results = await tab.evaluate<AxeResults>(`axe.run('dogear-chat')`)
  return results.violations.map(({ id, help, nodes }) => `${id}: ${help} (${nodes.map(({ html }) => html).join(' ')})`)
}
