/** The person: opens tabs, asks, decides, tries again what failed, and believes what the page says is saved. */
import { emptyHead, foldOf, reduce, statusOf, type Fold, type Request } from '@dogear/core'
import type { Session, Turn } from '@dogear/worker'
import { moodAbout, wordsOf } from './story.ts'
import { openTab, type Outside, type Tab } from './tab.ts'
import type { World } from './world.ts'

export interface Person {
  /** Looks at the screen once, and does what there is to do. */
  look(): Promise<void>
  /** Everything asked for has been answered, and nothing is left to go wrong. */
  isDone(): Promise<boolean>
  /** How many turns were asked for. */
  turns(): number
  /** The turn that ended last, as the disk has it. */
  lastTurn(): string | undefined
  tabs(): readonly Tab[]
}

/** More turns than this are not asked for, whatever is still to go wrong. */
const mostTurns = 12

/** What the person finds when they look at their bank account. */
export function onTheStatement(callId: string): string {
  return `${callId} is on the statement`
}

export function createPerson(world: World, outside: Outside): Person {
  const { story, random, ledger, time } = world
  const tabs: Tab[] = []
  const fold: Fold = foldOf(emptyHead('s1', 'tester'))
  let opened = 0
  let turns = 0
  let asked: { readonly commandId: string; readonly tab: Tab; isRefused: boolean; isRetry?: boolean } | undefined
  /** When an answer to a request was last given. */
  const answeredAt = new Map<string, number>()
  const waitingSince = new Map<string, number>()
  let extra = story.isRestless ? random.between(1, 4) : 0
  let progressAt = 0
  let progressSeq = 0

  function reopenTabs(): void {
    for (let index = 0; index < story.tabs; index += 1) {
      if (tabs[index] && !tabs[index]?.isDead()) continue
      opened += 1
      tabs[index] = openTab(world, outside, `tab${opened}`)
    }
  }

  /** What is true on the disk, so that the person never asks for the same thing twice by mistake. */
  async function truth(): Promise<Fold['head']> {
    for (const entry of await outside.disk.store.entries('s1', fold.head.seq)) reduce(fold, entry)
    return fold.head
  }

  async function isUnderstood(): Promise<boolean> {
    if (!asked) return true
    const { commandId, tab, isRefused } = asked
    const head = await truth()
    // Also when the page was told that it is not saved: it may have been, and nobody heard of it.
    if (head.commands.includes(commandId)) {
      asked = undefined
      return true
    }
    if ((await outside.disk.store.inbox('s1')).some(({ command }) => command.commandId === commandId)) return false
    // Neither written nor still on its way: the words died with their page, and were not promised.
    if (!isRefused && !tab.isDead()) return false
    asked = { ...asked, isRefused: true }
    return true
  }

  function keep(tab: Tab, turn: Turn, words?: string): Turn {
    const type = words === undefined ? 'command' : 'send'
    turn.saved.then(
      () => {
        if (tab.isDead()) return
        world.log(() => `      ${tab.page.name} shows ${turn.id} as saved`)
        ledger.promise(turn.id, { type, words })
      },
      () => {
        if (asked?.commandId === turn.id) asked = { ...asked, isRefused: true }
      },
    )
    return turn
  }

  function ask(tab: Tab, session: Session, turn: number): void {
    world.log(() => `${tab.page.name}: the person says "${wordsOf(turn)}"`)
    const { id } = keep(tab, session.send(wordsOf(turn)), wordsOf(turn))
    asked = { commandId: id, tab, isRefused: false }
  }

  function decide(tab: Tab, session: Session, request: Request): void {
    const last = answeredAt.get(request.id)
    if (last !== undefined && time.elapsed() - last < 3000 && !story.isRestless) return
    const { id, callId, kind, args } = request
    const resolution = resolutionOf(request)
    if (!resolution) return
    world.log(() => `${tab.page.name}: the person answers ${kind} ${callId} with ${resolution.type}`)
    answeredAt.set(id, time.elapsed())
    if (resolution.type === 'approve') ledger.approved(callId, resolution.args ?? args)
    keep(tab, session.resolve(id, resolution))
  }

  function resolutionOf({ kind, callId, args }: Request): Parameters<Session['resolve']>[1] | undefined {
    if (kind === 'question') return { type: 'answer', answers: [{ values: ['Yes'] }] }
    if (kind === 'outcome') {
      // An honest person looks at their bank account, and waits while something may still happen.
      if (tabs.some((tab) => !tab.isDead() && tab.underway.has(callId))) return waitFor(callId)
      const happened = ledger.effects.some((effect) => effect.callId === callId)
      return happened ? { type: 'happened', result: onTheStatement(callId) } : { type: 'retry' }
    }
    const mood = moodAbout(args)
    if (mood === 'reject') return { type: 'reject', comment: 'not today' }
    return { type: 'approve', ...(mood === 'edit' && { args: { ...(args as object), edited: true } }) }
  }

  /** A call that hangs for minutes in a tab that no longer drives is ended by closing that tab. */
  function waitFor(callId: string): undefined {
    const since = waitingSince.get(callId) ?? time.elapsed()
    waitingSince.set(callId, since)
    if (time.elapsed() - since < 120_000) return
    for (const tab of tabs) if (tab.underway.has(callId)) tab.kill()
  }

  /** Whatever a person may do at a bad moment. */
  function fidget(tab: Tab, session: Session): void {
    if (extra === 0 || world.isHealed() || !random.chance(0.2)) return
    extra -= 1
    const whim = random.pick(['stop', 'later', 'now', 'rename', 'reload'] as const)
    world.log(() => `${tab.page.name}: the person is restless: ${whim}`)
    if (whim === 'reload') return tab.kill()
    if (whim === 'stop') return void session.stop().catch(() => {})
    if (whim === 'rename') return void session.rename('Renamed').catch(() => {})
    const words = `Extra ${extra}`
    keep(tab, session.send(words, { when: whim }), words)
  }

  /** Something is due, and goes on by itself, whatever went wrong. */
  async function loseTemper(): Promise<void> {
    const { seq } = await truth()
    if (seq !== progressSeq || (!wantsMore() && (await isAtRest()) && (await isUnderstood()))) {
      progressSeq = seq
      progressAt = time.elapsed()
    }
    if (time.elapsed() - progressAt < 300_000) return
    progressAt = time.elapsed()
    ledger.violated('[G7] the session stands still for five minutes')
  }

  async function isStill(): Promise<boolean> {
    return (await truth()).turn === null && (await outside.disk.store.inbox('s1')).length === 0
  }

  async function isAtRest(): Promise<boolean> {
    return (await isStill()) && fold.head.queue.length === 0
  }

  async function look(): Promise<void> {
    reopenTabs()
    await loseTemper()
    const awake = tabs.filter((tab) => !tab.isDead() && !tab.isFrozen() && tab.session())
    if (awake.length === 0) return
    const tab = random.pick(awake)
    const session = tab.session()!
    if (session.connection.value.type === 'failed') session.resume()
    fidget(tab, session)
    if (tab.isDead()) return
    if (session.status.value === 'paused') {
      for (const request of session.requests.value) decide(tab, session, request)
      return
    }
    if (session.status.value !== 'idle' || !(await isStill()) || !(await isUnderstood())) return
    const head = await truth()
    // What this tab shows may lag behind.
    if (session.lastEnd.value?.turnId !== head.lastEnd?.turnId) return
    if (asked?.isRefused && !asked.isRetry) return ask(tab, session, turns - 1)
    if (head.lastEnd && head.lastEnd.terminalReason !== 'completed') return void keepRetry(tab, session)
    // A Retry that died with its page, of a turn that another has ended well meanwhile.
    if (asked?.isRefused) asked = undefined
    if (head.queue.length || !wantsMore()) return
    turns += 1
    ask(tab, session, turns - 1)
  }

  function keepRetry(tab: Tab, session: Session): void {
    world.log(() => `${tab.page.name}: the person presses Retry`)
    const { id } = keep(tab, session.retry())
    asked = { commandId: id, tab, isRefused: false, isRetry: true }
  }

  function wantsMore(): boolean {
    return turns < story.turns.length || (world.chaosLeft() > 0 && turns < mostTurns)
  }

  return {
    look,
    async isDone() {
      if (wantsMore() || !(await isAtRest()) || !(await isUnderstood()) || asked?.isRefused) return false
      const { lastEnd, seq } = fold.head
      if (lastEnd?.terminalReason !== 'completed' || statusOf(fold.head) !== 'idle') return false
      return tabs.some((tab) => !tab.isDead() && tab.session()?.lastEnd.value?.turnId === lastEnd.turnId && seq > 0)
    },
    turns: () => turns,
    lastTurn: () => fold.head.lastEnd?.turnId,
    tabs: () => tabs,
  }
}
