/** Sessions for elements that name an endpoint instead of an agent: an agent that may plan and ask. */
import type { Connect, ConnectOptions } from '@dogear/widgets'
import { createSmartAgent, type SmartPageAgentOptions } from './agent.ts'

/** `defaults` are what a script tag's own `data-…` attributes say. */
export function connectWith(defaults: SmartPageAgentOptions = {}): Connect {
  return ({ session, ...options }: ConnectOptions) => {
    const agent = createSmartAgent({
      useTodoList: true,
      humanInTheLoop: { askUser: true },
      ...defaults,
      ...Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)),
    })
    return agent.open(session)
  }
}
