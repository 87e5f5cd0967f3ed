/** An agent in a page: a definition with sessions behind it. */
import {
  asHandoff,
  asTool,
  defineAgent,
  DogearError,
  smartOptions,
  type AgentOptions,
  type AsHandoffOptions,
  type AsToolOptions,
  type SessionRecord,
  type SmartAgentOptions,
  type Snapshot,
  type Tool,
} from '@dogear/core'
import type { NamedSnapshot, Session, SessionChoice } from '@dogear/worker'
import { checkedToken } from './checked-token.ts'
import { pageClient, type HostOptions } from './page-client.ts'

export interface Agent {
  readonly name: string
  readonly user?: string
  /**
   * Opens a session by your own id; without one, this agent's newest session of this user, or its first.
   * `new` always starts one.
   */
  open(sessionId?: string): Promise<Session>
  readonly sessions: Sessions
  /** This agent as a tool of another: its answer is the tool's result, and what it needs of a person is asked there. */
  asTool(options?: AsToolOptions): Tool
  /** A tool that gives this agent the word, until it gives it on. */
  asHandoff(options?: AsHandoffOptions): Tool
}

export interface Sessions {
  /** Newest first. */
  list(): Promise<SessionRecord[]>
  /** Opens a snapshot, or one that `session.snapshots()` lists, as a new session; the old one is not touched. */
  import(snapshot: Snapshot | NamedSnapshot): Promise<Session>
  delete(sessionId: string): Promise<void>
  /** Deletes everything kept for this user on this device: call it when they log out. */
  clear(): Promise<void>
}

export type PageAgentOptions = AgentOptions & HostOptions
export type SmartPageAgentOptions = SmartAgentOptions & HostOptions

/** Sees each session before whoever asked for it does. */
export type Opened = (session: Session) => Promise<void>

export function createAgent(options: PageAgentOptions = {}, opened?: Opened): Agent {
  return agentOf(options, opened)
}

/** An agent that may also plan (`useTodoList`), ask its person (`humanInTheLoop`) and keep to a `runtimeProfile`. */
export function createSmartAgent(options: SmartPageAgentOptions = {}, opened?: Opened): Agent {
  return agentOf(smartOptions(options), opened)
}

function agentOf(options: SmartPageAgentOptions, opened?: Opened): Agent {
  const definition = defineAgent({ ...options, token: checkedToken(options) })
  const client = () => pageClient(options)
  const seen = async (opening: Promise<Session>) => {
    const session = await opening
    await opened?.(session)
    return session
  }
  return {
    name: definition.name,
    user: definition.user,
    open: async (id) => seen(client().open(definition, choiceOf(id))),
    sessions: {
      list: () => client().sessions(definition),
      import: (snapshot) => seen(client().import(definition, snapshot)),
      delete: (sessionId) => client().delete(definition, sessionId),
      clear: () => client().clear(definition),
    },
    asTool: (given) => asTool(definition, given),
    asHandoff: (given) => asHandoff(definition, given),
  }
}

function choiceOf(id: string | undefined): SessionChoice {
  if (id === undefined) return { type: 'last' }
  if (id === 'new') return { type: 'new' }
  if (typeof id === 'string' && id.length > 0 && id.length <= 200) return { type: 'id', id }
  throw new DogearError('input-invalid', 'A session id must be text of 1 to 200 characters.')
}
