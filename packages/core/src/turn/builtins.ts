/** The tools the loop carries out itself: which of them an agent has, and what becomes of a call of each. */
import { describeError } from '../error.ts'
import type { Answers, Question, Request } from '../permission/request.ts'
import type { ModelTool } from '../ports/model.ts'
import type { OpenCall } from '../session/state.ts'
import { archivedPart, archiveReads, archiveTool, type ArchiveArgs } from '../smart/archive.ts'
import { planPrompt, planTool } from '../smart/plan.ts'
import {
  answeredText,
  askedEnough,
  checkAnswers,
  questionPrompt,
  questionsProblem,
  questionTool,
  timesAsked,
} from '../smart/questions.ts'
import { isRemoved } from '../permission/decide.ts'
import type { NewEntry } from '../session/journal.ts'
import { builtinNames } from '../tools/builtin.ts'
import { argsHash } from '../tools/canonical.ts'
import type { ToolLabel } from '../tools/tool.ts'
import { resultOf, type CallDecision, type CallPlace, type PlanCall } from './decision.ts'
import { askFor, canUse, denied, nobody, type Permit } from './permit.ts'
import { permissionRequest } from './raise.ts'
import { modeOf } from './standing.ts'
import { headOf, turnOf, type Run, type RunAgent, type RunTool } from './run.ts'

export interface BuiltIn extends ModelTool {
  readonly label: ToolLabel
  /** What the model is told of it in its instructions. */
  readonly prompt?: string
  readonly validate?: RunTool['validate']
  /** Whether this step has it; without it, every step. */
  readonly isOffered?: (run: Run) => boolean
  /** What a person's yes to it means. */
  readonly approved?: (run: Run, call: OpenCall, given: Omit<Allowed, 'type'>) => CallDecision
  /** The arguments fit its parameters. */
  readonly decide: (run: Run, call: OpenCall, args: unknown, place: CallPlace) => Decided | Promise<Decided>
}

type Decided = CallDecision | PlanCall
type Allowed = Extract<Permit, { type: 'allow' }>

export function builtInsOf(agent: RunAgent): readonly BuiltIn[] {
  let found = known.get(agent)
  if (!found)
    known.set(
      agent,
      (found = [
        ...planBuiltIn(agent),
        ...questionBuiltIn(agent),
        ...responseBuiltIn(agent),
        archiveBuiltIn,
        exitPlanBuiltIn,
      ].filter(({ name }) => !isRemoved(agent.permissions.deny, name))),
    )
  return found
}

/** Those this step has. */
export function offeredBuiltIns(run: Run): readonly BuiltIn[] {
  return builtInsOf(run.agent()).filter(({ isOffered }) => !isOffered || isOffered(run))
}

/** Asked several times a call. */
const known = new WeakMap<RunAgent, readonly BuiltIn[]>()

function planBuiltIn({ todoList }: RunAgent): BuiltIn[] {
  if (!todoList) return []
  return [
    {
      ...planTool,
      prompt: planPrompt,
      decide: (_run, call, args) => ({ type: 'plan', call, args: args as PlanCall['args'] }),
    },
  ]
}

function questionBuiltIn({ askUser, permissions, canUseTool }: RunAgent): BuiltIn[] {
  const isAlone = permissions.prompts === 'none'
  if (!askUser || (isAlone && !canUseTool)) return []
  const { allowFreeText, promptOverride } = askUser
  return [
    {
      ...questionTool,
      prompt: promptOverride ?? questionPrompt,
      decide(run, call, args, place) {
        const { questions } = args as { questions: readonly Question[] }
        const problem = questionsProblem(questions, allowFreeText)
        if (problem) return resultOf(call, 'error', problem, args)
        if (timesBefore(run, call, place) >= timesAsked) return resultOf(call, 'error', askedEnough, args)
        if (isAlone && place.isEarly) return { type: 'later' }
        const request: Request = {
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
        }
        return isAlone ? pagesAnswer(run, call, request) : { type: 'ask', request }
      },
    },
  ]
}

