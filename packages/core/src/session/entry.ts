/** The journal's entries: everything durable that ever happens in a session, as one union. */
import { DogearError, type ErrorData } from '../error.ts'
import type { ModelUsage } from '../ports/model.ts'
import type { Request, RequestStatus, Resolution } from '../permission/request.ts'
import type { CompactionRecord } from '../smart/compaction.ts'
import type { MemoryFact } from '../smart/memory.ts'
import type { Plan } from '../smart/plan.ts'
import type { ReflectionRecord } from '../smart/reflection.ts'
import type { ContentPart, Message, MessageStatus } from './message.ts'
import type { Head, OpenTurn, Place, Rewound, RuleSet, Settings } from './state.ts'

/** The newest entry version this code writes; an entry above it opens the session read-only. */
export const entryVersion = 1

export interface Envelope {
  readonly v: number
  readonly seq: number
  readonly id: string
  readonly at: number
  readonly epoch: number
  /** Which agent wrote it: [] for the session's own, else the calls that lead to the child. */
  readonly path: readonly string[]
  readonly turnId?: string
  readonly stepId?: string
  /** The command that caused it; a command seen once is never taken again. */
  readonly commandId?: string
}

export type Entry = Envelope & EntryBody
export type EntryType = EntryBody['type']
export type EntryOf<T extends EntryType> = Envelope & Extract<EntryBody, { type: T }>

export type EntryBody =
  | {
      readonly type: 'session-start'
      readonly agent: string
      readonly version?: string
      readonly sessionId: string
      /** Its agent's alias then: kept until another is set. */
      readonly model?: string
    }
  | {
      readonly type: 'state-import'
      readonly messages: readonly Message[]
      readonly plan: Plan | null
      readonly from?: string
      readonly cache?: Head['cache']
      /** What it had cost where it comes from. */
      readonly usage?: Head['usage']
    }
  | {
      readonly type: 'turn-start'
      readonly origin: TurnOrigin
      /** Set when the turn begins a branch: where to go back to if nothing is said in it. */
      readonly back?: Place
      /** Set when it goes on from a turn that was, with no word of a person between them. */
      readonly tainted?: boolean
      /** Asked in place of the session's, in this turn alone. */
      readonly model?: string
      /** How far the turn had come, when it goes on from an imported state. */
      readonly resumed?: Pick<
        OpenTurn,
        'step' | 'toolCallCount' | 'spent' | 'tallies' | 'nudges' | 'reflections' | 'tainted'
      >
    }
  | { readonly type: 'step-start'; readonly step: number; readonly key: string; readonly resumed?: boolean }
  | { readonly type: 'message-add'; readonly message: Message; readonly parent: string | null }
  | {
      readonly type: 'call-request'
      readonly call: CallRequest
      /** Its result is among the imported messages. */
      readonly answered?: boolean
    }
  | { readonly type: 'request-open'; readonly request: Request }
  | {
      readonly type: 'request-close'
      readonly requestId: string
      readonly status: RequestStatus
      readonly resolution: Resolution
      readonly by?: string
      /** Of one that the page answered, so that it was never opened. */
      readonly request?: Request
      /** Of the tool and the arguments that a person wrote in place of those shown. */
      readonly argsHash?: string
      /** The tab that was clicked, where the call needs a click. */
      readonly host?: string
    }
  | {
      readonly type: 'tool-intent'
      readonly callId: string
      readonly argsHash: string
      readonly attempt: number
      readonly key: string
      /** What runs, where it is not what the model wrote: a person edited it, or a schema filled it in. */
      readonly args?: unknown
      /** The tab that runs it, where the owner's page has no such tool. Named after its page: see `pageOf`. */
      readonly host?: string
      /** The page that runs it, where that is the owner's. */
      readonly page?: string
      /** What the model is told beside its result. */
      readonly context?: string
    }
  | {
      readonly type: 'tool-result'
      readonly callId: string
      readonly result: CallResult
      readonly parent: string | null
    }
  | {
      readonly type: 'plan-set'
      readonly plan: Plan
      readonly source: 'manage_todo_list' | 'system'
      readonly operation: 'write' | 'update'
    }
  | {
      readonly type: 'usage-add'
      readonly model: string
      readonly usage: ModelUsage
      readonly purpose: Purpose
      /** By the developer's `costEstimator`; absent without one. */
      readonly costUsd?: number
    }
  | { readonly type: 'compaction-add'; readonly compaction: CompactionRecord }
  | { readonly type: 'reflection-add'; readonly reflection: ReflectionRecord }
  | { readonly type: 'memory-add'; readonly fact: MemoryFact }
  | {
      readonly type: 'cursor-set'
      readonly leaf: string | null
      /** What holds there, read off the journal by whoever wrote this: a fold cannot look back. */
      readonly scope?: Place['scope']
      readonly rewound?: Rewound
    }
  | { readonly type: 'agent-set'; readonly agent: string }
  | { readonly type: 'queue-set'; readonly queue: readonly Queued[] }
  | {
      readonly type: 'rule-set'
      readonly rule: string
      /** `null` takes it back. */
      readonly decision: RuleSet['decision'] | null
      readonly agent: string
    }
  | { readonly type: 'title-set'; readonly title: string; readonly source: 'heuristic' | 'model' | 'person' }
  | ({ readonly type: 'meta-set' } & Settings)
  | { readonly type: 'slice-set'; readonly extension: string; readonly value: unknown }
  | { readonly type: 'undo-intent'; readonly callId: string }
  | { readonly type: 'undo-result'; readonly callId: string; readonly error?: ErrorData }
  | { readonly type: 'command-refused'; readonly commandId: string; readonly reason: string; readonly by?: string }
  | {
      readonly type: 'turn-end'
      readonly terminalReason: TerminalReason
      readonly error?: ErrorData
      /** The structured answer, when the agent has an output schema. */
      readonly output?: unknown
      /** Why there is no structured answer. Never beside `output`. */
      readonly outputError?: string
      /** The words that a branch without an answer was left at; a retry goes there again. */
      readonly from?: string
    }

