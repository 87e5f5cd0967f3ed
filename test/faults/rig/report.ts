/** What a kind of fault did, in figures: a row of the table that `pnpm faults` prints. */
import { appendFileSync } from 'node:fs'
import type { Audit } from './audit.ts'

export interface Row {
  readonly fault: string
  faults: number
  /** Made between a tool's effect and its result. */
  inside: number
  saved: number
  lost: number
  effects: number
  repeated: number
  unknown: number
  surfaced: number
  /** Their page lived and had the result, so that nobody had to be asked. */
  joined: number
  /** Milliseconds from the owner's death to the next owner. */
  readonly handOvers: number[]
}

export function rowFor(fault: string): Row {
  const nothing = {
    faults: 0,
    inside: 0,
    saved: 0,
    lost: 0,
    effects: 0,
    repeated: 0,
    unknown: 0,
    surfaced: 0,
    joined: 0,
  }
  return { fault, ...nothing, handOvers: [] }
}

/** Adds what the audit of a session found since the last one of the same session. */
export function add(row: Row, now: Audit, before?: Audit): void {
  for (const figure of ['saved', 'lost', 'effects', 'repeated', 'unknown', 'surfaced', 'joined'] as const) {
    row[figure] += now[figure] - (before?.[figure] ?? 0)
  }
}

export function report(row: Row): void {
  if (process.env.DOGEAR_FAULTS_REPORT) appendFileSync(process.env.DOGEAR_FAULTS_REPORT, `${JSON.stringify(row)}\n`)
}
