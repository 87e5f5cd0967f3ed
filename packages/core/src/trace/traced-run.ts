/** A runner whose runs are traced: what it publishes is recorded, and its end waits for the sinks, though not for long. */
import type { Model } from '../ports/model.ts'
import type { Entry } from '../session/entry.ts'
import { createTracer, type TracePlatform, type TracingConfig } from './tracer.ts'

/** As much of a run as a trace is about. */
export interface TracedJob {
  readonly agent: { readonly name: string; readonly version?: string; readonly model: string | Model }
  readonly sessionId: string
  /** What it begins with: told already, by the runs before it. */
  readonly first: readonly unknown[]
  published(entries: readonly Entry[]): void
}

export function tracedRun<Job extends TracedJob>(
  run: (job: Job) => Promise<void>,
  config: TracingConfig,
  platform: TracePlatform,
): (job: Job) => Promise<void> {
  return async (job) => {
    const { name, version, model } = job.agent
    const agent = { name, version, model: typeof model === 'string' ? model : 'default' }
    const { sessionId, first } = job
    const tracer = createTracer(config, { sessionId, agent, imported: first.length }, platform)
    const published = (entries: readonly Entry[]) => {
      job.published(entries)
      tracer.record(entries)
    }
    try {
      await run({ ...job, published })
    } catch (error) {
      await tracer.end(error)
      throw error
    }
    await tracer.end()
  }
}
