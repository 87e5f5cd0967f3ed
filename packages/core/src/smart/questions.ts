/** `ask_user_question`: what the model may ask a person, and what an answer must be. */
import { DogearError } from '../error.ts'
import type { Answer, Answers, Question } from '../permission/request.ts'
import { builtinNames } from '../tools/builtin.ts'
import type { JsonSchema } from '../tools/json-schema.ts'

export const questionTool = {
  name: builtinNames.question,
  label: { ask: 'Answer a question', doing: 'Asking you', done: 'Asked you' },
  description:
    'Asks the person one to four short questions and waits. Ask only what you cannot find out and what changes what you do.',
  parameters: {
    type: 'object',
    properties: {
      questions: {
        type: 'array',
        minItems: 1,
        maxItems: 4,
        items: {
          type: 'object',
          properties: {
            question: { type: 'string', minLength: 1 },
            header: { type: 'string', maxLength: 40, description: 'One or two words, at most 12 characters.' },
            options: {
              type: 'array',
              minItems: 2,
              maxItems: 12,
              items: {
                type: 'object',
                properties: {
                  label: { type: 'string', minLength: 1 },
                  value: { type: 'string' },
                  description: { type: 'string' },
                  preview: { type: 'string' },
                },
                required: ['label'],
              },
            },
            multiSelect: { type: 'boolean' },
            required: { type: 'boolean' },
            placeholder: { type: 'string' },
          },
          required: ['question'],
        },
      },
    },
    required: ['questions'],
  } satisfies JsonSchema,
} as const

export const questionPrompt =
  'When you need a decision or a fact only the person has, ask with ask_user_question and offer options; never guess it.'

/** How often a turn may ask. A person who is asked on and on says yes to anything. */
export const timesAsked = 5

export const askedEnough = `You have asked ${timesAsked} times for this request. Go on with what you know, and say what is still open.`

/** What is wrong with the questions beyond their schema, or undefined. */
export function questionsProblem(questions: readonly Question[], allowFreeText: boolean): string | undefined {
  if (allowFreeText) return undefined
  const bare = questions.find((question) => !question.options?.length)
  return bare && `"${bare.question}" needs options: free text is switched off.`
}

export interface IndexedAnswer {
  readonly question: string
  readonly header?: string
  readonly values: readonly string[]
  readonly freeText?: string
  readonly notes?: string
}

/** Answers by index, checked; throws `request-invalid` with what is wrong. */
export function checkAnswers(
  questions: readonly Question[],
  answers: Answers,
  allowFreeText: boolean,
): IndexedAnswer[] {
  return questions.map((question, index) => {
    const answer = answerFor(question, index, questions, answers)
    const refuse = (problem: string): never => {
      throw new DogearError('request-invalid', `"${question.question}": ${problem}`)
    }
    if (answer !== undefined && !Array.isArray(answer?.values)) {
      refuse("an answer looks like { values: […], freeText: '…' }.")
    }
    const values = answer?.values ?? []
    const freeText = answer?.freeText?.trim() || undefined
    if (!values.length && !freeText && question.required !== false) refuse('an answer is required.')
    if (freeText && !allowFreeText) refuse('free text is switched off; choose one of the options.')
    if (values.length > 1 && !question.multiSelect) refuse('only one option may be chosen.')
    const known = (question.options ?? []).map((option) => option.value ?? option.label)
    const unknown = values.find((value) => !known.includes(value))
    if (unknown !== undefined && !allowFreeText) refuse(`"${unknown}" is not one of the options.`)
    return { question: question.question, header: question.header, values, freeText, notes: answer?.notes }
  })
}

function answerFor(question: Question, index: number, all: readonly Question[], answers: Answers): Answer | undefined {
  if (Array.isArray(answers)) return answers[index]
  const byText = (answers ?? {}) as Readonly<Record<string, Answer>>
  // Two questions with the same words cannot be told apart by text: each takes the answer.
  const header = question.header !== undefined && all.filter((other) => other.header === question.header).length === 1
  return own(byText, question.question) ?? (header ? own(byText, question.header) : undefined)
}

function own<T>(record: Readonly<Record<string, T>>, key: string | undefined): T | undefined {
  return key !== undefined && Object.hasOwn(record, key) ? record[key] : undefined
}

export function answeredText(answers: readonly IndexedAnswer[], notes?: string): string {
  return JSON.stringify({ status: 'answered', answers, reviewerNotes: notes })
}

export const cancelledText = JSON.stringify({
  status: 'cancelled',
  message: 'The person chose not to answer. Go on with what you know, or say what you need.',
})
