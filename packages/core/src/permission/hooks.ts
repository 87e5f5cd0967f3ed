/** Hooks: functions of the page that are told what happens and may change it, one after the other. */
import { DogearError } from '../error.ts'
import type { PermissionResult } from './can-use-tool.ts'
import type { HookDecision } from './decide.ts'
import type { ElicitationResult } from './elicitation.ts'
import type { PermissionMode } from './mode.ts'
import type { JsonSchema } from '../tools/json-schema.ts'

/** What each event tells, beside `hook_event_name`, `session_id`, `permission_mode` and `agent_type`. */
export interface HookInputs {
  /** Before a call is decided about. Matched by tool, like all that have a `tool_name`. */
  PreToolUse: ToolInput
  PostToolUse: ToolInput & { readonly tool_response: string }
  /** `error` is what the model is about to read. */
  PostToolUseFailure: ToolInput & { readonly error: string }
  /** All calls of a step have their results, and the model is about to read them. */
  PostToolBatch: { readonly tool_calls: readonly HookInputs['PostToolUse'][] }
  /** Before a Request is raised. */
  PermissionRequest: ToolInput
  PermissionDenied: ToolInput & { readonly reason: string }
  /** Before the model reads what a person wrote. */
  UserPromptSubmit: { readonly prompt: string }
  /** Before the first turn this tab drives; `fork`: the first of all in a copy. Matched by `source`. */
  SessionStart: { readonly source: 'startup' | 'resume' | 'fork' }
  /** The session was closed here. Asked on the page; matched by `reason`. */
  SessionEnd: { readonly reason: 'other' }
  /** The turn is about to end with an answer. */
  Stop: { readonly stop_hook_active: boolean; readonly last_assistant_message: string }
  /** The turn ended with a failure. */
  StopFailure: { readonly error: string }
  /** An agent is about to work for a call. Matched by its name, like `SubagentStop`. */
  SubagentStart: { readonly agent_id: string }
  SubagentStop: { readonly agent_id: string } & HookInputs['Stop']
  /** It has its task. Matched by its name, like the next. */
  TaskCreated: { readonly task_id: string; readonly task_description: string }
  /** It has done it. Told again if the page dies before what it came to is kept. */
  TaskCompleted: { readonly task_id: string }
  /** Matched by `trigger`. */
  PreCompact: { readonly trigger: 'auto' | 'manual' }
  PostCompact: { readonly trigger: 'auto' | 'manual'; readonly compact_summary: string }
  /** A person is waited for. Matched by `notification_type`. */
  Notification: {
    readonly notification_type: 'permission_prompt' | 'elicitation_dialog'
    readonly message: string
  }
  /** A tool wants a form filled in, or a person to go to an address; before anybody is asked. Matched by tool, like the next. */
  Elicitation: Elicitation
  /** It was answered, by whomever; the tool is about to be told. */
  ElicitationResult: Elicitation & ElicitationResult
}

export type HookEvent = keyof HookInputs

interface ToolInput {
  readonly tool_name: string
  readonly tool_input: unknown
  readonly tool_use_id: string
}

interface Elicitation {
  readonly tool_name: string
  readonly tool_use_id: string
  readonly message: string
  readonly mode: 'form' | 'url'
  readonly requested_schema?: JsonSchema
  readonly url?: string
}

export type HookInput<E extends HookEvent = HookEvent> = HookInputs[E] & {
  readonly hook_event_name: E
  readonly session_id: string
  readonly permission_mode: PermissionMode
  /** The agent at work, by name. */
  readonly agent_type: string
}

