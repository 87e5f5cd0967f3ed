/** What an answer cost, in one shape for all servers. */
import type { ModelUsage } from '@dogear/core'
import type { WireUsage } from './wire.ts'

export function toUsage(raw: WireUsage): ModelUsage {
  const input = raw.prompt_tokens ?? 0
  const reasoning = raw.completion_tokens_details?.reasoning_tokens ?? 0
  const written = raw.completion_tokens ?? 0
  // OpenAI counts reasoning as written; xAI counts it beside, which only the total shows.
  const output = raw.total_tokens === input + written + reasoning ? written + reasoning : written
  const cachedInput = raw.prompt_tokens_details?.cached_tokens ?? raw.prompt_cache_hit_tokens ?? 0
  return { input, output, total: raw.total_tokens ?? input + output, cachedInput, reasoning, raw }
}
