/** What holds a turn up: waited out by itself, and cut short by hints. A failed try is the fact, a hint is only a hint. */
import type { Clock } from '../ports/clock.ts'
import type { Hash } from '../ports/hash.ts'
import type { Waiting } from '../session/state.ts'

export interface HoldUp {
  readonly reason: Waiting | null
  /** Resolves when another try is worth it; rejects when `signal` aborts. `seed` spreads the tries of many pages. */
  wait(reason: Waiting, signal: AbortSignal, seed: string): Promise<void>
  /** Trying again may be worth it now. */
  hint(): void
  /** It goes on, or is given up. */
  over(): void
}

/** The longest wait for a hint. For the network it is reached step by step, from half a second. */
const longest = { network: 30_000, token: 60_000, space: 5_000, page: 600_000 } as const
/** A try that fails sooner than this changes nothing that is shown: "offline" must not flicker. */
const calm = 1_000

export function createHoldUp(clock: Clock, hash: Hash, show: (reason: Waiting | null) => void): HoldUp {
  let reason: Waiting | null = null
  let hinted: (() => void)[] = []
  /** Came while a try was under way: forgotten, the failure of that try would be waited out for nothing. */
  let isHinted = false
  let triesInVain = 0
  let stopCalm = () => {}

  function set(next: Waiting | null): void {
    stopCalm()
    if (reason === next) return
    reason = next
    show(next)
  }

  /** Not to the second the same for all who lost the same server. */
  function patience(why: Waiting, seed: string): number {
    if (why !== 'network') return longest[why]
    triesInVain += 1
    const chance = parseInt(hash.sha256(`${seed} ${triesInVain}`).slice(0, 8), 16) / 2 ** 32
    return Math.min(longest.network, 500 * 2 ** triesInVain) * (0.5 + chance / 2)
  }

  return {
    get reason() {
      return reason
    },
    async wait(why, signal, seed) {
      // What is aborted already tells nobody again, and the wait would last to its limit.
      signal.throwIfAborted()
      set(why)
      if (!isHinted) {
        const done = new AbortController()
        const hint = new Promise<void>((resolve) => hinted.push(resolve))
        const stopped = new Promise<void>((resolve) =>
          signal.addEventListener('abort', () => resolve(), { once: true, signal: done.signal }),
        )
        await Promise.race([hint, stopped, clock.sleep(patience(why, seed), done.signal)])
        done.abort()
      }
      isHinted = false
      signal.throwIfAborted()
      stopCalm = clock.after(calm, () => set(null))
    },
    hint() {
      const waiting = hinted
      hinted = []
      isHinted = waiting.length === 0
      triesInVain = 0
      for (const wake of waiting) wake()
    },
    over() {
      triesInVain = 0
      set(null)
    },
  }
}
