/** The wire between a page and the host of its sessions: only the shapes, no behaviour. */
import type {
  AgentDefinition,
  Change,
  Command,
  Entry,
  ErrorData,
  Head,
  Message,
  NewEntry,
  Partial,
  Rewound,
  RuleRecord,
  Snapshot,
  SnapshotRecord,
  Tool,
  Waiting,
} from '@dogear/core'
import type { Witnessed } from './client/witness.ts'
import type { NamedSnapshot } from './session.ts'
import type { RawSession, SessionInfo, SessionQuery } from './session-info.ts'

export type ToHost =
  | {
      readonly type: 'open'
      readonly ref: number
      readonly agent: AgentSpec
      readonly session: SessionChoice
      /** The page's own name, the same for every worker it starts. */
      readonly page: string
      /** What this page has seen in the store. */
      readonly witnessed: Witnessed
      /** Of this host, as its page calls it. */
      readonly life: string
      /** Which of some lives ended because their page was left. */
      readonly left: Handle
    }
  /** A journal in memory: told like a session's, over with its answer. */
  | ({ readonly type: 'run'; readonly ref: number; readonly agent: AgentSpec; readonly runId: string } & RunStart)
  | { readonly type: 'close'; readonly sessionId: string }
  /** `isShown`: the page is visible, so its person sent it. */
  | { readonly type: 'command'; readonly command: Command; readonly isShown: boolean }
  | { readonly type: 'resume'; readonly sessionId: string }
  | { readonly type: 'ask'; readonly ref: number; readonly question: Question }
  /** A list that is told anew whenever it changes. */
  | { readonly type: 'watch'; readonly ref: number; readonly question: Extract<Question, { type: 'sessions' }> }
  | { readonly type: 'unwatch'; readonly ref: number }
  /** `sent`: by the page's own clock. */
  | { readonly type: 'ping'; readonly sent: number }
  /** The browser puts the page away, worker and all, and may bring it back. */
  | { readonly type: 'left' }
  /** It did. */
  | { readonly type: 'restored' }
  /** The call came too late to be begun unasked: is it still this host's? */
  | { readonly type: 'call-confirm'; readonly id: number }
  | { readonly type: 'call-yield'; readonly id: number; readonly value: unknown }
  | { readonly type: 'call-return'; readonly id: number; readonly value: unknown }
  | { readonly type: 'call-throw'; readonly id: number; readonly error: ErrorData }

export type ToPage =
  | ({
      readonly type: 'attached'
      readonly ref: number
      readonly sessionId: string
      /** What the browser has lost since this page last looked. */
      readonly lost?: ErrorData
    } & Attached)
  | { readonly type: 'entries'; readonly sessionId: string; readonly entries: readonly Entry[] }
  | { readonly type: 'delta'; readonly sessionId: string; readonly delta: PartialDelta }
  | { readonly type: 'waiting'; readonly sessionId: string; readonly waiting: Waiting | null }
  | { readonly type: 'saved'; readonly commandId: string }
  | { readonly type: 'unsaved'; readonly commandId: string; readonly error: ErrorData }
  /** Both by another tab; in this one the page itself asked for it. */
  | { readonly type: 'session-deleted'; readonly user?: string; readonly sessionId: string }
  | { readonly type: 'user-cleared'; readonly user?: string }
  | { readonly type: 'session-failed'; readonly sessionId: string; readonly error: ErrorData }
  | { readonly type: 'listed'; readonly ref: number; readonly sessions: readonly SessionInfo[] }
  | { readonly type: 'answer'; readonly ref: number; readonly answer: unknown }
  | { readonly type: 'refusal'; readonly ref: number; readonly error: ErrorData }
  /** When the ping was `sent`, and when it was heard, by the host's clock; a host's first word answers none. */
  | { readonly type: 'pong'; readonly sent?: number; readonly heard?: number }
  | { readonly type: 'warning'; readonly message: string }
  | {
      readonly type: 'call'
      readonly id: number
      readonly handle: string
      readonly args: readonly unknown[]
      /** Of a tool: when its host last knew that it drives the session, by the host's clock. */
      readonly proven?: number
    }
  | { readonly type: 'call-abort'; readonly id: number }

export interface RunStart {
  readonly sessionId: string
  readonly first: readonly NewEntry[]
  /** Asked between phases; absent when nobody would leave the run. */
  readonly checkpoint?: Handle
}

