/** A duration as people read it: "1.2 s". */

import type { Strings } from './strings.ts'

/** In milliseconds; what takes less would read as "0 s", which tells nobody anything. */
export const leastShown = 50

export function durationText(milliseconds: number, strings: Strings, language?: string): string {
  const seconds = milliseconds / 1000
  const digits = seconds < 10 ? 1 : 0
  return strings.seconds(seconds.toLocaleString(language, { maximumFractionDigits: digits }))
}
