/** The calls of a step: safe ones run side by side, others wait for their person, and each gets exactly one result. */
import { describeError, DogearError } from '../error.ts'
import type { CallResult } from '../session/entry.ts'
import type { NewEntry } from '../session/journal.ts'
import { isWaiting } from '../session/fold.ts'
import type { OpenCall } from '../session/state.ts'
import { cappedText, type CallContext, type CallReply } from '../tools/result.ts'
import { isRepeatable } from '../tools/tool.ts'
import { delegate, type Drive } from '../agents/delegate.ts'
import { decideCall, decisionEntries, planDecision, toolNamed } from './decide.ts'
import type { CallDecision } from './decision.ts'
import { budgetReached, limitReached } from './limits.ts'
import { outputGivenUp } from './output.ts'
import { argsOf, recovered } from './recover.ts'
import { resolved } from './resolve.ts'
import { headOf, turnOf, type Ready, type Run, type RunTool } from './run.ts'
import { stepStart } from './step-start.ts'
import { cacheKeyOf } from './tool-rules.ts'
import { unlessStopped } from './unless-stopped.ts'

/** Runs until every call has its result, or those left wait for a person. */
export async function runCalls(run: Run, drive: Drive): Promise<void> {
  const active = new Set<string>()
  const failures: unknown[] = []
  let left = () => {}
  // Asked before anything is started: a call that was stopped would look like one whose host had died, and run again.
  while (!failures.length) {
    const { calls } = turnOf(run)
    for (const [index, call] of calls.entries()) {
      if (call.done || run.settling.has(call.callId) || active.has(call.callId)) continue
      if (isWaiting(headOf(run), call)) continue
      if (active.size >= run.agent().limits.maxParallelTools) break
      active.add(call.callId)
      void advanceCall(run, call, index, drive)
        .catch((error: unknown) => void failures.push(error))
        .then(() => {
          active.delete(call.callId)
          left()
        })
    }
    if (active.size === 0) break
    await Promise.race([oneLeaves(), run.journal.changed()])
  }
  while (active.size > 0) await oneLeaves()
  if (failures.length) throw failures[0]

  /** One promise for all that run: a race of them all, at every commit anew, costs more than the calls. */
  function oneLeaves(): Promise<void> {
    return new Promise((resolve) => (left = resolve))
  }
}

async function advanceCall(run: Run, call: OpenCall, index: number, drive: Drive): Promise<void> {
  if (run.ready.has(call.callId)) return execute(run, call, drive)
  if (call.intent && !call.decision && run.isRunning(call.callId)) return join(run, call, drive)
  await act(run, call, await unlessStopped(run.signal, decisionAbout(run, call, index)), drive)
}

async function decisionAbout(run: Run, call: OpenCall, index: number): Promise<CallDecision> {
  if (call.decision) return resolved(run, call, call.decision)
  if (call.intent) return recovered(run, call)
  const decision = await decideCall(run, call, { index, calls: turnOf(run).calls })
  return decision.type === 'plan' ? planDecision(decision, headOf(run).plan, run.clock.now()) : decision
}

/** Makes a decision true, and runs the call when that is what was decided. */
async function act(run: Run, call: OpenCall, decision: CallDecision, drive: Drive): Promise<void> {
  if (decision.type === 'page') return run.wait('page')
  if (decision.type === 'result') return settle(run, call, decisionEntries(run, call, decision, placeOf(run)))
  await run.journal.append(decisionEntries(run, call, decision, placeOf(run)))
  if (decision.type === 'run') await execute(run, call, drive)
}

async function execute(run: Run, call: OpenCall, drive: Drive): Promise<void> {
  const startedAt = run.clock.now()
  let ready = enter(run, call)
  if (ready.tool.tasks) {
    const done = await delegate(run, call, ready.tool.tasks(ready.args), drive)
    return done && settleReply(run, call, ready, done, run.clock.now() - startedAt)
  }
  let reply = await attempted(run, call, ready)
  while (reply.mayRetry && ready.attempt <= (ready.tool.retry?.maxRetries ?? 0)) {
    await run.clock.sleep((ready.tool.retry?.backoffMs ?? 250) * 2 ** (ready.attempt - 1), run.signal)
    run.signal.throwIfAborted()
    // An intent of its own: a crash now must find that it was tried again.
    const open = openCallOf(run, call)
    const again = { ...ready, type: 'run' as const, isChanged: open.intent?.args !== undefined }
    await run.journal.append(decisionEntries(run, open, again, placeOf(run)))
    ready = enter(run, call)
    reply = await attempted(run, call, ready)
  }
  await settleReply(run, call, ready, reply, run.clock.now() - startedAt)
}

