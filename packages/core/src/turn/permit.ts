/** Whether a call may run: hooks, rules and mode, then the page's own word, and at last a person's. */
import { describeError } from '../error.ts'
import { askCallHooks, askHooks, hasHooks } from '../permission/ask-hooks.ts'
import { ruleParts, type PermissionResult, type PermissionUpdate } from '../permission/can-use-tool.ts'
import { decide, type HookDecision, type Verdict } from '../permission/decide.ts'
import type { HookOutput } from '../permission/hooks.ts'
import type { Request } from '../permission/request.ts'
import { matches, parseRule, ruleFor } from '../permission/rule.ts'
import type { CallResult } from '../session/entry.ts'
import type { NewEntry } from '../session/journal.ts'
import type { OpenCall } from '../session/state.ts'
import { argsHash } from '../tools/canonical.ts'
import { checkBy } from './check-by.ts'
import { resultOf, type CallDecision, type CallPlace, type ResultDecision } from './decision.ts'
import { permissionEntries } from './permission-updates.ts'
import { permissionRequest } from './raise.ts'
import type { Run, RunTool } from './run.ts'
import { isTainted, modeOf, rulesOf } from './standing.ts'
import { unlessStopped } from './unless-stopped.ts'

export type Permit =
  | {
      readonly type: 'allow'
      readonly args: unknown
      /** Not what was asked about. */
      readonly isChanged?: boolean
      /** What becomes true with it. */
      readonly beside?: readonly NewEntry[]
      /** What the model is told beside the result. */
      readonly context?: string
    }
  | Exclude<CallDecision, { type: 'run' }>

export async function permit(
  run: Run,
  call: OpenCall,
  tool: RunTool,
  given: unknown,
  place: CallPlace,
): Promise<Permit> {
  // They may take minutes: the answer is kept before they are asked.
  const isSlow = hasHooks(run, 'PreToolUse', 'PermissionRequest', 'PermissionDenied', 'Notification')
  if (place.isEarly && isSlow) return { type: 'later' }
  const before = await beforeTool(run, call, tool, given)
  if (before.type === 'result') return before
  const { args, context } = before
  const needsApproval = await asksFor(run, tool, args)
  const question = {
    tool: asDecided(tool),
    args,
    needsApproval,
    mode: modeOf(run),
    hook: before.decision,
    isTainted: isTainted(run),
  }
  const shown = { args, context, reason: place.reason }
  const verdict = decide({ ...question, rules: await rulesOf(run) })
  switch (verdict.type) {
    case 'allow':
      return before
    case 'deny':
      return denied(run, call, args, { message: before.reason ?? denialOf(verdict), interrupt: before.interrupt })
    case 'defer':
      return { type: 'ask', request: permissionRequest(run, call, tool, { ...shown, kind: 'deferred' }) }
    case 'ask': {
      if (place.isEarly && run.agent().canUseTool) return { type: 'later' }
      const rule = verdict.mayRemember ? rememberable(tool, args) : undefined
      const request = permissionRequest(run, call, tool, { ...shown, kind: 'approval', rule })
      const answer = await askFor(run, call, tool, { request, verdict, context })
      const isChanged = answer.type === 'allow' && answer.isChanged
      return (isChanged && (await refusedAnyway(run, call, tool, answer.args))) || answer
    }
  }
}

type Asked = Extract<Verdict, { type: 'ask' }>

/** The page's own word, then a person's. Also for what is no tool of the page: leaving plan mode. */
export async function askFor(
  run: Run,
  call: OpenCall,
  tool: Pick<RunTool, 'parameters' | 'validate'>,
  { request, verdict, context }: { readonly request: Request; readonly verdict?: Asked; readonly context?: string },
): Promise<Permit> {
  const { args } = request
  const answer = await pagesWord(run, request, verdict)
  if (answer?.behavior === 'deny') return denied(run, call, args, answer)
  if (answer?.behavior === 'allow') {
    const permitted = await allowed(run, call, tool, request, answer)
    return permitted.type === 'allow' ? { ...permitted, context } : permitted
  }
  const { prompts } = run.agent().permissions
  if (prompts === 'none' || modeOf(run) === 'dontAsk') return denied(run, call, args, { message: nobody })
  const message = `${request.label || request.tool} waits for approval.`
  const notification_type = 'permission_prompt'
  await askHooks(run, 'Notification', { about: notification_type, input: () => ({ notification_type, message }) })
  return { type: 'ask', request }
}

