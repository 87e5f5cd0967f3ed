/** Agents whose runs are traced. Not in the script tag's file: whoever wants traces has a bundler. */
import type { TracingConfig } from '@dogear/core'
import type { Opened, Session } from '@dogear/worker'
import * as plain from './agent.ts'
import { tracePlatform } from './trace-platform.ts'
import { traceSession } from './traced-session.ts'

export function createAgent(options: plain.PageAgentOptions = {}): plain.Agent {
  return plain.createAgent(options, traceWith(options.tracing))
}

/** An agent that may also plan (`useTodoList`), ask its person (`humanInTheLoop`) and keep to a `runtimeProfile`. */
export function createSmartAgent(options: plain.SmartPageAgentOptions = {}): plain.Agent {
  return plain.createSmartAgent(options, traceWith(options.tracing))
}

function traceWith(config: TracingConfig | undefined): Opened | undefined {
  if (!config?.enabled) return undefined
  const traced = new WeakSet<Session>()
  return async (session) => {
    // Opened twice it is one session.
    if (traced.has(session)) return
    traced.add(session)
    await inOneTab(`dogear-trace:${session.agent.user ?? ''}:${session.id}`, () => {
      traceSession(session, config, tracePlatform)
    })
  }
}

/** The locks of this page, which it keeps until it is gone. */
const held = new Set<string>()
const forever = new Promise<never>(() => {})

/** Every tab hears every entry: without a lock two of them would send each trace twice. */
async function inOneTab(name: string, trace: () => void): Promise<void> {
  const { locks } = globalThis.navigator ?? {}
  if (!locks || held.has(name)) return trace()
  const take = () => {
    held.add(name)
    trace()
    return forever
  }
  await new Promise<void>((resolve) => {
    const asking = locks.request(name, { ifAvailable: true }, (lock) => {
      resolve()
      if (lock) return take()
      // The tab that has it will be closed one day.
      void locks.request(name, take)
    })
    // A sandboxed frame has locks, and may not use them.
    asking.catch(() => (trace(), resolve()))
  })
}