/** From here on a crash leaves an intent whose outcome nobody knows. */
function enter(run: Run, { callId }: OpenCall): Ready {
  run.signal.throwIfAborted()
  const ready = run.ready.get(callId)
  if (!ready) throw new DogearError('internal', `Nothing is ready to run for ${callId}.`)
  run.ready.delete(callId)
  return ready
}

function openCallOf(run: Run, call: OpenCall): OpenCall {
  return turnOf(run).calls.find(({ callId }) => callId === call.callId) ?? call
}

function attempted(run: Run, call: OpenCall, { tool, args, attempt }: Ready): Promise<CallReply> {
  return timed(run, tool, (controller) => tool.call(args, contextOf(run, call, attempt, controller)))
}

/** The page runs it still, or has its reply: asked again, it joins the call instead of starting another. */
async function join(run: Run, call: OpenCall, drive: Drive): Promise<void> {
  const tool = toolNamed(run, call.tool)
  if (!tool?.call) return run.wait('page')
  run.ready.set(call.callId, { tool: tool as RunTool, args: argsOf(call), attempt: call.intent?.attempt ?? 1 })
  return execute(run, call, drive)
}

function contextOf(run: Run, { callId }: OpenCall, attempt: number, controller: AbortController): CallContext {
  return {
    idempotencyKey: `${headOf(run).sessionId}:${callId}`,
    callId,
    sessionId: headOf(run).sessionId,
    attempt,
    // Made when it is asked for: most tools never do, and a signal is the dearest part of a call.
    get signal() {
      return controller.signal
    },
  }
}

async function settleReply(
  run: Run,
  call: OpenCall,
  { tool, args }: Ready,
  reply: CallReply,
  durationMs: number,
): Promise<void> {
  if (run.signal.aborted) run.signal.throwIfAborted()
  if (reply.problem) run.warn(reply.problem)
  const { status, summary } = reply
  const content = cappedText(reply.content, run.agent().profile.toolResponses)
  const made: CallResult = { status, content, args, tool: call.tool, label: call.label, durationMs, summary }
  const cacheKey = tool.cache && status === 'complete' ? await cacheKeyOf(run, tool, args) : undefined
  const result = cacheKey === undefined ? made : { ...made, cacheKey }
  await settle(run, call, [{ type: 'tool-result', callId: call.callId, result, ...placeOf(run) }])
}

/** Commits a call's result; the last one of a step brings the next step's start into the same transaction. */
async function settle(run: Run, call: OpenCall, entries: readonly NewEntry[]): Promise<void> {
  run.settling.add(call.callId)
  const turn = turnOf(run)
  const isLast = turn.calls.every((other) => other.done || run.settling.has(other.callId))
  const next = isLast && !isOver(run) ? [stepStart(turn)] : []
  await run.journal.append([...entries, ...next])
  if (isLast) run.settling.clear()
}

function isOver(run: Run): boolean {
  const { limits, output } = run.agent()
  const turn = turnOf(run)
  return (limitReached(turn, limits) ?? outputGivenUp(turn, output) ?? budgetReached(run)) !== undefined
}

/** A tool that hangs must not hold the turn: its time runs out whether it listens to its signal or not. */
async function timed(
  run: Run,
  tool: RunTool,
  start: (controller: AbortController) => Promise<CallReply>,
): Promise<CallReply> {
  const controller = new AbortController()
  let takeBack = () => {}
  const reply = new Promise<CallReply>((resolve) => {
    takeBack = run.deadlines.add(tool.timeout, () => {
      controller.abort()
      resolve(lateReply(tool))
    })
    start(controller).then(resolve, (error: unknown) => resolve(brokenReply(error)))
  })
  try {
    return await unlessStopped(run.signal, reply)
  } finally {
    if (run.signal.aborted) controller.abort(run.signal.reason)
    takeBack()
  }
}

/** Whether a `once` tool that is late took effect nobody knows, so it is not tried again. */
function lateReply({ name, timeout, retry, effect }: RunTool): CallReply {
  return {
    mayRetry: retry !== undefined && isRepeatable(effect),
    status: 'error',
    content: `${name} did not answer within ${timeout / 1000} s. Whether it took effect is not known.`,
    problem: `Tool "${name}" timed out after ${timeout} ms. Raise its timeout, or have it obey its signal.`,
  }
}

function brokenReply(error: unknown): CallReply {
  const reason = describeError(error)
  return { status: 'error', content: `Error executing tool: ${reason}`, problem: reason }
}

function placeOf(run: Run): { turnId: string; stepId: string } {
  const { id, step } = turnOf(run)
  return { turnId: id, stepId: `${id}.${step}` }
}
