/** Commands: what any tab asks of a session. They go through the inbox, so a saved one cannot be lost. */
import type { Resolution } from '../permission/request.ts'
import type { PlanEdit } from '../smart/plan.ts'
import type { ContentPart } from './message.ts'
import type { Settings } from './state.ts'

export type CommandBody =
  | {
      readonly type: 'send'
      readonly content: string | readonly ContentPart[]
      readonly when: 'now' | 'later'
    }
  | { readonly type: 'unqueue'; readonly target: string }
  | { readonly type: 'stop' }
  | { readonly type: 'resolve'; readonly requestId: string; readonly resolution: Resolution; readonly by?: string }
  | { readonly type: 'retry' }
  | { readonly type: 'compact' }
  | { readonly type: 'rename'; readonly title: string }
  | { readonly type: 'set'; readonly settings: Choices }
  /** A person's change of the plan, as `manage_todo_list` takes one. */
  | { readonly type: 'plan'; readonly change: PlanEdit }

/** What a session's holder may choose anew, for the steps to come. */
export type Choices = Pick<Settings, 'model' | 'system' | 'opts' | 'mode' | 'metadata'>

/** A command as the inbox keeps it. */
export type Command = CommandBody & {
  /** 128 random bits, minted on the page; the id of the turn a `send` starts. */
  readonly commandId: string
  readonly sessionId: string
  readonly at: number
}
