/** What a sink has yet to take: in order, one at a time, so that a slow sink holds nothing up but itself. */
import { describeError } from '../error.ts'
import type { TraceSink, TraceSinkConfig } from './sink.ts'
import type { TraceEvent, TraceSession } from './trace-session.ts'

export interface SinkQueue {
  start(session: TraceSession): void
  /** At most 1,000 wait; what comes while the queue is full is dropped for this sink, and the trace is `partial`. */
  add(event: TraceEvent): void
  drained(): Promise<void>
  end(session: TraceSession): Promise<void>
  /** Whether it has missed anything, or may yet. */
  hasFailed(): boolean
}

const longest = 1_000

export function createSinkQueue(type: TraceSinkConfig['type'], sink: TraceSink, warn: (m: string) => void): SinkQueue {
  let tail = Promise.resolve()
  let waiting = 0
  let failed = false

  function fail(why: string): void {
    if (!failed) warn(`The ${type} sink of a trace failed: ${why}. The run is not affected; the trace may lack events.`)
    failed = true
  }

  function next(work: (() => void | Promise<void>) | undefined): Promise<void> {
    if (!work) return tail
    waiting += 1
    tail = tail
      .then(work)
      .catch((error: unknown) => fail(describeError(error)))
      .finally(() => (waiting -= 1))
    return tail
  }

  return {
    start: (session) => void next(sink.start && (() => sink.start?.(session))),
    add(event) {
      if (waiting >= longest) return fail('it is too slow, and its queue is full')
      void next(sink.event && (() => sink.event?.(event)))
    },
    drained: () => tail,
    end: (session) => next(sink.end && (() => sink.end?.(session))),
    hasFailed: () => failed || waiting > 0,
  }
}
