/** What becomes of a call: a result at once, a Request for a person, a run, or a wait for the page that has its tool. */
import { isRemoved } from '../permission/decide.ts'
import type { CallResult } from '../session/entry.ts'
import type { NewEntry } from '../session/journal.ts'
import type { OpenCall } from '../session/state.ts'
import { changePlan, type Plan } from '../smart/plan.ts'
import { builtinNames } from '../tools/builtin.ts'
import { argsHash } from '../tools/canonical.ts'
import { expectedText } from '../tools/coerce.ts'
import { isFromOutside, type Validated } from '../tools/tool.ts'
import { delegationRefusal } from '../agents/delegation-limits.ts'
import { checkBy } from './check-by.ts'
import { builtInsOf, offeredBuiltIns } from './builtins.ts'
import { resultOf, type CallDecision, type CallPlace, type PlanCall, type ResultDecision } from './decision.ts'
import { callsLeft } from './limits.ts'
import { permit } from './permit.ts'
import { opened } from './raise.ts'
import { headOf, turnOf, type Run, type RunTool } from './run.ts'
import { soughtBy } from './sought.ts'
import { cachedResult, ruledOut } from './tool-rules.ts'

/** Decides a call that no person has decided about. */
export async function decideCall(run: Run, call: OpenCall, place: CallPlace): Promise<CallDecision | PlanCall> {
  const agent = run.agent()
  // The structured answer is what a turn comes to when its calls are used up.
  if (place.index >= callsLeft(turnOf(run), agent.limits) && !(agent.output && call.tool === builtinNames.response)) {
    return resultOf(call, 'skipped', `Skipped tool due to tool-call limit: ${call.tool}`)
  }
  if (!toolNamed(run, call.tool)) {
    // A tool that was taken away is not waited for.
    if (!isRemoved(agent.permissions.deny, call.tool) && isElsewhere(run, call.tool)) return { type: 'page' }
    const known = toolNames(run).join(', ') || 'none'
    return resultOf(call, 'error', `Tool not found: ${call.tool}. Known tools: ${known}.`)
  }
  const builtIn = builtInsOf(agent).find(({ name }) => name === call.tool)
  const tool = toolNamed(run, call.tool) as RunTool
  const refused = !builtIn && ruledOut(run, call, tool, place)
  if (refused) return refused
  const parsed = parseArgs(call.args)
  if (!parsed.ok)
    return resultOf(
      call,
      'error',
      `The arguments of ${call.tool} are not valid JSON. Call it again with a JSON object.`,
    )
  const checked = await checkArgs(run, call.tool, parsed.value)
  if (!checked.ok) {
    const problem = invalidText(call.tool, checked.issues)
    if (builtIn || agent.schemaValidation !== 'warn') {
      return resultOf(
        call,
        'error',
        `${problem} ${expectedText(tool.parameters)} Mend them and call again.`,
        parsed.value,
      )
    }
    run.warn(`${problem} It runs with them all the same: schemaValidation is "warn".`)
  }
  const args = checked.ok ? checked.value : parsed.value
  if (builtIn) return builtIn.decide(run, call, args, place)
  // Before a person is asked: they must not approve what is refused after all.
  const refusal = tool.tasks && delegationRefusal(run, 1)
  if (refusal) return resultOf(call, 'error', refusal, args)
  return permitted(run, call, tool, args, { place, isChanged: args !== parsed.value })
}

/** Whether it may run is decided here, whoever asked for it: a model, or a file that says it was running. */
export async function permitted(
  run: Run,
  call: OpenCall,
  tool: RunTool,
  given: unknown,
  { place, isChanged }: { readonly place: CallPlace; readonly isChanged: boolean },
): Promise<CallDecision> {
  const allowed = await permit(run, call, tool, given, place)
  if (allowed.type !== 'allow') return allowed
  const { args, beside = [], context } = allowed
  const cached = tool.cache && !allowed.beside && (await cachedResult(run, call, tool, args))
  if (cached) return cached
  const decision = runDecision(call, tool, args, isChanged || allowed.isChanged || args !== given)
  if (decision.type === 'run') return { ...decision, beside, context }
  return decision.type === 'result' ? { ...decision, beside: [...beside, ...(decision.beside ?? [])] } : decision
}

/** Runs the tool, or gives the word to the agent it stands for. */
export function runDecision(call: OpenCall, tool: RunTool, args: unknown, isChanged: boolean): CallDecision {
  if (!tool.handoff) return { type: 'run', tool, args, isChanged }
  const { name } = tool.handoff
  const { result } = resultOf(call, 'complete', 'ok', args)
  return { type: 'result', result: { ...result, handoff: name }, beside: [{ type: 'agent-set', agent: name }] }
}

