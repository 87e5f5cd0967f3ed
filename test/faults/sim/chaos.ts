/** What goes wrong, and when: at an await point that is counted, or by chance from a seed. */
import type { Random } from './random.ts'

/** Can happen at any await point of a tab. */
export const anywhere = [
  'kill-worker',
  'kill-worker',
  'kill-tab',
  'kill-tab',
  'freeze',
  'clock-jump',
  'lock-stolen',
  'lock-lost',
  'offline',
] as const

export type Fault =
  | (typeof anywhere)[number]
  /** Of the store. `redone`: the connection was lost after the commit, and the write is made again. `bit-rot`: see disk.ts. */
  | 'full'
  | 'blocked'
  | 'failed'
  | 'committed-failed'
  | 'redone'
  | 'bit-rot'
  /** Full from the moment a tool begins: its result finds no room but what was kept for it. */
  | 'quota'
  /** Of the model. `answer-lost`: it was begun, and paid for, and nothing of it arrives. `forgotten`: its buffer is gone. */
  | 'network'
  | 'answer-lost'
  | 'forgotten'
  | 'rate-limited'
  | 'server-error'
  | 'garbage'
  | 'token-refused'
  | 'cut'
  /** Of tools: before and after their effect. */
  | 'throws'
  | 'throws-after'
  | 'hangs'
  | 'hangs-after'
  /** Of whatever takes time or carries messages. */
  | 'slow'
  | 'lost'
  | 'twice'
  /** Of a call on its way to its page: the tab freezes, and another takes the session from it. */
  | 'robbed'
  /** Of a call that has begun, and takes its time: the worker dies, and its page is in the call without it. */
  | 'deserted'

export interface Chaos {
  /** The fault at this await point, of those its port knows. */
  at(point: number, menu: readonly Fault[]): Fault | undefined
  /** Whether what a killed host was writing gets committed: how many of its writes in flight. */
  committed(inFlight: number): number
  /** How many faults are still to come. */
  left(): number
}

export const calm: Chaos = { at: () => undefined, committed: () => 0, left: () => 0 }

/** Kills exactly here: by the number of an await point. */
export function killsAt(kills: ReadonlyMap<number, Kill>): Chaos {
  let inFlightCommits = false
  let left = kills.size
  return {
    at(point) {
      const kill = kills.get(point)
      if (!kill) return undefined
      left -= 1
      inFlightCommits = kill.inFlightCommits
      return kill.fault
    },
    committed: (inFlight) => (inFlightCommits ? inFlight : 0),
    left: () => left,
  }
}

export interface Kill {
  readonly fault: 'kill-worker' | 'kill-tab'
  readonly inFlightCommits: boolean
}

/** How often these happen where they can: few points have them on their menu, and left to the plan they hardly ever would. */
const rare: Partial<Record<Fault, number>> = {
  'bit-rot': 0.2,
  quota: 0.2,
  robbed: 0.2,
  deserted: 0.2,
  'clock-jump': 0.5,
}

/** As many faults as it draws, five at least, some close together and some far apart. */
export function randomFaults(random: Random): Chaos {
  let left = random.between(5, 12)
  const spread = random.pick([3, 12, 30])
  // Some begin at once, some when work has long begun: all would be over before the first tool is entered.
  let next = random.between(1, random.pick([spread * 3, 150, 400]))
  // Some runs are all crashes, some have none: what only shows without them would hide behind them.
  const crashes = random.pick([0.1, 0.4, 0.4, 0.8])
  return {
    at(point, menu) {
      const unplanned = menu.find((fault) => rare[fault] !== undefined && random.chance(rare[fault]))
      if (left === 0 || (point < next && !unplanned)) return undefined
      const own = menu.length > 0 && !random.chance(crashes)
      const fault = unplanned ?? random.pick(own ? menu : anywhere)
      left -= 1
      next = point + random.between(1, random.chance(0.3) ? 4 : spread * 2)
      return fault
    },
    committed: (inFlight) => random.between(0, inFlight),
    left: () => left,
  }
}