/** What a page needs to show a session: its head and its newest messages; everything later comes as entries. */
export interface Attached {
  readonly head: Head
  readonly bodies: readonly Message[]
  readonly partial: Partial | null
  readonly waiting: Waiting | null
  /** False when the browser gives no storage: the session lives and dies with the page. */
  readonly kept: boolean
  /** Why nobody drives the session in this tab, when something failed. */
  readonly failure: ErrorData | null
}

/** What was added to a partial since the last delta, and how long it was before: a gap shows. */
export interface PartialDelta {
  readonly stepId: string
  readonly textAt: number
  readonly text: string
  readonly reasoningAt: number
  readonly reasoning: string
  readonly calls: Partial['calls']
  readonly resumedAt?: Partial['resumedAt']
  readonly retry?: Partial['retry']
}

/** `last` reopens this agent's newest session, or starts one. */
export type SessionChoice = { readonly type: 'last' | 'new' } | { readonly type: 'id'; readonly id: string }

export type Question =
  | { readonly type: 'older'; readonly sessionId: string; readonly nodes: readonly string[] }
  | { readonly type: 'entries'; readonly sessionId: string; readonly from: number; readonly to: number }
  | { readonly type: 'snapshot'; readonly sessionId: string; readonly tag: string }
  | { readonly type: 'snapshots'; readonly sessionId: string }
  | { readonly type: 'delete-snapshot'; readonly sessionId: string; readonly tag: string }
  | ({ readonly type: 'sessions'; readonly agent?: string; readonly query?: SessionQuery } & Place)
  | ({ readonly type: 'session' } & OfSession)
  | ({ readonly type: 'change'; readonly command: Change } & OfSession)
  /** All that the chat shows, also what was cut off. */
  | ({ readonly type: 'messages' } & OfSession)
  | ({ readonly type: 'export' } & OfSession)
  | ({ readonly type: 'raw' } & OfSession)
  /** What a rewind would do. */
  | { readonly type: 'rewind'; readonly sessionId: string; readonly messageId: string | null }
  /** `into`: the new session's id, minted on the page, so that asking twice makes one. */
  | ({
      readonly type: 'fork'
      readonly into: string
      readonly at?: string
      readonly title?: string
    } & OfSession)
  /** `into`: as of a fork. */
  | ({
      readonly type: 'import'
      readonly into: string
      readonly agent: string
      readonly version?: string
      /** By name. */
      readonly tools: readonly string[]
      readonly snapshot: Snapshot | NamedSnapshot
    } & Place)
  /** What the user allows this agent for good. */
  | ({ readonly type: 'rules'; readonly agent: string } & Place)
  | ({ readonly type: 'revoke'; readonly id: string } & Place)
  | ({ readonly type: 'delete' } & OfSession)
  | { readonly type: 'clear'; readonly user?: string }

/** Which store: a user's database, or what lives and dies with the page. */
type Place = Pick<AgentDefinition, 'user' | 'persistSession'>

/** A session that need not be open here. Without `agent`: whichever it belongs to. */
export interface OfSession extends Place {
  readonly agent?: string
  readonly sessionId: string
}

export interface Answers {
  older: Message[]
  entries: Entry[]
  snapshot: Snapshot
  snapshots: SnapshotRecord[]
  'delete-snapshot': null
  sessions: SessionInfo[]
  session: SessionInfo | undefined
  change: null
  messages: Message[]
  export: Snapshot
  raw: RawSession
  fork: string
  rewind: Rewound
  import: string
  rules: RuleRecord[]
  revoke: null
  delete: null
  clear: null
}

/** A function that stays on the page, by agent name and path, so that it means the same after a reload. */
export interface Handle {
  readonly handle: string
}

/** A value as it crosses the wire: every function in it is a handle. */
export type Packed<T> = T extends (...args: never) => unknown
  ? Handle
  : T extends readonly (infer Item)[]
    ? readonly Packed<Item>[]
    : T extends object
      ? { readonly [Key in keyof T]: Packed<T[Key]> }
      : T

/** A model of the page's own is a handle: what it is asked for streams. Another says that nobody wants it any more. */
export type AgentSpec = Packed<Omit<AgentDefinition, 'model' | 'tools'>> & {
  readonly model: string | Handle
  readonly stopModel?: Handle
  readonly tools: readonly ToolSpec[]
  /** Every other agent that its tools lead to. */
  readonly others?: readonly AgentSpec[]
}

/** A tool that stands for an agent names it: two may lead to each other. */
export type ToolSpec = Packed<Omit<Tool, 'agent' | 'handoff'>> & { readonly agent?: string; readonly handoff?: string }

/** Either end of the wire. */
export interface Wire<Out, In> {
  post(message: Out): void
  listen(receive: (message: In) => void): void
}
