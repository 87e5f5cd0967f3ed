/** What an agent may do by itself, as its developer writes it, checked once. */
import { DogearError } from '../error.ts'
import type { CanUseTool } from './can-use-tool.ts'
import type { Rules } from './decide.ts'
import type { OnElicitation } from './elicitation.ts'
import { checkMode, type PermissionMode } from './mode.ts'
import { parseRule } from './rule.ts'

export interface PermissionOptions {
  /** Rules for calls that run without asking, such as `'search'` or `'pay(amount = ..20)'`. They take nothing away. */
  allowedTools?: readonly string[]
  /** A bare name takes the tool out of the model's sight; `tool(terms)` denies such calls, in every mode. */
  disallowedTools?: readonly string[]
  /** Rules for calls that a person is asked about every time, in every mode: "always" is not offered. */
  askTools?: readonly string[]
  /** What sessions begin with; `session.setMode` changes it. Default `default`. */
  permissionMode?: PermissionMode
  /** Without it `bypassPermissions` is refused. */
  allowDangerouslySkipPermissions?: boolean
  /** How to plan in plan mode, in place of the built-in words. What frames them stays. */
  planModeInstructions?: string
  /** `none`: nobody is there to be asked, so what would ask is denied, and the model has no questions to ask but of `canUseTool`. Default `host`: a Request waits for a person. */
  permissionPrompts?: 'host' | 'none'
  /** Milliseconds after which an approval, question, form or deferred call that nobody has answered counts as a no. */
  requestTimeout?: number
  /** Asked before a Request is raised: it may decide in the person's place, or leave it to them with nothing. */
  canUseTool?: CanUseTool
  /** Asked before a tool's `ctx.elicit()` waits for a person: it may answer in their place, or leave it to them with nothing. */
  onElicitation?: OnElicitation
}

/** Plain data: it crosses to a worker. */
export interface Permissions extends Pick<Rules, 'allow' | 'deny' | 'ask'> {
  readonly mode: PermissionMode
  readonly mayBypass: boolean
  readonly planInstructions?: string
  readonly prompts: 'host' | 'none'
  readonly requestTimeout?: number
}

export function resolvePermissions(options: PermissionOptions): Permissions {
  const { allowDangerouslySkipPermissions: mayBypass = false, permissionPrompts: prompts = 'host' } = options
  const { allowedTools: allow = [], disallowedTools: deny = [], askTools: ask = [], requestTimeout } = options
  for (const rule of [...allow, ...deny, ...ask]) parseRule(rule)
  if (prompts !== 'host' && prompts !== 'none') {
    throw new DogearError('agent-invalid', `permissionPrompts is 'host' or 'none', not ${JSON.stringify(prompts)}.`)
  }
  if (requestTimeout !== undefined && !(requestTimeout > 0)) {
    throw new DogearError('agent-invalid', 'requestTimeout must be a number of milliseconds above 0.')
  }
  const mode = checkMode(options.permissionMode ?? 'default', mayBypass, 'agent-invalid')
  return { allow, deny, ask, mode, mayBypass, planInstructions: options.planModeInstructions, prompts, requestTimeout }
}
