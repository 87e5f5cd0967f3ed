/** The demo model: scripted, the same every time, at a human pace. Good enough to try every widget without a key. */
import type { Provider } from '../provider.ts'
import { asCompletion, speak } from './speak.ts'
import { reply } from './reply.ts'
import { readTranscript } from './transcript.ts'

export interface DemoOptions {
  /** Milliseconds between two deltas. Default 30; 0 says everything at once. */
  readonly pace?: number
}

export function demoProvider({ pace = 30 }: DemoOptions = {}): Provider {
  return {
    stream: async (request, signal) => speak(reply(readTranscript(request)), { request, pace, signal }),
    complete(asked, signal) {
      const request = { ...asked, stream_options: { include_usage: true } }
      return asCompletion(speak(reply(readTranscript(request)), { request, pace: 0, signal }))
    },
  }
}
