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
  type CommandBody,
  type RuleRecord,
  type SmartAgentOptions,
  type Snapshot,
  type Tool,
} from '@dogear/core'
import type {
  NamedSnapshot,
  Opened,
  RawSession,
  Session,
  SessionChoice,
  SessionInfo,
  SessionQuery,
} from '@dogear/worker'
import { checkedToken } from './checked-token.ts'
import { newId, pageClient, type HostOptions } from './page-client.ts'

export interface Agent {
  readonly name: string
  readonly user?: string
  /**
   * Opens a session by your own id; without one, this agent's newest session of this user, or its first.
   * `new` always starts one. By your own id with `expect`: rejects with `session-exists` where it should be `new`, and
   * with `session-missing` where it should be `existing`. It exists once something was sent.
   */
  open(sessionId?: string, options?: { expect?: 'new' | 'existing' }): Promise<Session>
  readonly sessions: Sessions
  /** What this user has decided for good about the agent's calls, with "always", on this device. */
  readonly rules: KeptRules
  /** This agent as a tool of another: its answer is the tool's result, and what it needs of a person is asked there. */
  asTool(options?: AsToolOptions): Tool
  /** A tool that gives this agent the word, until it gives it on. */
  asHandoff(options?: AsHandoffOptions): Tool
}

export interface KeptRules {
  list(): Promise<RuleRecord[]>
  revoke(id: string): Promise<void>
}

export interface Sessions {
  /** Newest first; none of them is opened. `text` looks through titles and messages on this device. */
  list(query?: SessionQuery): Promise<SessionInfo[]>
  /**
   * The list now, and anew whenever something in it changes, in whichever tab: a title, a status, what waits. Call what
   * it returns to end it.
   */
  subscribe(listener: (sessions: readonly SessionInfo[]) => void, query?: SessionQuery): () => void
  /** What the list says of one session; undefined when there is none. */
  get(sessionId: string): Promise<SessionInfo | undefined>
  /** A title of the person's own: no other replaces it. Like the next three, also while the session is open elsewhere. */
  rename(sessionId: string, title: string): Promise<void>
  /** `null` takes the tag off. */
  tag(sessionId: string, tag: string | null): Promise<void>
  /** Out of the list and not reopened by itself; nothing is deleted. */
  archive(sessionId: string): Promise<void>
  unarchive(sessionId: string): Promise<void>
  /**
   * The session as JSON that stands alone: every branch, what was cut off, what is set, waits and was spent. `import` opens
   * it, here or elsewhere. Rules it was given stay behind.
   */
  export(sessionId: string): Promise<Snapshot>
  /** With `raw`: every record as it lies in the store, also those that cannot be read any more. */
  export(sessionId: string, options: { raw: true }): Promise<RawSession>
  /**
   * Opens a snapshot, or one that `session.snapshots()` lists, as a new session; the old one is not touched. What people had
   * decided is asked again, and a mode that lets calls run unasked is not taken over. Without `session`, or with messages
   * that were changed since, it is one branch.
   */
  import(snapshot: Snapshot | NamedSnapshot): Promise<Session>
  /** With all that is kept of it. No error when there is none; `session-agent-mismatch` when it is another agent's. */
  delete(sessionId: string): Promise<void>
  /** Deletes everything kept for this user on this device: call it when they log out. */
  clear(): Promise<void>
}

export type PageAgentOptions = AgentOptions & HostOptions
export type SmartPageAgentOptions = SmartAgentOptions & HostOptions

export function createAgent(options: PageAgentOptions = {}, opened?: Opened): Agent {
  return agentOf(options, opened)
}

/** An agent that may also plan (`useTodoList`), ask its person (`humanInTheLoop`) and keep to a `runtimeProfile`. */
export function createSmartAgent(options: SmartPageAgentOptions = {}, opened?: Opened): Agent {
  return agentOf(smartOptions(options), opened)
}

function agentOf(options: SmartPageAgentOptions, opened?: Opened): Agent {
  const definition = defineAgent({ ...options, token: checkedToken(options) })
  const { name, user, persistSession } = definition
  const client = () => pageClient(options)
  const of = (sessionId: string) => ({ user, persistSession, agent: name, sessionId })
  const change = async (sessionId: string, body: ChangeBody) => {
    // Named here, so that a question asked again of another worker changes nothing twice.
    const command = { ...body, commandId: newId(), sessionId, at: Date.now() }
    await client().ask({ type: 'change', ...of(sessionId), command })
  }
  const agent: Agent = {
    name,
    user,
    async open(id, { expect } = {}) {
      const choice = choiceOf(id)
      if (expect) checkThere(expect, id, choice.type === 'id' ? !!(await agent.sessions.get(choice.id)) : undefined)
      return client().open(definition, choice, opened)
    },
    sessions: {
      list: (query) => client().ask({ type: 'sessions', user, persistSession, agent: name, query }),
      subscribe: (listener, query) =>
        client().watch({ type: 'sessions', user, persistSession, agent: name, query }, listener),
      get: (sessionId) => client().ask({ type: 'session', ...of(sessionId) }),
      rename: (sessionId, title) => change(sessionId, { type: 'rename', title }),
      tag: (sessionId, tag) => change(sessionId, { type: 'set', settings: { tag } }),
      archive: (sessionId) => change(sessionId, { type: 'set', settings: { archived: true } }),
      unarchive: (sessionId) => change(sessionId, { type: 'set', settings: { archived: false } }),
      // The cast: TypeScript does not follow which of the two was asked for.
      export: (sessionId: string, { raw = false } = {}) =>
        client().ask({ type: raw ? 'raw' : 'export', ...of(sessionId) }) as Promise<never>,
      import: (snapshot) => client().import(definition, snapshot, opened),
      delete: (sessionId) => client().delete(definition, sessionId),
      clear: () => client().clear(definition),
    },
    rules: {
      list: () => client().ask({ type: 'rules', user, persistSession, agent: name }),
      revoke: async (id) => void (await client().ask({ type: 'revoke', user, persistSession, id })),
    },
    asTool: (given) => asTool(definition, given),
    asHandoff: (given) => asHandoff(definition, given),
  }
  return agent
}

type ChangeBody = Extract<CommandBody, { type: 'rename' | 'set' }>

function checkThere(expected: 'new' | 'existing', id: string | undefined, isThere: boolean | undefined): void {
  if (isThere === undefined) throw new DogearError('input-invalid', `expect: '${expected}' is for an id of your own.`)
  if (isThere === (expected === 'existing')) return
  if (isThere) throw new DogearError('session-exists', `There is a session "${id}" already.`)
  throw new DogearError('session-missing', `There is no session "${id}" of this agent on this device.`)
}

function choiceOf(id: string | undefined): SessionChoice {
  if (id === undefined) return { type: 'last' }
  if (id === 'new') return { type: 'new' }
  if (typeof id === 'string' && id.length > 0 && id.length <= 200) return { type: 'id', id }
  throw new DogearError('input-invalid', 'A session id must be text of 1 to 200 characters.')
}
