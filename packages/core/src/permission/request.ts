/** A Request: what waits for a person; and the Resolution that answers it. */
import type { Asks } from '../tools/asking.ts'

export type RequestKind = 'approval' | 'question' | 'elicitation' | 'checkpoint' | 'deferred' | 'outcome'
export type RequestStatus = 'pending' | 'approved' | 'rejected' | 'answered' | 'cancelled' | 'resolved' | 'stopped'

export interface Request {
  /** `${callId}.${kind}` for a request a call raised; one of the tool itself has its position behind it. */
  readonly id: string
  readonly kind: RequestKind
  readonly openedAt: number
  readonly callId: string
  /** The calls that lead to the agent that raised it; absent when it is the session's own. */
  readonly path?: readonly string[]
  readonly tool: string
  /** The tool's own label, never the model's words. */
  readonly label?: string
  readonly description?: string
  /** The exact arguments that will run if approved as they are. */
  readonly args: unknown
  /** sha256 of the canonical tool + args: what runs is what was shown. */
  readonly argsHash: string
  /** JSON Schema of the arguments, for the edit form; of an elicitation, of what is to be filled in. */
  readonly parameters?: Readonly<Record<string, unknown>>
  readonly destructive?: boolean
  /** `approvalPrompt` of the tool. */
  readonly prompt?: string
  /** `approvalDefaults` of the tool, for a reviewer's form. */
  readonly defaults?: unknown
  /** What the model said beside the call: shown apart and labelled. */
  readonly reason?: string
  /** What a hook adds for the model, beside the result. */
  readonly context?: string
  readonly questions?: readonly Question[]
  readonly allowFreeText?: boolean
  /** Of an elicitation: what the tool wants. With `parameters` it is a form of that JSON Schema, with `url` an address to go to. */
  readonly message?: string
  /** http or https: opened by the person's own click, never by itself. */
  readonly url?: string
  /** The rule that `approve` with `always` would make; absent where none may be made. */
  readonly always?: { readonly rule: string }
  /** The call needs a click, and runs in the tab where it was. */
  readonly gesture?: boolean
  /** From then on it counts as answered with no. */
  readonly expiresAt?: number
  /** What the tool itself asks, before its effect, and the arguments it is entered with again once that is answered. */
  readonly entered?: { readonly asks: Asks; readonly args: unknown }
}

export interface Question {
  readonly question: string
  readonly header?: string
  readonly multiSelect?: boolean
  readonly required?: boolean
  readonly placeholder?: string
  readonly options?: readonly QuestionOption[]
}

export interface QuestionOption {
  readonly label: string
  /** Defaults to the label. */
  readonly value?: string
  readonly description?: string
  readonly preview?: string
}

export interface Answer {
  readonly values: readonly string[]
  readonly freeText?: string
  readonly notes?: string
}

/** By question text, or by index. */
export type Answers = Readonly<Record<string, Answer>> | readonly Answer[]

export type Resolution =
  /** `always`: calls like this one are not asked about again, in this session or, for this user, in any. Not beside `args`. */
  | { readonly type: 'approve'; readonly args?: unknown; readonly always?: 'session' | 'user' }
  | { readonly type: 'reject'; readonly comment?: string }
  | { readonly type: 'answer'; readonly answers: Answers; readonly notes?: string }
  /** `content`: what a form was filled in with; absent where the person went to an address. */
  | { readonly type: 'fill'; readonly content?: Readonly<Record<string, unknown>> }
  | { readonly type: 'cancel' }
  | { readonly type: 'result'; readonly result: unknown }
  | { readonly type: 'happened'; readonly result?: unknown }
  | { readonly type: 'retry' }
  | { readonly type: 'stop' }

/** Which answers a kind of request takes. */
export const resolutionsOf: Readonly<Record<RequestKind, readonly Resolution['type'][]>> = {
  approval: ['approve', 'reject', 'result'],
  question: ['answer', 'cancel'],
  elicitation: ['fill', 'reject', 'cancel'],
  checkpoint: ['approve', 'stop'],
  deferred: ['approve', 'reject', 'result'],
  outcome: ['happened', 'retry', 'stop'],
}
