/** Notices a connection that is open and dead: nothing comes any more, and nothing says that it is lost. */
import type { Clock } from '@dogear/core'

export interface Silence {
  /** Something came. */
  broken: boolean
  end(): void
}

const tick = 30_000

/**
 * How many half minutes in which nothing comes are borne. `return`: going back to a stream costs nothing, and such servers
 * say now and then that they live. `stream`: asking another server again costs an answer. `answer`: before its first
 * byte, a server may load its model, or write all of an answer that it does not stream.
 */
export const patience = { return: 1, stream: 4, answer: 10 } as const

/** `dead` is called after `ticks()` half minutes in which nothing came. Counted, not measured: a clock may be set. */
export function watchSilence(clock: Clock, ticks: () => number, dead: () => void): Silence {
  let silent = 0
  let stop = clock.after(tick, look)
  const silence: Silence = { broken: false, end: () => stop() }

  function look(): void {
    silent = silence.broken ? 0 : silent + 1
    silence.broken = false
    if (silent >= ticks()) return dead()
    stop = clock.after(tick, look)
  }
  return silence
}
