/** Facts as every memory keeps them: what holds, what took whose place, what a question is about. */
import type { MemoryFact } from './memory.ts'

export function holds({ obsolete, ttl, lastUpdatedAt }: MemoryFact, now: number): boolean {
  return !obsolete && (!ttl || Date.parse(lastUpdatedAt) + ttl > now)
}

/** The facts of one key once this one is among them: a fact whose value changed stays a while, as obsolete. */
export function succeeded(before: MemoryFact | undefined, fact: MemoryFact): MemoryFact[] {
  const isChanged = before !== undefined && before.value !== fact.value
  return isChanged ? [{ ...before, obsolete: true }, fact] : [fact]
}

export function newestFacts(facts: readonly MemoryFact[], limit?: number): MemoryFact[] {
  return facts.toSorted((one, other) => Date.parse(other.lastUpdatedAt) - Date.parse(one.lastUpdatedAt)).slice(0, limit)
}

/** By the words they share with the query; a fact that shares none is not found. */
export function searchFacts(facts: readonly MemoryFact[], query: string, limit: number): MemoryFact[] {
  const wanted = wordsOf(query)
  return newestFacts(facts)
    .map((fact) => {
      const words = [...wordsOf([fact.key, fact.value, ...(fact.tags ?? [])].join(' '))]
      return { fact, score: words.filter((word) => wanted.has(word)).length / Math.sqrt(words.length || 1) }
    })
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, limit)
    .map(({ fact }) => fact)
}

function wordsOf(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu))
}
