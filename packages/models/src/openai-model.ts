/** A model behind any server that speaks OpenAI's chat completions: the proxy, Ollama, OpenRouter … */
import type { Clock, DogearError, Model, ModelRequest } from '@dogear/core'
import { connect, send, type Call, type Server } from './connect.ts'
import { idOf } from './cursor.ts'
import { createEnding } from './ending.ts'
import { cutOff } from './failure.ts'
import { readAnswer } from './read-answer.ts'
import { createBodyWriter, type Dialect } from './request-body.ts'
import { patience } from './silence.ts'

export interface OpenAIModelOptions {
  /** What OpenAI clients call base URL: `${endpoint}/chat/completions` is asked. */
  readonly endpoint: string
  /** Asked before each request and sent as `Authorization: Bearer`; asked once more when the server says 401. */
  readonly token?: () => string | undefined | Promise<string | undefined>
  /** Further headers, asked before each request. */
  readonly headers?: () => Record<string, string> | Promise<Record<string, string>>
  /** The platform's own when not given. */
  readonly fetch?: typeof fetch
  /** Waits between tries. */
  readonly clock: Clock
  /** From 0 to 1, to spread the tries of many pages; `Math.random` when not given. */
  readonly random?: () => number
  /** How often a busy or failing server is asked again; 2 when not given. */
  readonly maxRetries?: number
}

export function createOpenAIModel(options: OpenAIModelOptions): Model {
  const server: Server = {
    ...options,
    fetch: options.fetch ?? fetch,
    random: options.random ?? Math.random,
    maxRetries: options.maxRetries ?? 2,
  }
  const endpoint = options.endpoint.replace(/\/+$/, '')
  const ending = createEnding()
  const bodyOf = createBodyWriter()
  const dialect: Dialect = { usageInStream: true, tokenLimit: 'max_tokens' }

  return {
    stream(request, { signal, key, after }) {
      const call = after === undefined ? ask(request, key) : reattach(key ?? '', after)
      const reading = { url: call.url, model: request.model, signal, after, ending, clock: server.clock }
      return readAnswer(connect(server, { model: request.model, signal, ...call }), reading)
    },
    async stop(key) {
      // Nobody waits for it, and a server without kept streams has nothing to stop.
      await send(server, { method: 'DELETE', url: streamUrl(key) }).catch(() => {})
    },
  }

  function ask(request: ModelRequest, key: string | undefined): Call {
    const query = key === undefined ? '' : `?key=${encodeURIComponent(key)}`
    return {
      method: 'POST',
      url: `${endpoint}/chat/completions${query}`,
      body: () => bodyOf(request, dialect),
      mend(failure) {
        // The step was begun by a page with other tools, say: its answer is under way, and asking twice would pay twice.
        const isBegun = key !== undefined && String(failure.details['serverCode']).includes('key_reused')
        if (isBegun) return { method: 'GET', url: streamUrl(key), body: undefined }
        return adapt(dialect, failure) ? {} : undefined
      },
    }
  }

  function reattach(key: string, after: string): Call {
    return {
      method: 'GET',
      url: `${streamUrl(key)}?after=${encodeURIComponent(idOf(after))}`,
      patience: patience.return,
      mend({ code, details }) {
        const status = Number(details['status'])
        const isThere = code === 'token-refused' || code === 'rate-limited' || status === 408 || status >= 500
        // A server that gives ids to its events need not keep them, and says so in whatever way it likes.
        if (!isThere || status === 501) throw cutOff({ lost: true, status })
        return undefined
      },
    }
  }

  function streamUrl(key: string): string {
    return `${endpoint}/streams/${encodeURIComponent(key)}`
  }
}

/** Servers differ in two fields, and say so when they meet the wrong one. */
function adapt(dialect: Dialect, { details }: DogearError): boolean {
  const words = String(details['serverMessage'])
  if (dialect.usageInStream && words.includes('stream_options')) {
    dialect.usageInStream = false
    return true
  }
  if (dialect.tokenLimit === 'max_tokens' && words.includes('max_completion_tokens')) {
    dialect.tokenLimit = 'max_completion_tokens'
    return true
  }
  return false
}
