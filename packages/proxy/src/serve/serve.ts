/** The proxy as a server of its own: the API, the script files, and a page to try them on. */
import { randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fromEnv } from '../from-env.ts'
import { isLoopbackHost } from '../guard/loopback.ts'
import { checkHost, checkOrigins } from '../guard/origin.ts'
import { createProxy, type ProxyHandler, type ProxyOptions } from '../proxy.ts'
import { asProxyError, ProxyError } from '../proxy-error.ts'
import { homePage } from './home-page.ts'
import { toNodeListener } from './node-listener.ts'
import { openScriptFiles, type ScriptFiles } from './script-files.ts'

export interface ServeOptions extends Omit<ProxyOptions, 'token'> {
  /** Default 8787. */
  readonly port?: number
  /** Default 127.0.0.1. Beyond this machine, `origins` is required. */
  readonly host?: string
}

export interface Served {
  readonly url: string
  /** The script tag to paste into a page. */
  readonly tag: string
  close(): Promise<void>
}

export async function serve({ port = 8787, host = '127.0.0.1', ...options }: ServeOptions = {}): Promise<Served> {
  const isLocal = isLoopbackHost(host.includes(':') ? `[${host}]` : host)
  if (!isLocal && options.origins === undefined)
    throw new ProxyError(
      500,
      'origins_missing',
      `Listening on ${host} lets other machines in. Say which pages may call, such as --origin https://example.com.`,
    )
  // What is wrong with the settings is said before the port is taken: a server that then failed would keep it.
  checkOrigins(options.origins)
  const models = options.models ?? fromEnv(process.env).models
  const token = options.origins === undefined ? randomBytes(18).toString('base64url') : undefined
  const files = await openScriptFiles()
  const server = createServer()
  const url = await listen(server, port, host)
  const tag = `<script src="${url}/dogear.js"${token === undefined ? '' : ` data-token="${token}"`}></script>`
  const origins = options.origins && [...options.origins, url]
  const proxy = createProxy({ ...options, models, ...(origins && { origins }), ...(token !== undefined && { token }) })
  server.on('request', toNodeListener(withPages(proxy, { files, tag, isLocal: token !== undefined })))
  return { url, tag, close: () => close(server) }
}

interface Pages {
  readonly files: ScriptFiles
  readonly tag: string
  readonly isLocal: boolean
}

function withPages(proxy: ProxyHandler, { files, tag, isLocal }: Pages): ProxyHandler {
  return async (request) => {
    const { pathname } = new URL(request.url)
    if (request.method !== 'GET' || (pathname !== '/' && !files.owns(pathname))) return proxy(request)
    try {
      if (isLocal) checkHost(request)
      return pathname === '/' ? homePage(tag) : files.answer(request)
    } catch (error) {
      return asProxyError(error).toResponse()
    }
  }
}

function listen(server: Server, port: number, host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(explain(error, port, host)))
    server.listen(port, host, () => {
      // The address of a listening TCP server is never a string.
      const address = server.address() as AddressInfo
      const name = host.includes(':') ? `[${host}]` : host
      resolve(`http://${name}:${address.port}`)
    })
  })
}

function explain(error: NodeJS.ErrnoException, port: number, host: string): Error {
  if (error.code === 'EADDRINUSE')
    return new ProxyError(
      500,
      'port_taken',
      `Port ${port} is taken. Stop what uses it, or choose another: npx @dogear/proxy --port ${port + 1}`,
    )
  return new ProxyError(
    500,
    'listen_failed',
    `Could not listen on ${host}:${port} (${error.code}). Choose another --host or --port.`,
  )
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