export function newerSession(sessionId: string): DogearError {
  return new DogearError(
    'session-newer',
    `Session "${sessionId}" was written by a newer version of this page. Reload to continue.`,
  )
}

/** False for what only a newer script writes. */
export function isEntryType(type: string): type is EntryType {
  return Object.hasOwn(entryTypes, type)
}

/** Every type there is: a new one does not compile until it is named here. */
export const entryTypes: Readonly<Record<EntryType, 1>> = {
  'session-start': 1,
  'state-import': 1,
  'turn-start': 1,
  'step-start': 1,
  'message-add': 1,
  'call-request': 1,
  'request-open': 1,
  'request-close': 1,
  'tool-intent': 1,
  'tool-result': 1,
  'plan-set': 1,
  'usage-add': 1,
  'compaction-add': 1,
  'reflection-add': 1,
  'memory-add': 1,
  'cursor-set': 1,
  'agent-set': 1,
  'queue-set': 1,
  'rule-set': 1,
  'title-set': 1,
  'meta-set': 1,
  'slice-set': 1,
  'undo-intent': 1,
  'undo-result': 1,
  'command-refused': 1,
  'turn-end': 1,
}

/** `compact`: nobody's words, the context is shortened on demand. */
export type TurnOrigin = 'human' | 'code' | 'import' | 'agent' | 'compact'

/** What a model was asked for. */
export type Purpose = 'step' | 'summary' | 'reflection' | 'title'

/** Why a turn came to its end. `paused` is a rest, not an end, so it never stands in a `turn-end`. */
export type TerminalReason =
  | 'completed'
  | 'aborted_streaming'
  | 'aborted_tools'
  | 'max_turns'
  | 'max_tool_calls'
  | 'max_output_tokens_total'
  | 'max_cost'
  | 'max_wall_clock'
  | 'guardrail_blocked'
  | 'hook_stopped'
  | 'structured_output_retry_exhausted'
  | 'model_error'
  | 'prompt_too_long'
  | 'max_output_tokens'
  | 'refusal'

export interface CallRequest {
  readonly callId: string
  readonly index: number
  readonly tool: string
  readonly label?: string
  /** As the model wrote them. */
  readonly args: string
  readonly providerId?: string
}

export interface CallResult {
  readonly status: Extract<MessageStatus, 'complete' | 'error' | 'rejected' | 'skipped' | 'stopped'>
  readonly tool: string
  readonly label?: string
  /** What the model reads. */
  readonly content: string
  /** The tokens it had before it was cut to what the profile allows, where it was. */
  readonly originalTokens?: number
  /** The arguments it ran with. */
  readonly args: unknown
  /** Whether it took effect is not known. */
  readonly unknown?: boolean
  readonly durationMs?: number
  readonly summary?: string
  /** Taken from an earlier call with the same arguments. */
  readonly fromCache?: boolean
  /** Under which a later call may find it. */
  readonly cacheKey?: string
  /** The agent that has the word from now on. */
  readonly handoff?: string
  /** Others may have written what is in it. */
  readonly untrusted?: boolean
  /** The turn ends with it; `hook`: because one said not to continue. */
  readonly interrupts?: boolean | 'hook'
}

export interface Queued {
  readonly commandId: string
  readonly content: string | readonly ContentPart[]
  readonly when: When
}

/** `now` interrupts the turn, `next` joins it at its next step, `later` begins a turn of its own after it. */
export type When = 'now' | 'next' | 'later'
