/** Lets a fetch handler serve Node: as an http listener, or as Express middleware under any mount point. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { ProxyHandler } from '../proxy.ts'
import { asProxyError, ProxyError } from '../proxy-error.ts'

export type NodeListener = (incoming: IncomingMessage, outgoing: ServerResponse) => void

export function toNodeListener(handler: ProxyHandler): NodeListener {
  return (incoming, outgoing) => void answer(handler, incoming, outgoing)
}

async function answer(handler: ProxyHandler, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const gone = new AbortController()
  outgoing.on('close', () => {
    if (!outgoing.writableFinished) gone.abort()
  })
  try {
    await send(await handler(toRequest(incoming, gone.signal)), outgoing, gone.signal)
  } catch (error) {
    if (outgoing.headersSent) outgoing.destroy()
    else await send(asProxyError(error).toResponse(), outgoing, gone.signal)
  }
}

function toRequest(incoming: IncomingMessage, signal: AbortSignal): Request {
  const { method = 'GET' } = incoming
  const headers = new Headers()
  for (const [name, value] of Object.entries(incoming.headers))
    for (const each of [value ?? []].flat()) headers.append(name, each)
  if (method === 'GET' || method === 'HEAD') return new Request(addressOf(incoming), { method, headers, signal })
  if (incoming.readableDidRead)
    throw new ProxyError(
      500,
      'body_already_read',
      'Something read the request body before the proxy could, most likely express.json(). Mount the proxy before it.',
    )
  const body = Readable.toWeb(incoming) as ReadableStream<Uint8Array>
  // `duplex` is required by Node for a streamed body and unknown to the DOM's types.
  const init: RequestInit & { duplex: 'half' } = { method, headers, signal, body, duplex: 'half' }
  return new Request(addressOf(incoming), init)
}

/** Joined as text: resolved as a URL, a path such as `//evil.example/` would replace the host. */
function addressOf({ url = '/', headers: { host = 'localhost' } }: IncomingMessage): string {
  const address = `http://${host}${url}`
  if (/^[^\s/@?#\\]+$/.test(host) && url.startsWith('/') && URL.canParse(address)) return address
  throw new ProxyError(400, 'address_invalid', 'The address of this request cannot be read. Check its path and host.')
}

async function send(response: Response, outgoing: ServerResponse, signal: AbortSignal): Promise<void> {
  outgoing.writeHead(response.status, Object.fromEntries(response.headers))
  outgoing.flushHeaders()
  const reader = response.body?.getReader()
  if (reader === undefined) return void outgoing.end()
  // A reader that waits for the next word does not notice by itself that nobody is there any more.
  signal.addEventListener('abort', () => void reader.cancel(), { once: true })
  if (signal.aborted) return reader.cancel()
  for (;;) {
    const { done, value } = await reader.read()
    if (done || signal.aborted) break
    if (!outgoing.write(value)) await drained(outgoing)
  }
  outgoing.end()
}

function drained(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      outgoing.off('drain', go)
      outgoing.off('close', go)
      resolve()
    }
    outgoing.on('drain', go)
    outgoing.on('close', go)
  })
}