/** Where no person is, the page may answer in their place; a yes without answers is none. */
async function pagesAnswer(run: Run, call: OpenCall, request: Request): Promise<Decided> {
  const { args, questions = [], allowFreeText = true } = request
  const said = await canUse(run, request)
  if (said?.behavior !== 'allow') return denied(run, call, args, said ?? { message: nobody })
  try {
    const { answers = {} } = (said.updatedInput ?? {}) as { readonly answers?: Answers }
    return resultOf(call, 'complete', answeredText(checkAnswers(questions, answers, allowFreeText)), args)
  } catch (error) {
    return resultOf(call, 'error', describeError(error), args)
  }
}

function responseBuiltIn({ output }: RunAgent): BuiltIn[] {
  if (output?.strategy !== 'tool') return []
  const { parameters, validate } = output
  return [
    {
      name: builtinNames.response,
      label: { ask: 'Give the answer', doing: 'Writing the answer', done: 'Gave the answer' },
      description: 'Gives your final answer. Call it exactly once, alone, when everything else is done.',
      parameters,
      validate,
      prompt: `Give your final answer by calling ${builtinNames.response}, not as text.`,
      decide: (_run, call, args) => ({ ...resultOf(call, 'complete', 'ok', args), output: args }),
    },
  ]
}

const archiveBuiltIn: BuiltIn = {
  ...archiveTool,
  isOffered: (run) => Boolean(headOf(run).compaction?.archived.length),
  async decide(run, call, args, place) {
    if (timesBefore(run, call, place) >= archiveReads) {
      return resultOf(call, 'error', `At most ${archiveReads} earlier results a turn. Go on with what you have.`, args)
    }
    const found = archivedPart(await run.journal.messages(), args as ArchiveArgs)
    if (!found) return resultOf(call, 'error', 'No call has this executionId. Take it from a marker.', args)
    const { type, result } = resultOf(call, 'complete', found.text, args)
    return { type, result: { ...result, ...(found.untrusted && { untrusted: true }) } }
  },
}

/** How often a turn has had this tool before this call. */
function timesBefore(run: Run, call: OpenCall, { index, calls }: CallPlace): number {
  const { successes = 0 } = turnOf(run).tallies[call.tool] ?? {}
  // Those of the same step are decided before they are counted.
  return successes + calls.slice(0, index).filter(({ tool, done }) => tool === call.tool && !done).length
}

const exitPlanBuiltIn: BuiltIn = {
  name: builtinNames.exitPlan,
  label: { ask: 'Carry out this plan', doing: 'Showing the plan', done: 'Showed the plan' },
  description: 'Shows the person your plan and asks whether you may carry it out.',
  parameters: {
    type: 'object',
    properties: { plan: { type: 'string', description: 'The plan, in Markdown.' } },
    required: ['plan'],
  },
  // A helper's mode is that of whoever it works for.
  isOffered: (run) => !run.above && modeOf(run) === 'plan',
  async decide(run, call, args, { reason, isEarly }) {
    if (run.above || modeOf(run) !== 'plan') return resultOf(call, 'error', 'Plan mode is not on.', args)
    if (isEarly && (run.agent().canUseTool || run.agent().hooks?.length)) return { type: 'later' }
    const request = permissionRequest(run, call, exitPlanBuiltIn, { args, kind: 'approval', reason })
    const answer = await askFor(run, call, exitPlanBuiltIn, { request })
    return answer.type === 'allow' ? planApproved(run, call, answer) : answer
  },
  approved: planApproved,
}

/** The mode is left with the result: a crash leaves both, or neither. */
function planApproved(run: Run, call: OpenCall, { args, isChanged, beside = [] }: Omit<Allowed, 'type'>): CallDecision {
  const { mode: own } = run.agent().permissions
  const isChosen = beside.some((entry) => entry.type === 'meta-set' && entry.mode)
  const mode: NewEntry = { type: 'meta-set', mode: own === 'plan' ? 'default' : own }
  const what = isChanged ? `this plan now:\n\n${(args as { plan: string }).plan}` : 'the plan now.'
  const { type, result } = resultOf(call, 'complete', `The person agreed. Carry out ${what}`, args)
  return { type, result, beside: isChosen ? beside : [mode, ...beside] }
}
