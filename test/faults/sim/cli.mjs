/** `pnpm faults:sim`: many seeds, all kills, or one run with its trace. */

import { parseArgs } from 'node:util'
import { calmRuns, failureText, openSimulator, parseKills, replayCommand, seedRuns } from './passes.mjs'

const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  options: {
    seeds: { type: 'string' },
    from: { type: 'string', default: '1' },
    pairs: { type: 'boolean', default: false },
    seed: { type: 'string' },
    calm: { type: 'string' },
    kills: { type: 'string' },
  },
})
const simulator = await openSimulator()
const startedAt = performance.now()
let told = 0

try {
  const one = chosenRun()
  const isGood = one ? await replay(one) : await runAll()
  process.exitCode = isGood ? 0 : 1
} finally {
  await simulator.close()
}

function chosenRun() {
  if (values.seed) return { type: 'seed', seed: Number(values.seed) }
  if (values.calm) return { type: 'calm', seed: Number(values.calm) }
  return values.kills && parseKills(values.kills)
}

async function replay(run) {
  const { trace, failures } = await simulator.trace(run)
  console.log(trace.join('\n'))
  console.log(failures.length ? `\n${failureText(failures)}` : `\nNothing is wrong: ${replayCommand(run)}`)
  return failures.length === 0
}

async function runAll() {
  const passes = [
    ['calm', async () => calmRuns(100)],
    ['kills', () => simulator.singles()],
    ...(values.pairs ? [['pairs', () => simulator.pairs()]] : []),
    ['seeds', async () => seedRuns(Number(values.from), Number(values.seeds ?? 10_000))],
  ]
  let isGood = true
  for (const [name, runs] of passes) {
    const { failures, reports } = await simulator.run(await runs(), { told: progress })
    say(name, reports, failures)
    isGood &&= failures.length === 0
  }
  return isGood
}

function progress({ reports, failures }) {
  if (performance.now() - told < 10_000) return
  told = performance.now()
  console.error(`  ${reports.length} runs, ${failures.length} failed`)
}

function say(name, reports, failures) {
  const sum = (key) => reports.reduce((total, report) => total + report[key], 0)
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0)
  console.log(
    `${name.padEnd(6)} ${reports.length} runs, ${failures.length} failed; ${sum('faults')} faults, ` +
      `${sum('points')} await points, ${sum('effects')} effects, ${sum('atQuota')} results at quota, ` +
      `${sum('evidence')} kept as evidence, ${sum('learnt')} facts learnt; ${seconds} s`,
  )
  if (failures.length) console.log(failureText(failures))
}
