/** J2: a fresh Vite app, the packed packages, and the README's lines. */
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { pnpm } from '../../.build/steps.mjs'
import { type Tab, useBrowser } from './support/browser.ts'
import { chatOf } from './support/chat.ts'
import { startProxy } from './support/proxy.ts'
import { readmeExample, readmeLines } from './support/readme-example.ts'
import { startSite } from './support/site.ts'

const browser = useBrowser()
const folder = mkdtempSync(join(tmpdir(), 'dogear-npm-app-'))
const bin = (name: string) => join(folder, 'node_modules/.bin', name)

beforeAll(async () => {
  const proxy = await startProxy()
  write('src/main.ts', readmeExample('npm', proxy.url))
  write('index.html', pageWith('main'))
  write('src/session.ts', readmeExample('npm', proxy.url) + readmeLines('session') + tellSession)
  write('session.html', pageWith('session'))
  write('src/invoke.ts', readmeExample('npm', proxy.url) + readmeLines('invoke') + tellInvoke)
  write('invoke.html', pageWith('invoke'))
  write('src/called.ts', called(proxy.url))
  write('called.html', pageWith('called'))
  write('tsconfig.json', JSON.stringify(strictest))
  write('package.json', JSON.stringify(manifest(inject('tarballs'))))
  run(pnpm('install', '--prefer-offline', '--ignore-workspace', '--ignore-scripts'))
})
afterAll(() => rmSync(folder, { recursive: true }))

test('[J2] it compiles with the strictest types, libraries included', () => {
  expect(() => run([bin('tsc')])).not.toThrow()
})

test('[J2] it builds without a Vite config and without a warning, and what is built books a room', async () => {
  const printed = run([bin('vite'), 'build'])
  expect(printed).not.toMatch(/warn|error/i)
  const site = await startSite({ folder: join(folder, 'dist') })
  await booksARoom(site.url)
})

test('[J2] [C41] [C61] [K19] [K26] [K37] the development server runs it too, and agents called like functions', async () => {
  const server = spawn(bin('vite'), ['--port', '0', '--host', '127.0.0.1'], {
    cwd: folder,
    // Coloured, the address it prints would be torn apart by escape codes.
    env: { ...plain, NO_COLOR: '1' },
  })
  try {
    let printed = ''
    const url = await new Promise<string>((resolve, reject) => {
      server.stdout.on('data', (text) => {
        printed += text
        const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(printed) ?? []
        if (found) resolve(found)
      })
      server.once('exit', () => reject(new Error(`Vite ended early:\n${printed}`)))
    })
    await booksARoom(url)
    await drivesASession(`${url}/session.html`)
    await invokesTheAgent(`${url}/invoke.html`)
    await calledLikeAFunction(`${url}/called.html`)
  } finally {
    server.kill()
  }
})

test('[J2] importing it in plain Node does not throw, and touches nothing', () => {
  const program = `const before = Object.keys(globalThis).length
    const { createSmartAgent, mount } = await import('dogear')
    createSmartAgent({ endpoint: 'http://127.0.0.1' })
    console.log(typeof mount, Object.keys(globalThis).length - before)`
  expect(run([process.execPath, '--input-type=module', '--eval', program]).trim()).toBe('function 0')
})

async function booksARoom(address: string): Promise<void> {
  const visitor = await browser.newVisitor()
  const tab = await visitor.open(address)
  const chat = chatOf(tab)
  await chat.open()
  await chat.send('Plan a weekend in Lisbon')
  await chat.press('Book')
  await chat.says(/Booked 2 nights at/)
  await chat.is('Saved')
  expect(tab.complaints).toEqual([])
  await visitor.leave()
}

/** The README's session: saved before it is awaited, at rest where a person is needed, and shown by a chat of its own. */
async function drivesASession(address: string): Promise<void> {
  const visitor = await browser.newVisitor()
  const tab = await visitor.open(address)
  const told = await toldBy(tab)
  expect(told).toMatchObject({
    id: 'trip-42',
    terminalReason: 'paused',
    text: expect.stringContaining('nothing is booked unless you approve'),
    requests: [{ kind: 'approval', tool: 'book_hotel', args: { nights: 3 } }],
  })
  const chat = chatOf(tab, '#app dogear-chat')
  await chat.says('Three nights in Lisbon')
  await chat.press('Book')
  await chat.says(/Booked 3 nights at/)
  expect(tab.complaints).toEqual([])
  await visitor.leave()
}

/** The README's call: it stops where a person is needed, and the state says for what. */
async function invokesTheAgent(address: string): Promise<void> {
  const visitor = await browser.newVisitor()
  const tab = await visitor.open(address)
  expect(await toldBy(tab)).toMatchObject({
    content: expect.stringContaining('nothing is booked unless you approve'),
    state: { pendingApprovals: [{ toolName: 'book_hotel', args: { nights: 3 }, status: 'pending' }] },
  })
  expect(tab.complaints).toEqual([])
  await visitor.leave()
}

