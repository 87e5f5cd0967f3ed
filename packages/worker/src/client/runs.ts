/** Runs without a session, the page's end: what their host tells them reaches whoever asked for them. */
import { DogearError, type Job, type Partial, type Stage } from '@dogear/core'
import type { Handles } from '../handles.ts'
import { addDelta } from '../host/deltas.ts'
import type { ToHost, ToPage } from '../protocol.ts'

export interface Runs {
  run(job: Job): Promise<void>
  receive(message: Extract<ToPage, { sessionId: string }>): void
  /** Their worker has died: each is refused, for nobody knows how far it had come. */
  lost(): void
}

/** As much of a client as runs need. */
export interface RunsWire {
  readonly id: () => string
  readonly handles: Handles
  readonly ask: <T>(message: (ref: number) => ToHost) => Promise<T>
  readonly post: (message: ToHost) => void
}

const runLost = new DogearError(
  'worker-lost',
  'The worker that ran this has died. Invoke it again with the last state you have.',
)

export function createRuns({ id, handles, ask, post }: RunsWire): Runs {
  const runs = new Map<string, Runs['receive']>()
  let lose = new AbortController()

  return {
    async run({ agent, sessionId, first, signal, checkpoint, published, emit }) {
      const runId = id()
      let partial: Partial | null = null
      runs.set(runId, (message) => {
        if (message.type === 'entries') published(message.entries)
        if (message.type === 'delta') emit((partial = addDelta(partial, message.delta) ?? partial))
      })
      const stop = () => post({ type: 'close', sessionId: runId })
      try {
        const left = checkpoint && handles.keep(`${runId}/checkpoint`, ([stage]) => checkpoint(stage as Stage))
        const spec = handles.defineFor(runId, agent)
        const lost = new Promise<never>((_resolve, reject) => {
          lose.signal.addEventListener('abort', () => reject(runLost))
        })
        const asked = ask((ref) => {
          signal.addEventListener('abort', stop)
          // After the message that begins it: a host would not know what to stop.
          if (signal.aborted) queueMicrotask(stop)
          return { type: 'run', ref, runId, agent: spec, sessionId, first, checkpoint: left }
        })
        await Promise.race([asked, lost])
      } finally {
        signal.removeEventListener('abort', stop)
        runs.delete(runId)
        handles.forget(runId)
      }
    },
    receive: (message) => runs.get(message.sessionId)?.(message),
    lost() {
      lose.abort()
      lose = new AbortController()
    },
  }
}
