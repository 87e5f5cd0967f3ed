import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTracer, type Entry, type TracingConfig } from '@dogear/core'
import { expect, onTestFinished, test } from 'vitest'
import { browserClock as clock } from '@dogear/worker/host'
import { fileSink } from './file-sink.ts'

test('[C64] a trace is a file in a folder of its own', async () => {
  const path = temporaryFolder()
  const trace = await runTraced({ sink: fileSink({ path }) }, 'run-1')
  expect(trace.status).toBe('success')
  expect(readdirSync(join(path, 'run-1'))).toEqual(['trace.session.json'])
  expect(JSON.parse(readFileSync(join(path, 'run-1/trace.session.json'), 'utf8'))).toEqual(trace)
})

test('[C64] streaming writes each event while the run goes on', async () => {
  const path = temporaryFolder()
  const trace = await runTraced({ sink: fileSink({ path }), mode: 'streaming' }, 'run-1')
  const lines = readFileSync(join(path, 'run-1/events.jsonl'), 'utf8').trim().split('\n')
  expect(lines.map((line) => JSON.parse(line))).toEqual(trace.events)
})

test('[C64] a second run under the same id keeps the first one’s file', async () => {
  const path = temporaryFolder()
  await runTraced({ sink: fileSink({ path }) }, 'run-1')
  await runTraced({ sink: fileSink({ path }) }, 'run-1')
  expect(readdirSync(join(path, 'run-1'))).toEqual(['trace.session.2.json', 'trace.session.json'])
})

test.each(['../../etc', '..', '/root', 'a/b\\c', ''])('[C64] the id %j leads nowhere else', async (sessionId) => {
  const path = temporaryFolder()
  const trace = await runTraced({ sink: fileSink({ path: join(path, 'logs') }) }, sessionId)
  expect(trace.status).toBe('success')
  expect(readdirSync(path)).toEqual(['logs'])
  expect(readdirSync(join(path, 'logs'))).toHaveLength(1)
})

test('[C63] a folder that cannot be written makes the trace partial', async () => {
  const file = join(temporaryFolder(), 'file')
  writeFileSync(file, '')
  const trace = await runTraced({ sink: fileSink({ path: join(file, 'logs') }) }, 'run-1')
  expect(trace.status).toBe('partial')
})

async function runTraced(config: Omit<TracingConfig, 'enabled'>, sessionId: string) {
  const tracer = createTracer(
    { enabled: true, ...config },
    { sessionId, agent: { name: 'tester' } },
    { clock, fetch, isPage: false, warn: () => {} },
  )
  tracer.record(entries)
  return tracer.end()
}

const at = { v: 1, epoch: 1, path: [], turnId: 't' }
const entries: Entry[] = [
  { ...at, seq: 0, id: '1.0', at: 1_000, type: 'turn-start', origin: 'code' },
  { ...at, seq: 1, id: '1.1', at: 2_000, type: 'turn-end', terminalReason: 'completed' },
]

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'dogear-trace-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}
