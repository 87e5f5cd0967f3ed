/** A tracer: makes the trace of one run from its entries, and hands it to sinks without ever holding the run up. */
import { describeError, DogearError } from '../error.ts'
import type { Clock } from '../ports/clock.ts'
import type { Entry } from '../session/entry.ts'
import { createRecorder } from './recorder.ts'
import type { Happening } from './scope.ts'
import { scrub, scrubText } from './scrub.ts'
import { createSinkQueue, type SinkQueue } from './sink-queue.ts'
import type { Fetch, TracePlace, TraceSink, TraceSinkConfig } from './sink.ts'
import { addToSummary, emptySummary, type TraceEvent, type TraceSession } from './trace-session.ts'

export interface TracingConfig {
  enabled: boolean
  /** `batched` (default) sends a trace once, at its end; `streaming` each event as it happens. */
  mode?: 'batched' | 'streaming'
  /** Joins the traces of one conversation. Default: the session's id. */
  threadId?: string
  /** False sends metrics only: no words, arguments or results. Default: true in Node, false in a page. */
  logData?: boolean
  /** One that cannot work is replaced with a warning: in Node by files under `logs/`, in a page by none. */
  sink?: TraceSinkConfig | readonly TraceSinkConfig[]
  /** Your own id for the trace. Default: the run's. */
  sessionId?: string
  /** In place of the agent's own name. */
  agentName?: string
  /** Sees every event before it leaves. Give it back, changed or not; or nothing, and it is as if it never happened. */
  redact?: (event: TraceEvent) => TraceEvent | null | undefined
}

export interface Tracer {
  /** What was committed, in its order. Never throws. */
  record(entries: readonly Entry[]): void
  /** Waits for the sinks, at most five seconds; a slower one goes on by itself. Never rejects. */
  end(failure?: unknown): Promise<TraceSession>
}

/** The run to trace. */
export interface TracedRun {
  readonly sessionId: string
  readonly threadId?: string
  readonly agent: TraceSession['agent']
  /** How many entries it begins with: of them only what a person has decided is news. */
  readonly imported?: number
}

export interface TracePlatform {
  readonly clock: Clock
  readonly fetch: Fetch
  readonly isPage: boolean
  readonly warn: (message: string) => void
  /** Where traces go that were given no sink, or one that cannot work. */
  readonly fallback?: TraceSinkConfig
}

const eventsKept = 5_000
const patience = 5_000

export function createTracer(config: TracingConfig, run: TracedRun, platform: TracePlatform): Tracer {
  const { clock, warn, isPage } = platform
  const { imported = 0 } = run
  const { sessionId = run.sessionId, threadId = run.threadId ?? sessionId, logData = !isPage } = config
  const agent = { ...run.agent, name: config.agentName ?? run.agent.name }
  const startedAt = clock.now()
  const recorder = createRecorder(agent)
  const events: TraceEvent[] = []
  let summary = emptySummary
  let failed = false
  let ending: Promise<TraceSession> | undefined

  function sessionNow(status: TraceSession['status'], endedAt?: number): TraceSession {
    const start = { sessionId, threadId, agent, status, startedAt: new Date(startedAt).toISOString() }
    const end = endedAt !== undefined && { endedAt: new Date(endedAt).toISOString(), durationMs: endedAt - startedAt }
    return { ...start, ...end, events: [...events], summary }
  }

  const queues = openQueues(config, platform)
  for (const queue of queues) queue.start(sessionNow('in_progress'))

  function add(happening: Happening): void {
    if (happening.type === 'turn' && happening.status === 'error') failed = true
    const whole: TraceEvent = { sessionId, sequence: summary.totalEvents + 1, ...happening }
    const event = redacted(logData ? scrubbed(whole) : metricsOf(whole), config.redact, warn)
    if (!event) return
    summary = addToSummary(summary, event)
    if (events.length < eventsKept) events.push(event)
    else summary = { ...summary, droppedEvents: summary.droppedEvents + 1 }
    for (const queue of queues) queue.add(event)
  }

  async function finish(failure: unknown): Promise<TraceSession> {
    const endedAt = clock.now()
    recorder.rest(endedAt).forEach(add)
    const isOver = new AbortController()
    const late = clock.sleep(patience, isOver.signal)
    const statusNow = () => {
      if (failed || failure !== undefined) return 'error'
      return summary.droppedEvents || queues.some((queue) => queue.hasFailed()) ? 'partial' : 'success'
    }
    await Promise.race([late, Promise.all(queues.map((queue) => queue.drained()))])
    const session = sessionNow(statusNow(), endedAt)
    await Promise.race([late, Promise.all(queues.map((queue) => queue.end(session)))])
    isOver.abort()
    return { ...session, status: statusNow() }
  }

  return {
    record(entries) {
      if (ending) return
      try {
        for (const entry of entries) {
          const happenings = recorder.read(entry)
          if (entry.seq >= imported || entry.type === 'request-close') happenings.forEach(add)
        }
      } catch (error) {
        warn(`Tracing could not read what happened (${describeError(error)}). The run goes on.`)
      }
    },
    end: (failure) => (ending ??= finish(failure)),
  }
}

function openQueues(config: TracingConfig, platform: TracePlatform): SinkQueue[] {
  const { clock, fetch, isPage, warn, fallback } = platform
  const complain = (problem: string) => void (complaints.has(config) || warn(problem))
  const place = { mode: config.mode ?? 'batched', clock, fetch, isPage }
  const wanted = [config.sink ?? fallback ?? []].flat()
  if (!wanted.length) complain('Tracing is on, but has no sink. Give it one: tracing: { sink: httpSink({ url }) }.')
  const queues = wanted.flatMap((sink) => {
    try {
      return createSinkQueue(sink.type, opened(sink, place), warn)
    } catch (error) {
      const instead = fallback === sink ? undefined : fallback
      complain(
        `Tracing cannot use a sink: ${describeError(error)}${instead ? ` A ${instead.type} sink takes its place.` : ''}`,
      )
      return instead ? createSinkQueue(instead.type, instead.open(place), warn) : []
    }
  })
  complaints.add(config)
  return queues
}

/** Those whose mistakes were told: each run would tell them again. */
const complaints = new WeakSet<TracingConfig>()

function opened(sink: TraceSinkConfig, place: TracePlace): TraceSink {
  if (typeof sink?.open === 'function') return sink.open(place)
  throw new DogearError('input-invalid', 'A sink is made by customSink, httpSink, cognipeerSink, fileSink or otlpSink.')
}

function scrubbed(event: TraceEvent): TraceEvent {
  const { data, error } = event
  return {
    ...event,
    ...(data && { data: scrub(data) as TraceEvent['data'] }),
    ...(error?.message && { error: { ...error, message: scrubText(error.message) } }),
  }
}

/** Without a word anybody wrote: not the model, not a tool, not a person. */
function metricsOf({ data: _data, error, actor, ...event }: TraceEvent): TraceEvent {
  return {
    ...event,
    actor: actor.scope === 'person' ? { scope: 'person' } : actor,
    ...(error && { error: error.code ? { code: error.code } : {} }),
  }
}

function redacted(
  event: TraceEvent,
  redact: TracingConfig['redact'],
  warn: TracePlatform['warn'],
): TraceEvent | null | undefined {
  if (!redact) return event
  try {
    return redact(event)
  } catch (error) {
    // What it meant to hide is not known: nothing but numbers may leave.
    warn(`tracing.redact threw (${describeError(error)}); the event is sent without its data.`)
    return metricsOf(event)
  }
}
