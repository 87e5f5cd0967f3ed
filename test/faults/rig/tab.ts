/** A tab of the page under fault, and what can be done to it. */
import type { CDPSession, Page } from 'puppeteer-core'
import type { Stored } from './audit.ts'

export interface Tab {
  readonly page: Page
  readonly debugger: CDPSession
  /** Opens sessions in the page. */
  enter(sessionIds: readonly string[]): Promise<void>
  send(sessionId: string, text: string): Promise<void>
  /** Until the sessions rest, and each has had so many turns; what is stored then. */
  rest(sessionIds: readonly string[], turns?: number): Promise<Stored>
  /** Until the session is at `rest`, or shows what holds it up. */
  settles(sessionId: string): Promise<string>
  /** As a person does who presses Retry. */
  resume(sessionId: string): Promise<void>
  /** Until the turn has ended. */
  stop(sessionId: string): Promise<void>
  /** Until the answer to the open turn streams. */
  streams(sessionId: string): Promise<void>
  /** How many workers the page has started. */
  workers(): Promise<number>
  /** The words of every message, as the page has them; of one with calls alone there are none. */
  shown(sessionId: string): Promise<(string | null)[]>
  /** What a person gets who saves the session to a file. */
  exported(sessionId: string): Promise<string>
  stored(sessionIds: readonly string[]): Promise<Stored>
  /** When another owner than that of this epoch has the session, and how often it had asked in vain for the old one. */
  tookOver(sessionId: string, epoch: number): Promise<TakeOver>
  endWorker(): Promise<void>
  /** Kills the renderer. */
  crash(): Promise<void>
  offline(isOffline: boolean): Promise<void>
  /** Sets the clock of the page and of its worker by so many milliseconds, until the page is reloaded. */
  setClock(by: number): Promise<void>
  /** Bytes this origin may hold from now on; without a number as many as ever. */
  quota(bytes?: number): Promise<void>
  /** Takes all the space this origin may have. */
  fill(): Promise<void>
  freeze(isFrozen: boolean): Promise<void>
  close(): Promise<void>
}

export interface TakeOver {
  readonly at: number
  readonly silentPings: number
}

export async function openTab(page: Page, url: string): Promise<Tab> {
  const session = await page.createCDPSession()
  await page.goto(url)
  const { origin } = new URL(url)
  return {
    page,
    debugger: session,
    enter: (sessionIds) => page.evaluate((ids) => rig.open(ids), sessionIds),
    send: (sessionId, text) => page.evaluate((id, words) => rig.send(id, words), sessionId, text),
    rest: (sessionIds, turns = 0) => page.evaluate((ids, count) => rig.rest(ids, count), sessionIds, turns),
    settles: (sessionId) => page.evaluate((id) => rig.settles(id), sessionId),
    resume: (sessionId) => page.evaluate((id) => rig.session(id).resume(), sessionId),
    async stop(sessionId) {
      await page.evaluate((id) => rig.session(id).stop(), sessionId)
      await page.waitForFunction((id) => rig.session(id).status.value === 'idle', {}, sessionId)
    },
    async streams(sessionId) {
      await page.waitForFunction((id) => rig.session(id).partial.value?.text, {}, sessionId)
    },
    workers: () => page.evaluate(() => rig.workers()),
    shown: (sessionId) => page.evaluate((id) => rig.shown(id), sessionId),
    exported: (sessionId) => page.evaluate((id) => rig.exported(id), sessionId),
    stored: (sessionIds) => page.evaluate((ids) => rig.stored(ids), sessionIds),
    tookOver: (sessionId, epoch) => page.evaluate((id, old) => rig.tookOver(id, old), sessionId, epoch),
    endWorker: () => page.evaluate(() => rig.endWorker()),
    async crash() {
      const crashed = new Promise((resolve) => session.once('Inspector.targetCrashed', resolve))
      await session.send('Inspector.enable')
      // Never answered: whoever should answer is gone.
      session.send('Page.crash').catch(() => {})
      await crashed
    },
    async offline(offline) {
      await session.send('Network.enable')
      const unlimited = { latency: 0, downloadThroughput: -1, uploadThroughput: -1 }
      await session.send('Network.emulateNetworkConditions', { offline, ...unlimited })
    },
    async setClock(by) {
      const [worker, ...others] = page.workers()
      if (!worker || others.length > 0) throw new Error('The page has one worker.')
      await Promise.all([page.evaluate(shiftDate, by), worker.evaluate(shiftDate, by)])
    },
    quota: (quotaSize) => session.send('Storage.overrideQuotaForOrigin', { origin, quotaSize }),
    fill: () => page.evaluate(() => rig.fill()),
    freeze: (isFrozen) => session.send('Page.setWebLifecycleState', { state: isFrozen ? 'frozen' : 'active' }),
    close: () => page.close(),
  }
}

/** Runs in the page, or in its worker. */
function shiftDate(by: number): void {
  const Unshifted = Date
  globalThis.Date = class extends Unshifted {
    constructor(...given: unknown[]) {
      // The cast: whatever a Date is made of; of nothing, it is now.
      super(...((given.length > 0 ? given : [Unshifted.now() + by]) as [number]))
    }
    static override now = () => Unshifted.now() + by
  } as DateConstructor
}

/** `page.js` in the page. */
declare const rig: {
  open(sessionIds: readonly string[]): Promise<void>
  send(sessionId: string, text: string): void
  rest(sessionIds: readonly string[], turns: number): Promise<Stored>
  settles(sessionId: string): Promise<string>
  session(sessionId: string): {
    resume(): void
    stop(): Promise<void>
    readonly status: { readonly value: string }
    readonly partial: { readonly value: { readonly text: string } | null }
  }
  workers(): number
  shown(sessionId: string): (string | null)[]
  exported(sessionId: string): Promise<string>
  stored(sessionIds: readonly string[]): Promise<Stored>
  tookOver(sessionId: string, epoch: number): Promise<TakeOver>
  endWorker(): void
  fill(): Promise<void>
}
