/** What the proxy asks of whoever answers. */
import type { ChatRequest } from '../request/chat-request.ts'

export interface Provider {
  /** Settles when the provider has accepted the request; failures are ProxyErrors, before and while it answers. */
  stream(request: ProviderRequest, signal: AbortSignal): Promise<AsyncIterable<object>>
  /** The whole answer at once, as one chat completion. */
  complete(request: ProviderRequest, signal: AbortSignal): Promise<object>
}

export type ProviderRequest = Omit<ChatRequest, 'max_tokens' | 'max_completion_tokens'> & {
  readonly maxTokens: number | undefined
}
