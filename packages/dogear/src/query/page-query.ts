/** `query()` as this package has it. */
import { createSmartAgent } from '../agent.ts'
import { createAgent } from '../functional-agent.ts'
import { warn } from '../page-client.ts'
import { createQuery, type Query, type QueryInput } from './query.ts'

/**
 * Asks once, or once for each message of a stream, and yields what happens as messages.
 * A thin front of a session: for a conversation that a person takes part in, use `agent.open()` or `mount()`.
 */
export function query(input: QueryInput): Query {
  return createQuery(input, { createAgent: createSmartAgent, createHelper: createAgent, warn, now: () => Date.now() })
}
