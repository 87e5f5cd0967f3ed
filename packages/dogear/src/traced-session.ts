/** The traces of a session on a page: one a run, from the first entry of a turn until it ends or waits for a person. */
import { createTracer, type Entry, type TracePlatform, type Tracer, type TracingConfig } from '@dogear/core'
import type { Session } from '@dogear/worker'

/** Traces until it is called off, or the page is gone. */
export function traceSession(session: Session, config: TracingConfig, platform: TracePlatform): () => void {
  const { name, version, model } = session.agent
  const agent = { name, version, model: typeof model === 'string' ? model : 'default' }
  // An id of the caller's names the conversation here: its runs are many.
  const { sessionId, threadId = sessionId ?? session.id } = config
  const own = { ...config, sessionId: undefined }
  /** What is sent while the page is left outlives it: a browser lets 64 kB of that pass. */
  let keepalive = false
  const here: TracePlatform = { ...platform, fetch: (url, init) => platform.fetch(url, { ...init, keepalive }) }
  let tracer: Tracer | undefined
  let ended: string | undefined

  function begin(entry: Entry & { turnId: string }): Tracer {
    const id = entry.type === 'turn-start' ? entry.turnId : `${entry.turnId}.${entry.seq}`
    return createTracer(own, { sessionId: id, threadId, agent }, here)
  }

  function end(): void {
    void tracer?.end()
    tracer = undefined
  }

  /** Told so far: whoever goes on with the turn begins the next trace. */
  function leave(): void {
    keepalive = true
    end()
    // Only a page that is brought back lives to see it.
    setTimeout(() => (keepalive = false))
  }

  const unlisten = session.listen((entry) => {
    const { turnId, path, type } = entry
    if (turnId === undefined || (path.length === 0 && turnId === ended)) return
    tracer ??= begin({ ...entry, turnId })
    tracer.record([entry])
    if (type !== 'turn-end' || path.length) return
    ended = turnId
    end()
  })
  const unsubscribe = session.status.subscribe((status) => {
    if (status === 'paused') end()
  })
  globalThis.addEventListener?.('pagehide', leave)
  return () => {
    globalThis.removeEventListener?.('pagehide', leave)
    unlisten()
    unsubscribe()
    end()
  }
}
