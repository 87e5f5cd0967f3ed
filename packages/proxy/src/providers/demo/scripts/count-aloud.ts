/** "Count to 40": slow enough to reload the page in the middle of it. */
import type { Script } from '../reply.ts'

export const countAloud: Script = ({ said }) => {
  const [, digits] = /\bcount\b(?:.*?(\d+))?/i.exec(said) ?? []
  if (!/\bcount\b/i.test(said) || (digits === undefined && !/\bcount\s+(up|for me|aloud|slowly)\b/i.test(said)))
    return undefined
  const last = Math.min(Number(digits ?? 20), 500)
  const numbers = Array.from({ length: last }, (_, index) => index + 1)
  return { text: `${numbers.join(', ')}. That is all ${last} of them.`, slowness: 8 }
}
