/** What becomes of a call once a person has decided about it. */
import { describeError } from '../error.ts'
import type { Request } from '../permission/request.ts'
import type { Decision, OpenCall } from '../session/state.ts'
import { answeredText, cancelledText, checkAnswers } from '../smart/questions.ts'
import { argsHash, canonicalText } from '../tools/canonical.ts'
import { resultText } from '../tools/result.ts'
import { builtInsOf } from './builtins.ts'
import { checkArgs, runDecision, toolNamed } from './decide.ts'
import { resultOf, unknownResult, type CallDecision } from './decision.ts'
import { told } from './elicit.ts'
import { provenResult } from './evidence.ts'
import { refusedAnyway } from './permit.ts'
import { permissionRequest, type Shown } from './raise.ts'
import type { Run, RunTool } from './run.ts'

export async function resolved(
  run: Run,
  call: OpenCall,
  decision: NonNullable<OpenCall['decision']>,
): Promise<CallDecision> {
  const { request } = call
  // Learned after they were asked, and before they knew.
  const proven = request?.kind === 'outcome' && provenResult(call, await run.loadEvidence(call.callId))
  if (proven) return { type: 'result', result: proven }
  if (request?.entered && decision.type !== 'result') {
    const again = enteredAgain(run, call, request.entered.args)
    return again.type === 'run' ? told(run, call, again) : again
  }
  switch (decision.type) {
    case 'reject': {
      const comment = decision.comment ?? 'The person said no. Do not try it again unless they ask.'
      return resultOf(call, 'rejected', `Tool call rejected: ${comment}`, request?.args)
    }
    case 'cancel': {
      if (request?.kind !== 'outcome') return resultOf(call, 'rejected', cancelledText, request?.args)
      return unknownResult(call, 'stopped', notRepeated, request.args)
    }
    case 'answer': {
      const answers = checkAnswers(request?.questions ?? [], decision.answers, request?.allowFreeText ?? true)
      return resultOf(call, 'complete', answeredText(answers, decision.notes), request?.args)
    }
    case 'result': {
      const isBare = request?.kind === 'outcome' && decision.result === undefined
      return resultOf(call, 'complete', isBare ? happened : readable(decision.result), request?.args)
    }
    case 'run':
      return approvedRun(run, call, decision)
  }
}

/** The tool learns what was decided where it asked. */
function enteredAgain(run: Run, call: OpenCall, args: unknown): CallDecision {
  const tool = toolNamed(run, call.tool)
  if (!tool?.call) return { type: 'page' }
  const { context } = call.intent ?? {}
  return { type: 'run', tool: tool as RunTool, args, isChanged: true, isEntered: true, context }
}

const happened = 'The person says that this happened. What it returned is not known.'
const notRepeated = 'Whether this happened is not known, and the person chose not to repeat it. Say so.'

/** What somebody says the result was; unlike a tool's own it may be anything. */
export function readable(result: unknown): string {
  try {
    return resultText(result)
  } catch (error) {
    return `Done, but the result cannot be read (${describeError(error)})`
  }
}

/** What runs is what was shown: the request's own arguments, or those the person wrote instead, checked again. */
async function approvedRun(
  run: Run,
  call: OpenCall,
  { args: edited, argsHash: written, at = 0, host }: Extract<Decision, { type: 'run' }>,
): Promise<CallDecision> {
  const builtIn = builtInsOf(run.agent()).find(({ name }) => name === call.tool)
  const tool = toolNamed(run, call.tool)
  const { request } = call
  const isEdited = edited !== undefined
  const shown = isEdited ? edited : request?.args
  // Of an older version's edits no hash is known.
  const isAsApproved =
    argsHash(run.hash, call.tool, shown) ===
    (isEdited ? (written ?? argsHash(run.hash, call.tool, edited)) : request?.argsHash)
  if (!isAsApproved) {
    return resultOf(call, 'error', 'The arguments changed after they were approved, so nothing was run.', shown)
  }
  if (builtIn)
    return (
      builtIn.approved?.(run, call, { args: shown, isChanged: isEdited }) ?? resultOf(call, 'complete', 'ok', shown)
    )
  if (!tool?.call) return { type: 'page' }
  // Not checked again: a schema that turns text into a date would refuse the date.
  const checked = isEdited ? await checkArgs(run, call.tool, shown) : { ok: true as const, value: shown }
  if (!checked.ok) {
    return resultOf(call, 'error', `Invalid arguments after editing: ${checked.issues.join('; ')}.`, shown)
  }
  const found = tool as RunTool
  if (request && request.kind !== 'outcome') {
    const refused = await refusedAnyway(run, call, found, checked.value)
    if (refused) return refused
    const anew = askedAnew(run, call, found, { request, args: checked.value, at })
    if (anew) return { type: 'ask', request: anew }
  }
  const isElsewhere = host !== undefined && host !== run.host && run.report !== undefined
  const runs = runDecision(call, isElsewhere ? { ...found, host } : found, checked.value, true)
  return runs.type === 'run' ? { ...runs, context: request?.context } : runs
}

/** How long after a click a browser still takes a call for its consequence. */
const clickCounts = 4_000
/** How long a yes is a yes. */
const yesCounts = 86_400_000

/** The question once more, where the yes to it is old, or was said to other words than the tool has now. */
function askedAnew(
  run: Run,
  call: OpenCall,
  tool: RunTool,
  { request, args, at }: { readonly request: Request; readonly args: unknown; readonly at: number },
): Request | undefined {
  const rule = args === request.args ? request.always?.rule : undefined
  // The cast: no other kind is approved and then runs.
  const now = permissionRequest(run, call, tool, { ...(request as Request & Pick<Shown, 'kind'>), args, rule })
  const isOld = Math.abs(run.clock.now() - at) > (request.gesture ? clickCounts : yesCounts)
  // A state that a page made itself need not say what was shown.
  const isOther = request.parameters !== undefined && wordsOf(request) !== wordsOf(now)
  return isOld || isOther ? now : undefined
}

/** What a person reads of a tool beside the arguments. */
function wordsOf({ label, description, prompt, destructive, parameters, gesture }: Request): string {
  return canonicalText([label, description, prompt, destructive, parameters, gesture])
}