/** Makes the changes of the plan, each on what the one before it left, and gives the word away once. */
export function planned(decisions: readonly (CallDecision | PlanCall)[], before: Plan | null, now: number) {
  let plan = before
  let isGiven = false
  return decisions.map((decision): CallDecision => {
    if (decision.type === 'result' && decision.result.handoff !== undefined) {
      if (isGiven) return alreadyGiven(decision)
      isGiven = true
    }
    if (decision.type !== 'plan') return decision
    const made = planDecision(decision, plan, now)
    plan = made.plan?.plan ?? plan
    return made
  })
}

/** Two agents cannot have the word: the first one asked for gets it. */
function alreadyGiven({ result: { handoff: _handoff, ...result } }: ResultDecision): ResultDecision {
  const content = 'Not carried out: the conversation was handed over by another call beside this one.'
  return { type: 'result', result: { ...result, status: 'skipped', content } }
}

export function planDecision({ call, args }: PlanCall, before: Plan | null, now: number): ResultDecision {
  const { reply, plan, operation } = changePlan(before, args, now)
  const decided = resultOf(call, reply.status === 'error' ? 'error' : 'complete', JSON.stringify(reply), args)
  return plan && operation !== 'read' ? { ...decided, plan: { plan, operation } } : decided
}

/** The entries that make a decision true; a run is remembered, so that its intent is told from a dead host's. */
export function decisionEntries(
  run: Run,
  call: OpenCall,
  decision: CallDecision,
  at: { turnId: string; stepId: string },
): NewEntry[] {
  switch (decision.type) {
    case 'result': {
      const { plan, beside = [] } = decision
      return [
        ...(plan ? [{ type: 'plan-set' as const, source: 'manage_todo_list' as const, ...plan, ...at }] : []),
        { type: 'tool-result', callId: call.callId, result: asFrom(toolNamed(run, call.tool), decision.result), ...at },
        ...beside.map((entry) => ({ ...at, ...entry })),
      ]
    }
    case 'ask':
      return [{ ...opened(run, decision.request), ...at }]
    case 'run': {
      const { tool, args, isChanged, isEntered, beside = [], context } = decision
      const attempt = Math.max(1, (call.intent?.attempt ?? 0) + (isEntered ? 0 : 1))
      const key = call.intent?.key ?? `${headOf(run).sessionId}:${call.callId}`
      run.ready.set(call.callId, { tool, args, attempt, key, context })
      return [
        ...beside.map((entry) => ({ ...at, ...entry })),
        {
          type: 'tool-intent',
          callId: call.callId,
          argsHash: argsHash(run.hash, tool.name, args),
          attempt,
          key,
          ...(isChanged && { args }),
          ...(tool.host !== undefined ? { host: tool.host } : run.page && { page: run.page.id }),
          ...(context && { context }),
          ...at,
        },
      ]
    }
    case 'page':
    case 'later':
      return []
  }
}

/** Kept from an earlier turn, or told by somebody: what a call gave back is a stranger's word all the same. */
function asFrom(tool: ReturnType<typeof toolNamed>, result: CallResult): CallResult {
  return tool && isFromOutside(tool) && result.status === 'complete' ? { ...result, untrusted: true } : result
}

/** Whether the agent at work has this tool on another page. One that stands in for it waits for the tools of both. */
function isElsewhere(run: Run, name: string): boolean {
  const { agent } = turnOf(run)
  const known = headOf(run).settings.tools ?? {}
  return Object.hasOwn(known, `${agent}/${name}`) || (agent !== run.agent().name && Object.hasOwn(known, name))
}

export function toolNamed(run: Run, name: string): (Pick<RunTool, 'label'> & globalThis.Partial<RunTool>) | undefined {
  const agent = run.agent()
  const isNamed = (tool: { readonly name: string }) => tool.name === name
  const own = builtInsOf(agent).find(isNamed) ?? agent.tools.find(isNamed)
  return own ?? run.elsewhere?.tool(soughtBy(run, name))
}

export function toolNames(run: Run): string[] {
  const agent = run.agent()
  return [...offeredBuiltIns(run), ...agent.tools].map((tool) => tool.name)
}

/** Also for arguments a person edited: what runs has always been checked. */
export function checkArgs(run: Run, name: string, args: unknown): Validated | Promise<Validated> {
  const tool = toolNamed(run, name)
  if (!tool?.parameters) return { ok: false, issues: [`No tool named "${name}".`] }
  return checkBy({ parameters: tool.parameters, validate: tool.validate }, args)
}

export function parseArgs(text: string): { ok: true; value: unknown } | { ok: false } {
  if (text.trim() === '') return { ok: true, value: {} }
  try {
    let value: unknown = JSON.parse(text)
    // Some models write the object as a text once more.
    if (typeof value === 'string') value = JSON.parse(value)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ok: true, value } : { ok: false }
  } catch {
    return { ok: false }
  }
}

export function invalidText(tool: string, issues: readonly string[]): string {
  return `Invalid arguments for ${tool}: ${issues.join('; ')}.`
}