/** A person's yes does not outrank a rule that denies, nor plan mode. */
export async function refusedAnyway(
  run: Run,
  call: OpenCall,
  tool: RunTool,
  args: unknown,
): Promise<ResultDecision | undefined> {
  const mode = modeOf(run)
  const question = { tool: asDecided(tool), args, needsApproval: false, mode, isTainted: false }
  const verdict = decide({ ...question, rules: await rulesOf(run) })
  if (verdict.type !== 'deny' || (verdict.by === 'mode' && mode !== 'plan')) return undefined
  return resultOf(call, 'rejected', denialOf(verdict), args)
}

/** What an agent does that it leads to is decided there. */
function asDecided(tool: RunTool): RunTool {
  return tool.tasks || tool.handoff ? { ...tool, effect: 'read' } : tool
}

export const nobody = 'Nobody can be asked here. Do without it, or say what you need.'

function denialOf({ by }: Extract<Verdict, { type: 'deny' }>): string {
  if (by === 'mode') return 'Not allowed in this mode. Do without it, or say what you need.'
  return notAllowed
}

const notAllowed = 'This call is not allowed here. Do without it, or say what you need.'

interface Before extends Extract<Permit, { type: 'allow' }> {
  readonly decision?: HookDecision
  readonly reason?: string
  readonly interrupt?: 'hook'
}

/** The strictest of what the hooks say holds; each sees what the one before has made of the arguments. */
async function beforeTool(run: Run, call: OpenCall, tool: RunTool, given: unknown): Promise<Before | ResultDecision> {
  const type = 'allow'
  if (!hasHooks(run, 'PreToolUse')) return { type, args: given }
  const shown = argsHash(run.hash, tool.name, given)
  let { args, decision, reason, interrupt, context }: Before = { type, args: given }
  const heard = (output: HookOutput) => {
    const {
      permissionDecision: said,
      permissionDecisionReason,
      updatedInput,
      additionalContext,
    } = output.hookSpecificOutput ?? {}
    const isStopped = output.continue === false
    const next = isStopped || output.decision === 'block' ? 'deny' : said
    if (updatedInput !== undefined) args = updatedInput
    if (additionalContext) context = context ? `${context}\n\n${additionalContext}` : additionalContext
    if (isStopped) interrupt = 'hook'
    if (!next || strictness.indexOf(next) <= strictness.indexOf(decision ?? '')) return
    decision = next
    reason = permissionDecisionReason ?? output.reason
  }
  await askCallHooks(run, 'PreToolUse', call, { input: () => ({ tool_input: args }), heard })
  const said = { type, decision, reason, interrupt, context } as const
  // By what they say: a schema that turns text into a date would refuse the date that is given back.
  if (argsHash(run.hash, tool.name, args) === shown) return { ...said, args: given }
  const checked = await checkBy(tool, args)
  if (checked.ok) return { ...said, args: checked.value, isChanged: true }
  return resultOf(call, 'error', `Invalid arguments after a hook: ${checked.issues.join('; ')}.`, args)
}

const strictness: readonly string[] = ['allow', 'ask', 'defer', 'deny']

async function asksFor(run: Run, tool: RunTool, args: unknown): Promise<boolean> {
  if (typeof tool.needsApproval !== 'function') return tool.needsApproval
  try {
    return await tool.needsApproval(args)
  } catch (error) {
    run.warn(`needsApproval of "${tool.name}" threw (${describeError(error)}); the call asks for approval.`)
    return true
  }
}

/** Longer ones nobody would read. */
const longestRule = 500

function rememberable(tool: RunTool, args: unknown): string | undefined {
  const rule = ruleFor(tool.name, args, tool.alwaysBy)
  // What a schema made, such as a date or a big number, is not what a rule can say.
  return rule.length <= longestRule && matches(parseRule(rule), tool.name, args, true) ? rule : undefined
}

