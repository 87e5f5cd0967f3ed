/** The rows that the rig wrote, as a table to read. */

import { existsSync, readFileSync } from 'node:fs'

/** @param {string} file one row a line, as JSON */
export function faultTable(file) {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').filter(Boolean) : []
  const rows = lines.map((line) => JSON.parse(line)).filter(({ faults }) => faults > 0)
  const cells = [columns.map(([title]) => title), ...rows.map(cellsOf)]
  const widths = columns.map((_, at) => Math.max(...cells.map((row) => row[at].length)))
  return cells
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at]))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/**
 * The smallest of these that so many in a hundred are not above.
 *
 * @param {readonly number[]} values
 * @param {number} percent
 * @returns {number}
 */
export function percentile(values, percent) {
  return values.toSorted((one, other) => one - other)[Math.ceil((values.length * percent) / 100) - 1]
}

const columns = [
  ['fault', (row) => row.fault],
  ['made', (row) => row.faults],
  ['inside a call', (row) => row.inside],
  ['saved', (row) => row.saved],
  ['lost', (row) => row.lost],
  ['calls with an effect', (row) => row.effects],
  ['repeated', (row) => row.repeated],
  ['unknown', (row) => row.unknown],
  ['asked about', (row) => row.surfaced],
  ['joined', (row) => row.joined],
  ['hand-over p50 / p95', (row) => (row.handOvers.length > 0 ? handOver(row.handOvers) : '–')],
]

function cellsOf(row) {
  return columns.map(([, value]) => String(value(row)))
}

function handOver(times) {
  return `${percentile(times, 50)} / ${percentile(times, 95)} ms of ${times.length}`
}
