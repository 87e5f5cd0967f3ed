/** The calls of a step: safe ones run side by side, others wait for their person, and each gets exactly one result. */
import { describeError, DogearError } from '../error.ts'
import type { CallResult } from '../session/entry.ts'
import type { Beside, NewEntry } from '../session/journal.ts'
import { isWaiting } from '../session/fold.ts'
import { textOf } from '../session/message.ts'
import type { OpenCall } from '../session/state.ts'
import { countApproxTokens } from '../smart/tokens.ts'
import { argsHash } from '../tools/canonical.ts'
import { cappedText, type CallContext, type CallReply } from '../tools/result.ts'
import { isFromOutside, isRepeatable } from '../tools/tool.ts'
import { delegate, type Drive } from '../agents/delegate.ts'
import { keepEvidence } from './evidence.ts'
import { decideCall, decisionEntries, planDecision, toolNamed } from './decide.ts'
import { resultOf, unknownResult, type CallDecision } from './decision.ts'
import { askedEntry } from './elicit.ts'
import { reportId } from './elsewhere.ts'
import { budgetReached, limitReached } from './limits.ts'
import { outputGivenUp } from './output.ts'
import { ownRequest, toldOf } from './own-request.ts'
import { pageOf } from './page.ts'
import { steering } from './queue.ts'
import { argsOf, checkedOutcome, recovered } from './recover.ts'
import { readable, resolved } from './resolve.ts'
import { headOf, turnOf, type Ready, type Run, type RunTool } from './run.ts'
import { soughtBy } from './sought.ts'
import { afterTool, hasHooks } from '../permission/ask-hooks.ts'
import { stepStart } from './step-start.ts'
import { mayHaveRun } from './stop.ts'
import { cacheKeyOf } from './tool-rules.ts'
import { unlessStopped } from './unless-stopped.ts'

