/** Agents that can also be called like functions. Not in the script tag's file, whose agents have sessions alone. */
import {
  adaptModel,
  functionalAgent,
  smartOptions,
  tracedRun,
  type AgentPorts,
  type FunctionalAgent,
  type FunctionalOptions,
  type Runner,
} from '@dogear/core'
import { browserClock as clock, browserIds, sha256 } from '@dogear/worker/host'
import { createRuns } from '@dogear/worker'
import type { Agent as SessionAgent } from './agent.ts'
import { checkedToken } from './checked-token.ts'
import { pageClient, warn, type HostOptions } from './page-client.ts'
import { tracePlatform } from './trace-platform.ts'
import * as traced from './traced-agent.ts'

export interface Agent extends SessionAgent, Omit<FunctionalAgent, 'definition'> {}

export type PageAgentOptions = FunctionalOptions & HostOptions
export type SmartPageAgentOptions = PageAgentOptions

export function createAgent(options: PageAgentOptions = {}): Agent {
  const adapted = { ...options, model: adaptModel(options.model) }
  const { definition: _definition, ...called } = functionalAgent(
    { ...adapted, token: checkedToken(adapted) },
    ports,
    runnerOf(options),
  )
  return { ...called, ...traced.createAgent(adapted) }
}

/** An agent that may also plan (`useTodoList`), ask its person (`humanInTheLoop`) and keep to a `runtimeProfile`. */
export function createSmartAgent(options: SmartPageAgentOptions = {}): Agent {
  return createAgent(smartOptions(options))
}

const ports: AgentPorts = {
  clock,
  hash: sha256,
  ids: browserIds,
  warn,
  trace: (run, config) => tracedRun(run, config, tracePlatform),
}

/** In a page the worker runs it, so that nothing it does holds up the page; elsewhere it runs in place. */
function runnerOf(options: PageAgentOptions): Runner {
  if (typeof document !== 'undefined') return (job) => pageClient(options).runs(createRuns).run(job)
  return async (job) => {
    const { runHere } = await import('./run-here.ts')
    return runHere(ports)(job)
  }
}
