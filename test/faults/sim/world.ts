/** One run's world: time, chance, what goes wrong, and everything that outlives a tab. */
import { manualNetwork, memoryLock, type ManualNetwork } from '@dogear/testing'
import type { Lock } from '@dogear/core'
import type { Chaos, Fault } from './chaos.ts'
import { createLedger, type Ledger } from './ledger.ts'
import type { Random } from './random.ts'
import type { Story } from './story.ts'
import { bystander, virtualTime, type Actor, type Time } from './time.ts'

/** A page or a worker: what can be struck. */
export interface Mortal extends Actor {
  strike(fault: 'kill-worker' | 'kill-tab' | 'freeze'): void
}

export interface World {
  readonly time: Time
  readonly random: Random
  readonly story: Story
  readonly ledger: Ledger
  readonly lock: Lock
  readonly network: ManualNetwork
  /** The browser, the server, the person: what no fault strikes. */
  readonly outside: Actor
  /** How many await points have been passed. */
  points(): number
  faults(): number
  /** The number of the run's faults still to come. */
  chaosLeft(): number
  committed(inFlight: number): number
  /** An await point: what goes wrong here, if anything. What can happen anywhere has then happened. */
  point(actor: Mortal, what: string, menu?: readonly Fault[]): Fault | undefined
  /** How long the ordinary takes. */
  latency(): number
  /** From now on nothing more goes wrong. */
  heal(): void
  isHealed(): boolean
  log(line: () => string): void
  uniqueId(): string
}

export interface WorldOptions {
  readonly story: Story
  readonly random: Random
  readonly chaos: Chaos
  /** Told each thing that happens, for a person who replays a run. */
  readonly tell?: (line: string) => void
}

export const lockName = 'dogear::s1'
const day = 86_400_000

export function createWorld({ story, random, chaos, tell }: WorldOptions): World {
  const time = virtualTime()
  const lock = memoryLock()
  const network = manualNetwork()
  const outside = bystander('outside')
  let points = 0
  let faults = 0
  let lastId = 0
  let isHealed = false
  let offlineUntil = 0

  function point(actor: Mortal, what: string, menu: readonly Fault[] = []): Fault | undefined {
    points += 1
    const number = points
    const fault = isHealed ? undefined : chaos.at(number, menu)
    log(() => `#${number} ${actor.name} ${what}${fault ? `  ← ${fault}` : ''}`)
    if (!fault) return undefined
    faults += 1
    if (fault === 'kill-worker' || fault === 'kill-tab' || fault === 'freeze') actor.strike(fault)
    else if (fault === 'robbed') {
      actor.strike('freeze')
      void takeLock('lock-stolen')
    } else if (fault === 'clock-jump') time.jump(random.pick([-day, -day / 24, day / 24, day]))
    else if (fault === 'lock-stolen' || fault === 'lock-lost') void takeLock(fault)
    else if (fault === 'offline') goOffline()
    else return fault
    return undefined
  }

  /** Stolen: whoever waits has it at once. Lost: nobody has it for a while. */
  async function takeLock(fault: 'lock-stolen' | 'lock-lost'): Promise<void> {
    const held = await lock.acquire(lockName, { wait: false, steal: true })
    if (fault === 'lock-stolen') held?.release()
    else time.after(random.between(1, 500), outside, () => held?.release())
  }

  function goOffline(): void {
    const span = random.between(100, 20_000)
    offlineUntil = time.elapsed() + span
    network.goOffline()
    time.after(span, outside, () => time.elapsed() >= offlineUntil && network.goOnline())
  }

  function log(line: () => string): void {
    if (tell) tell(`${String(time.elapsed()).padStart(7)} ms  ${line()}`)
  }

  return {
    time,
    random,
    story,
    ledger: createLedger(time.elapsed),
    lock,
    network,
    outside,
    points: () => points,
    faults: () => faults,
    chaosLeft: () => (isHealed ? 0 : chaos.left()),
    committed: (inFlight) => chaos.committed(inFlight),
    point,
    latency: () => random.between(0, 3),
    heal: () => void (isHealed = true),
    isHealed: () => isHealed,
    log,
    uniqueId: () => `id${(lastId += 1)}`,
  }
}
