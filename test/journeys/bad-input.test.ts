/** Bad input: a visitor reads one plain sentence, a developer the cause and the fix, and the session stays usable. */
import type { ServerResponse } from 'node:http'
import { call, say } from '@dogear/testing'
import { expect, test } from 'vitest'
import { useBrowser, type Tab } from './support/browser.ts'
import { chatOf, type Chat } from './support/chat.ts'
import { pageWith, startScriptedSite, type ScriptedSiteOptions } from './support/scripted-site.ts'
import { until } from './support/until.ts'

const browser = useBrowser()

const plain = pageWith(`Dogear.mount('#agent', { agent: Dogear.createAgent({ endpoint: '/api/agent' }) })`)

test.concurrent('an alias the proxy does not know', async () => {
  const html = plain.replace("endpoint: '/api/agent'", "endpoint: '/api/agent', model: 'clever'")
  const { tab, chat } = await visit({ pages: { '/': html }, script: [] })
  await chat.send('Hello')
  await chat.says('That didn’t work. Nothing that was saved is lost.')
  await developerReads(tab, 'The server has no model named "clever".')
})

test.concurrent('an agent without an endpoint', async () => {
  const html = plain.replace("{ endpoint: '/api/agent' }", '{}')
  const { tab, chat } = await visit({ pages: { '/': html }, script: [] })
  await chat.shows('This assistant isn’t set up yet.')
  await developerReads(tab, "Give it endpoint: '/api/agent', the address of your proxy")
})

test.concurrent('an element without an endpoint', async () => {
  const html = plain.replace('/dogear.js', '/static/dogear.js').replace(/<script>.*<\/script>/s, '')
  const page = html.replace('<div id="agent"></div>', '<dogear-chat></dogear-chat>')
  const { tab, chat } = await visit({ pages: { '/': page }, script: [] })
  await chat.shows('This assistant isn’t set up yet.')
  await developerReads(tab, 'has no endpoint')
})

test.concurrent('the script twice on one page', async () => {
  const twice = plain.replace(/(<script src="\/dogear.js"><\/script>)/, '$1$1')
  const { tab, chat } = await visit({ pages: { '/': twice }, script: [say('Here I am.')] })
  await developerReads(tab, 'The script is on this page twice; the second one does nothing. Remove one of the tags.')
  await chat.send('Hello')
  await chat.says('Here I am.')
})

test.concurrent('a proxy that is down: the message waits, and goes on when the proxy is there', async () => {
  let isDown = true
  const { tab, chat, site } = await visit({
    pages: { '/': plain },
    script: [say('Here I am.')],
    api: (_request, response) => isDown && response.destroy() !== undefined,
  })
  await chat.send('Hello')
  await chat.says('Connection lost. Your message is saved and goes on by itself.')
  await developerReads(tab, 'Check the connection, and that the endpoint is right and allows this origin.')
  isDown = false
  await chat.says('Here I am.')
  expect(site.asked).toHaveLength(1)
})

test.concurrent('401: the visitor is asked to sign in, and the same message goes on', async () => {
  const { tab, chat, site, mend } = await refusedBy((response) => answer(response, 401, { message: 'expired' }))
  await chat.send('Hello')
  await chat.says('Sign in again to go on. Your message is saved.')
  await developerReads(tab, 'Sign in again, or check what token() returns.')
  mend()
  await chat.press('Try again')
  await chat.says('Here I am.')
  expect(site.asked).toHaveLength(1)
  expect(await chat.read()).toEqual(['Hello', 'Here I am.'])
})

