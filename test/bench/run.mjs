/** `pnpm bench`: what the loop costs, as a ratio to a bare loop in the same run. */

import { fork } from 'node:child_process'
import { parseArgs } from 'node:util'
import { measureSnapshot } from './snapshot.mjs'
import { print, printTable } from './table.mjs'
import { workloads } from './workloads.mjs'

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '48' },
    rows: { type: 'string', default: 'dogear,journal,openai,cognipeer,ai,langgraph' },
    workloads: { type: 'string', default: Object.keys(workloads).join() },
  },
})
const rowNames = [...new Set(['floor', ...options.rows.split(',')])]
const names = options.workloads.split(',')
const rounds = Number(options.rounds)
const generations = 3

const results = Object.fromEntries(names.map((name) => [name, []]))
// Several times in new processes: one may be lucky in what its code is compiled to, and where it lies in memory.
for (let generation = 0; generation < generations; generation += 1) {
  const [server, { port }] = await start('server.mjs')
  const rows = new Map()
  for (const name of rowNames) rows.set(name, (await start('contender.mjs', name, `http://127.0.0.1:${port}`))[0])
  for (const name of names) {
    const { warmUp, share } = workloads[name]
    await measureRounds(rows, name, warmUp)
    results[name].push(...(await measureRounds(rows, name, Math.ceil((rounds * share) / generations))))
  }
  for (const child of [server, ...rows.values()]) child.disconnect()
}
printTable(results, rowNames)
print([['', 'structuredClone', 'Dogear', 'budget', ''], ...measureSnapshot()])

/** All rows one after the other, each round beginning with another: what disturbs the machine disturbs them alike. */
async function measureRounds(rows, name, count) {
  const measured = []
  for (let round = 0; round < count; round += 1) {
    const order = rowNames.map((_, index) => rowNames[(index + round) % rowNames.length])
    const costs = {}
    for (const row of order) costs[row] = await measure(rows.get(row), name)
    measured.push(costs)
  }
  return measured
}

async function measure(row, name) {
  const answer = next(row)
  row.send(name)
  return (await answer).cost
}

async function start(file, ...args) {
  const child = fork(new URL(file, import.meta.url), args)
  return [child, await next(child)]
}

function next(child) {
  return new Promise((resolve, reject) => {
    const exited = (code) => reject(new Error(`${child.spawnargs.slice(1).join(' ')} ended with ${code}.`))
    child.once('exit', exited)
    child.once('message', (message) => {
      child.off('exit', exited)
      if (message.error) reject(new Error(message.error))
      else resolve(message)
    })
  })
}
