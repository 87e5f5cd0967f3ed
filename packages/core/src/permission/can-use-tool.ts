/** `canUseTool`: a function of the page that decides about calls that would ask, in the person's place. */
import type { PermissionMode } from './mode.ts'

export type CanUseTool = (
  toolName: string,
  input: unknown,
  options: CanUseToolOptions,
) => PermissionResult | null | undefined | void | Promise<PermissionResult | null | undefined | void>

export interface CanUseToolOptions {
  readonly signal: AbortSignal
  readonly toolUseID: string
  /** Of the Request that is raised if this decides nothing. */
  readonly requestId: string
  /** The call that the asking agent works for; absent for the session's own. */
  readonly agentID?: string
  /** The tool's own words, never the model's. */
  readonly title: string
  readonly displayName: string
  readonly description?: string
  readonly decisionReason: string
  readonly matchedAskRule?: string
  /** A dialog should not begin with yes: the call is destructive. */
  readonly defaultToNo: boolean
  /** No "always" may be offered. */
  readonly suppressAlwaysAllowRule: boolean
  /** Given back as `updatedPermissions`, they are "always allow". */
  readonly suggestions: readonly PermissionUpdate[]
}

export type PermissionResult =
  | {
      readonly behavior: 'allow'
      /** Runs in place of what was asked: checked, and decided again. Of a question, where nobody else is there: `{ answers }`. */
      readonly updatedInput?: unknown
      readonly updatedPermissions?: readonly PermissionUpdate[]
    }
  | {
      readonly behavior: 'deny'
      /** What the model reads. */
      readonly message?: string
      /** Ends the turn. */
      readonly interrupt?: boolean
    }

/** `ruleContent` is what stands in a rule's brackets. */
export interface PermissionRule {
  readonly toolName: string
  readonly ruleContent?: string
}

/** `session`, or any other name: this user's, for this agent on this device. */
export type PermissionDestination = 'session' | 'user' | 'userSettings' | 'projectSettings' | 'localSettings'

export type PermissionUpdate =
  | {
      readonly type: 'addRules' | 'replaceRules' | 'removeRules'
      readonly rules: readonly PermissionRule[]
      readonly behavior: 'allow' | 'ask' | 'deny'
      readonly destination?: PermissionDestination
    }
  | { readonly type: 'setMode'; readonly mode: PermissionMode; readonly destination?: PermissionDestination }

export function ruleText({ toolName, ruleContent }: PermissionRule): string {
  return ruleContent === undefined ? toolName : `${toolName}(${ruleContent})`
}

export function ruleParts(rule: string): PermissionRule {
  const at = rule.indexOf('(')
  return at < 0 ? { toolName: rule } : { toolName: rule.slice(0, at), ruleContent: rule.slice(at + 1, -1) }
}