const tellSession = `
mount('#app', { agent, session })
document.body.dataset.told = JSON.stringify({ id: session.id, terminalReason, text, requests })
`

const tellInvoke = `
document.body.dataset.told = JSON.stringify({ content, state })
`

async function toldBy(tab: Tab): Promise<unknown> {
  await tab.waitForFunction(() => document.body.dataset.told !== undefined)
  return JSON.parse((await tab.evaluate(() => document.body.dataset.told)) ?? '')
}

/** What a program sees that has no chat: the worker runs it, the page's function is its tool. */
async function calledLikeAFunction(address: string): Promise<void> {
  const visitor = await browser.newVisitor()
  const tab = await visitor.open(address)
  expect(await toldBy(tab)).toMatchObject({
    paused: { stage: 'after_agent', reason: 'look first' },
    content: expect.stringContaining('My app'),
    tools: [{ toolName: 'page_title', output: 'My app', status: 'success' }],
    events: expect.arrayContaining(['tool_call', 'metadata', 'stream', 'finalAnswer']),
    messages: expect.arrayContaining(['system', 'assistant', 'result']),
    sessions: [{ sessionId: 'greeting', summary: 'Greeting' }],
    said: ['user', 'assistant', 'user', 'assistant'],
    ofAnother: [[], []],
  })
  expect(tab.workers()).toHaveLength(1)
  expect(tab.complaints).toEqual([])
  await visitor.leave()
}

const called = (endpoint: string) => `import { createAgent, getSessionMessages, listSessions, query } from 'dogear'

const agent = createAgent({
  endpoint: '${endpoint}',
  tools: [{ name: 'page_title', description: 'Reads the title of this page', effect: 'page', func: () => document.title }],
})
const events: string[] = []
const first = await agent.invoke(
  { messages: [{ role: 'user', content: 'What is this page?' }] },
  { onStateChange: (state) => state.messages.at(-1)?.tool_calls !== undefined, checkpointReason: 'look first' },
)
const snapshot = JSON.parse(JSON.stringify(agent.snapshot(first.state, { tag: 'before the tool' })))
const { content, state } = await agent.resume(snapshot, { stream: true, onEvent: ({ type }) => void events.push(type) })
const messages: string[] = []
const asked = [
  { sessionId: 'greeting', title: 'Greeting' },
  { resume: 'greeting', title: 'Not this' },
  { persistSession: false },
]
for (const options of asked) {
  for await (const { type } of query({ prompt: 'Hello', options: { endpoint: '${endpoint}', ...options } })) messages.push(type)
}
document.body.dataset.told = JSON.stringify({
  paused: first.state.ctx?.__paused,
  content,
  tools: state.toolHistory,
  events,
  messages,
  sessions: await listSessions({ agent: 'query' }),
  said: (await getSessionMessages('greeting')).map(({ type }) => type),
  ofAnother: [await listSessions({ user: 'bob' }), await getSessionMessages('greeting', { user: 'bob' })],
})
`

const pageWith = (script: string) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="UTF-8" />
    <link rel="icon" href="data:," />
    <title>My app</title>
  </head>
  <body>
    <div id="app"></div>
    <script type="module" src="/src/${script}.ts"></script>
  </body>
</html>
`

/** What Vite's own vanilla-ts template says, and no \`skipLibCheck\`: our declarations must stand by themselves. */
const strictest = {
  compilerOptions: {
    target: 'ES2022',
    module: 'ESNext',
    lib: ['ES2022', 'DOM', 'DOM.Iterable'],
    types: [],
    moduleResolution: 'bundler',
    verbatimModuleSyntax: true,
    moduleDetection: 'force',
    noEmit: true,
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noUnusedLocals: true,
    noUnusedParameters: true,
    skipLibCheck: false,
  },
  include: ['src'],
}

/** The overrides stand for a registry that has these packages. */
function manifest(tarballs: Record<string, string>): object {
  const packed = Object.fromEntries(Object.entries(tarballs).map(([name, file]) => [name, `file:${file}`]))
  return {
    name: 'my-app',
    private: true,
    type: 'module',
    dependencies: { dogear: packed.dogear, zod: '^4.6.7' },
    devDependencies: { typescript: '^7.0.2', vite: '^8.3.8' },
    pnpm: { overrides: packed },
  }
}

function write(name: string, text: string): void {
  const file = join(folder, name)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

/** Without the variables that say "this is a test": a bundler reads them. */
const { NODE_ENV: _environment, VITEST: _test, ...plain } = process.env

function run([command = '', ...args]: string[]): string {
  try {
    return execFileSync(command, args, { cwd: folder, env: plain, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }
    throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}${stderr}`, { cause: error })
  }
}
