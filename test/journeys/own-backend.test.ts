/** J9: a server of one's own mounts the proxy, decides who is calling, and lets tokens expire. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import type { AddressInfo, Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import express from 'express'
import { afterAll, expect, inject, onTestFinished, test } from 'vitest'
import { root } from '../../.build/steps.mjs'
import { useBrowser } from './support/browser.ts'
import { chatOf } from './support/chat.ts'
import { withoutProvider } from './support/proxy.ts'

const browser = useBrowser()
const servers: Server[] = []
afterAll(() => servers.forEach((server) => server.close()))

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<link rel="icon" href="data:,">
<title>Members</title>
<div id="agent"></div>
<script src="/dogear.js"></script>
<script>
  const agent = Dogear.createAgent({
    endpoint: '/api/agent',
    token: () => fetch('/token').then((response) => response.text()),
    tools: [{ name: 'page_title', effect: 'read', parameters: { type: 'object' }, func: () => document.title }],
  })
  Dogear.mount('#agent', { agent })
</script>
</html>`

test('[J9] a token that expires between two requests of a turn is replaced, and the turn goes on', async () => {
  const backend = await startBackend()
  const { tab, chat, visitor } = await visit(backend.url)
  backend.expireNext(2)
  await chat.send('what is this page?')
  await chat.says('That is all I can see of it.')
  expect(backend.answers).toEqual(['200 token-1', '401 token-2', '200 token-3'])
  expect(tab.complaints.filter((line) => !line.includes('401'))).toEqual([])
  await visitor.leave()
})

test('[J9] a token that expires while an answer is cut off costs no word of it', async () => {
  const backend = await startBackend()
  const { chat, visitor } = await visit(backend.url)
  backend.expireNext(2)
  await chat.send('count to 40')
  await chat.says('1, 2, 3, 4, 5')
  backend.hangUp()
  await chat.says('That is all 40 of them.')
  const numbers = Array.from({ length: 40 }, (_, index) => index + 1).join(', ')
  expect((await chat.read()).at(-1)).toContain(`${numbers}. That is all 40 of them.`)
  expect(backend.answers).toEqual(['200 token-1', '401 token-2', '200 token-3'])
  await visitor.leave()
})

test('[J9] a visitor who is signed out reads so, and the turn goes on when they are back', async () => {
  const backend = await startBackend()
  const { chat, visitor } = await visit(backend.url)
  backend.signOut(true)
  await chat.send('hello')
  await chat.says('Sign in again to go on. Your message is saved.')
  backend.signOut(false)
  await chat.press('Try again')
  await chat.says('Hello, and welcome.')
  expect((await chat.read())[0]).toBe('hello')
  await visitor.leave()
})

test("[J9] the example's server runs as it stands: it answers its own page, and nobody without a token", async () => {
  const url = await startExample()
  const { tab, chat, visitor } = await visit(`${url}/examples/own-backend.html`)
  await chat.send('hello')
  await chat.says('Hello, and welcome.')
  expect(tab.complaints).toEqual([])
  const stranger = await fetch(`${url}/api/agent/models`)
  expect(stranger.status).toBe(401)
  await visitor.leave()
})

async function visit(url: string) {
  const visitor = await browser.newVisitor()
  const tab = await visitor.open(url)
  const chat = chatOf(tab)
  await chat.is('Ready')
  return { visitor, tab, chat }
}

/** An Express app around the packed proxy; the numbered tokens of `/token` are good until the test says otherwise. */
async function startBackend() {
  const { createProxy, demoProvider } = await packed<typeof import('@dogear/proxy')>('@dogear/proxy/dist/index.js')
  const { toNodeListener } = await packed<typeof import('@dogear/proxy/node')>('@dogear/proxy/dist/node.js')
  const answers: string[] = []
  const expired = new Set<string>()
  let [given, isSignedOut] = [0, false]

  const proxy = createProxy({
    models: { default: { provider: demoProvider({ pace: 3 }), model: 'demo' } },
    authorize(token) {
      const isGood = token !== undefined && !expired.has(token) && !isSignedOut
      answers.push(`${isGood ? 200 : 401} ${token}`)
      return isGood && { subject: 'ana' }
    },
  })
  const app = express()
  app.get('/', (_request, response) => void response.type('html').send(page))
  app.get(
    '/token',
    (_request, response) => void response.set('cache-control', 'no-store').send(`token-${(given += 1)}`),
  )
  app.use('/api/agent', toNodeListener(proxy))
  app.use(express.static(join(inject('installed'), 'node_modules/dogear/dist')))
  const server = app.listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** What the proxy said to whom, in order. */
    answers,
    /** The token of this number is refused. */
    expireNext: (number: number) => expired.add(`token-${number}`),
    /** Breaks off every answer under way. */
    hangUp: () => server.closeAllConnections(),
    signOut: (value: boolean) => (isSignedOut = value),
  }
}

/** The playground's own file, in a folder as a developer would have it. */
async function startExample(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'dogear-own-backend-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'node_modules/@dogear'), { recursive: true })
  const installed = join(inject('installed'), 'node_modules')
  symlinkSync(join(installed, '@dogear/proxy'), join(folder, 'node_modules/@dogear/proxy'), 'junction')
  symlinkSync(realpathSync(join(root, 'test/node_modules/express')), join(folder, 'node_modules/express'), 'junction')
  for (const name of ['examples', 'shell'])
    cpSync(join(root, 'playground', name), join(folder, 'public', name), { recursive: true })
  cpSync(join(installed, 'dogear/dist/dogear.js'), join(folder, 'public/dogear.js'))
  cpSync(join(root, 'playground/examples/own-backend-server.mjs'), join(folder, 'server.mjs'))
  const server = spawn(process.execPath, ['server.mjs'], {
    cwd: folder,
    env: { ...withoutProvider(process.env), PORT: '0', DOGEAR_DEMO_PACE: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void server.kill())
  const [printed] = await once(server.stdout, 'data')
  return String(printed).trim()
}

function packed<T>(path: string): Promise<T> {
  return import(/* @vite-ignore */ pathToFileURL(join(inject('installed'), 'node_modules', path)).href) as Promise<T>
}
