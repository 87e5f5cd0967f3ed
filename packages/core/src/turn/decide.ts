/** What becomes of a call: a result at once, a Request for a person, a run, or a wait for the page that has its tool. */
import type { Question, Request } from '../permission/request.ts'
import type { CallResult } from '../session/entry.ts'
import type { NewEntry } from '../session/journal.ts'
import type { OpenCall } from '../session/state.ts'
import { changePlan, planTool, type Plan } from '../smart/plan.ts'
import { questionsProblem, questionTool } from '../smart/questions.ts'
import { argsHash } from '../tools/canonical.ts'
import { checkJsonSchema } from '../tools/schema.ts'
import { labelText, type ToolLabel, type Validated } from '../tools/tool.ts'
import { describeError } from '../error.ts'
import { callsLeft } from './limits.ts'
import { headOf, turnOf, type Run, type RunTool } from './run.ts'

export type CallDecision =
  | {
      readonly type: 'result'
      readonly result: CallResult
      readonly plan?: { readonly plan: Plan; readonly operation: 'write' | 'update' }
    }
  | { readonly type: 'ask'; readonly request: Request }
  /** `isChanged`: not the arguments the model wrote, so that a recovery must find them in the intent. */
  | { readonly type: 'run'; readonly tool: RunTool; readonly args: unknown; readonly isChanged: boolean }
  /** The tool is on another page of this site. */
  | { readonly type: 'page' }

type ResultDecision = Extract<CallDecision, { type: 'result' }>

/** A change of the plan, not yet made: two in one step build on each other. */
export interface PlanCall {
  readonly type: 'plan'
  readonly call: OpenCall
  readonly args: Parameters<typeof changePlan>[1]
}

export interface CallPlace {
  /** The call's position in its step. */
  readonly index: number
  /** What the model said beside the call. */
  readonly reason?: string
}

/** Decides a call that no person has decided about. */
export async function decideCall(run: Run, call: OpenCall, place: CallPlace): Promise<CallDecision | PlanCall> {
  const agent = run.agent()
  if (place.index >= callsLeft(turnOf(run), agent.limits)) {
    return resultOf(call, 'skipped', `Skipped tool due to tool-call limit: ${call.tool}`)
  }
  if (!toolNamed(run, call.tool)) {
    if (Object.hasOwn(headOf(run).settings.tools ?? {}, call.tool)) return { type: 'page' }
    const known = toolNames(run).join(', ') || 'none'
    return resultOf(call, 'error', `Tool not found: ${call.tool}. Known tools: ${known}.`)
  }
  const parsed = parseArgs(call.args)
  if (!parsed.ok)
    return resultOf(
      call,
      'error',
      `The arguments of ${call.tool} are not valid JSON. Call it again with a JSON object.`,
    )
  const checked = await checkArgs(run, call.tool, parsed.value)
  if (!checked.ok) return resultOf(call, 'error', invalidText(call.tool, checked.issues), parsed.value)

  if (agent.todoList && call.tool === planTool.name) {
    return { type: 'plan', call, args: checked.value as PlanCall['args'] }
  }
  if (agent.askUser && call.tool === questionTool.name) return questionDecision(run, call, checked.value, place)
  const tool = toolNamed(run, call.tool) as RunTool
  return (await needsApproval(run, tool, checked.value))
    ? { type: 'ask', request: approvalRequest(run, call, tool, checked.value, place.reason) }
    : { type: 'run', tool, args: checked.value, isChanged: tool.validate !== undefined }
}

/** Makes the changes of the plan, each on what the one before it left. */
export function planned(decisions: readonly (CallDecision | PlanCall)[], before: Plan | null, now: number) {
  let plan = before
  return decisions.map((decision): CallDecision => {
    if (decision.type !== 'plan') return decision
    const made = planDecision(decision, plan, now)
    plan = made.plan?.plan ?? plan
    return made
  })
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
      const result: NewEntry = { type: 'tool-result', callId: call.callId, result: decision.result, ...at }
      if (!decision.plan) return [result]
      return [{ type: 'plan-set', source: 'manage_todo_list', ...decision.plan, ...at }, result]
    }
    case 'ask':
      return [{ type: 'request-open', request: decision.request, ...at }]
    case 'run': {
      const { tool, args, isChanged } = decision
      run.ready.set(call.callId, { tool, args })
      const attempt = (call.intent?.attempt ?? 0) + 1
      const key = `${headOf(run).sessionId}:${call.callId}`
      return [
        {
          type: 'tool-intent',
          callId: call.callId,
          argsHash: argsHash(run.hash, tool.name, args),
          attempt,
          key,
          ...(isChanged && { args }),
          ...at,
        },
      ]
    }
    case 'page':
      return []
  }
}

