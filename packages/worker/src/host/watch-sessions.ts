/** Lists of sessions that pages watch: tabs tell each other that something in them changed, and each looks for itself. */
import type { Batch, Channel, Store } from '@dogear/core'
import type { Question } from '../protocol.ts'
import type { SessionInfo } from '../session-info.ts'
import type { Platform } from './platform.ts'
import { nameOf, tellTabs } from './tell-tabs.ts'

export type ListQuestion = Extract<Question, { type: 'sessions' }>

export interface WatchesOptions {
  readonly platform: Platform
  readonly list: (question: ListQuestion) => Promise<readonly SessionInfo[]>
  readonly told: (ref: number, sessions: readonly SessionInfo[]) => void
}

export interface Watches {
  begin(ref: number, question: ListQuestion): void
  end(ref: number): void
  /** Something in a user's list is another. */
  changed(user: string | undefined): void
  /** The browser puts the page away: nothing may wake it. */
  left(): void
  /** Looks that are under way may never end: their store is gone, or the page was away. */
  renew(isMeant?: (question: ListQuestion) => boolean): void
}

interface Watch {
  readonly question: ListQuestion
  readonly channel: Channel
  last?: string
  isLooking?: boolean
  isStale?: boolean
}

/** However much is told, a list is not read more often. */
const lookIn = 100

export function createWatches({ platform, list, told }: WatchesOptions): Watches {
  const { clock, transport } = platform
  const watches = new Map<number, Watch>()

  function begin(ref: number, question: ListQuestion): void {
    end(ref)
    const watch: Watch = {
      question,
      channel: transport.open(nameOf(question.user, ofList), () => void look(ref, watch)),
    }
    watches.set(ref, watch)
    void look(ref, watch)
  }

  function end(ref: number): void {
    watches.get(ref)?.channel.close()
    watches.delete(ref)
  }

  async function look(ref: number, watch: Watch): Promise<void> {
    watch.isStale = true
    if (watch.isLooking) return
    watch.isLooking = true
    while (watch.isStale) {
      // What changes together is read together.
      if (watch.last !== undefined) await clock.sleep(lookIn)
      watch.isStale = false
      // A store that fails now is asked again when something changes.
      const sessions = await list(watch.question).catch(() => undefined)
      if (watches.get(ref) !== watch) return
      const text = JSON.stringify(sessions)
      if (sessions && text !== watch.last) told(ref, sessions)
      watch.last = text ?? watch.last ?? ''
    }
    watch.isLooking = false
  }

  return {
    begin,
    end,
    changed: (user) => tellTabs(platform, user, ofList, { type: 'appended' }),
    left() {
      for (const { channel } of watches.values()) channel.close()
    },
    renew(isMeant = () => true) {
      for (const [ref, { question }] of [...watches]) if (isMeant(question)) begin(ref, question)
    },
  }
}

/** No session has this id. */
const ofList = ''

/** A store whose writes say what of them is seen in the list. */
export function toldStore(store: Store, changed: () => void): Store {
  const known = new Map<string, string>()
  const isNews = ({ sessionId, record }: Batch) => {
    const { status, asks, waiting, title, tag, archived } = record
    const seen = JSON.stringify([status, asks, waiting, title, tag, archived])
    const isKnown = known.get(sessionId) === seen
    known.set(sessionId, seen)
    return !isKnown
  }
  return {
    ...store,
    async append(batch) {
      const answer = await store.append(batch)
      if (answer === 'appended' && isNews(batch)) changed()
      return answer
    },
    async delete(sessionId) {
      known.delete(sessionId)
      await store.delete(sessionId)
      changed()
    },
  }
}
