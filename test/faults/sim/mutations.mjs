/** What keeps the guarantees, taken out of the product one at a time: the simulator must notice each. */

import { openSimulator, seedRuns } from './passes.mjs'

/** Exact text, so that a mutation that no longer changes anything fails loudly. */
export const mutations = [
  {
    name: 'no intent is written before the tool runs',
    file: 'core/src/turn/decide.ts',
    from: `      return [
        ...beside.map((entry) => ({ ...at, ...entry })),
        {
          type: 'tool-intent',`,
    to: `      return [].concat([]) ?? [
        {
          type: 'tool-intent',`,
  },
  {
    name: 'the epoch is not checked',
    file: 'store/src/session-row.ts',
    from: 'row.epoch === batch.epoch && row.seq === batch.expectedSeq',
    to: 'row.seq === batch.expectedSeq',
  },
  {
    name: 'expectedSeq is not compared',
    file: 'store/src/session-row.ts',
    from: 'row.epoch === batch.epoch && row.seq === batch.expectedSeq',
    to: 'row.epoch === batch.epoch',
  },
  {
    name: 'the approved arguments are not checked by their hash',
    file: 'core/src/turn/resolve.ts',
    from: 'if (!isAsApproved) {',
    to: 'if (isAsApproved === null) {',
  },
  {
    name: 'entries are read in the order of their time',
    file: 'store/src/memory-store.ts',
    from: 'shelves.get(sessionId)?.entries.slice(',
    to: 'shelves.get(sessionId)?.entries.toSorted((one, other) => one.at - other.at).slice(',
  },
  {
    name: 'a command stays in the inbox when its entries are written',
    file: 'store/src/memory-store.ts',
    from: 'batch.take?.forEach(take)',
    to: '',
  },
  {
    name: 'a command leaves the inbox before its entries are written',
    file: 'store/src/memory-store.ts',
    from: 'assertContiguous(batch)',
    to: 'batch.take?.forEach(take); assertContiguous(batch)',
  },
  {
    name: 'a tool is entered by old news',
    file: 'worker/src/handles.ts',
    from: 'if (proven !== undefined && !isFresh(proven)) post',
    to: 'if (proven === null) post',
  },
  {
    name: 'a page that still lives is taken for gone',
    file: 'worker/src/host/own-page.ts',
    from: 'return free !== undefined',
    to: 'return true',
  },
  {
    name: 'a page that has lost its worker is not waited for',
    file: 'worker/src/host/elsewhere.ts',
    from: 'else if (!(await isFree(lockName(page))) && !(await isFree(lockName(page), lookAgainAfter))) return',
    to: 'else return',
  },
  {
    name: 'what was learnt is journalled before it is remembered',
    file: 'core/src/smart/memory.ts',
    from: 'await attempt(run, memoryStore && Promise.all(',
    to: 'void run.clock.sleep(50).then(() => memoryStore && Promise.all(',
  },
  {
    name: 'a call of which nobody knows is told as failed, and nobody is asked',
    file: 'core/src/turn/recover.ts',
    from: `    case 'once':
      return outcomeRequest(run, call, tool)`,
    to: `    case 'once':
      return resultOf(call, 'error', 'It failed.', args)`,
  },
  {
    name: 'a result is not what the tool said',
    file: 'core/src/turn/calls.ts',
    from: `    status,
    content,
    args,`,
    to: `    status,
    content: 'nonsense',
    args,`,
  },
  {
    name: 'an answer that was begun is asked for under another key',
    file: 'core/src/turn/step.ts',
    from: 'key: streamKey(run, key),',
    to: 'key: `${streamKey(run, key)}:${run.clock.elapsed()}`,',
  },
  {
    name: 'a call is late by the clock on the wall',
    file: 'core/src/turn/deadlines.ts',
    from: 'const deadline = { at: clock.elapsed() + ms, late }',
    to: 'clock = { ...clock, elapsed: clock.now }; const deadline = { at: clock.elapsed() + ms, late }',
  },
  {
    name: 'a call that was given up before its page began it is told as failed',
    file: 'worker/src/host/remote-agent.ts',
    from: 'if (proven === undefined || signal?.aborted) open.delete(id)',
    to: 'if (signal?.aborted) fail(signal.reason); else if (proven === undefined) open.delete(id)',
  },
]

/** The first run that fails under a mutation, or undefined when none does. */
export async function firstFailure(mutation, { seeds = 2000, threads } = {}) {
  const simulator = await openSimulator({ plugins: [mutate(mutation)], threads })
  try {
    const { failures, reports } = await simulator.run(seedRuns(1, seeds), { untilFailure: true })
    return failures[0] && { ...failures[0], after: reports.length }
  } finally {
    await simulator.close()
  }
}

function mutate({ name, file, from, to }) {
  let isMade = false
  return {
    name: 'mutation',
    enforce: 'pre',
    transform(code, id) {
      if (!id.endsWith(`/packages/${file}`)) return undefined
      if (code.split(from).length !== 2) throw new Error(`"${name}" finds its text in ${file} not exactly once.`)
      isMade = true
      return code.replace(from, () => to)
    },
    buildEnd() {
      if (!isMade) throw new Error(`"${name}" found no ${file}.`)
    },
  }
}
