/** The agent of elements that name an endpoint instead of one: it may plan and ask. */
import type { Connect, ConnectOptions } from '@dogear/widgets'
import { createSmartAgent, type SmartPageAgentOptions } from './agent.ts'

/** `defaults` are what a script tag's own `data-…` attributes say. */
export function connectWith(defaults: SmartPageAgentOptions = {}): Connect {
  return (options: ConnectOptions) =>
    createSmartAgent({
      useTodoList: true,
      humanInTheLoop: { askUser: true },
      ...defaults,
      ...Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)),
    })
}
