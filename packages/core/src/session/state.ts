/** The head of a fold: what a session is now, without the bodies of its messages. */
import type { Answers, Request, Resolution } from '../permission/request.ts'
import type { CompactionRecord } from '../smart/compaction.ts'
import type { MemoryFact } from '../smart/memory.ts'
import type { Plan } from '../smart/plan.ts'
import type { ReflectionRecord } from '../smart/reflection.ts'
import type { EntryOf, Queued, TerminalReason, TurnOrigin } from './entry.ts'
import type { ErrorData } from '../error.ts'
import type { Role } from './message.ts'

export type Status = 'idle' | 'busy' | 'paused'

/** Why a busy turn is held up; it goes on by itself, or by `stop()`. */
export type Waiting = 'network' | 'token' | 'space' | 'page'

export interface Head {
  readonly v: 1
  readonly sessionId: string
  readonly agent: string
  /** How many entries are folded in: the next entry's seq. */
  readonly seq: number
  readonly epoch: number
  /** The tree's skeleton, in journal order; the body of a node is read from the journal by its seq. */
  readonly nodes: readonly Node[]
  readonly leaf: string | null
  /** The agent a handoff gave the word to, by name; absent while it is the session's own. */
  readonly activeAgent?: string
  readonly plan: Plan | null
  /** The newest: it holds all that was summed up before it. */
  readonly compaction: CompactionRecord | null
  /** The newest few; all of them are in the journal. */
  readonly reflections: readonly ReflectionRecord[]
  readonly facts: readonly MemoryFact[]
  /** Results that may stand in for a call with the same arguments: the message that holds each, by cache key. */
  readonly cache: Readonly<Record<string, { readonly id: string; readonly at: number }>>
  /** The open ones, in the order they were raised. */
  readonly requests: readonly Request[]
  readonly queue: readonly Queued[]
  readonly usage: Usage
  readonly turn: OpenTurn | null
  /** How the last turn ended, for a Retry. */
  readonly lastEnd: {
    readonly turnId: string
    readonly terminalReason: TerminalReason
    readonly error?: ErrorData
    readonly output?: unknown
    readonly outputError?: string
    /** The words it left without an answer when it went back to the branch before. */
    readonly from?: string
    readonly denials?: readonly PermissionDenial[]
    readonly tainted?: boolean
    /** Absent in heads kept by older versions. */
    readonly origin?: TurnOrigin
    readonly costUsd?: number
  } | null
  /** The agents at work for an open call of this one, by the call's id. Gone with the call's result. */
  readonly children: Readonly<Record<string, Head>>
  /** The last 256 commands taken: a repeated one is dropped. */
  readonly commands: readonly string[]
  readonly refused: readonly { readonly commandId: string; readonly reason: string }[]
  readonly title?: string
  /** Who gave it its title: a person's own is never replaced. */
  readonly titledBy?: EntryOf<'title-set'>['source']
  readonly settings: Settings
  /** Set for this session, by its person or its page. */
  readonly rules?: readonly RuleSet[]
  readonly slices: Readonly<Record<string, unknown>>
  /** What the last move undid, when it was a rewind. */
  readonly rewound?: Rewound & { readonly commandId: string }
}

/** What `meta-set` has set, the last value of each. */
export interface Settings {
  readonly model?: string
  readonly system?: string
  readonly opts?: Readonly<Record<string, unknown>>
  readonly mode?: string
  readonly metadata?: Readonly<Record<string, unknown>>
  /** `null` takes it off. */
  readonly tag?: string | null
  readonly archived?: boolean
  readonly lifecycle?: string
  /** Every tool a page ever registered for this session, name to label: a missing one is on another page. Another agent's are `agent/name`. */
  readonly tools?: Readonly<Record<string, string>>
}

export interface RuleSet {
  readonly rule: string
  readonly decision: 'allow' | 'ask' | 'deny'
  /** Whose tools it is about. */
  readonly agent: string
}

/** A call that was not allowed. */
export interface PermissionDenial {
  readonly callId: string
  readonly tool: string
  readonly args: unknown
  /** What the model was told. */
  readonly reason: string
}

/** What belongs to a path: taken from the last place at or above its leaf where each was set. */
export type Scope = Pick<Head, 'plan' | 'compaction' | 'reflections' | 'slices' | 'activeAgent'>

/** A place in the tree, with what holds there. */
export interface Place {
  readonly leaf: string | null
  readonly scope: Scope
}

