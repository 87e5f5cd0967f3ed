/** The parts every test of the rig needs: a machine and a world outside, made before each test and gone after it. */
import { afterEach, beforeEach, expect } from 'vitest'
import { audit, type Stored } from './audit.ts'
import { createMachine, type Machine } from './machine.ts'
import { startOutside, type Outside } from './outside.ts'
import { add, report, rowFor, type Row } from './report.ts'

export interface Rig {
  readonly machine: Machine
  readonly outside: Outside
  /** A further one, with an origin and a browser's connections of its own. */
  anotherOutside(): Promise<Outside>
  /** Nothing may be wrong; what was found goes into the report. */
  passes(fault: string, faults: number, stored: Stored, known?: Known): void
}

export interface Known {
  /** The network was cut, so that the tool's own request may have failed. */
  readonly isCut?: boolean
  readonly handOvers?: Row['handOvers']
}

/** Call it once at the top of a test file. */
export function useRig(): Rig {
  let machine: Machine
  let outsides: Outside[]
  const anotherOutside = async () => {
    const outside = await startOutside()
    outsides.push(outside)
    return outside
  }
  beforeEach(async () => {
    machine = createMachine()
    outsides = []
    await anotherOutside()
  })
  afterEach(async () => {
    await machine.scrap()
    for (const outside of outsides) outside.close()
  })
  return {
    get machine() {
      return machine
    },
    get outside() {
      return outsides[0]!
    },
    anotherOutside,
    passes(fault, faults, stored, { isCut, handOvers = [] } = {}) {
      const found = audit(stored, outsides[0]!, { isCut })
      const row = { ...rowFor(fault), faults, handOvers }
      add(row, found)
      report(row)
      expect(found).toMatchObject({ problems: [], lost: 0, repeated: 0, surfaced: found.unknown })
    },
  }
}
