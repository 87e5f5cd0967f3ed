/** `npm test`: everything, from a fresh clone, one line a phase and one line of totals. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { install, isInstalled, pnpm, run, tail } from '../.build/steps.mjs'
import { faultTable } from './faults/rig/table.mjs'

const totals = { passed: 0, failed: 0, skipped: 0 }
const reports = mkdtempSync(join(tmpdir(), 'dogear-test-'))

try {
  await runAll()
} catch (error) {
  say('stopped', 'before the end', error.message)
  totals.failed += 1
} finally {
  rmSync(reports, { recursive: true })
}
const skipped = totals.skipped > 0 ? `, ${totals.skipped} skipped` : ''
console.log(`\n${totals.passed} passed, ${totals.failed} failed${skipped}`)
process.exitCode = totals.failed > 0 ? 1 : 0

async function runAll() {
  if (!isInstalled()) await install()
  await findOrInstallChromium()
  await check('types', pnpm('check'))
  await check('lint', pnpm('lint'))
  const isBuilt = await check('build', pnpm('build'))
  await suite('unit')
  await suite('contracts')
  await suite('faults')
  await suite('browser')
  if (process.env.DOGEAR_CORPORA) await suite('corpora')
  else say('corpora', 'not run: DOGEAR_CORPORA names no folder of public corpora')
  if (!isBuilt) return say('dist', 'not run, nor the journeys: the build failed')
  await check('size', pnpm('--silent', 'size'), { isShown: true })
  await suite('dist')
  await suite('journeys')
  await rig()
}

/** Its figures are worth a look also when all is well. */
async function rig() {
  const report = join(reports, 'rig.jsonl')
  await suite('rig', { DOGEAR_FAULTS_REPORT: report })
  console.log(`\n${faultTable(report)}\n`)
}

async function findOrInstallChromium() {
  const { findChromium, installChromium } = await import('./browser.mjs')
  if (findChromium()) return
  say('chromium', 'none found, installing one (CHROME_PATH would name yours)')
  try {
    installChromium()
  } catch (cause) {
    throw new Error('No Chromium could be installed. Install one, or name yours by CHROME_PATH, and try again.', {
      cause,
    })
  }
}

/** A phase that passes or fails as a whole. */
async function check(name, commandLine, { isShown = false } = {}) {
  const time = stopwatch()
  const { succeeded, output } = await run(commandLine)
  totals[succeeded ? 'passed' : 'failed'] += 1
  say(name, `${succeeded ? 'passed' : 'failed'}  ${time()}`, succeeded && !isShown ? '' : tail(output, 100))
  return succeeded
}

/** A phase that counts its tests. */
async function suite(name, env = {}) {
  const time = stopwatch()
  const report = join(reports, `${name}.json`)
  const { succeeded, output } = await run(
    ['node_modules/.bin/vitest', 'run', '--project', name, '--passWithNoTests'].concat(
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
    ),
    env,
  )
  const count = countTests(report, succeeded)
  for (const key of Object.keys(totals)) totals[key] += count[key]
  const numbers = Object.entries(count).filter(([key, number]) => number > 0 || key === 'passed')
  say(
    name,
    `${numbers.map(([key, number]) => `${number} ${key}`).join(', ')}  ${time()}`,
    succeeded ? '' : tail(output, 200),
  )
}

function countTests(report, succeeded) {
  const { numPassedTests = 0, numFailedTests = 0, numPendingTests = 0 } = readReport(report)
  // A file that cannot be imported has no tests that fail, and must not count as none.
  const failed = succeeded ? 0 : Math.max(numFailedTests, 1)
  return { passed: numPassedTests, failed, skipped: numPendingTests }
}

function readReport(report) {
  try {
    return JSON.parse(readFileSync(report, 'utf8'))
  } catch {
    return {}
  }
}

function say(name, result, details = '') {
  console.log(`${name.padEnd(10)} ${result}`)
  if (details) console.log(`\n${details}\n`)
}

function stopwatch() {
  const start = performance.now()
  return () => `${((performance.now() - start) / 1000).toFixed(1)} s`
}
