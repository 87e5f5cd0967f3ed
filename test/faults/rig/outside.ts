/** The world outside the browser: the site, its model, the ledger of what really happened, and what was shown as saved. */
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createProxy } from '@dogear/proxy'
import { toNodeListener } from '@dogear/proxy/node'
import { root } from '../../../.build/steps.mjs'
import { rigModel } from './model.ts'
import { createMoments, type Moments } from './moments.ts'

export interface Outside {
  readonly url: string
  readonly moments: Moments
  /** One line a run of a tool. */
  readonly ledger: readonly Effect[]
  readonly marks: readonly Mark[]
  /** The outcomes a person was asked about, by request. */
  readonly outcomes: ReadonlyMap<string, 'happened' | 'retry'>
  /** How many answers of the model were begun for this invoice. */
  asked(number: number): number
  /** While true, nothing is answered and open answers are cut: the server is down. */
  down(isDown: boolean): void
  close(): void
}

export interface Effect {
  readonly sessionId: string
  readonly callId: string
  readonly key: string
  /** What the tool was answered. */
  readonly receipt: string
}

/** What a person says of a call that they find on their statement. */
export function onTheStatement(key: string): string {
  return `${key} is on the statement.`
}

/** What a page showed as kept: a command whose `saved` resolved, or an entry it was told of. */
export type Mark =
  | { readonly type: 'command'; readonly sessionId: string; readonly commandId: string }
  | { readonly type: 'entry'; readonly sessionId: string; readonly seq: number; readonly id: string }

export async function startOutside(): Promise<Outside> {
  const moments = createMoments()
  const model = rigModel(moments)
  const proxy = toNodeListener(createProxy({ models: { default: { provider: model, model: 'rig' } } }))
  const ledger: Effect[] = []
  const marks: Mark[] = []
  const outcomes = new Map<string, 'happened' | 'retry'>()
  let isDown = false

  const answers: Record<string, (body: never, response: ServerResponse) => unknown> = {
    '/ledger': async (effect: Omit<Effect, 'receipt'>, response) => {
      const receipt = `Receipt ${ledger.length + 1}`
      ledger.push({ ...effect, receipt })
      await moments.reach('effect')
      response.end(receipt, () => void moments.reach('replied'))
    },
    '/marks': (mark: Mark, response) => {
      marks.push(mark)
      response.end()
      if (mark.type === 'command') void moments.reach('saved')
    },
    // As a person would: they look whether the money is gone.
    '/outcome': ({ requestId, key }: { requestId: string; key: string }, response) => {
      const type = ledger.some((effect) => effect.key === key) ? 'happened' : 'retry'
      outcomes.set(requestId, type)
      response.end(JSON.stringify(type === 'happened' ? { type, result: onTheStatement(key) } : { type }))
    },
  }

  const server = createServer((request, response) => {
    if (isDown) return void response.destroy()
    const { pathname } = new URL(request.url ?? '/', 'http://outside')
    if (pathname.startsWith('/api/')) return void proxy(request, response)
    const answer = answers[pathname]
    if (answer) return void read(request).then((body) => answer(body as never, response))
    const file = files[pathname]
    if (!file) return void response.writeHead(404).end()
    response.writeHead(200, { 'content-type': file.type, 'cache-control': 'no-store' }).end(file.text())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    // The address of a listening TCP server is never a string.
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    moments,
    ledger,
    marks,
    outcomes,
    asked: model.asked,
    down(now) {
      isDown = now
      if (isDown) server.closeAllConnections()
    },
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

async function read(request: IncomingMessage): Promise<unknown> {
  let text = ''
  for await (const piece of request) text += piece
  return JSON.parse(text)
}

const files: Readonly<Record<string, { type: string; text: () => string }>> = {
  '/': { type: 'text/html; charset=utf-8', text: () => page },
  '/page.js': { type: 'text/javascript', text: () => readFileSync(join(import.meta.dirname, 'page.js'), 'utf8') },
  '/poison-worker.js': {
    type: 'text/javascript',
    text: () => readFileSync(join(import.meta.dirname, 'poison-worker.js'), 'utf8'),
  },
  '/files/dogear.js': { type: 'text/javascript', text: () => built('dogear.js') },
  '/files/dogear-worker.js': { type: 'text/javascript', text: () => built('dogear-worker.js') },
}

function built(name: string): string {
  try {
    return readFileSync(join(root, 'packages/dogear/dist', name), 'utf8')
  } catch (cause) {
    throw new Error('The rig serves the built files: run `pnpm build` first.', { cause })
  }
}

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<link rel="icon" href="data:,">
<title>A page that pays</title>
<script>
  // Kept at hand, to be ended behind the page's back.
  const workers = []
  window.Worker = class extends Worker {
    constructor(...args) {
      super(...args)
      workers.push(this)
    }
  }
</script>
<script src="/files/dogear.js"></script>
<script src="/page.js"></script>
</html>`
