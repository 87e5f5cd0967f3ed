/** What becomes of what a tool asks: the page's own word first, then a person's; of an elicitation, also hooks that look at the answer. */
import { describeError } from '../error.ts'
import { askCallHooks, askHooks, hasHooks } from '../permission/ask-hooks.ts'
import { elicitedBy, type ElicitationResult } from '../permission/elicitation.ts'
import type { HookOutput } from '../permission/hooks.ts'
import type { Request, RequestStatus, Resolution } from '../permission/request.ts'
import { notEditable } from '../permission/resolvers.ts'
import type { NewEntry } from '../session/journal.ts'
import type { OpenCall } from '../session/state.ts'
import { checkJsonSchema } from '../tools/schema.ts'
import type { CallDecision } from './decision.ts'
import { askFor, nobody } from './permit.ts'
import { opened } from './raise.ts'
import type { Run } from './run.ts'
import { modeOf } from './standing.ts'
import { unlessStopped } from './unless-stopped.ts'

/** Why this cannot be what the tool is told; none when it can. */
export function contentIssues({ parameters, url }: Request, content: unknown): readonly string[] {
  if (url !== undefined) return content === undefined ? [] : ['an address is gone to, and not filled in']
  const checked = checkJsonSchema(parameters ?? {}, content)
  return checked.ok ? [] : checked.issues
}

/** What is written when a tool asks for something of its own. */
export function askedEntry(run: Run, request: Request): NewEntry {
  const { onElicitation, canUseTool, permissions } = run.agent()
  const isForm = request.kind === 'elicitation'
  // Kept before the page is asked, which may take minutes: a reload must find that the tool rests, not that it ran.
  if (isForm && (onElicitation || hasHooks(run, 'Elicitation'))) return answered(request, { type: 'retry' })
  const isDecided = canUseTool ?? hasHooks(run, 'PermissionRequest')
  if (request.kind === 'approval' && isDecided && modeOf(run) !== 'dontAsk') return answered(request, undecided)
  const isNobodyThere = isForm ? isAlone(run) : permissions.prompts === 'none'
  return isNobodyThere ? answered(request, { type: 'reject', comment: nobody }) : opened(run, request)
}

/** Of an approval, where no person says it: an older script that finds it takes it for a no. */
const undecided: Resolution = { type: 'cancel' }

type Again = Extract<CallDecision, { type: 'run' }>

/** The tool is entered again with what the page, a person or a hook says; or a person is asked. */
export async function told(run: Run, call: OpenCall, again: Again): Promise<CallDecision> {
  const { request, asked } = call
  const { resolution } = asked?.at(-1) ?? {}
  if (!request || !resolution) return again
  if (request.kind === 'elicitation') return elicited(run, request, resolution, again)
  return request.kind === 'approval' && resolution.type === undecided.type ? approved(run, call, request, again) : again
}

/** The page decides as it does about calls. */
async function approved(run: Run, call: OpenCall, request: Request, again: Again): Promise<CallDecision> {
  const answer = await askFor(run, call, again.tool, { request })
  const isYes = answer.type === 'allow'
  if (!isYes && (answer.type !== 'result' || answer.result.interrupts)) return answer
  const comment = isYes ? answer.isChanged && notEditable().message : answer.result.content
  const resolution: Resolution = comment ? { type: 'reject', comment } : { type: 'approve' }
  return { ...again, beside: [answered(request, resolution), ...(answer.beside ?? [])] }
}

async function elicited(run: Run, request: Request, resolution: Resolution, again: Again): Promise<CallDecision> {
  const isUndecided = resolution.type === 'retry'
  const said = isUndecided ? await pagesWord(run, request) : elicitedBy(resolution)
  if (!said) {
    const notification_type = 'elicitation_dialog'
    const input = () => ({ notification_type, message: request.message ?? '' }) as const
    await askHooks(run, 'Notification', { about: notification_type, input })
    return { type: 'ask', request }
  }
  const result = await lookedOver(run, request, said)
  // The last answer to a question counts: what a hook made of it is kept beside what was said.
  return isUndecided || result !== said ? { ...again, beside: [answered(request, resolutionOf(result))] } : again
}

/** Nobody watches a query, and a state has no place for a form that waits. */
function isAlone(run: Run): boolean {
  return !run.report || run.agent().permissions.prompts === 'none'
}

/** Hooks first, then `onElicitation`. What fails there, or does not fit, decides nothing. */
async function pagesWord(run: Run, request: Request): Promise<ElicitationResult | undefined> {
  const { tool, message = '', parameters: requestedSchema, url, callId, id } = request
  let answer: ElicitationResult | undefined
  const heard = ({ decision, hookSpecificOutput }: HookOutput) => {
    answer ??= decision === 'block' ? { action: 'decline' } : checkedResult(run, request, hookSpecificOutput)
  }
  await askCallHooks(run, 'Elicitation', request, { input: () => inputOf(request), heard })
  const { onElicitation } = run.agent()
  const mode = url === undefined ? 'form' : 'url'
  const about = { mode, message, requestedSchema, url, toolName: tool, toolUseID: callId, requestId: id } as const
  try {
    const asking = Promise.resolve(answer ?? onElicitation?.(about, { signal: run.signal }))
    answer = checkedResult(run, request, await unlessStopped(run.signal, asking))
  } catch (error) {
    run.signal.throwIfAborted()
    run.warn(`onElicitation threw at "${tool}" (${describeError(error)}); it decided nothing.`)
  }
  return answer ?? (isAlone(run) ? { action: 'decline' } : undefined)
}

async function lookedOver(run: Run, request: Request, said: ElicitationResult): Promise<ElicitationResult> {
  let result = said
  const heard = ({ decision, hookSpecificOutput: output }: HookOutput) => {
    if (decision === 'block') result = { action: 'decline' }
    // What a hook has taken out of it must not reach the tool because the rest does not fit.
    else if (output?.action) result = checkedResult(run, request, output) ?? { action: 'decline' }
  }
  await askCallHooks(run, 'ElicitationResult', request, { input: () => ({ ...inputOf(request), ...result }), heard })
  return result
}

function inputOf({ message = '', parameters, url }: Request) {
  return url === undefined
    ? { message, mode: 'form' as const, requested_schema: parameters }
    : { message, mode: 'url' as const, url }
}

function checkedResult(
  run: Run,
  request: Request,
  said: Partial<ElicitationResult> | null | undefined | void,
): ElicitationResult | undefined {
  if (said?.action === 'decline' || said?.action === 'cancel') return { action: said.action }
  if (said?.action !== 'accept') return undefined
  const { content } = said
  const issues = contentIssues(request, content)
  if (!issues.length) return { action: 'accept', ...(content && { content }) }
  run.warn(`An answer to what "${request.tool}" elicits does not count: ${issues.join('; ')}.`)
  return undefined
}

function resolutionOf({ action, content }: ElicitationResult): Resolution {
  if (action === 'accept') return { type: 'fill', ...(content && { content }) }
  return { type: action === 'cancel' ? 'cancel' : 'reject' }
}

/** Never shown to anybody. */
function answered(request: Request, resolution: Resolution): NewEntry {
  const { type } = resolution
  const status = statuses[type] ?? 'cancelled'
  return { type: 'request-close', requestId: request.id, status, resolution, request }
}

const statuses: { readonly [T in Resolution['type']]?: RequestStatus } = {
  approve: 'approved',
  fill: 'answered',
  reject: 'rejected',
}
