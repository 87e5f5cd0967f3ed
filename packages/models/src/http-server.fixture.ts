/** A real HTTP server on loopback whose answers a test writes. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export interface Asked {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export interface TestServer {
  readonly endpoint: string
  readonly asked: readonly Asked[]
}

export type Reply = (response: ServerResponse, asked: Asked) => unknown

/** Answers each request with the next reply; the last one is repeated. Ends with its test. */
export async function serve(...replies: Reply[]): Promise<TestServer> {
  const asked: Asked[] = []
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    const { method = '', url = '', headers } = request
    asked.push({ method, url, headers, body: Buffer.concat(pieces).toString() })
    await replies[Math.min(asked.length, replies.length) - 1]?.(response, asked.at(-1)!)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { endpoint: `http://127.0.0.1:${port}/v1`, asked }
}

/** A 200 event stream of these raw pieces, each its own write. */
export function stream(...pieces: (string | Uint8Array)[]): Reply {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const piece of pieces) response.write(piece)
    response.end()
  }
}

/** The same, broken off after the last piece. */
export function brokenStream(...pieces: string[]): Reply {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const piece of pieces) response.write(piece)
    setImmediate(() => response.destroy())
  }
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Reply {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify(body))
  }
}

export function html(status: number): Reply {
  return (response) => {
    response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' })
    response.end('<!doctype html><title>Hello</title>')
  }
}
