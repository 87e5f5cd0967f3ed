/** The pipeline: what becomes of a call before it runs. Pure, and the same for every call, whoever asked for it. */
import type { Tool } from '../tools/tool.ts'
import type { PermissionMode } from './mode.ts'
import { matches, parseRule } from './rule.ts'

/** Of every rule its text. */
export interface Rules {
  readonly deny: readonly string[]
  readonly ask: readonly string[]
  readonly allow: readonly string[]
  /** Given by a person, with "always": their answer to what would be asked. */
  readonly standing: readonly string[]
}

export interface CallQuestion {
  readonly tool: Pick<Tool, 'name' | 'effect' | 'destructive' | 'openWorld' | 'unlisted' | 'gesture'>
  readonly args: unknown
  /** What the tool's own `needsApproval` says of these arguments. */
  readonly needsApproval: boolean
  readonly rules: Rules
  readonly mode: PermissionMode
  /** What the last PreToolUse hook to say anything said. */
  readonly hook?: HookDecision
  /** Content from outside is in this turn. */
  readonly isTainted: boolean
}

export type HookDecision = 'allow' | 'deny' | 'ask' | 'defer'

export type Verdict =
  | { readonly type: 'allow' }
  | { readonly type: 'defer' }
  | { readonly type: 'deny'; readonly by: 'hook' | 'rule' | 'mode'; readonly rule?: string }
  /** `mayRemember`: an answer may hold for calls like it. `rule`: the ask rule that wants it. `tainted`: strangers may have. */
  | { readonly type: 'ask'; readonly mayRemember: boolean; readonly rule?: string; readonly tainted?: boolean }

export function decide({ tool, args, needsApproval, rules, mode, hook, isTainted }: CallQuestion): Verdict {
  const found = (list: readonly string[], every: boolean) =>
    list.find((rule) => matches(parseRule(rule), tool.name, args, every))
  if (hook === 'deny') return { type: 'deny', by: 'hook' }
  const denied = found(rules.deny, false)
  if (denied !== undefined) return { type: 'deny', by: 'rule', rule: denied }
  // Before anybody is asked: nothing is changed in plan mode, whoever says yes.
  if (mode === 'plan' && tool.effect !== 'read') return { type: 'deny', by: 'mode' }
  if (hook === 'defer') return { type: 'defer' }

  const asked = found(rules.ask, false)
  // What others wrote may have asked for it: no rule that was made before counts for what it could do harm with.
  const isRisky = isTainted && (tool.destructive || tool.openWorld)
  const mustAsk = hook === 'ask' || asked !== undefined || tool.gesture === true || isRisky
  const standing = () => found(rules.standing, true) !== undefined
  const isAllowed = () => {
    if (mustAsk) return false
    if (needsApproval) return standing()
    if (mode === 'bypassPermissions') return true
    if (mode === 'acceptEdits' && !tool.destructive && !tool.openWorld) return true
    return hook === 'allow' || !tool.unlisted || found(rules.allow, true) !== undefined || standing()
  }
  if (isAllowed()) return { type: 'allow' }
  if (mode === 'dontAsk') return { type: 'deny', by: 'mode' }
  return { type: 'ask', mayRemember: !mustAsk && !tool.destructive, rule: asked, tainted: isRisky }
}

/** Whether a rule without terms takes a tool away altogether. */
export function isRemoved(deny: readonly string[] | undefined, name: string): boolean {
  return deny?.some((rule) => !rule.includes('(') && matches(parseRule(rule), name, {}, false)) ?? false
}
