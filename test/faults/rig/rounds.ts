/** Many rounds of one kind of kill: a turn, a kill at a moment of it, a return, and an audit. */
import { audit, type Audit } from './audit.ts'
import { insideTheCall, type Moment, waitedFor } from './moments.ts'
import type { Outside } from './outside.ts'
import { add, rowFor, type Row } from './report.ts'
import { seeded, type Seeded } from './seeded.ts'
import { settings } from './settings.ts'
import type { Tab } from './tab.ts'

export interface Round {
  readonly number: number
  readonly sessionIds: readonly string[]
  readonly chance: Seeded
}

export interface Kind {
  readonly name: 'browser' | 'worker' | 'renderer'
  readonly outside: Outside
  /** The tab in which a round's sessions are used, with those sessions open. */
  enter(round: Round): Promise<Tab>
  kill(tab: Tab, round: Round): Promise<unknown>
  /** The tab in which the sessions are found again. */
  comeBack(tab: Tab, round: Round): Promise<Tab>
}

/** Every second round of a lane of two, and so on: a lane does the rounds that are its own. */
export async function killRounds(kind: Kind, { lane = 0, lanes = 1, row = rowFor(kind.name) } = {}): Promise<Row> {
  const audits = new Map<string, Audit>()
  for (let number = settings.from + lane; number < settings.from + settings[kind.name]; number += lanes) {
    const round: Round = {
      number,
      sessionIds: sessionsOf(number, lane, lanes),
      chance: seeded(settings.seed, kind.name, number),
    }
    const moment = momentOf(round.chance)
    const name = round.sessionIds.join()
    const before = audits.get(name)
    const now = await replayable(kind, round, moment, () => killAt(kind, round, moment, before))
    add(row, now, before)
    audits.set(name, now)
    row.faults += 1
    if (insideTheCall.includes(moment)) row.inside += 1
  }
  return row
}

async function killAt(kind: Kind, round: Round, moment: Moment, before?: Audit): Promise<Audit> {
  const { outside } = kind
  const tab = await kind.enter(round)
  const delay = round.chance.next() * 12
  const killed = outside.moments.arm(moment, async () => {
    // The kill must also fall into the writes that follow the moment, not only before them.
    await new Promise((resolve) => setTimeout(resolve, waitedFor.includes(moment) ? 0 : delay))
    await kind.kill(tab, round)
  })
  for (const [at, sessionId] of round.sessionIds.entries()) {
    // A send that the kill cuts off was never shown as saved.
    tab.send(sessionId, `Pay ${round.number * 2 + at + 1}`).catch(() => {})
  }
  await within(killed, `the turn never came to "${moment}"`)
  const back = await kind.comeBack(tab, round)
  const found = audit(await back.rest(round.sessionIds), outside)
  if (found.problems.length > 0) throw new Error(found.problems.join('\n'))
  // The tool had no answer yet: without a call left open the kill met nobody, and proves nothing.
  if (moment === 'effect' && found.unknown === (before?.unknown ?? 0)) throw new Error('The kill left no call open.')
  return found
}

/** A third and more fall between effect and result. */
function momentOf({ pick }: Seeded): Moment {
  return pick(['saved', 'asked', 'called', 'effect', 'effect', 'replied', 'replied', 'streaming', 'answered'])
}

/** New sessions every ten rounds: an audit reads them whole. */
function sessionsOf(number: number, lane: number, lanes: number): string[] {
  const decade = Math.floor((number - settings.from) / (10 * lanes))
  return ['a', 'b'].map((name) => `${name}${decade}-${lane}`)
}

async function replayable<T>({ name }: Kind, { number }: Round, moment: Moment, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    const replay = `pnpm faults --seed ${settings.seed} --from ${number} --${name} 1`
    throw new Error(
      `${name} kill ${number} at "${moment}", seed ${settings.seed}: ${(cause as Error).message}\nReplay: ${replay}`,
      { cause },
    )
  }
}

export async function within<T>(work: Promise<T>, otherwise: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Within 30 s ${otherwise}.`)), 30_000)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
