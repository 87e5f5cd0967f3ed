/** OpenAI's chat-completions wire: what we send, and the part of what servers answer that we read. */

export interface WireBody {
  model: string
  messages: WireMessage[]
  tools?: WireTool[]
  tool_choice?: 'auto' | 'none' | 'required'
  max_tokens?: number
  max_completion_tokens?: number
  temperature?: number
  stream: true
  stream_options?: { include_usage: boolean }
}

export type WireMessage =
  | { role: 'system'; content: string; name?: string }
  | { role: 'user'; content: string | WirePart[]; name?: string }
  | { role: 'assistant'; content: string | null; tool_calls?: WireToolCall[]; name?: string }
  | { role: 'tool'; content: string; tool_call_id: string }

export type WirePart = { type: 'text'; text: string } | { type: 'image_url'; image_url: { url: string } }

export interface WireToolCall {
  id: string
  type: 'function'
  function: { name: string; arguments: string }
}

export interface WireTool {
  type: 'function'
  function: { name: string; description: string; parameters: { readonly [name: string]: unknown } }
}

/** A chunk of a stream, or a whole completion, whose choices have a `message` instead of a `delta`. */
export interface WireChunk {
  model?: string
  choices?: readonly WireChoice[] | null
  usage?: WireUsage | null
  error?: unknown
}

export interface WireChoice {
  index?: number | null
  delta?: WireDelta | null
  message?: WireDelta | null
  finish_reason?: string | null
  error?: unknown
}

export interface WireDelta {
  content?: string | readonly WireContent[] | null
  refusal?: string | null
  reasoning_content?: string | null
  reasoning?: string | null
  reasoning_details?: readonly { text?: string | null; summary?: string | null }[] | null
  tool_calls?: readonly WireCallDelta[] | null
}

/** Mistral's content: text, or thinking that is itself made of text. */
export interface WireContent {
  type?: string
  text?: string
  thinking?: string | readonly WireContent[]
}

export interface WireCallDelta {
  index?: number | null
  id?: string | null
  /** Arguments are text by the specification; some servers send them as the object itself. */
  function?: { name?: string | null; arguments?: unknown } | null
}

export interface WireUsage {
  prompt_tokens?: number
  completion_tokens?: number
  total_tokens?: number
  prompt_tokens_details?: { cached_tokens?: number | null } | null
  completion_tokens_details?: { reasoning_tokens?: number | null } | null
  /** DeepSeek's word for cached tokens. */
  prompt_cache_hit_tokens?: number
}
