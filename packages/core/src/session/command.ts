/** Commands: what any tab asks of a session. They go through the inbox, so a saved one cannot be lost. */
import type { Resolution } from '../permission/request.ts'
import type { PlanEdit } from '../smart/plan.ts'
import type { CallReply } from '../tools/result.ts'
import type { When } from './entry.ts'
import type { ContentPart } from './message.ts'
import type { RuleSet, Settings } from './state.ts'

export type CommandBody =
  | {
      readonly type: 'send'
      readonly content: string | readonly ContentPart[]
      readonly when: When
    }
  /** Said by nobody here: no model is asked. */
  | { readonly type: 'add'; readonly message: AddedMessage }
  | { readonly type: 'unqueue'; readonly target: string }
  | {
      readonly type: 'requeue'
      readonly target: string
      readonly content?: string | readonly ContentPart[]
      readonly when?: When
    }
  | { readonly type: 'stop' }
  /**
   * Ends what an agent does for a call, by the name its entries have in their path, or a call's wait for its page, by the
   * call's id: whoever asked for it goes on.
   */
  | { readonly type: 'stop-task'; readonly task: string }
  | {
      readonly type: 'resolve'
      readonly requestId: string
      readonly resolution: Resolution
      readonly by?: string
      readonly host?: string
    }
  /** One answer to several at once; those that were answered meanwhile are left out. */
  | {
      readonly type: 'resolve-all'
      readonly requestIds: readonly string[]
      readonly resolution: Resolution
      readonly by?: string
    }
  /** `null` takes the rule back. */
  | {
      readonly type: 'rule'
      readonly rule: string
      readonly decision: RuleSet['decision'] | null
      readonly agent: string
    }
  /** `model`: for this turn alone. */
  | { readonly type: 'retry'; readonly model?: string }
  /** `exact`: stops at that message, where it would go on to the end of its branch. */
  | { readonly type: 'goto'; readonly messageId: string | null; readonly exact?: boolean }
  | { readonly type: 'rewind'; readonly messageId: string | null }
  | { readonly type: 'edit'; readonly messageId: string; readonly content: string | readonly ContentPart[] }
  | { readonly type: 'regenerate'; readonly messageId?: string }
  | { readonly type: 'compact' }
  | { readonly type: 'rename'; readonly title: string }
  | { readonly type: 'set'; readonly settings: Choices }
  /** A person's change of the plan, as `manage_todo_list` takes one. */
  | { readonly type: 'plan'; readonly change: PlanEdit }
  /** What became of a call that another tab than the owner ran. Its commandId is the call's `reportId`. */
  | { readonly type: 'report'; readonly reply: CallReply }

/** What is put into a session from elsewhere. */
export interface AddedMessage {
  readonly role: 'user' | 'assistant'
  readonly content: string | readonly ContentPart[]
  readonly name?: string
}

/** What a session's holder may choose anew, for the steps to come. */
export type Choices = Pick<Settings, 'model' | 'system' | 'opts' | 'mode' | 'metadata' | 'tag' | 'archived'>

/** A command as the inbox keeps it. */
export type Command = CommandBody & {
  /** 128 random bits, minted on the page; the id of the turn a `send` starts. */
  readonly commandId: string
  readonly sessionId: string
  readonly at: number
}
