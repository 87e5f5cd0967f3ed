/** A host without a page: in Node there is no worker to start, so sessions are driven in this thread, and kept in memory. */
import type { HostWire } from '@dogear/worker'

export async function hostHere(): Promise<HostWire> {
  // By the package's own name, known only when it runs: a bundler must not draw the worker into a page's files.
  const name = 'dogear/worker'
  const { serve } = (await import(/* @vite-ignore */ name)) as typeof import('./worker.ts')
  const page: Port = { postMessage: (message) => deliver(host, message), onmessage: null }
  const host: Port = { postMessage: (message) => deliver(page, message), onmessage: null }
  serve(host)
  return {
    post: page.postMessage,
    listen: (receive) => (page.onmessage = ({ data }) => receive(data)),
    terminate() {
      page.onmessage = host.onmessage = null
    },
  }
}

type Port = Parameters<typeof import('./worker.ts').serve>[0]

/** A copy, as between threads; and no open port, which would keep a process alive that has nothing more to do. */
function deliver(to: Port, message: unknown): void {
  const data: unknown = structuredClone(message)
  setTimeout(() => to.onmessage?.({ data } as MessageEvent))
}
