/** What page and host agree on about calls of tools: how old the news may be that a tool is entered by. */
import type { Handle } from './protocol.ts'

/**
 * How long a host may believe that it drives a session, since the store last said so: well below what it takes to steal a
 * session. The next owner lets as much time pass before it has anything entered again.
 */
export const freshFor = 3_000

/** What a page tells of the calls it has, by `callId` and entry; its worker asks where another tab drives. */
export const begunCalls: Handle = { handle: 'begun' }

/** The lock a page holds for as long as it lives, frozen or not. */
export function pageLock(page: string): string {
  return `dogear:page:${page}`
}
