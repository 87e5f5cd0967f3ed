/** Any server that speaks OpenAI's chat completions, through the official client. */
import OpenAI from 'openai'
import { ProxyError } from '../../proxy-error.ts'
import type { Provider, ProviderRequest } from '../provider.ts'
import { explainFailure } from './explain-failure.ts'

export interface OpenAIOptions {
  /** Servers such as Ollama want none. */
  readonly apiKey?: string | undefined
  readonly baseURL?: string | undefined
}

export function openaiProvider({ apiKey, baseURL }: OpenAIOptions): Provider {
  const client = new OpenAI({
    apiKey: apiKey ?? 'none',
    baseURL: baseURL ?? 'https://api.openai.com/v1',
    // The page retries, and shows that it does: a second layer here would multiply the waiting.
    maxRetries: 0,
    // At its debug level the client prints whole requests.
    logLevel: 'off',
    // A redirect would carry the key to an address nobody configured.
    fetchOptions: { redirect: 'manual' },
  })
  const limitField = baseURL === undefined ? 'max_completion_tokens' : 'max_tokens'

  return {
    async stream(request, signal) {
      const body = { ...bodyOf(request, limitField), stream: true as const }
      const { data, response } = await attempt(() => client.chat.completions.create(body, { signal }).withResponse())
      if (!response.headers.get('content-type')?.includes('event-stream')) {
        data.controller.abort()
        throw malformed()
      }
      return chunksOf(data)
    },

    complete: (request, signal) =>
      attempt(async () => {
        const body = { ...bodyOf(request, limitField), stream: false as const, stream_options: undefined }
        const completion: unknown = await client.chat.completions.create(body, { signal })
        if (typeof completion !== 'object' || completion === null || !('choices' in completion)) throw malformed()
        return completion
      }),
  }
}

type Body = Omit<OpenAI.ChatCompletionCreateParams, 'stream'>

function bodyOf({ maxTokens, ...request }: ProviderRequest, limitField: string): Body {
  // Checked field by field by our own schema, which also takes what OpenAI-like servers added to the wire.
  return { ...request, ...(maxTokens === undefined ? {} : { [limitField]: maxTokens }) } as Body
}

async function attempt<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    throw explainFailure(error)
  }
}

/** The client ends quietly when a connection is cut; an answer that never said it was finished is not one. */
async function* chunksOf(stream: AsyncIterable<OpenAI.ChatCompletionChunk>): AsyncGenerator<object> {
  let isFinished = false
  try {
    for await (const chunk of stream) {
      isFinished ||= chunk.choices?.some((choice) => choice.finish_reason != null) ?? false
      yield chunk
    }
  } catch (error) {
    throw explainFailure(error)
  }
  if (!isFinished)
    throw new ProxyError(502, 'upstream_cut', "The provider's answer broke off before its end. Try again.", {
      retry: true,
    })
}

function malformed(): ProxyError {
  return new ProxyError(
    502,
    'upstream_malformed',
    "The provider's address answered with something other than a chat completion. Check OPENAI_BASE_URL on the proxy; it usually ends in /v1.",
  )
}
