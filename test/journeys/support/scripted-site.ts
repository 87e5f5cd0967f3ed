/** A site on loopback: its pages, the packed script files, the packed proxy before a scripted model, and a ledger. */
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ProviderRequest } from '@dogear/proxy'
import { afterAll, inject } from 'vitest'
import { scriptedProvider, type Script } from './scripted-provider.ts'

export interface ScriptedSiteOptions {
  /** What the model answers. Without one the demo model answers, as fast as it can. */
  readonly script?: Script
  /** By path: a whole page, or one with headers of its own. */
  readonly pages: Readonly<Record<string, string | PageWithHeaders>>
  /** Answers instead of the proxy while it returns true: a server that misbehaves. */
  readonly api?: (request: IncomingMessage, response: ServerResponse) => boolean
  /** A name that the browser finds on loopback. Unlike loopback itself it is not trusted without https. */
  readonly host?: string
}

export interface PageWithHeaders {
  readonly html: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface ScriptedSite {
  readonly url: string
  /** Every request the scripted model was asked. */
  readonly asked: readonly ProviderRequest[]
  /** What tools did to the outside world, in order: they POST a line to `/ledger`. */
  readonly ledger: readonly string[]
}

/** Closed when the test file ends. */
export async function startScriptedSite({ script, pages, api, host }: ScriptedSiteOptions): Promise<ScriptedSite> {
  const ledger: string[] = []
  const { provider, asked } = scriptedProvider(script ?? [])
  const { createProxy, demoProvider } = await packed<typeof import('@dogear/proxy')>('@dogear/proxy/dist/index.js')
  const { toNodeListener } = await packed<typeof import('@dogear/proxy/node')>('@dogear/proxy/dist/node.js')
  const answering = script ? provider : demoProvider({ pace: 2 })
  const models = { default: { provider: answering, model: 'scripted' } }

  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://site')
    if (pathname.startsWith('/api/')) return api?.(request, response) ? undefined : void proxy(request, response)
    if (pathname === '/ledger') return note(request, response, ledger)
    const [, script] = /\/(dogear(?:-worker)?\.js)$/.exec(pathname) ?? []
    if (script !== undefined) return serveFile(script, response)
    const page = pages[pathname]
    if (page === undefined) return void response.writeHead(404).end()
    const { html, headers = {} } = typeof page === 'string' ? { html: page } : page
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(html)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  running.push(server)
  // The address of a listening TCP server is never a string.
  const url = `http://${host ?? '127.0.0.1'}:${(server.address() as AddressInfo).port}`
  const proxy = toNodeListener(createProxy({ models, ...(host && { origins: [url] }) }))
  return { url, asked, ledger }
}

const running: Server[] = []
afterAll(() => {
  for (const server of running) {
    server.close()
    server.closeAllConnections()
  }
})

/** A page with a chat in it, as a newcomer would write it; `setup` is its own script. */
export function pageWith(setup: string, { title = 'A page', body = '<div id="agent"></div>' } = {}): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<link rel="icon" href="data:,">
<title>${title}</title>
<style>#agent { height: 560px } dogear-chat { height: 100% }</style>
<main><h1>${title}</h1>${body}</main>
<script src="/dogear.js"></script>
<script>${setup}</script>
</html>`
}

function packed<T>(path: string): Promise<T> {
  return import(/* @vite-ignore */ pathToFileURL(join(inject('installed'), 'node_modules', path)).href) as Promise<T>
}

function serveFile(name: string, response: ServerResponse): void {
  const file = readFileSync(join(inject('installed'), 'node_modules/dogear/dist', name))
  response.writeHead(200, { 'content-type': 'text/javascript; charset=utf-8' }).end(file)
}

function note(request: IncomingMessage, response: ServerResponse, ledger: string[]): void {
  let line = ''
  request.on('data', (piece) => (line += piece))
  request.on('end', () => {
    ledger.push(line)
    response.end('noted')
  })
}