/** Runs until every call has its result, or those left wait for a person. */
export async function runCalls(run: Run, drive: Drive): Promise<void> {
  const active = new Set<string>()
  const failures: unknown[] = []
  let left = () => {}
  // Asked before anything is started: a call that was stopped would look like one whose host had died, and run again.
  while (!failures.length && !turnOf(run).interrupted) {
    const { calls } = turnOf(run)
    for (const [index, call] of calls.entries()) {
      if (call.done || run.settling.has(call.callId) || active.has(call.callId)) continue
      if (isWaiting(headOf(run), call)) continue
      if (active.size >= run.agent().limits.maxParallelTools) break
      active.add(call.callId)
      const leave = () => {
        active.delete(call.callId)
        left()
      }
      const isReady = run.ready.has(call.callId)
      const work = isReady ? execute(run, call, drive) : advanceCall(run, call, index, drive)
      work.then(leave, (error: unknown) => {
        failures.push(error)
        leave()
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
  // What was reported is known, whatever a person has said of it meanwhile.
  const isReported = run.reports?.has(reportId(call)) ?? false
  if (call.intent && (isReported || !call.decision)) {
    if (!isReported && isOfThisPage(run, call)) return join(run, call, drive)
    if (run.report && (isReported || isElsewhere(run, call))) return joinHost(run, call, drive)
  }
  await act(run, call, await unlessStopped(run.signal, decisionAbout(run, call, index)), drive)
}

async function decisionAbout(run: Run, call: OpenCall, index: number): Promise<CallDecision> {
  if (call.decision) return resolved(run, call, call.decision)
  if (call.intent) return recovered(run, call)
  const { calls, id, step } = turnOf(run)
  const answer = run.journal.fold.bodies.get(`${id}.${step}.m`)
  const decision = await decideCall(run, call, { index, calls, reason: answer && textOf(answer) })
  return decision.type === 'plan' ? planDecision(decision, headOf(run).plan, run.clock.now()) : decision
}

/** Makes a decision true, and runs the call when that is what was decided. */
async function act(run: Run, call: OpenCall, decision: CallDecision, drive: Drive): Promise<void> {
  if (decision.type === 'page') return waitForPage(run, call)
  if (decision.type === 'result') return settle(run, call, decisionEntries(run, call, decision, placeOf(run)))
  await run.journal.append(decisionEntries(run, call, decision, placeOf(run)))
  if (decision.type === 'run') await execute(run, call, drive)
}

async function execute(run: Run, call: OpenCall, drive: Drive): Promise<void> {
  const startedAt = run.clock.elapsed()
  let ready = enter(run, call)
  if (ready.tool.tasks) {
    const done = await delegate(run, call, ready.tool.tasks(ready.args), drive)
    return done && settleReply(run, call, ready, done, run.clock.elapsed() - startedAt)
  }
  let reply = await attempted(run, call, ready)
  while (reply?.mayRetry && ready.attempt <= (ready.tool.retry?.maxRetries ?? 0)) {
    try {
      await run.clock.sleep((ready.tool.retry?.backoffMs ?? 250) * 2 ** (ready.attempt - 1), run.signal)
      run.signal.throwIfAborted()
      // An intent of its own: a crash now must find that it was tried again.
      const open = openCallOf(run, call)
      const again = { ...ready, type: 'run' as const, isChanged: open.intent?.args !== undefined }
      await run.journal.append(decisionEntries(run, open, again, placeOf(run)))
    } catch (error) {
      // The next owner may try it.
      if (isRepeatable(ready.tool.effect) && !run.stopping()) throw error
      // What the last try came to is known: thrown away, it would be a question to a person.
      break
    }
    ready = enter(run, call)
    reply = await attempted(run, call, ready)
  }
  if (!reply) {
    const open = openCallOf(run, call)
    return act(run, open, await unlessStopped(run.signal, recovered(run, open, ready.tool)), drive)
  }
  if (reply.asks) {
    run.signal.throwIfAborted()
    const asked = ownRequest(run, call, ready, reply.asks)
    if ('kind' in asked)
      return run.journal.append([{ ...askedEntry(run, asked), ...placeOf(run) }], reportTaken(run, call))
    reply = asked
  }
  if (reply.unknown && ready.tool.check) reply = await checkedReply(run, call, ready.tool, reply)
  await settleReply(run, call, ready, reply, run.clock.elapsed() - startedAt)
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

/** Undefined when another tab was to run it, and is gone without a report. */
function attempted(run: Run, call: OpenCall, ready: Ready): Promise<CallReply | undefined> {
  const { tool, args } = ready
  return timed(run, tool, {
    start: (controller) =>
      run.report && (ready.isElsewhere || tool.host !== undefined)
        ? run.report(openCallOf(run, call))
        : tool.call(args, contextOf(run, call, ready, controller)),
    afterwards(reply) {
      if (!reply || reply.asks || reply.unknown) return
      void hooked(run, call, ready, reply).then((told) =>
        keepEvidence(run, call.callId, ready, resultOfReply(run, call, ready, told)),
      )
    },
  })
}

/** A late tool that has a `check` need not leave it unknown. "Not done" is no answer: what is late may still be on its way. */
async function checkedReply(run: Run, call: OpenCall, tool: RunTool, late: CallReply): Promise<CallReply> {
  const outcome = await unlessStopped(run.signal, checkedOutcome(run, openCallOf(run, call), tool))
  return outcome?.done ? { status: 'complete', content: readable(outcome.result) } : late
}

/** A worker of this very page wrote the intent and died: the page knows whether it has entered the call, and nobody need be asked. */
function isOfThisPage(run: Run, call: OpenCall): boolean {
  const { intent, tool } = call
  const isHere = intent && run.page && pageOf(intent) === run.page.id
  return isHere === true && argsHash(run.hash, tool, argsOf(call)) === intent?.argsHash
}

/** Whether another page may still tell what became of it. What may be repeated is not waited for. */
function isElsewhere(run: Run, { intent, tool }: OpenCall): boolean {
  const { effect, tasks } = toolNamed(run, tool) ?? {}
  return intent?.host !== undefined || (intent?.page !== undefined && !tasks && !(effect && isRepeatable(effect)))
}

/** The page runs it still, has its reply, or never heard of it: asked again, it joins the call or begins it. */
async function join(run: Run, call: OpenCall, drive: Drive): Promise<void> {
  const tool = toolNamed(run, call.tool)
  if (!tool?.call) return waitForPage(run, call)
  return executeBegun(run, call, tool as RunTool, drive)
}

/** Another page runs it, by an intent of an owner before this one: never run here, even where this page has the tool. */
function joinHost(run: Run, call: OpenCall, drive: Drive): Promise<void> {
  // Where nobody tells how long it may take, the page's end or a person ends the wait.
  const tool = { name: call.tool, timeout: Infinity, ...toolNamed(run, call.tool) } as RunTool
  return executeBegun(run, call, tool, drive, true)
}

function executeBegun(run: Run, call: OpenCall, tool: RunTool, drive: Drive, isElsewhere = false): Promise<void> {
  const { attempt = 1, key = '', context } = call.intent ?? {}
  run.ready.set(call.callId, { tool, args: argsOf(call), attempt, key, context, isElsewhere })
  return execute(run, call, drive)
}

/** Or until the person would rather do without it. */
function waitForPage(run: Run, call: OpenCall): Promise<void> {
  const { callId, tool } = call
  const { take, commandId } = run.taskStop?.(callId).stopping ?? {}
  if (take) {
    const { result } = mayHaveRun(call)
      ? unknownResult(call, 'skipped', `${skipped} Whether it took effect before is not known.`, argsOf(call))
      : resultOf(call, 'skipped', skipped, argsOf(call))
    return settle(run, call, [{ type: 'tool-result', callId, result, commandId, ...placeOf(run) }], { take })
  }
  run.elsewhere?.seek(soughtBy(run, tool))
  return run.wait('page')
}

const skipped = 'The person skipped this: no page that is open has it.'

function reportTaken(run: Run, call: OpenCall): Beside {
  const row = run.reports?.size ? run.reports.get(reportId(openCallOf(run, call))) : undefined
  return row ? { take: [row.key] } : {}
}

function contextOf(run: Run, call: OpenCall, { attempt, key }: Ready, controller: AbortController): CallContext {
  const { callId } = call
  const { asked } = openCallOf(run, call)
  return {
    ...(asked && { told: toldOf(asked) }),
    ...(run.page && { authority: run.page }),
    idempotencyKey: key,
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
  ready: Ready,
  reply: CallReply,
  durationMs: number,
): Promise<void> {
  const { tool, args } = ready
  const told = await hooked(run, call, ready, reply)
  const made = resultOfReply(run, call, ready, told, durationMs)
  const cacheKey = tool.cache && made.status === 'complete' ? await cacheKeyOf(run, tool, args) : undefined
  const result = cacheKey === undefined ? made : { ...made, cacheKey }
  try {
    await settle(run, call, [{ type: 'tool-result', callId: call.callId, result, ...placeOf(run) }])
  } catch (error) {
    // Refused, because another host has taken over, or failed: lost, it would become a question to a person.
    await keepEvidence(run, call.callId, ready, made)
    throw error
  }
}

type Told = Awaited<ReturnType<typeof afterTool>>

/** The reply as the agent's hooks let its model read it. A stop ends the asking; let go, the next owner waits for what they say. */
async function hooked(run: Run, { callId, tool }: OpenCall, { args }: Ready, reply: CallReply): Promise<Told> {
  if (!hasHooks(run, 'PostToolUse', 'PostToolUseFailure')) return reply
  const stop = new AbortController()
  const told = afterTool({ ...run, signal: stop.signal }, { callId, tool, args }, reply)
  return unlessStopped(run.signal, told).catch((error: unknown) => {
    if (run.stopping()) stop.abort(error)
    return told
  })
}

function resultOfReply(
  run: Run,
  { tool, label }: OpenCall,
  { args, tool: used, context }: Ready,
  reply: Told,
  durationMs?: number,
): CallResult {
  if (reply.problem) run.warn(reply.problem)
  const { status, summary, unknown, interrupts } = reply
  const whole = context ? `${reply.content}\n\n${context}` : reply.content
  const content = cappedText(whole, run.agent().profile.toolResponses)
  const isCut = content !== whole
  return {
    status,
    content,
    args,
    tool,
    label,
    durationMs,
    summary,
    ...(isCut && { originalTokens: countApproxTokens(whole) }),
    ...(unknown && { unknown }),
    ...(isFromOutside(used) && { untrusted: true }),
    ...(interrupts && { interrupts }),
  }
}

/** Commits a call's result; the last one of a step brings the next step's start into the same transaction. */
async function settle(
  run: Run,
  call: OpenCall,
  entries: readonly NewEntry[],
  beside = reportTaken(run, call),
): Promise<void> {
  run.settling.add(call.callId)
  const turn = turnOf(run)
  const isLast = turn.calls.every((other) => other.done || run.settling.has(other.callId))
  const isOver = entries.some((entry) => entry.type === 'tool-result' && entry.result.interrupts)
  const isNext = isLast && !isOver && !run.signal.aborted && !steering(run).length && !isHeld(run)
  const next = isNext ? [stepStart(turn)] : []
  await run.journal.append([...entries, ...next], { must: true, ...beside })
  if (isLast) run.settling.clear()
}

/** Whether the next step has to wait, or never comes. */
function isHeld(run: Run): boolean {
  const { limits, output } = run.agent()
  const turn = turnOf(run)
  if (run.asksAt === 'after_step' || turn.interrupted) return true
  return (limitReached(turn, limits) ?? outputGivenUp(turn, output) ?? budgetReached(run)) !== undefined
}

interface Timed {
  readonly start: (controller: AbortController) => Promise<CallReply | undefined>
  /** Told what it came to when this host has let go of the session meanwhile. */
  readonly afterwards: (reply: CallReply | undefined) => void
}

/** How long a tool that is told to stop may take to say that it has. */
const patience = 100

/** A tool that hangs must not hold the turn: its time runs out whether it listens to its signal or not. */
async function timed(run: Run, tool: RunTool, { start, afterwards }: Timed): Promise<CallReply | undefined> {
  const controller = new AbortController()
  let takeBack = () => {}
  const answered = start(controller)
  const reply = new Promise<CallReply | undefined>((resolve) => {
    let isLate = false
    takeBack = run.deadlines.add(tool.timeout, () => {
      isLate = true
      controller.abort()
      void run.clock.sleep(patience).then(() => resolve(lateReply(tool)))
    })
    answered.then(
      (given) => resolve(isLate && given?.status === 'stopped' && !given.asks ? lateReply(tool) : given),
      (error: unknown) => resolve(brokenReply(error)),
    )
  })
  try {
    return await unlessStopped(run.signal, reply)
  } catch (error) {
    if (!run.stopping()) {
      // Not stopped, let go: it runs on, and whoever has the session now wants to know how it ends.
      void answered.catch(brokenReply).then(afterwards)
      throw error
    }
    controller.abort(run.signal.reason)
    const acknowledged = await Promise.race([answered.catch(brokenReply), run.clock.sleep(patience)])
    if (!acknowledged) throw error
    return acknowledged
  } finally {
    takeBack()
  }
}

/** Whether a `once` tool that is late took effect nobody knows, so it is not tried again. */
function lateReply(tool: RunTool): CallReply {
  const { name, timeout, retry, effect } = tool
  const isUnknown = effect !== 'read'
  return {
    mayRetry: retry !== undefined && isRepeatable(effect),
    status: 'error',
    content: isUnknown ? `${lateText(tool)} Whether it took effect is not known.` : lateText(tool),
    unknown: isUnknown,
    problem: `Tool "${name}" timed out after ${timeout} ms. Raise its timeout, or have it answer its signal by what it did.`,
  }
}

function lateText({ name, timeout }: RunTool): string {
  return `${name} did not answer within ${timeout / 1000} s.`
}

function brokenReply(error: unknown): CallReply {
  const reason = describeError(error)
  return { status: 'error', content: `Error executing tool: ${reason}`, problem: reason }
}

function placeOf(run: Run): { turnId: string; stepId: string } {
  const { id, step } = turnOf(run)
  return { turnId: id, stepId: `${id}.${step}` }
}
