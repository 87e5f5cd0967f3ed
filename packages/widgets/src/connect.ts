/** How a widget gets its session: from an agent, or from the one function that can make one. */

import { DogearError, type AgentOptions } from '@dogear/core'
import type { Session, SessionInfo, SessionQuery } from '@dogear/worker'

/** The part of an agent that a widget uses. */
export interface OpensSessions {
  /** With `user`, names what the widget remembers: open or closed, draft, scroll. */
  readonly name?: string
  readonly user?: string
  /** The session with this id; `new` for a fresh one; without an id the last one of this agent and user. */
  open(id?: string): Promise<Session>
  /** With it, a chat tells which other sessions wait for the person. */
  readonly sessions?: {
    subscribe(listener: (sessions: readonly SessionInfo[]) => void, query?: SessionQuery): () => void
  }
}

/** What an element was told about its agent, when it was given none. */
export type ConnectOptions = Pick<AgentOptions, 'endpoint' | 'model' | 'user' | 'token' | 'tools'>

/** The agent of an element without one. Its `open` fails with `endpoint-missing` when it has no endpoint to use. */
export type Connect = (options: ConnectOptions) => OpensSessions

let connect: Connect | undefined

export function setConnect(next: Connect | undefined): void {
  connect = next ?? connect
}

export function agentFor(options: ConnectOptions): OpensSessions {
  if (connect) return connect(options)
  throw new DogearError(
    'endpoint-missing',
    'A dogear element has neither an endpoint nor an agent. Add endpoint="/api/agent", or set its agent property.',
  )
}
