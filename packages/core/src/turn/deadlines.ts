/** The time limits of a turn's calls, kept by one timer: setting and cancelling one for each call costs more than the call. */
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
  let timer: { readonly at: number; readonly controller: AbortController } | undefined

  /** A timer of a deadline taken back is left alone: it wakes for nothing, and looks again. */
  function watch(): void {
    const at = Math.min(...Array.from(open, (deadline) => deadline.at))
    if (open.size === 0 || (timer && timer.at <= at)) return
    stop()
    const controller = new AbortController()
    timer = { at, controller }
    void clock.sleep(at - clock.now(), controller.signal).then(() => {
      if (controller.signal.aborted) return
      timer = undefined
      // Timers may wake a little before their time by the clock, and long after it.
      const reached = Math.max(at, clock.now())
      for (const deadline of open) {
        if (deadline.at > reached) continue
        open.delete(deadline)
        deadline.late()
      }
      watch()
    })
  }

  function stop(): void {
    // With a reason: without one the platform makes an error with a stack.
    timer?.controller.abort('not needed')
    timer = undefined
  }

  return {
    add(ms, late) {
      const deadline = { at: clock.now() + ms, late }
      open.add(deadline)
      watch()
      return () => void open.delete(deadline)
    },
    close: stop,
  }
}
