/** Which runs there are, and how each is replayed. */

import { bundleSimulator } from './bundle.mjs'
import { createPool } from './pool.mjs'

/** What a kill may be: of the worker or the whole tab, with what was being written lost or committed. */
export const killKinds = ['kill-worker', 'kill-tab'].flatMap((fault) =>
  [false, true].map((inFlightCommits) => ({ fault, inFlightCommits })),
)

export const seedRuns = (from, count) =>
  Array.from({ length: count }, (_, index) => ({ type: 'seed', seed: from + index }))
export const calmRuns = (count) => Array.from({ length: count }, (_, index) => ({ type: 'calm', seed: index + 1 }))
const killRun = (...kills) => ({ type: 'kills', kills })

/** Opens the simulator; `mutation` changes the product first. */
export async function openSimulator({ plugins, threads } = {}) {
  const { file, remove } = await bundleSimulator({ plugins })
  const pool = createPool(file, threads)

  /** All runs, in jobs that keep every thread busy. `told` hears of each job's end. */
  async function run(runs, { told = () => {}, untilFailure = false } = {}) {
    const total = { failures: [], reports: [] }
    let isOver = false
    const jobs = Array.from({ length: Math.ceil(runs.length / jobSize) }, async (_, index) => {
      if (isOver) return
      const { failures, reports } = await pool.run({
        runs: runs.slice(index * jobSize, (index + 1) * jobSize),
        untilFailure,
        isCancelled: () => isOver,
      })
      total.failures.push(...failures)
      for (const report of reports) total.reports.push(report)
      isOver ||= untilFailure && failures.length > 0
      told(total)
    })
    await Promise.all(jobs)
    return total
  }

  return {
    run,
    /** Every single kill of the reference story: at each of its await points, of each kind. */
    async singles() {
      const { reports } = await run([killRun()])
      const points = Array.from({ length: reports[0].points }, (_, index) => index + 1)
      return points.flatMap((point) => killKinds.map((kind) => killRun([point, kind])))
    },
    /** Two kills, the second anywhere after the first, also in what the first one caused. `stride` leaves some out. */
    async pairs(stride = 1) {
      const [{ points }] = (await run([killRun()])).reports
      const firsts = Array.from({ length: points }, (_, index) => [index + 1, killKinds[index % killKinds.length]])
      const lengths = await Promise.all(firsts.map(async (first) => (await run([killRun(first)])).reports[0].points))
      const all = firsts.flatMap((first, index) =>
        Array.from({ length: Math.max(0, lengths[index] - first[0]) }, (_, after) => {
          const second = first[0] + after + 1
          return killRun(first, [second, killKinds[(index + second) % killKinds.length]])
        }),
      )
      return all.filter((_, index) => index % stride === 0)
    },
    /** One run, with everything that happens in it. */
    trace: (one) => pool.run({ runs: [one], isTraced: true }),
    async close() {
      await pool.close()
      remove()
    },
  }
}

const jobSize = 25

export function replayCommand(run) {
  return `pnpm faults:sim ${optionsOf(run)}`
}

function optionsOf({ type, seed, kills }) {
  if (type !== 'kills') return `--${type} ${seed}`
  return `--kills ${kills.map(([point, kind]) => `${point}${codeOf(kind)}`).join(',')}`
}

/** `12w` kills the worker at the 12th await point, `12t` the tab; a `+` commits what was being written. */
function codeOf({ fault, inFlightCommits }) {
  return `${fault === 'kill-tab' ? 't' : 'w'}${inFlightCommits ? '+' : ''}`
}

export function parseKills(text) {
  return killRun(
    ...text.split(',').map((one) => {
      const [, point, who, plus] = /^(\d+)([wt])(\+?)$/.exec(one) ?? []
      if (!point) throw new Error(`"${one}" names no kill. Write 12w, 12t, 12w+ or 12t+.`)
      return [Number(point), { fault: who === 't' ? 'kill-tab' : 'kill-worker', inFlightCommits: plus === '+' }]
    }),
  )
}

/** What failed and how to see it again, a few of them. */
export function failureText(failures) {
  return failures
    .slice(0, 5)
    .map(({ run, violations }) => `${violations.join('\n')}\n  replay: ${replayCommand(run)}`)
    .join('\n')
}
