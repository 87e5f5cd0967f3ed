/** A clock that moves only when told to. */
import type { Clock } from '@dogear/core'

export interface FakeClock extends Clock {
  /** Moves time on and wakes, in order, everybody whose wait ends by then, also waits begun on the way. */
  advance(ms: number): Promise<void>
  /** The wall clock is set, as by daylight saving or a person; no wait gets shorter or longer by it. */
  jump(ms: number): void
  /** Resolves once somebody waits. */
  whenAsleep(): Promise<void>
  /** How long each of those now waiting has still to wait, soonest first. */
  waits(): number[]
}

export function fakeClock(start = 0): FakeClock {
  let elapsed = 0
  let offset = start
  const sleepers = new Set<Sleeper>()
  const watchers = new Set<() => void>()

  return { now: () => offset + elapsed, elapsed: () => elapsed, sleep, after, advance, jump, whenAsleep, waits }

  function sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const sleeper: Sleeper = { due: elapsed + ms, wake }
      sleepers.add(sleeper)
      signal?.addEventListener('abort', wake)
      for (const watcher of watchers) watcher()
      watchers.clear()

      function wake(): void {
        sleepers.delete(sleeper)
        signal?.removeEventListener('abort', wake)
        resolve()
      }
    })
  }

  function after(ms: number, call: () => void): () => void {
    const sleeper: Sleeper = { due: elapsed + ms, wake }
    sleepers.add(sleeper)
    function wake(): void {
      sleepers.delete(sleeper)
      call()
    }
    return () => void sleepers.delete(sleeper)
  }

  async function advance(ms: number): Promise<void> {
    const target = elapsed + ms
    for (let next = soonest(); next && next.due <= target; next = soonest()) {
      elapsed = Math.max(elapsed, next.due)
      next.wake()
      await othersRan()
    }
    elapsed = target
    await othersRan()
  }

  function soonest(): Sleeper | undefined {
    return [...sleepers].toSorted((a, b) => a.due - b.due)[0]
  }

  function jump(ms: number): void {
    offset += ms
  }

  function whenAsleep(): Promise<void> {
    if (sleepers.size > 0) return Promise.resolve()
    return new Promise((resolve) => watchers.add(resolve))
  }

  function waits(): number[] {
    return [...sleepers].map((sleeper) => sleeper.due - elapsed).toSorted((a, b) => a - b)
  }
}

interface Sleeper {
  readonly due: number
  wake(): void
}

/** Whoever woke gets to its next wait before time moves on, or a chain of waits would end late. */
async function othersRan(): Promise<void> {
  for (let turn = 0; turn < 100; turn += 1) await Promise.resolve()
}