/** What became of the calls that a rewind left behind, the newest first. */
export interface Rewound {
  readonly undone: readonly RewoundCall[]
  /** Their tool has no `undo`, is not on this page, or failed to undo it; or the call itself had failed. */
  readonly notUndone: readonly RewoundCall[]
  /** Undoing them began, and nobody knows whether it came to its end. Never tried again. */
  readonly unknown: readonly RewoundCall[]
}

export interface RewoundCall {
  readonly callId: string
  readonly tool: string
  readonly label?: string
  readonly error?: string
}

export interface Node {
  readonly id: string
  readonly parent: string | null
  readonly seq: number
  /** Messages of one `state-import` share its seq. */
  readonly index?: number
  readonly role: Role
  readonly turnId?: string
  /** Shown but never sent to the model: an answer that was cut off and asked again. */
  readonly cut?: boolean
}

export interface OpenTurn {
  readonly id: string
  readonly origin: TurnOrigin
  readonly startedAt: number
  /** Where a turn that began a branch goes back to when it ends before anything was said in it. */
  readonly back?: Place
  readonly step: number
  /** Set while a step's answer is not yet a message. */
  readonly openStep: { readonly id: string; readonly key: string } | null
  /** The calls of the current step, in the model's order. */
  readonly calls: readonly OpenCall[]
  readonly toolCallCount: number
  /** Who asked for those calls, by name, also after one of them gave the word away; absent for the session's own. */
  readonly agent?: string
  /** Asked in place of the session's, in this turn alone. */
  readonly model?: string
  /** How many tasks this turn has given to other agents. */
  readonly childCount: number
  /** How many answers in a row were cut off: after one the question is asked again. */
  readonly cuts: number
  /** How the turn ends if no call follows the last answer. */
  readonly finish: TerminalReason
  /** What this turn has cost so far, its children's turns included. */
  readonly spent: Spent
  /** Notes the model has made for itself in this turn. */
  readonly reflections?: number
  /** How often it was told that its answer is not the structured one. */
  readonly nudges?: number
  /** The step that a person has let go on from its checkpoint. */
  readonly checked?: number
  /** Others may have written what the model has read in it. */
  readonly tainted?: boolean
  /** It goes on no further. */
  readonly interrupted?: boolean
  /** The first hundred. */
  readonly denials?: readonly PermissionDenial[]
  /** How this turn's finished calls went, by tool. */
  readonly tallies: Readonly<Record<string, Tally>>
}

export interface Spent {
  readonly outputTokens: number
  readonly costUsd: number
}

export interface Tally {
  readonly successes: number
  /** Failures in a row. */
  readonly failures: number
}

export interface OpenCall {
  readonly callId: string
  readonly tool: string
  readonly label?: string
  readonly args: string
  readonly request?: Request
  /** Set once a person decided. */
  readonly decision?: Decision
  /** What its tool asked while it ran, and the answers, in order. */
  readonly asked?: readonly Asked[]
  readonly intent?: Intent
  readonly done: boolean
}

export interface Asked {
  readonly request: Request
  readonly resolution: Resolution
}

/** The `attempt` of an intent that came with an import: it ran where this session's people never said a word. */
export const begunElsewhere = 0

/** What was about to run when it was written. */
export interface Intent {
  readonly argsHash: string
  readonly attempt: number
  readonly key: string
  readonly at: number
  /** Absent when the model's own arguments run: set when a person edited them, or a schema changed them. */
  readonly args?: unknown
  /** The tab that runs it, where the owner's page has no such tool. Named after its page: see `pageOf`. */
  readonly host?: string
  /** The page that runs it, where that is the owner's. */
  readonly page?: string
  readonly context?: string
}

/** What a person decided about a call, until it has taken effect. */
export type Decision =
  | {
      readonly type: 'run'
      readonly args?: unknown
      readonly argsHash?: string
      readonly at?: number
      readonly host?: string
    }
  | { readonly type: 'reject'; readonly comment?: string; readonly by?: string }
  | { readonly type: 'answer'; readonly answers: Answers; readonly notes?: string }
  | { readonly type: 'cancel' }
  | { readonly type: 'result'; readonly result?: unknown }

/** What the model calls of a session cost, by model. */
export interface Usage {
  readonly totals: Readonly<Record<string, UsageTotal>>
}

export interface UsageTotal {
  readonly requests: number
  readonly input: number
  readonly output: number
  readonly total: number
  readonly cachedInput: number
  readonly costUsd?: number
}
