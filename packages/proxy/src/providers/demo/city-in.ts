/** The city a sentence is about, loosely: "a weekend in lisbon", "three nights in New York". */

export function cityIn(said: string): string | undefined {
  const [, proper] =
    /\b(?:in|to|for|around|visit|visiting)\s+(\p{Lu}[\p{L}'-]+(?:\s\p{Lu}[\p{L}'-]+)*)/u.exec(said) ?? []
  if (proper !== undefined) return proper
  const [, plain] = /\b(?:in|to|visit)\s+(?!the\b|an?\b|my\b|me\b|\w+\s+to\b)(\p{L}{3,})/u.exec(said) ?? []
  return plain === undefined ? undefined : plain.charAt(0).toUpperCase() + plain.slice(1)
}
