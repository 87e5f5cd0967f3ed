/** One run: a story, what goes wrong in it, everything healed and started again until it is quiet, and the audit. */
import type { Session } from '@dogear/worker'
import { audit } from './audit.ts'
import { calm, killsAt, randomFaults, type Chaos, type Kill } from './chaos.ts'
import { createChannels } from './channels.ts'
import { createDisk } from './disk.ts'
import { createModelServer } from './model-server.ts'
import { pageTimers } from './page-timers.ts'
import { createPerson } from './person.ts'
import { seededRandom } from './random.ts'
import { randomStory, referenceStory, type Story } from './story.ts'
import { openTab, type Outside } from './tab.ts'
import { createWorld, type World } from './world.ts'

export interface Report {
  readonly violations: readonly string[]
  /** How many await points it passed. */
  readonly points: number
  readonly faults: number
  readonly effects: number
  readonly turns: number
  /** Results written to a full disk, and those that a fenced owner kept for the next one. */
  readonly atQuota: number
  readonly evidence: number
  /** Facts that were kept for the user. */
  readonly learnt: number
}

export type Tell = (line: string) => void

/** A run whose story and faults come from a seed. */
export function simulateSeed(seed: number, tell?: Tell): Promise<Report> {
  const random = seededRandom(seed)
  return simulate(createWorld({ story: randomStory(random), chaos: randomFaults(random), random, tell }))
}

/** A seed's story with nothing going wrong. */
export function simulateCalm(seed: number, tell?: Tell): Promise<Report> {
  const random = seededRandom(seed)
  return simulate(createWorld({ story: randomStory(random), chaos: calm, random, tell }))
}

/** The reference story, killed at these await points. */
export function simulateKills(
  kills: ReadonlyMap<number, Kill>,
  tell?: Tell,
  story: Story = referenceStory,
): Promise<Report> {
  const chaos: Chaos = killsAt(kills)
  return simulate(createWorld({ story, chaos, random: seededRandom(1), tell }))
}

/** Events before the world is healed at the latest, and after: what is not quiet by then never will be. */
const wildEvents = 20_000
const patience = 8_000

async function simulate(world: World): Promise<Report> {
  const { time, ledger } = world
  const outside: Outside = {
    disk: createDisk(world),
    server: createModelServer(world),
    channels: createChannels(world),
  }
  const person = createPerson(world, outside)
  const restoreTimers = pageTimers(world)
  const unhandled = (error: unknown) => ledger.violated(`an unhandled rejection: ${String(error)}`)
  process.on('unhandledRejection', unhandled)
  try {
    const isQuiet = await live()
    const session = isQuiet && !ledger.violations.length ? await reopened() : undefined
    if (ledger.violations.length) world.log(() => 'stopped at the first violation')
    else if (!session) ledger.violated(`[G7] it is not quiet ${patience} events after the last fault`)
    else await audit(world, { store: outside.disk.store, session, turns: person.turns() })
  } finally {
    process.off('unhandledRejection', unhandled)
    restoreTimers()
  }
  return {
    violations: ledger.violations,
    points: world.points(),
    faults: world.faults(),
    effects: ledger.effects.length,
    turns: person.turns(),
    atQuota: ledger.atQuota(),
    evidence: ledger.evidence(),
    learnt: (await outside.disk.store.memory(() => 0).list({ scope: 'user' })).length,
  }

  /** As a person finds it who comes back later. */
  async function reopened(): Promise<Session | undefined> {
    const tab = openTab(world, outside, 'last')
    for (let events = 0; events < patience; events += 1) {
      const session = tab.session()
      // What was on its way when all seemed quiet is waited for as well.
      if (session && (await person.isDone()) && session.lastEnd.value?.turnId === person.lastTurn()) return session
      await time.step()
    }
    return undefined
  }

  async function live(): Promise<boolean> {
    let isDone = false
    let restless = 0
    lookAgain(0)
    for (let events = 0; events < wildEvents + patience; events += 1) {
      if (ledger.violations.length) return true
      if (events === wildEvents) world.heal()
      if (!(await time.step())) return false
      if (!isDone) continue
      // A while longer: what the page shows may lag behind what is written, and what is late may still come.
      if (!world.isHealed()) world.heal()
      restless += 1
      if (restless > 60) return true
    }
    return false

    function lookAgain(ms: number): void {
      time.after(ms, world.outside, () => {
        void person.look().then(async () => {
          isDone = await person.isDone()
          if (!isDone) restless = 0
          lookAgain(isDone ? 2000 : world.random.pick([20, 100, 500, 2000]))
        })
      })
    }
  }
}
