/** What a model call cost, in one shape, whichever provider said it. */
import type { ModelUsage } from '../ports/model.ts'
import type { NormalizedUsage } from './smart-state.ts'

type Raw = Readonly<Record<string, unknown>>

/** Takes the usage of OpenAI, Anthropic, Gemini and LangChain, and our own. Undefined when there is none. */
export function normalizeUsage(raw: unknown): NormalizedUsage | undefined {
  if (!isRecord(raw)) return undefined
  const input = number(raw, 'prompt_tokens', 'input_tokens', 'inputTokens', 'promptTokenCount', 'input')
  const output = number(raw, 'completion_tokens', 'output_tokens', 'outputTokens', 'candidatesTokenCount', 'output')
  const total = number(raw, 'total_tokens', 'totalTokens', 'totalTokenCount', 'total')
  if (input === undefined && output === undefined && total === undefined) return undefined
  const cached =
    number(details(raw, 'prompt_tokens_details', 'input_tokens_details'), 'cached_tokens') ??
    number(details(raw, 'input_token_details'), 'cache_read') ??
    number(raw, 'cache_read_input_tokens', 'cachedInputTokens', 'cachedContentTokenCount', 'cachedInput')
  const spoken = details(raw, 'completion_tokens_details', 'output_tokens_details')
  const reasoning =
    number(spoken, 'reasoning_tokens') ??
    number(details(raw, 'output_token_details'), 'reasoning') ??
    number(raw, 'reasoningTokens', 'thoughtsTokenCount', 'reasoning')
  return {
    prompt_tokens: input ?? 0,
    completion_tokens: output ?? 0,
    total_tokens: total ?? (input ?? 0) + (output ?? 0),
    prompt_tokens_details: withNumbers(
      cached === undefined ? {} : { cached_tokens: cached },
      details(raw, 'prompt_tokens_details'),
      'audio_tokens',
    ),
    completion_tokens_details: withNumbers(
      reasoning === undefined ? {} : { reasoning_tokens: reasoning },
      spoken,
      'audio_tokens',
      'accepted_prediction_tokens',
      'rejected_prediction_tokens',
    ),
    raw: 'raw' in raw ? raw.raw : raw,
  }
}

export function toModelUsage(usage: NormalizedUsage): ModelUsage {
  return {
    input: usage.prompt_tokens,
    output: usage.completion_tokens,
    total: usage.total_tokens,
    cachedInput: usage.prompt_tokens_details?.cached_tokens ?? 0,
    reasoning: usage.completion_tokens_details?.reasoning_tokens ?? 0,
    raw: usage.raw,
  }
}

function isRecord(value: unknown): value is Raw {
  return typeof value === 'object' && value !== null
}

function number(from: Raw, ...names: readonly string[]): number | undefined {
  for (const name of names) {
    const value = from[name]
    if (typeof value === 'number') return value
  }
  return undefined
}

function details(from: Raw, ...names: readonly string[]): Raw {
  for (const name of names) {
    const value = from[name]
    if (isRecord(value)) return value
  }
  return none
}

const none: Raw = {}

function withNumbers(made: Record<string, number>, from: Raw, ...names: readonly string[]): Record<string, number> {
  for (const name of names) {
    const value = from[name]
    if (typeof value === 'number') made[name] = value
  }
  return made
}
