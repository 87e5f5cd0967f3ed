/** A provider that says a word when the test tells it to, and shows when it was told to stop. */
import type { Provider, ProviderRequest } from '../src/index.ts'

export function handDrivenProvider() {
  const calls: Call[] = []
  const provider: Provider = {
    stream: async (request, signal) => openCall(calls, request, signal).words,
    complete: async (request, signal) => {
      openCall(calls, request, signal)
      return { object: 'chat.completion', choices: [{ message: { role: 'assistant', content: 'whole' } }] }
    },
  }
  return { provider, calls }
}

export interface Call {
  readonly request: ProviderRequest
  readonly signal: AbortSignal
  readonly words: AsyncIterable<object>
  say(word: string): void
  end(): void
  fail(error: Error): void
}

function openCall(calls: Call[], request: ProviderRequest, signal: AbortSignal): Call {
  let controller!: ReadableStreamDefaultController<object>
  const words = new ReadableStream<object>({ start: (given) => void (controller = given) })
  signal.addEventListener('abort', () => controller.error(new Error('aborted')))
  const call: Call = {
    request,
    signal,
    words,
    say: (content) => controller.enqueue({ choices: [{ index: 0, delta: { content }, finish_reason: null }] }),
    end: () => controller.close(),
    fail: (error) => controller.error(error),
  }
  calls.push(call)
  return call
}
