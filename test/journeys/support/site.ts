/** A site on a free port: pages given as text or lying in a folder, and a running proxy behind the same origin. */
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, normalize } from 'node:path'
import { afterAll } from 'vitest'

export interface Site {
  readonly url: string
  close(): Promise<void>
}

export interface SiteOptions {
  /** By path: `{ '/': '<!doctype html>…' }`. They win over the folder. */
  readonly pages?: Readonly<Record<string, string>>
  readonly folder?: string
  /** Address of a proxy: `/api/agent/…`, and all that is neither page nor file, goes there. */
  readonly proxy?: string
}

/** Closed when the test file ends, if not before. */
export async function startSite(options: SiteOptions): Promise<Site> {
  const server = createServer((incoming, outgoing) => void answer(options, incoming, outgoing))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  running.push(close)
  // The address of a listening TCP server is never a string.
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close }
}

const running: (() => Promise<void>)[] = []
afterAll(() => Promise.all(running.map((close) => close())))

async function answer({ pages = {}, folder, proxy }: SiteOptions, incoming: IncomingMessage, outgoing: ServerResponse) {
  const { pathname } = new URL(incoming.url ?? '/', 'http://site')
  const content = pages[pathname] ?? (folder && (await readIn(folder, pathname)))
  if (content !== undefined) {
    outgoing.writeHead(200, { 'content-type': typeOf(pathname), 'cache-control': 'no-store' }).end(content)
  } else if (proxy !== undefined) {
    forward(proxy, incoming, outgoing)
  } else {
    outgoing.writeHead(404).end()
  }
}

async function readIn(folder: string, pathname: string): Promise<Buffer | undefined> {
  const name = pathname.endsWith('/') ? `${pathname}index.html` : pathname
  return readFile(join(folder, normalize(name))).catch(() => undefined)
}

function forward(proxy: string, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const path = (incoming.url ?? '/').replace(/^\/api\/agent(?=\/)/, '')
  const { method, headers } = incoming
  const passed = request(`${proxy}${path}`, { method, headers }, (response) => {
    outgoing.writeHead(response.statusCode ?? 502, response.headers).flushHeaders()
    response.pipe(outgoing)
  })
  passed.on('error', () => outgoing.destroy())
  // A page that is left must not keep the model talking.
  outgoing.on('close', () => passed.destroy())
  incoming.pipe(passed)
}

function typeOf(pathname: string): string {
  return types[extname(pathname)] ?? 'text/html; charset=utf-8'
}

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}
