/** One row in a process of its own: runs a workload when asked, checks that the work was done, and says what it cost. */

import { hotelsFor, question } from './trip.mjs'
import { workloads } from './workloads.mjs'

const [rowName, origin] = process.argv.slice(2)
const { createRow } = await import(`./rows/${rowName}.mjs`)
const rows = new Map()
const done = { calls: 0, characters: 0 }

process.on('message', async (name) => {
  const { isGrowth, ...workload } = workloads[name]
  try {
    process.send({ cost: await (isGrowth ? growth(workload) : cpuPerTurn(workload)) })
  } catch (error) {
    process.send({ error: `${rowName}, ${workload.title}: ${error.stack}` })
  }
})
process.on('disconnect', () => process.exit())
process.send({ cost: 0 })

/** In microseconds. */
async function cpuPerTurn(workload) {
  return (await cpuOf(() => converseAll(workload))) / (workload.turns * workload.conversations)
}

async function converseAll(workload) {
  for (let count = 0; count < workload.conversations; count += 1) {
    const say = await begin(workload)
    for (let turn = 0; turn < workload.turns; turn += 1) await say()
  }
}

/** How much more the last tenth of a long conversation costs than its first. */
async function growth(workload) {
  const tenth = workload.turns / 10
  const say = await begin(workload)
  const some = (turns) => async () => {
    for (let turn = 0; turn < turns; turn += 1) await say()
  }
  const first = await cpuOf(some(tenth))
  await some(workload.turns - 2 * tenth)()
  return (await cpuOf(some(tenth))) / first
}

async function cpuOf(work) {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return user + system
}

/** A new conversation, each turn of which must have streamed its answer and run its tool. */
async function begin({ reply, calls }) {
  const { say } = await rowFor(reply)()
  return async () => {
    done.calls = done.characters = 0
    const text = await say(question)
    if (done.calls !== calls || done.characters < text.length || text.length < 100) {
      throw new Error(`${done.calls} calls ran of ${calls}, and ${done.characters} characters came of ${text.length}.`)
    }
  }
}

function rowFor(reply) {
  const row = rows.get(reply) ?? createRow({ endpoint: `${origin}/${reply}`, onText, runTool })
  rows.set(reply, row)
  return row
}

function onText(length) {
  done.characters += length
}

async function runTool(args) {
  done.calls += 1
  return hotelsFor(args)
}