export interface HookOutput<E extends HookEvent = HookEvent> {
  /** False ends the turn. */
  readonly continue?: boolean
  /**
   * `block`: the call is denied, the elicitation declined, the result withheld, the prompt not sent, the context not compacted; at `Stop` and
   * `SubagentStop` the agent goes on, with `reason`.
   */
  readonly decision?: 'approve' | 'block'
  /** What the model reads of a block. */
  readonly reason?: string
  readonly hookSpecificOutput?: {
    readonly hookEventName: E
    /** PreToolUse: `allow` does not outrank deny and ask rules; `defer` leaves the call to somebody else, for as long as it takes. */
    readonly permissionDecision?: HookDecision
    readonly permissionDecisionReason?: string
    /** PreToolUse: what the next hook, the rules and the tool are given instead. */
    readonly updatedInput?: unknown
    /** PostToolUse: what the model reads instead. */
    readonly updatedToolOutput?: unknown
    /** What it reads beside it. */
    readonly additionalContext?: string
    /** PermissionRequest: the answer, in the person's place. */
    readonly decision?: PermissionResult
    /** Elicitation: the answer, in the person's place. ElicitationResult: what the tool is told instead. */
    readonly action?: ElicitationResult['action']
    readonly content?: ElicitationResult['content']
    /** PermissionDenied: the model is told that it may try again. */
    readonly retry?: boolean
    /** UserPromptSubmit: a title for the session. */
    readonly sessionTitle?: string
  }
}

export type HookCallback<E extends HookEvent = HookEvent> = (
  input: HookInput<E>,
  toolUseID: string | undefined,
  options: { readonly signal: AbortSignal },
) => HookOutput<E> | undefined | void | Promise<HookOutput<E> | undefined | void>

export interface HookMatcher<E extends HookEvent = HookEvent> {
  /** The tools it is for, by name: `'book'`, `'book|cancel'`, `'get_.*'`. Default: all. */
  readonly matcher?: string
  readonly hooks: readonly HookCallback<E>[]
  /** Seconds for each of them. Default 60. */
  readonly timeout?: number
  /** What a hook that throws or is late means: `continue`, the default, as if it had said nothing; `block`, as if it had said that. */
  readonly onFailure?: 'continue' | 'block'
}

export type Hooks = { readonly [E in HookEvent]?: readonly HookMatcher<E>[] }

export type PostToolUse = HookCallback<'PostToolUse'>
export type PostToolUseInput = HookInput<'PostToolUse'>
export type PostToolUseOutput = HookOutput<'PostToolUse'>

/** One hook, by a name that a worker can find it by. */
export interface ResolvedHook extends Omit<HookMatcher, 'hooks'> {
  readonly event: HookEvent
  readonly name: string
  readonly run: HookCallback
}

export function resolveHooks(hooks: Hooks = {}): readonly ResolvedHook[] {
  return Object.entries(hooks).flatMap(([event, matchers]) => {
    if (!events.has(event)) {
      throw new DogearError('agent-invalid', `There is no hook "${event}". There are: ${[...events].join(', ')}.`)
    }
    return (matchers ?? []).flatMap(({ hooks: runs, matcher, ...rest }, index) => {
      try {
        matcherOf(matcher)
      } catch (cause) {
        throw new DogearError('agent-invalid', `The matcher "${matcher}" of a ${event} hook cannot be read.`, { cause })
      }
      return runs.map((run, position) => ({
        ...rest,
        matcher,
        event: event as HookEvent,
        name: `${event}-${index}-${position}`,
        // The cast: it is only ever told of its own event.
        run: run as HookCallback,
      }))
    })
  })
}

const events = new Set<string>([
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PostToolBatch',
  'PermissionRequest',
  'PermissionDenied',
  'UserPromptSubmit',
  'SessionStart',
  'SessionEnd',
  'Stop',
  'StopFailure',
  'SubagentStart',
  'SubagentStop',
  'TaskCreated',
  'TaskCompleted',
  'PreCompact',
  'PostCompact',
  'Notification',
  'Elicitation',
  'ElicitationResult',
] satisfies HookEvent[])

/** On words that a hook puts before the model in nobody's name. */
export const hookName = 'hook'

export function matcherOf(matcher = '*'): RegExp {
  return new RegExp(`^(?:${matcher === '*' || matcher === '' ? '.*' : matcher})$`)
}
