/** What a snapshot of a large state costs, and its restoring, as a ratio to `structuredClone` of the same state. */

import { captureSnapshot, restoreSnapshot } from '@dogear/core'

const rounds = 40
const budget = 2

export function measureSnapshot() {
  const state = largeState()
  const snapshot = captureSnapshot(state)
  const jobs = {
    clone: () => structuredClone(state),
    capture: () => captureSnapshot(state),
    restore: () => restoreSnapshot(snapshot),
  }
  const costs = { clone: [], capture: [], restore: [] }
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, job] of Object.entries(jobs)) costs[name].push(timeOf(job))
  }
  // The first rounds are the compiler's.
  const [clone, capture, restore] = Object.values(costs).map((each) => median(each.slice(rounds / 4)))
  return [lineOf('a snapshot of a 2 MB state', clone, capture / clone), lineOf('restoring it', clone, restore / clone)]
}

function lineOf(title, clone, ratio) {
  return [title, `${clone.toFixed(1)} ms`, `× ${ratio.toFixed(2)}`, `${budget}`, ratio <= budget ? 'met' : 'missed']
}

/** Of the size of a long conversation: 400 turns, each with a call and its result. */
function largeState() {
  const messages = Array.from({ length: 400 }, (_, turn) => turnOf(turn)).flat()
  const toolHistory = messages.filter(({ role }) => role === 'tool').map(executionOf)
  return {
    messages,
    toolHistory,
    plan: null,
    ctx: { locale: 'pt' },
    status: 'idle',
    agent: { name: 'bench', tools: [] },
  }
}

function turnOf(turn) {
  const meta = { status: 'complete', createdAt: 1_760_000_000_000 + turn }
  const id = `${turn}.1.0`
  const args = { city: 'Lisbon', nights: turn }
  return [
    { id: `${turn}.u`, role: 'user', content: `Question ${turn}: somewhere quiet near the river, please.`, meta },
    {
      id: `${turn}.1.m`,
      role: 'assistant',
      content: null,
      tool_calls: [{ id, type: 'function', function: { name: 'find_hotels', arguments: JSON.stringify(args) } }],
      meta,
    },
    {
      id: `${id}.r`,
      role: 'tool',
      tool_call_id: id,
      content: 'a quiet hotel by the river; '.repeat(70),
      meta: { ...meta, tool: { name: 'find_hotels', args, durationMs: 3 } },
    },
    { id: `${turn}.2.m`, role: 'assistant', content: 'Three of them are quiet. '.repeat(20), meta },
  ]
}

function executionOf({ tool_call_id, content, meta }) {
  return {
    executionId: tool_call_id,
    toolName: 'find_hotels',
    args: meta.tool.args,
    output: content,
    status: 'success',
  }
}

function timeOf(job) {
  const start = performance.now()
  job()
  return performance.now() - start
}

function median(numbers) {
  const sorted = numbers.toSorted((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)]
}
