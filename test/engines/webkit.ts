/** WebKitGTK as Debian has it: its own driver, asked over plain HTTP, on a screen of its own. https://www.w3.org/TR/webdriver2/ */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import type { Engine, Tab } from './engine.ts'
import { miniBrowserPath } from './packages.mjs'

export async function openWebKit(): Promise<Engine> {
  const screen = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '1280x900x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  const [display] = (await once(screen.stdio[3]!, 'data')) as [Buffer]
  const port = await freePort()
  const driver = spawn('WebKitWebDriver', [`--port=${port}`, '--host=127.0.0.1'], {
    env: { ...process.env, DISPLAY: `:${display.toString().trim()}` },
    stdio: 'ignore',
  })
  const end = () => [driver, screen].forEach((child) => child.kill())
  process.once('exit', end)
  const ask = askerOf(`http://127.0.0.1:${port}`)
  await untilReady(ask)
  const options = { 'webkitgtk:browserOptions': { binary: miniBrowserPath(), args: ['--automation'] } }
  const { sessionId } = await ask<{ sessionId: string }>('POST', '/session', { capabilities: { alwaysMatch: options } })
  const session = `/session/${sessionId}`
  let isFirst = true

  return {
    async open(url) {
      // It starts with a window of its own. Each further one is a window too: a tab behind another takes no clicks.
      const handle = isFirst
        ? await ask<string>('GET', `${session}/window`)
        : (await ask<{ handle: string }>('POST', `${session}/window/new`, { type: 'window' })).handle
      isFirst = false
      const tab = tabOf((method, path, body) => inWindow(handle, () => ask(method, `${session}${path}`, body)))
      await inWindow(handle, () => ask('POST', `${session}/url`, { url }))
      return tab
    },
    async close() {
      await ask('DELETE', session).catch(() => {})
      process.off('exit', end)
      end()
      await Promise.all([driver, screen].map(ended))
    },
  }

  /** Commands go to the window that was chosen last: one at a time, each after its own choice. */
  function inWindow<T>(handle: string, command: () => Promise<T>): Promise<T> {
    const result = turn.then(async () => {
      await ask('POST', `${session}/window`, { handle })
      return command()
    })
    turn = result.catch(() => {})
    return result
  }
}

let turn: Promise<unknown> = Promise.resolve()

type Ask = <T>(method: string, path: string, body?: object) => Promise<T>

function tabOf(ask: Ask): Tab {
  const act = (input: object) => ask<void>('POST', '/actions', { actions: [input] })
  const keys = (values: string[]) =>
    act({ type: 'key', id: 'keys', actions: values.flatMap((value) => [key('keyDown', value), key('keyUp', value)]) })
  return {
    async evaluate<T>(body: string) {
      const script = `const done = arguments[0]; (async () => { ${body} })().then((value) => done({ value }), (error) => done({ error: String(error) }))`
      const { value, error } = await ask<{ value: T; error?: string }>('POST', '/execute/async', { script, args: [] })
      if (error !== undefined) throw new Error(error)
      return value
    },
    click: (x, y) =>
      act({
        type: 'pointer',
        id: 'mouse',
        parameters: { pointerType: 'mouse' },
        actions: [
          { type: 'pointerMove', x: Math.round(x), y: Math.round(y), duration: 0 },
          { type: 'pointerDown', button: 0 },
          { type: 'pointerUp', button: 0 },
        ],
      }),
    type: (text) => keys([...text]),
    enter: () => keys(['\uE007']),
    reload: () => ask('POST', '/refresh', {}),
    close: () => ask('DELETE', '/window'),
  }
}

function key(type: 'keyDown' | 'keyUp', value: string) {
  return { type, value }
}

function askerOf(address: string): Ask {
  return async (method, path, body) => {
    const response = await fetch(address + path, { method, body: body && JSON.stringify(body) })
    const { value } = (await response.json()) as { value: never }
    if (!response.ok) throw new Error(`WebKit refused ${method} ${path}: ${JSON.stringify(value)}`)
    return value
  }
}

async function untilReady(ask: Ask): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    const status = await ask<{ ready: boolean }>('GET', '/status').catch(() => undefined)
    if (status?.ready) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('WebKitWebDriver did not start within 10 s.')
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

function ended(child: ChildProcess): unknown {
  return child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined
}
