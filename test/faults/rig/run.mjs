/** `pnpm faults`: the fault rig at length. `--browser 500 --worker 500 --renderer 200 --seed x --from 0`; prints its table. */

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { build, isBuilt, root } from '../../../.build/steps.mjs'
import { faultTable } from './table.mjs'

const kinds = { browser: '500', worker: '500', renderer: '200' }
const text = { type: 'string' }
const { values } = parseArgs({ options: { browser: text, worker: text, renderer: text, seed: text, from: text } })
// One kind named, the others are left out: that is how a round is replayed.
const isChosen = Object.keys(kinds).some((kind) => values[kind] !== undefined)
const counts = Object.entries(kinds).map(([kind, usual]) => [kind, count(values[kind] ?? (isChosen ? '0' : usual))])
const settings = {
  seed: values.seed ?? `${Date.now()}`,
  from: count(values.from ?? '0'),
  ...Object.fromEntries(counts),
}

if (!isBuilt()) await build()
const folder = mkdtempSync(join(tmpdir(), 'dogear-faults-'))
const report = join(folder, 'report.jsonl')
console.log(`Faults: ${counts.map(([kind, number]) => `${number} ${kind}`).join(', ')}; seed ${settings.seed}`)
const files = isChosen ? ['test/faults/rig/kills.test.ts'] : []
const { status } = spawnSync('node_modules/.bin/vitest', ['run', '--project', 'rig', ...files], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, DOGEAR_FAULTS: JSON.stringify(settings), DOGEAR_FAULTS_REPORT: report },
})
console.log(`\n${faultTable(report)}`)
rmSync(folder, { recursive: true })
process.exitCode = status ?? 1

function count(value) {
  const number = Number(value)
  if (!Number.isInteger(number) || number < 0) throw new Error(`"${value}" is not a number of faults.`)
  return number
}
