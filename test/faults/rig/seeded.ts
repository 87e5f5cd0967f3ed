/** Numbers that look like chance and come again with the same seed. */
export interface Seeded {
  /** From 0 up to 1. */
  next(): number
  pick<T>(choices: readonly T[]): T
}

export function seeded(...parts: readonly (string | number)[]): Seeded {
  let state = hashOf(parts.join(':'))
  // mulberry32
  function next(): number {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return { next, pick: (choices) => choices[Math.floor(next() * choices.length)]! }
}

function hashOf(text: string): number {
  let hash = 2166136261
  for (const character of text) hash = Math.imul(hash ^ character.charCodeAt(0), 16777619)
  return hash
}
