import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { errorOf, hello } from '../../test/ask.ts'
import { demoProvider } from '../index.ts'
import { banner } from './banner.ts'
import { help, readArguments } from './read-arguments.ts'
import { openScriptFiles } from './script-files.ts'
import { serve, type Served, type ServeOptions } from './serve.ts'

const models = { default: { model: 'demo', provider: demoProvider({ pace: 0 }) } }
const closing: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

async function open(options: ServeOptions = {}): Promise<Served> {
  const served = await serve({ models, port: 0, ...options })
  closing.push(served.close)
  return served
}

const tokenOf = ({ tag }: Served) => /data-token="([^"]+)"/.exec(tag)?.[1]

test('[J1] the printed tag’s token lets a page from disk in', async () => {
  const served = await open()
  const init = { method: 'POST', body: JSON.stringify(hello) }
  const headers = { origin: 'null', authorization: `Bearer ${tokenOf(served)}` }
  const allowed = await fetch(`${served.url}/chat/completions`, { ...init, headers })
  expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([200, 'null'])
  await allowed.text()
  expect((await fetch(`${served.url}/chat/completions`, { ...init, headers: { origin: 'null' } })).status).toBe(403)
})

test('[J1] the token is long, random, and new with every start', async () => {
  const [first, second] = [tokenOf(await open()), tokenOf(await open())]
  expect(first).toMatch(/^[\w-]{24}$/)
  expect(first).not.toBe(second)
})

test('[J1] the page at / shows the tag as text and loads the script, and may not be framed', async () => {
  const served = await open()
  const response = await fetch(served.url)
  const html = await response.text()
  expect(html).toContain(`&lt;script src=&quot;${served.url}/dogear.js&quot;`)
  expect(html).toContain(`<script src="/dogear.js" data-token="${tokenOf(served)}"></script>`)
  expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
})

test('a taken port is said with what to do', async () => {
  const port = Number(new URL((await open()).url).port)
  await expect(serve({ models, port })).rejects.toThrow(
    `Port ${port} is taken. Stop what uses it, or choose another: npx @dogear/proxy --port ${port + 1}`,
  )
})

test('beyond this machine the origins must be named', async () => {
  await expect(serve({ models, port: 0, host: '0.0.0.0' })).rejects.toThrow('--origin https://example.com')
})

test('with origins named there is no token, and the proxy’s own page still works', async () => {
  const served = await open({ origins: ['https://shop.example'] })
  expect(served.tag).not.toContain('data-token')
  const from = async (origin: string) => (await fetch(`${served.url}/models`, { headers: { origin } })).status
  expect([await from('https://shop.example'), await from(served.url), await from('http://localhost:1')]).toEqual([
    200, 200, 403,
  ])
})

async function openFolder(files: Record<string, string>) {
  const folder = await mkdtemp(join(tmpdir(), 'dogear-'))
  closing.push(() => rm(folder, { recursive: true }))
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  return openScriptFiles(folder)
}

const get = (path: string, headers: Record<string, string> = {}) => new Request(`http://localhost${path}`, { headers })

test('[J1] the script is open to every page and costs nothing when unchanged', async () => {
  const files = await openFolder({ 'dogear.js': 'let a', 'dogear-worker.js': 'let b', 'notes.txt': 'private' })
  const response = files.answer(get('/dogear.js'))
  expect(await response.text()).toBe('let a')
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
  expect(response.headers.get('cross-origin-resource-policy')).toBe('cross-origin')
  const again = files.answer(get('/dogear.js', { 'if-none-match': response.headers.get('etag')! }))
  expect([again.status, await again.text()]).toEqual([304, ''])
})

test('[T12] only the files laid out by the build are served', async () => {
  const files = await openFolder({ 'dogear.js': 'let a', 'notes.txt': 'private' })
  for (const path of ['/notes.txt', '/../package.json', '/%2e%2e/package.json', '/dogear.js/', '/', '/models'])
    expect(files.owns(new URL(get(path).url).pathname)).toBe(false)
})

test('a script that was never built is said', async () => {
  const files = await openFolder({})
  expect(() => files.answer(get('/dogear.js'))).toThrow('Build it')
})

test('[T12] a rebound name gets neither page, nor script, nor token', async () => {
  const { url } = await open()
  const { request } = await import('node:http')
  for (const path of ['/', '/dogear.js', '/models']) {
    const status = await new Promise((resolve) =>
      request(url + path, { headers: { host: 'evil.example' } }, (response) =>
        resolve(response.resume().statusCode),
      ).end(),
    )
    expect(status).toBe(403)
  }
})

test('a route the server does not know is answered by the proxy', async () => {
  const { url } = await open()
  expect(await errorOf(await fetch(`${url}/favicon.ico`))).toMatchObject({ status: 404, code: 'route_not_found' })
})

test('the command line wins over PORT, and --origin repeats', () => {
  const args = ['--port', '9000', '--origin', 'https://a.example', '--origin', 'https://b.example']
  expect(readArguments(args, { PORT: '1' })).toMatchObject({
    port: 9000,
    origins: ['https://a.example', 'https://b.example'],
  })
  expect(readArguments([], { PORT: '4000' }).port).toBe(4000)
  expect(readArguments([], {})).toEqual({ isHelp: false, port: undefined, host: undefined, origins: undefined })
})

test.each([
  [['--port', 'abc'], '"abc" is not a port'],
  [['--port', '70000'], '"70000" is not a port'],
  [['--colour'], "Unknown option '--colour'. See npx @dogear/proxy --help."],
  [['stray'], 'See npx @dogear/proxy --help.'],
])('the arguments %j are answered with a sentence', (args, sentence) => {
  expect(() => readArguments(args, {})).toThrow(sentence)
})

test('the start-up lines hold the tag once, alone on its line', () => {
  const tag = '<script src="http://127.0.0.1:8787/dogear.js"></script>'
  const text = banner({ url: 'http://127.0.0.1:8787', tag, serves: 'the demo model.' })
  expect(text.split('\n').filter((line) => line.includes('<script'))).toEqual([`  ${tag}`])
  expect(help).toContain('OPENAI_API_KEY')
})
