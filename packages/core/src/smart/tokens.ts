/** How many tokens a text has, about: close enough to know when a context is too long. */
import { describeError } from '../error.ts'
import { textOf, type Message } from '../session/message.ts'
import type { Run, RunAgent } from '../turn/run.ts'
import { unlessStopped } from '../turn/unless-stopped.ts'

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

/** What a picture is taken for: its address says nothing of its size. */
const tokensOfImage = 1_000
/** The role, and what separates one message from the next. */
const tokensBetween = 4

/** What these messages take of a model's context. */
export async function countMessages(run: Run, messages: readonly Message[]): Promise<number> {
  const texts = messages.map(wordsOf)
  const counts = await unlessStopped(run.signal, countTokens(run.agent(), texts)).catch((error: unknown) => {
    run.signal.throwIfAborted()
    run.warn(`tokenCounter threw (${describeError(error)}); tokens are guessed.`)
    return texts.map(countApproxTokens)
  })
  return messages.reduce((sum, message, index) => sum + (counts[index] ?? 0) + besideWords(message), 0)
}

export function countApproxMessage(message: Message): number {
  return countApproxTokens(wordsOf(message)) + besideWords(message)
}

function wordsOf(message: Message): string {
  const calls = message.tool_calls?.map(({ function: { name, arguments: args } }) => name + args) ?? []
  return textOf(message) + calls.join('')
}

function besideWords({ content }: Message): number {
  const images = Array.isArray(content) ? content.filter(({ type }) => type === 'image_url').length : 0
  return tokensBetween + images * tokensOfImage
}
