/** What can become of a call: a result at once, a Request, a run, or a wait. */
import type { Request } from '../permission/request.ts'
import type { CallResult } from '../session/entry.ts'
import type { NewEntry } from '../session/journal.ts'
import type { OpenCall } from '../session/state.ts'
import type { changePlan, Plan } from '../smart/plan.ts'
import type { RunTool } from './run.ts'

export type CallDecision =
  | {
      readonly type: 'result'
      readonly result: CallResult
      readonly plan?: { readonly plan: Plan; readonly operation: 'write' | 'update' }
      /** The turn's structured answer. */
      readonly output?: unknown
      /** What becomes true with the result. */
      readonly beside?: readonly NewEntry[]
    }
  | { readonly type: 'ask'; readonly request: Request }
  /** `isChanged`: not the arguments the model wrote, so that a recovery must find them in the intent. */
  | {
      readonly type: 'run'
      readonly tool: RunTool
      readonly args: unknown
      readonly isChanged: boolean
      /** Entered again after its own question: the same try goes on. */
      readonly isEntered?: boolean
      /** What becomes true with the intent. */
      readonly beside?: readonly NewEntry[]
      /** What the model is told beside its result. */
      readonly context?: string
    }
  /** The tool is on another page of this site. */
  | { readonly type: 'page' }
  /** Decided once the answer that asks for it is kept: whoever is asked may take long. */
  | { readonly type: 'later' }

export type ResultDecision = Extract<CallDecision, { type: 'result' }>

/** A change of the plan, not yet made: two in one step build on each other. */
export interface PlanCall {
  readonly type: 'plan'
  readonly call: OpenCall
  readonly args: Parameters<typeof changePlan>[1]
}

export interface CallPlace {
  /** The call's position in its step. */
  readonly index: number
  /** All calls of the step. */
  readonly calls: readonly OpenCall[]
  /** What the model said beside the call. */
  readonly reason?: string
  /** The answer is not kept yet. */
  readonly isEarly?: boolean
}

export function resultOf(
  call: OpenCall,
  status: CallResult['status'],
  content: string,
  args?: unknown,
): ResultDecision {
  return { type: 'result', result: { status, content, args, tool: call.tool, label: call.label } }
}

/** The truth about a call that may have happened. */
export function unknownResult(...given: Parameters<typeof resultOf>): ResultDecision {
  const { type, result } = resultOf(...given)
  return { type, result: { ...result, unknown: true } }
}
