/** A Request of a tool itself: made from what it asks, and told to it when it is entered again. */
import { elicitedBy } from '../permission/elicitation.ts'
import type { Asks, Told } from '../tools/asking.ts'
import type { CallReply } from '../tools/result.ts'
import type { Request } from '../permission/request.ts'
import type { Asked, OpenCall } from '../session/state.ts'
import { checkAnswers, questionsProblem, questionTool } from '../smart/questions.ts'
import { checkJsonSchema } from '../tools/schema.ts'
import { requestAbout } from './raise.ts'
import type { Ready, Run } from './run.ts'

/** What waits for a person, or the reply when the tool asks what nobody could answer. */
export function ownRequest(run: Run, call: OpenCall, { tool, args }: Ready, asks: Asks): Request | CallReply {
  const { kind, position, prompt, questions, allowFreeText = true, elicited } = asks
  const problem = kind === 'question' && problemOf(questions ?? [], allowFreeText)
  if (problem) {
    return { status: 'error', content: `Error executing tool: ${problem}`, problem: `Tool "${tool.name}": ${problem}` }
  }
  const shown = kind === 'question' ? { questions } : (elicited ?? asks.args ?? args)
  return {
    ...requestAbout(run, call, tool, { kind, args: shown }),
    id: `${call.callId}.${kind}.${position}`,
    entered: { asks, args },
    ...(prompt !== undefined && { prompt }),
    ...(questions && { questions, allowFreeText }),
    ...(elicited && { message: elicited.message, parameters: elicited.requestedSchema, url: elicited.url }),
  }
}

function problemOf(questions: NonNullable<Asks['questions']>, allowFreeText: boolean): string | undefined {
  const checked = checkJsonSchema(questionTool.parameters, { questions })
  return checked.ok ? questionsProblem(questions, allowFreeText) : checked.issues.join('; ')
}

export function toldOf(asked: readonly Asked[]): Told[] {
  return asked.flatMap(({ request, resolution }) => {
    const { asks } = request.entered ?? {}
    if (!asks) return []
    if (asks.kind === 'elicitation') return { asks, elicited: elicitedBy(resolution) }
    switch (resolution.type) {
      case 'answer':
        return { asks, answers: checkAnswers(asks.questions ?? [], resolution.answers, asks.allowFreeText ?? true) }
      case 'reject':
        return { asks, refusal: resolution.comment ?? 'The person said no. Do not try it again unless they ask.' }
      case 'cancel':
        return { asks, refusal: 'The person chose not to answer.' }
      default:
        return { asks }
    }
  })
}
