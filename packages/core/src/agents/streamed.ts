/** A run as an async iterable of its events. */
import type { SmartAgentEvent } from '../trace/event.ts'
import type { AgentResult, InvokeOptions } from './invoke-config.ts'

export async function* streamed(
  invoke: (config: InvokeOptions) => Promise<AgentResult>,
  config: InvokeOptions = {},
): AsyncGenerator<SmartAgentEvent, AgentResult, void> {
  const waiting: SmartAgentEvent[] = []
  const left = new AbortController()
  const leave = () => left.abort()
  if (config.signal?.aborted) leave()
  config.signal?.addEventListener('abort', leave)
  let isOver = false
  let wake = () => {}
  const result = invoke({
    ...config,
    stream: true,
    signal: left.signal,
    onEvent(event) {
      waiting.push(event)
      wake()
      return config.onEvent?.(event)
    },
  }).finally(() => {
    isOver = true
    wake()
  })
  // Awaited at the end; without this a run that fails while nobody reads would be unhandled.
  result.catch(() => {})
  try {
    for (;;) {
      while (waiting.length) yield waiting.shift() as SmartAgentEvent
      if (isOver) return await result
      await new Promise<void>((resolve) => (wake = resolve))
    }
  } finally {
    config.signal?.removeEventListener('abort', leave)
    leave()
  }
}
