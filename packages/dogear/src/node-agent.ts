/** Agents in Node: called like functions, with a model of their own or one behind an endpoint. */
import { functionalAgent, smartOptions, type FunctionalAgent, type FunctionalOptions } from '@dogear/core'
import { nodePorts } from './node-ports.ts'
import { runHere } from './run-here.ts'

export function createAgent(options: FunctionalOptions = {}): FunctionalAgent {
  return functionalAgent(options, nodePorts, runHere(nodePorts))
}

/** An agent that may also plan (`useTodoList`), ask its person (`humanInTheLoop`) and keep to a `runtimeProfile`. */
export function createSmartAgent(options: FunctionalOptions = {}): FunctionalAgent {
  return createAgent(smartOptions(options))
}
