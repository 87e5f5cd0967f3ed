/** A real HTTP server in the provider's place. It answers as the test says and shows what reached it. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Upstream {
  readonly url: string
  readonly requests: { readonly path: string; readonly headers: IncomingMessage['headers']; readonly body: unknown }[]
  /** Settles when a caller hangs up before its answer is finished. */
  readonly hungUp: Promise<void>
  close(): Promise<void>
}

export async function openUpstream(
  answer: (response: ServerResponse, request: IncomingMessage) => void,
): Promise<Upstream> {
  const requests: Upstream['requests'] = []
  let reportHangUp!: () => void
  const hungUp = new Promise<void>((resolve) => (reportHangUp = resolve))
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    requests.push({ path: request.url ?? '', headers: request.headers, body: text && JSON.parse(text) })
    response.on('close', () => response.writableFinished || reportHangUp())
    answer(response, request)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    hungUp,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

export function sendEvents(response: ServerResponse, lines: readonly string[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const line of lines) response.write(`${line}\n\n`)
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}
