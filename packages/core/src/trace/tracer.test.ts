import { expect, test } from 'vitest'
import type { Entry } from '../session/entry.ts'
import { customSink } from './sink.ts'
import { tracedRun, type TracedJob } from './traced-run.ts'
import { createTracer, type TracePlatform, type TracingConfig } from './tracer.ts'

test('[C63] a trace keeps its first 5,000 events, counts all, and says that it is not whole', async () => {
  const tracer = newTracer({ sink: customSink({}) })
  tracer.record(handoffs(5_100))
  const { events, summary, status } = await tracer.end()
  expect(events).toHaveLength(5_000)
  expect(summary).toMatchObject({ totalEvents: 5_100, droppedEvents: 100 })
  expect(status).toBe('partial')
})

test('[C63] at most 1,000 events wait for a slow sink; what comes then it never sees', async () => {
  let release = () => {}
  const slow = new Promise<void>((resolve) => (release = resolve))
  const seen: number[] = []
  const onEvent = async ({ sequence }: { sequence: number }) => {
    await slow
    seen.push(sequence)
  }
  const tracer = newTracer({ sink: customSink({ onEvent }) })
  tracer.record(handoffs(1_200))
  release()
  const { status, summary } = await tracer.end()
  expect([seen.length, seen.at(-1)]).toEqual([1_000, 1_000])
  expect([status, summary.totalEvents]).toEqual(['partial', 1_200])
})

test('[C63] what a run begins with was told by the runs before it; what a person decided since is news', async () => {
  const told: string[] = []
  const sink = customSink({ onEvent: ({ type }) => void told.push(type) })
  const close: Entry = {
    ...at(1),
    type: 'request-close',
    requestId: 't.1.0.approval',
    status: 'approved',
    resolution: { type: 'approve' },
  }
  const job: TracedJob = { agent: { name: 'a', model: 'm' }, sessionId: 's', first: [0, 1], published: () => {} }
  const run = async ({ published }: TracedJob) => published([...handoffs(1), close, ...handoffs(3).slice(2)])
  await tracedRun(run, { enabled: true, sink }, platform)(job)
  expect(told).toEqual(['approval', 'handoff'])
})

test('[C63] a run that throws is an error in its trace, and throws as before', async () => {
  const statuses: string[] = []
  const sink = customSink({ onSession: ({ status }) => void statuses.push(status) })
  const job: TracedJob = { agent: { name: 'a', model: 'm' }, sessionId: 's', first: [], published: () => {} }
  const run = tracedRun(() => Promise.reject(new Error('fenced')), { enabled: true, sink }, platform)
  await expect(run(job)).rejects.toThrow('fenced')
  expect(statuses).toEqual(['error'])
})

function newTracer(config: Omit<TracingConfig, 'enabled'>) {
  return createTracer({ enabled: true, ...config }, { sessionId: 's', agent: { name: 'a' } }, platform)
}

const platform: TracePlatform = {
  clock: { now: () => 0, elapsed: () => 0, sleep: () => new Promise(() => {}), after: () => () => {} },
  fetch: () => Promise.reject(new Error('no network')),
  isPage: false,
  warn: () => {},
}

function handoffs(count: number): Entry[] {
  return Array.from({ length: count }, (_, seq) => ({ ...at(seq), type: 'agent-set', agent: `agent${seq}` }))
}

function at(seq: number) {
  return { v: 1, seq, id: `1.${seq}`, at: 0, epoch: 1, path: [] }
}