export function resultOf(
  call: OpenCall,
  status: CallResult['status'],
  content: string,
  args?: unknown,
): ResultDecision {
  return { type: 'result', result: { status, content, args, tool: call.tool, label: call.label } }
}

export function toolNamed(run: Run, name: string): (Pick<RunTool, 'label'> & globalThis.Partial<RunTool>) | undefined {
  const agent = run.agent()
  if (agent.todoList && name === planTool.name) return { label: planTool.label as ToolLabel }
  if (agent.askUser && name === questionTool.name) return { label: questionTool.label as ToolLabel }
  return agent.tools.find((tool) => tool.name === name)
}

export function toolNames(run: Run): string[] {
  const { todoList, askUser, tools } = run.agent()
  return [
    ...(todoList ? [planTool.name] : []),
    ...(askUser ? [questionTool.name] : []),
    ...tools.map((tool) => tool.name),
  ]
}

/** Also for arguments a person edited: what runs has always been checked. */
export async function checkArgs(run: Run, name: string, args: unknown): Promise<Validated> {
  const { todoList, askUser, tools } = run.agent()
  if (todoList && name === planTool.name) return checkJsonSchema(planTool.parameters, args)
  if (askUser && name === questionTool.name) return checkJsonSchema(questionTool.parameters, args)
  const tool = tools.find((candidate) => candidate.name === name)
  if (!tool) return { ok: false, issues: [`No tool named "${name}".`] }
  try {
    return tool.validate ? await tool.validate(args) : checkJsonSchema(tool.parameters, args)
  } catch (error) {
    return { ok: false, issues: [describeError(error)] }
  }
}

export function parseArgs(text: string): { ok: true; value: unknown } | { ok: false } {
  if (text.trim() === '') return { ok: true, value: {} }
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ok: true, value } : { ok: false }
  } catch {
    return { ok: false }
  }
}

function invalidText(tool: string, issues: readonly string[]): string {
  return `Invalid arguments for ${tool}: ${issues.join('; ')}. Mend them and call again.`
}

function questionDecision(run: Run, call: OpenCall, args: unknown, place: CallPlace): CallDecision {
  const { questions } = args as { questions: readonly Question[] }
  const askUser = run.agent().askUser
  const allowFreeText = askUser ? askUser.allowFreeText : true
  const problem = questionsProblem(questions, allowFreeText)
  if (problem) return resultOf(call, 'error', problem, args)
  return {
    type: 'ask',
    request: {
      id: `${call.callId}.question`,
      kind: 'question',
      openedAt: run.clock.now(),
      callId: call.callId,
      tool: call.tool,
      args,
      argsHash: argsHash(run.hash, call.tool, args),
      questions,
      allowFreeText,
      ...(place.reason && { reason: place.reason }),
    },
  }
}

async function needsApproval(run: Run, tool: RunTool, args: unknown): Promise<boolean> {
  if (typeof tool.needsApproval !== 'function') return tool.needsApproval
  try {
    return await tool.needsApproval(args)
  } catch (error) {
    run.warn(`needsApproval of "${tool.name}" threw (${describeError(error)}); the call asks for approval.`)
    return true
  }
}

function approvalRequest(run: Run, call: OpenCall, tool: RunTool, args: unknown, reason?: string): Request {
  return {
    id: `${call.callId}.approval`,
    kind: 'approval',
    openedAt: run.clock.now(),
    callId: call.callId,
    tool: tool.name,
    label: labelText(tool.label, 'ask'),
    description: tool.description,
    args,
    argsHash: argsHash(run.hash, tool.name, args),
    parameters: tool.parameters,
    destructive: tool.destructive,
    ...(tool.approvalPrompt && { prompt: tool.approvalPrompt }),
    ...(reason && { reason }),
  }
}
