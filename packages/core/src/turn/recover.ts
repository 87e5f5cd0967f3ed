/** A call whose intent was written before its host died: what may happen now is the tool's `effect`. */
import { describeError } from '../error.ts'
import { begunElsewhere, type OpenCall } from '../session/state.ts'
import { argsHash } from '../tools/canonical.ts'
import { checkArgs, invalidText, parseArgs, permitted, toolNamed } from './decide.ts'
import { resultOf, unknownResult, type CallDecision } from './decision.ts'
import { provenResult } from './evidence.ts'
import { pageOf } from './page.ts'
import { requestAbout } from './raise.ts'
import { readable } from './resolve.ts'
import { turnOf, type Run, type RunTool } from './run.ts'

/** `last`: the tool as a tab had it that died with it; it tells what may happen, and runs nothing. */
export async function recovered(run: Run, call: OpenCall, last?: RunTool): Promise<CallDecision> {
  const found = toolNamed(run, call.tool)
  const tool = (found?.call ? found : last) as RunTool | undefined
  const mayStillRun = isGuarded(tool) && !(await isLeft(run, call))
  const proven = provenResult(call, await run.loadEvidence(call.callId))
  if (proven) return { type: 'result', result: proven }
  if (!tool?.effect) return { type: 'page' }
  const args = argsOf(call)
  const isChanged = call.intent?.args !== undefined
  const again = async (): Promise<CallDecision> => {
    if (argsHash(run.hash, call.tool, args) !== call.intent?.argsHash) {
      return resultOf(call, 'error', 'The arguments changed after they were approved, so it was not run again.', args)
    }
    if (!found?.call) return { type: 'page' }
    return (await importedDecision(run, call, tool, args)) ?? { type: 'run', tool, args, isChanged }
  }
  // Its child's own journal says how far it came.
  if (tool.tasks) return again()
  switch (tool.effect) {
    case 'read':
    case 'idempotent':
      return again()
    case 'verify': {
      const outcome = await checkedOutcome(run, call, tool)
      if (outcome?.done) return resultOf(call, 'complete', readable(outcome.result), args)
      // "Not done" of a page that lives may mean "not yet".
      return outcome && !mayStillRun ? again() : outcomeRequest(run, call, tool)
    }
    case 'page':
      return unknownResult(call, 'stopped', pageLeft, args)
    case 'once':
      return outcomeRequest(run, call, tool)
  }
}

/** A file says that it was running, and with what: whether it may run here is decided here. */
async function importedDecision(run: Run, call: OpenCall, tool: RunTool, args: unknown) {
  if (call.intent?.attempt !== begunElsewhere) return undefined
  const checked = await checkArgs(run, call.tool, args)
  if (!checked.ok) return resultOf(call, 'error', invalidText(call.tool, checked.issues), args)
  const place = { index: 0, calls: turnOf(run).calls }
  return permitted(run, call, tool, args, { place, isChanged: call.intent.args !== undefined })
}

/** Whether entering it twice would do harm. */
function isGuarded(tool: RunTool | undefined): boolean {
  return !tool?.tasks && (tool?.effect === 'once' || tool?.effect === 'verify')
}

/** Whether the page it was to run on is gone. */
async function isLeft({ page }: Run, { intent }: OpenCall): Promise<boolean> {
  const on = intent && pageOf(intent)
  return !page || on === undefined || page.outlived(on)
}

const pageLeft = 'The page was left before this finished. Look at the page before repeating it.'

/** What was about to run: the person's own arguments where they edited them, else what the model wrote. */
export function argsOf(call: OpenCall): unknown {
  if (call.intent?.args !== undefined) return call.intent.args
  const parsed = parseArgs(call.args)
  return parsed.ok ? parsed.value : undefined
}

/** Undefined when the target cannot tell, or is as silent as it was to the tool: then nobody but a person can. */
export async function checkedOutcome(run: Run, call: OpenCall, tool: RunTool) {
  const { name, timeout } = tool
  let takeBack = () => {}
  try {
    const late = new Promise<never>((_resolve, reject) => {
      takeBack = run.deadlines.add(timeout, () => reject(new Error(`it did not answer within ${timeout / 1000} s`)))
    })
    return await Promise.race([tool.check?.(call.intent?.key ?? ''), late])
  } catch (error) {
    run.warn(`check of "${name}" failed (${describeError(error)}); what became of the call is not known.`)
    return undefined
  } finally {
    takeBack()
  }
}

function outcomeRequest(run: Run, call: OpenCall, tool: RunTool): CallDecision {
  return { type: 'ask', request: requestAbout(run, call, tool, { kind: 'outcome', args: argsOf(call) }) }
}
