/** The tools the loop carries out itself: which of them an agent has, and what becomes of a call of each. */
import type { Question } from '../permission/request.ts'
import type { ModelTool } from '../ports/model.ts'
import type { OpenCall } from '../session/state.ts'
import { archivedText, archiveReads, archiveTool, type ArchiveArgs } from '../smart/archive.ts'
import { planPrompt, planTool } from '../smart/plan.ts'
import { questionPrompt, questionsProblem, questionTool } from '../smart/questions.ts'
import { builtinNames } from '../tools/builtin.ts'
import { argsHash } from '../tools/canonical.ts'
import type { ToolLabel } from '../tools/tool.ts'
import { resultOf, type CallDecision, type CallPlace, type PlanCall } from './decision.ts'
import { headOf, turnOf, type Run, type RunAgent, type RunTool } from './run.ts'

export interface BuiltIn extends ModelTool {
  readonly label: ToolLabel
  /** What the model is told of it in its instructions. */
  readonly prompt?: string
  readonly validate?: RunTool['validate']
  /** Whether this step has it; without it, every step. */
  readonly isOffered?: (run: Run) => boolean
  /** The arguments fit its parameters. */
  readonly decide: (run: Run, call: OpenCall, args: unknown, place: CallPlace) => Decided | Promise<Decided>
}

type Decided = CallDecision | PlanCall

export function builtInsOf(agent: RunAgent): readonly BuiltIn[] {
  let found = known.get(agent)
  if (!found)
    known.set(
      agent,
      (found = [...planBuiltIn(agent), ...questionBuiltIn(agent), ...responseBuiltIn(agent), archiveBuiltIn]),
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

function questionBuiltIn({ askUser }: RunAgent): BuiltIn[] {
  if (!askUser) return []
  const { allowFreeText, promptOverride } = askUser
  return [
    {
      ...questionTool,
      prompt: promptOverride ?? questionPrompt,
      decide(run, call, args, place) {
        const { questions } = args as { questions: readonly Question[] }
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
      },
    },
  ]
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
  async decide(run, call, args, { index, calls }) {
    const { successes = 0 } = turnOf(run).tallies[call.tool] ?? {}
    // Those of the same step are decided before they are counted.
    const before = calls.slice(0, index).filter(({ tool, done }) => tool === call.tool && !done)
    if (successes + before.length >= archiveReads) {
      return resultOf(call, 'error', `At most ${archiveReads} earlier results a turn. Go on with what you have.`, args)
    }
    const text = archivedText(await run.journal.messages(), args as ArchiveArgs)
    return text === undefined
      ? resultOf(call, 'error', 'No call has this executionId. Take it from a marker.', args)
      : resultOf(call, 'complete', text, args)
  },
}