const refusals: readonly [string, (response: ServerResponse) => void, sentence: string, fix: string][] = [
  [
    '403',
    (response) => answer(response, 403, { message: 'not from here' }),
    'You don’t have access to this assistant.',
    "Check the proxy's allowed origins and this user's rights.",
  ],
  [
    '429',
    (response) => answer(response, 429, { message: 'slow down' }, { 'retry-after': '0' }),
    'Too much at once. Wait a moment, then try again.',
    'The model is asked too often.',
  ],
  [
    'an account without credit',
    (response) => answer(response, 429, { message: 'no credit', code: 'insufficient_quota' }),
    'The assistant has used up its budget. Your message is saved.',
    'Add credit, or wait until it renews.',
  ],
  [
    '500',
    (response) => answer(response, 500, { message: 'oh' }, { 'x-should-retry': 'false' }),
    'That didn’t work. Nothing that was saved is lost.',
    'The model failed (500).',
  ],
  [
    'HTML instead of an answer',
    (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Log in to the hotel Wi-Fi</h1>'),
    'That didn’t work. Nothing that was saved is lost.',
    'answered with text/html, not with an event stream: is the endpoint right?',
  ],
  [
    'nothing at that address',
    (response) => response.writeHead(404).end(),
    'That didn’t work. Nothing that was saved is lost.',
    'is the endpoint right?',
  ],
]

test.concurrent.for(refusals)(
  '%s: said in a sentence, and tried again by a button',
  async ([, refuse, sentence, fix]) => {
    const { tab, chat, mend } = await refusedBy(refuse)
    await chat.send('Hello')
    await chat.says(sentence)
    await chat.is('Stopped, nothing is lost')
    await developerReads(tab, fix)
    await detailsSay(chat, fix)
    mend()
    await chat.press('Try again')
    await chat.says('Here I am.')
    expect(await chat.read()).toEqual(['Hello', 'Here I am.'])
  },
)

const tools = pageWith(`
  const cycle = {}
  cycle.self = cycle
  const results = {
    a_function: () => 1,
    a_big_number: { price: 12345678901234567890n },
    a_cycle: cycle,
    ten_megabytes: 'x'.repeat(10_000_000),
  }
  const tools = [
    ...Object.entries(results).map(([name, result]) => ({ name, func: () => result })),
    { name: 'throws', func: () => { throw new Error('no rooms left') } },
    { name: 'hangs', timeout: 200, func: () => new Promise(() => {}) },
    { name: 'strict', parameters: { type: 'object', properties: { nights: { type: 'integer' } } }, func: () => 'ok' },
  ]
  Dogear.mount('#agent', { agent: Dogear.createAgent({ endpoint: '/api/agent', tools }) })
`)

/** The call, what the model is told, and what the developer reads where it is the developer's to mend. */
const calls: readonly [string, args: unknown, told: string, read?: string][] = [
  ['throws', {}, 'Error executing tool: no rooms left', 'Tool "throws" threw: no rooms left'],
  ['hangs', {}, 'hangs did not answer within 0.2 s', 'Raise its timeout, or have it answer its signal by what it did.'],
  ['a_function', {}, 'it ran, but its result cannot be read', 'returned a function at result.'],
  ['a_cycle', {}, 'it ran, but its result cannot be read', 'returned a cycle at result.self.'],
  ['a_big_number', {}, '{"price":"12345678901234567890"}'],
  ['ten_megabytes', {}, '[cut: 9968000 more characters]'],
  ['strict', '{"nights": ', 'The arguments of strict are not valid JSON.'],
  ['strict', { nights: 'three' }, 'Invalid arguments for strict'],
  ['no_such_tool', {}, 'Tool not found: no_such_tool. Known tools: a_function'],
]

test.concurrent.for(calls)(
  'a call of %s with %j is told to the model, and the talk goes on',
  async ([name, args, told, read]) => {
    const script = [call(name, args), say('I see.'), say('Gladly.')]
    const { tab, chat, site } = await visit({ pages: { '/': tools }, script })
    await chat.send('Go')
    await chat.says('I see.')
    expect(site.asked[1]?.messages.at(-1)).toMatchObject({ role: 'tool', content: expect.stringContaining(told) })
    if (read !== undefined) await developerReads(tab, read)
    await chat.send('Something else')
    await chat.says('Gladly.')
  },
)

const without = {
  'no IndexedDB at all': `Object.defineProperty(globalThis, 'indexedDB', { value: undefined })`,
  'IndexedDB that is refused': `IDBFactory.prototype.open = () => { throw new DOMException('denied', 'SecurityError') }`,
}

test.concurrent.for(Object.entries(without))('%s: it works, and says that nothing is kept', async ([, sabotage]) => {
  const worker = `${sabotage}; await import('/dogear-worker.js')`
  const headers = { 'content-type': 'text/javascript' }
  const html = plain.replace("endpoint: '/api/agent'", "endpoint: '/api/agent', worker: '/sabotaged.js'")
  const pages = { '/': html, '/sabotaged.js': { html: worker, headers } }
  const { tab, chat } = await visit({ pages, script: [say('Here I am.'), say('Still here.')] })
  await chat.send('Hello')
  await chat.says('Here I am.')
  await chat.is('Not saved: this browser blocks storage')
  await developerReads(tab, 'Allow site data for this site')
  await developerReads(tab, 'sessions are kept in memory and end with the page.')
  await chat.send('And now?')
  await chat.says('Still here.')
})

test.concurrent('IndexedDB that never opens: it works all the same', async () => {
  const worker = `
    const { open } = IDBFactory.prototype
    IDBFactory.prototype.open = function (...args) {
      return Object.assign(open.apply(this, args), { addEventListener() {} })
    }
    await import('/dogear-worker.js')
  `
  const headers = { 'content-type': 'text/javascript' }
  const html = plain.replace("endpoint: '/api/agent'", "endpoint: '/api/agent', worker: '/sabotaged.js'")
  const pages = { '/': html, '/sabotaged.js': { html: worker, headers } }
  const { tab, chat } = await visit({ pages, script: [say('Here I am.')] })
  await chat.send('Hello')
  await chat.says('Here I am.')
  await developerReads(tab, 'Close other tabs of this site, then reload the page.')
})

function answer(response: ServerResponse, status: number, error: object, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify({ error }))
}

async function refusedBy(refuse: (response: ServerResponse) => void) {
  let isRefusing = true
  const visited = await visit({
    pages: { '/': plain },
    script: [say('Here I am.')],
    api(_request, response) {
      if (isRefusing) refuse(response)
      return isRefusing
    },
  })
  return { ...visited, mend: () => void (isRefusing = false) }
}

async function visit(options: ScriptedSiteOptions) {
  const site = await startScriptedSite(options)
  const tab = await (await browser.newVisitor()).open(site.url)
  return { site, tab, chat: chatOf(tab) }
}

function developerReads(tab: Tab, words: string): Promise<void> {
  return until(() => tab.complaints.some((line) => line.includes(words)), `the console says: ${words}`)
}

async function detailsSay(chat: Chat, words: string): Promise<void> {
  await chat.conversation.locator('details', { hasText: 'Details' }).locator('summary').click()
  await chat.conversation.getByText(words).waitFor()
}
