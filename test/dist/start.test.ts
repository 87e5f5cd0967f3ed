/** `npm start`, with both of its ports in somebody else's hands. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { root } from '../../.build/steps.mjs'

let program: ChildProcess
let printed = ''

beforeAll(async () => {
  await Promise.all([8787, 5173].map(occupy))
  program = spawn(process.execPath, ['playground/start.mjs'], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  await new Promise<void>((resolve, reject) => {
    const listen = (chunk: Buffer) => {
      printed += chunk
      if (printed.includes('Ctrl-C stops both')) resolve()
    }
    program.stdout?.on('data', listen)
    program.stderr?.on('data', listen)
    program.once('exit', () => reject(new Error(`It ended early:\n${printed}`)))
  })
})

afterAll(() => program.kill())

test('a taken port is said, and the next free one is used', () => {
  expect(printed).toMatch(/^Port 8787 is taken .* the proxy is on \d+\.$/m)
  expect(printed).toMatch(/^Port 5173 is taken .* the playground is on \d+\.$/m)
})

test('the demo model answers through the playground', async () => {
  const response = await fetch(`${address('Playground')}/api/agent/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'default', messages: [{ role: 'user', content: 'hello' }] }),
  })
  expect(await response.json()).toMatchObject({ choices: [{ message: { role: 'assistant' } }] })
})

test('the script it tells people to paste is there', async () => {
  const [, source = ''] = /<script src="([^"]+)"/.exec(printed) ?? []
  const response = await fetch(source)
  expect(response.headers.get('content-type')).toContain('text/javascript')
})

test('Ctrl-C ends it, and both ports are free again', async () => {
  const ended = once(program, 'exit')
  program.kill('SIGINT')
  expect(await ended).toEqual([0, null])
  for (const name of ['Playground', 'Proxy']) await expect(fetch(address(name))).rejects.toThrow('fetch failed')
})

function address(name: string): string {
  const [, found = ''] = new RegExp(`${name} +(http://[\\d.:]+)`).exec(printed) ?? []
  return found
}

/** Holds a port until the run ends, unless another program already does. */
async function occupy(port: number): Promise<void> {
  const server = createServer().unref()
  await new Promise<void>((resolve) => {
    server.once('error', () => resolve())
    server.listen(port, '127.0.0.1', resolve)
  })
}
