/**
 * The time limits of a turn's calls, kept by one timer: setting and cancelling one for each call costs more than the call.
 * By time that passed: a clock that is set must not end a call, nor keep it from ending.
 */
import type { Clock } from '../ports/clock.ts'

export interface Deadlines {
  /** Calls `late` once the time is up, unless it is taken back before by what this returns. */
  add(ms: number, late: () => void): () => void
  close(): void
}

interface Deadline {
  readonly at: number
  readonly late: () => void
}

export function createDeadlines(clock: Clock): Deadlines {
  const open = new Set<Deadline>()
  let timer: { readonly at: number; readonly cancel: () => void } | undefined

  /** A timer of a deadline taken back is left alone: it wakes for nothing, and looks again. */
  function watch(at: number): void {
    if (at === Infinity || (timer && timer.at <= at)) return
    stop()
    timer = { at, cancel: clock.after(at - clock.elapsed(), () => ring(at)) }
  }

  function ring(at: number): void {
    timer = undefined
    // Timers may wake a little before their time by the clock, and long after it.
    const reached = Math.max(at, clock.elapsed())
    for (const deadline of open) {
      if (deadline.at > reached) continue
      open.delete(deadline)
      deadline.late()
    }
    watch(Math.min(...Array.from(open, (deadline) => deadline.at)))
  }

  function stop(): void {
    timer?.cancel()
    timer = undefined
  }

  return {
    add(ms, late) {
      const deadline = { at: clock.elapsed() + ms, late }
      open.add(deadline)
      watch(deadline.at)
      return () => void open.delete(deadline)
    },
    close: stop,
  }
}
