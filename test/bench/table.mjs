/** The results as one table: medians of ratios, each taken within one round. */

import { workloads } from './workloads.mjs'

const columns = {
  dogear: 'Dogear',
  journal: 'with journal',
  openai: 'openai',
  cognipeer: 'cognipeer',
  ai: 'AI SDK',
  langgraph: 'LangGraph',
}

/**
 * @param {Record<string, Record<string, number>[]>} results   for each workload its rounds, each with the cost by row
 * @param {string[]} rowNames
 */
export function printTable(results, rowNames) {
  const peers = rowNames.filter((name) => name !== 'floor')
  const lines = Object.entries(results).map(([name, rounds]) => lineOf(workloads[name], rounds, peers))
  print([['CPU in the client', 'bare loop', ...peers.map((peer) => columns[peer]), 'budget', ''], ...lines])
}

function lineOf({ title, budget, isGrowth }, rounds, peers) {
  const floor = median(rounds.map((costs) => costs.floor))
  const ratios = Object.fromEntries(
    peers.map((peer) => [peer, median(rounds.map((costs) => costs[peer] / (isGrowth ? 1 : costs.floor)))]),
  )
  const allowed = budget ?? { dogear: floor, journal: floor }
  const ours = Object.entries(allowed).filter(([row]) => row in ratios)
  const missed = ours.filter(([row, limit]) => ratios[row] > limit)
  return [
    title,
    isGrowth ? times(floor) : `${floor.toFixed(0)} µs`,
    ...peers.map((peer) => times(ratios[peer])),
    isGrowth ? 'the bare loop’s' : `${allowed.dogear} / ${allowed.journal}`,
    verdict(ours, missed),
  ]
}

function verdict(ours, missed) {
  if (missed.length > 0) return `missed: ${missed.map(([row]) => columns[row]).join(', ')}`
  return ours.length > 0 ? 'met' : ''
}

export function times(ratio) {
  return `× ${ratio.toFixed(2)}`
}

export function median(numbers) {
  const sorted = numbers.toSorted((one, other) => one - other)
  const middle = sorted.length / 2
  return (sorted[Math.floor(middle)] + sorted[Math.ceil(middle) - 1]) / 2
}

/** @param {string[][]} lines    the first is the heads of the columns */
export function print(lines) {
  const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)))
  for (const line of lines) {
    console.log(
      line.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]))).join('  '),
    )
  }
}
