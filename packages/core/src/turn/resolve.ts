/** What becomes of a call once a person has decided about it. */
import { describeError } from '../error.ts'
import type { OpenCall } from '../session/state.ts'
import { answeredText, cancelledText, checkAnswers } from '../smart/questions.ts'
import { argsHash } from '../tools/canonical.ts'
import { resultText } from '../tools/result.ts'
import { checkArgs, runDecision, toolNamed } from './decide.ts'
import { resultOf, unknownResult, type CallDecision } from './decision.ts'
import type { Run, RunTool } from './run.ts'

export async function resolved(
  run: Run,
  call: OpenCall,
  decision: NonNullable<OpenCall['decision']>,
): Promise<CallDecision> {
  const { request } = call
  if (request?.entered && decision.type !== 'result') return enteredAgain(run, call, request.entered.args)
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
      return approvedRun(run, call, decision.args)
  }
}

/** The tool learns what was decided where it asked. */
function enteredAgain(run: Run, call: OpenCall, args: unknown): CallDecision {
  const tool = toolNamed(run, call.tool)
  if (!tool?.call) return { type: 'page' }
  return { type: 'run', tool: tool as RunTool, args, isChanged: true, isEntered: true }
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
async function approvedRun(run: Run, call: OpenCall, edited: unknown): Promise<CallDecision> {
  const tool = toolNamed(run, call.tool)
  if (!tool?.call) return { type: 'page' }
  const approved = (args: unknown) => runDecision(call, tool as RunTool, args, true)
  if (edited === undefined) {
    // Not checked again: a schema that turns text into a date would refuse the date.
    const { args, argsHash: shown } = call.request ?? {}
    if (argsHash(run.hash, call.tool, args) === shown) return approved(args)
    return resultOf(call, 'error', 'The arguments changed after they were approved, so nothing was run.', args)
  }
  const checked = await checkArgs(run, call.tool, edited)
  if (checked.ok) return approved(checked.value)
  return resultOf(call, 'error', `Invalid arguments after editing: ${checked.issues.join('; ')}.`, edited)
}
