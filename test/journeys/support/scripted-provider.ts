/** A provider behind the packed proxy that answers from a script, word by word, when the test says so. */
import type { Provider, ProviderRequest } from '@dogear/proxy'
import { pause, type Answer, type Beat } from '@dogear/testing'

/** The answers in order, or a function of the request and its number (from 0). */
export type Script = readonly Answer[] | ((request: ProviderRequest, n: number) => Answer)

export interface ScriptedProvider {
  readonly provider: Provider
  /** Every request the model was asked, in order: a returning page must not add to them. */
  readonly asked: readonly ProviderRequest[]
}

export function scriptedProvider(script: Script): ScriptedProvider {
  const asked: ProviderRequest[] = []
  const provider: Provider = {
    async stream(request, signal) {
      const n = asked.push(request) - 1
      const answer = typeof script === 'function' ? script(request, n) : script[n]
      if (!answer) throw new Error(`The script has ${n} answers and was asked for one more: add it.`)
      return chunksOf(Array.isArray(answer) ? answer.flat() : [answer as Beat], signal)
    },
    complete: () => Promise.reject(new Error('The journeys stream.')),
  }
  return { provider, asked }
}

/** Nothing more for so many milliseconds from now. */
export function after(milliseconds: number): Beat {
  return pause(new Promise((resolve) => setTimeout(resolve, milliseconds)))
}

async function* chunksOf(beats: readonly Beat[], signal: AbortSignal): AsyncGenerator<object> {
  let calls = 0
  for (const beat of beats) {
    if (beat.type === 'wait') await settledOrAborted(beat.until, signal)
    if (signal.aborted) return
    if (beat.type === 'throw') throw beat.error
    if (beat.type === 'text-delta') yield chunk({ content: beat.text })
    if (beat.type === 'reasoning-delta') yield chunk({ reasoning_content: beat.text })
    if (beat.type !== 'call') continue
    const index = calls++
    const tool = { name: beat.name, arguments: beat.args }
    yield chunk({ tool_calls: [{ index, id: `call_${index}`, type: 'function', function: tool }] })
  }
  yield chunk({}, calls > 0 ? 'tool_calls' : 'stop')
}

function chunk(delta: object, finish_reason: string | null = null): object {
  return { object: 'chat.completion.chunk', model: 'scripted', choices: [{ index: 0, delta, finish_reason }] }
}

async function settledOrAborted(until: Promise<unknown> | null, signal: AbortSignal): Promise<void> {
  const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
  await (until ? Promise.race([until, aborted]) : aborted)
}
