/** One thread of the simulator: takes jobs, runs their runs one after another, and tells what failed. */
import { parentPort } from 'node:worker_threads'
import { simulateCalm, simulateKills, simulateSeed, type Report, type Tell } from './simulate.ts'
import type { Kill } from './chaos.ts'

/** Which run, as it stands behind `--` of the command that replays it. */
export type Run =
  | { readonly type: 'seed'; readonly seed: number }
  | { readonly type: 'calm'; readonly seed: number }
  | { readonly type: 'kills'; readonly kills: readonly (readonly [number, Kill])[] }

export interface Job {
  readonly runs: readonly Run[]
  /** Stops at the first failure. */
  readonly untilFailure?: boolean
  readonly isTraced?: boolean
}

export interface JobResult {
  readonly failures: readonly { readonly run: Run; readonly violations: readonly string[] }[]
  readonly reports: readonly Report[]
  readonly trace: readonly string[]
}

async function work({ runs, untilFailure = false, isTraced = false }: Job): Promise<JobResult> {
  const failures: { run: Run; violations: readonly string[] }[] = []
  const reports: Report[] = []
  const trace: string[] = []
  const tell: Tell | undefined = isTraced ? (line) => void trace.push(line) : undefined
  for (const run of runs) {
    const report = await simulate(run, tell)
    reports.push(report)
    if (report.violations.length) failures.push({ run, violations: report.violations })
    if (untilFailure && failures.length) break
  }
  return { failures, reports, trace }
}

function simulate(run: Run, tell?: Tell): Promise<Report> {
  switch (run.type) {
    case 'seed':
      return simulateSeed(run.seed, tell)
    case 'calm':
      return simulateCalm(run.seed, tell)
    case 'kills':
      return simulateKills(new Map(run.kills), tell)
  }
}

parentPort?.on('message', (job: Job) => {
  void work(job).then(
    (result) => parentPort?.postMessage(result),
    (error: unknown) => {
      throw error
    },
  )
})
