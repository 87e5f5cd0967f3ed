/** The model's questions, asked of `canUseTool` as other SDKs ask them: `AskUserQuestion`, answered by `updatedInput.answers`. */
import type { Answer, CanUseTool, Question } from '@dogear/core'

export function withQuestions(canUseTool: CanUseTool): CanUseTool {
  return async (name, input, options) => {
    if (name !== 'ask_user_question') return canUseTool(name, input, options)
    const { questions } = input as { readonly questions: readonly Question[] }
    const said = await canUseTool('AskUserQuestion', input, options)
    if (said?.behavior !== 'allow') return said
    const { answers } = (said.updatedInput ?? {}) as { readonly answers?: Readonly<Record<string, unknown>> }
    return { ...said, updatedInput: { answers: questions.map((question) => answerTo(question, answers)) } }
  }
}

/** By the question's text: a label, several with commas between or as a list, or words of their own. */
function answerTo(
  { question, options = [], multiSelect }: Question,
  answers: Readonly<Record<string, unknown>> = {},
): Answer | undefined {
  const said = Object.hasOwn(answers, question) ? answers[question] : undefined
  if (said === undefined || said === null) return undefined
  const isLabel = (text: unknown) => options.some(({ label }) => label === text)
  const isSeveral = multiSelect && typeof said === 'string' && !isLabel(said)
  const parts = (isSeveral ? said.split(/,\s*/) : [said].flat()).map(String)
  const chosen = options.filter(({ label }) => parts.includes(label))
  const freeText = parts.filter((part) => !isLabel(part)).join(', ')
  return { values: chosen.map(({ label, value }) => value ?? label), ...(freeText && { freeText }) }
}
