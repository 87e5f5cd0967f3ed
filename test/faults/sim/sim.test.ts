/** The product under the fault simulator: real client, host, core and store; virtual time, and whatever may go wrong. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { calmRuns, failureText, openSimulator, parseKills, replayCommand, seedRuns } from './passes.mjs'

let simulator: Awaited<ReturnType<typeof openSimulator>>

beforeAll(async () => {
  simulator = await openSimulator()
}, 60_000)

afterAll(() => simulator.close())

test('[G7] with nothing going wrong, a run gives the transcript its story says', async () => {
  const { failures } = await simulator.run(calmRuns(100))
  expect(failureText(failures)).toBe('')
})

test('[G1] [G2] [G3] [G4] [G7] a kill at any one await point loses nothing and does nothing twice', async () => {
  const { failures } = await simulator.run(await simulator.singles())
  expect(failureText(failures)).toBe('')
})

test('[G1] [G2] [G3] [G4] [G7] nor do two kills, the second also in what the first one caused', async () => {
  const { failures } = await simulator.run(await simulator.pairs(31))
  expect(failureText(failures)).toBe('')
})

test('[G1] [G2] [G3] [G4] [G5] [G6] [G7] [G14] nor do five faults and more, of any port, in one to three tabs', async () => {
  const { failures, reports } = await simulator.run(seedRuns(1, 5000))
  expect(failureText(failures)).toBe('')
  const sum = (key: 'faults' | 'atQuota' | 'evidence' | 'learnt') =>
    reports.reduce((total, report) => total + report[key], 0)
  expect(sum('faults')).toBeGreaterThan(5 * 5000)
  // What is rare must not have stopped happening.
  expect(sum('atQuota')).toBeGreaterThan(100)
  expect(sum('evidence')).toBeGreaterThan(100)
  expect(sum('learnt')).toBeGreaterThan(1000)
})

test('a run is the same run again, and its command replays it', async () => {
  const run = { type: 'seed', seed: 7 } as const
  const [one, other] = [await simulator.trace(run), await simulator.trace(run)]
  expect(one.trace.length).toBeGreaterThan(100)
  expect(other.trace).toEqual(one.trace)
  expect(replayCommand(run)).toBe('pnpm faults:sim --seed 7')
  expect(replayCommand(parseKills('12w,40t+'))).toBe('pnpm faults:sim --kills 12w,40t+')
})