/** Hooks first, then `canUseTool`. What fails there decides nothing: a person is asked. */
async function pagesWord(
  run: Run,
  request: Request,
  verdict: Partial<Asked> = {},
): Promise<PermissionResult | undefined> {
  const { tainted } = verdict
  let answer: PermissionResult | undefined
  const heard = ({ decision, reason, hookSpecificOutput }: HookOutput) => {
    const said = decision === 'block' ? { behavior: 'deny' as const, message: reason } : hookSpecificOutput?.decision
    // Strangers may have asked for the call: a yes of code that saw nothing of their words is none.
    if (!tainted || said?.behavior === 'deny') answer ??= said
  }
  await askCallHooks(run, 'PermissionRequest', request, { input: () => ({ tool_input: request.args }), heard })
  return answer ?? canUse(run, request, verdict)
}

/** What `canUseTool` says, if anything. */
export async function canUse(
  run: Run,
  request: Request,
  { rule, tainted }: Partial<Asked> = {},
): Promise<PermissionResult | undefined> {
  const { tool, args, always, callId, label = '', description, destructive = false, prompt: title = label } = request
  const { canUseTool } = run.agent()
  if (!canUseTool) return undefined
  const suggestions: PermissionUpdate[] = always
    ? [{ type: 'addRules', rules: [ruleParts(always.rule)], behavior: 'allow', destination: 'session' }]
    : []
  const agentID = run.journal.path.at(-1)
  const about = {
    ...{ signal: run.signal, toolUseID: callId, requestId: request.id, title, displayName: label, description },
    ...{ suggestions, defaultToNo: destructive, suppressAlwaysAllowRule: !always },
    decisionReason: tainted
      ? 'Content from outside is in this turn.'
      : rule === undefined
        ? 'Nothing allows this call by itself.'
        : `A rule asks for it: ${rule}`,
    ...(rule !== undefined && { matchedAskRule: rule }),
    ...(agentID !== undefined && { agentID }),
  }
  try {
    const said = await unlessStopped(
      run.signal,
      Promise.resolve().then(() => canUseTool(tool, args, about)),
    )
    return said?.behavior === 'allow' || said?.behavior === 'deny' ? said : undefined
  } catch (error) {
    run.signal.throwIfAborted()
    run.warn(`canUseTool threw at "${tool}" (${describeError(error)}); it decided nothing.`)
    return undefined
  }
}

/** Written with the call's intent: a reload before it asks again, one after it does not. */
async function allowed(
  run: Run,
  call: OpenCall,
  tool: Pick<RunTool, 'parameters' | 'validate'>,
  { args, argsHash: shown, tool: name }: Request,
  { updatedInput = args, updatedPermissions = [] }: Extract<PermissionResult, { behavior: 'allow' }>,
): Promise<Permit> {
  const isChanged = argsHash(run.hash, name, updatedInput) !== shown
  const checked = isChanged ? await checkBy(tool, updatedInput) : { ok: true as const, value: args }
  if (checked.ok)
    return { type: 'allow', args: checked.value, isChanged, beside: await permissionEntries(run, updatedPermissions) }
  return resultOf(call, 'error', `Invalid arguments after editing: ${checked.issues.join('; ')}.`, updatedInput)
}

export async function denied(
  run: Run,
  call: OpenCall,
  args: unknown,
  { message = notAllowed, interrupt }: { readonly message?: string; readonly interrupt?: CallResult['interrupts'] },
): Promise<ResultDecision> {
  let mayRetry = false
  const heard = ({ hookSpecificOutput }: HookOutput) => void (mayRetry ||= hookSpecificOutput?.retry === true)
  await askCallHooks(run, 'PermissionDenied', call, { input: () => ({ tool_input: args, reason: message }), heard })
  const content = mayRetry ? `${message} You may try this call again.` : message
  const { type, result } = resultOf(call, 'rejected', content, args)
  return { type, result: { ...result, ...(interrupt && { interrupts: interrupt }) } }
}
