/** How many tokens a text has, about: close enough to know when a context is too long. */
import type { RunAgent } from '../turn/run.ts'

/** Four characters of English to a token; of other scripts nearly one each. */
export function countApproxTokens(text: string): number {
  let ascii = 0
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) < 128) ascii += 1
  return Math.ceil(ascii / 4 + (text.length - ascii) / 1.5)
}

/** By the agent's own counter, else by the guess. */
export async function countTokens(agent: RunAgent, texts: readonly string[]): Promise<number[]> {
  return agent.countTokens ? agent.countTokens(texts) : texts.map(countApproxTokens)
}
