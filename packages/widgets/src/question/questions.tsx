/** Questions of the agent, one at a time, kept as they are filled in. */

import type { Answer, Question, Request } from '@dogear/core'
import { useWidget } from '../context.ts'
import { RequestForm } from '../requests/request-form.tsx'
import { useDecision, useDraft } from '../requests/use-decision.ts'
import { visibleText } from '../visible-text.ts'
import { Options } from './options.tsx'

interface QuestionsDraft {
  readonly index: number
  /** `freeText` is undefined while "Something else…" is not chosen. */
  readonly answers: readonly Answer[]
}

export function Questions({ request, questions }: { request: Request; questions: readonly Question[] }) {
  const { session, strings } = useWidget()
  const { draft, write } = useDraft<QuestionsDraft>(request.id, {
    index: 0,
    answers: questions.map(() => ({ values: [] })),
  })
  const { isSent, refusal, decide } = useDecision(request.id)
  const { index, answers } = draft.value
  const question = questions[index]!
  const answer = answers[index]!
  const isLast = index === questions.length - 1
  const isAnswered = answer.values.length > 0 || !!answer.freeText?.trim()
  const canGoOn = isAnswered || question.required === false

  const goOn = () => {
    if (!canGoOn) return
    if (isLast) decide(() => session.answer(request.id, answers.map(trimmed)))
    else write({ index: index + 1, answers })
  }
  const goBack = () => {
    if (index > 0) write({ index: index - 1, answers })
    else decide(() => session.resolve(request.id, { type: 'cancel' }))
  }

  return (
    <RequestForm
      key={index}
      title={visibleText(question.question)}
      facts={
        <>
          {question.header && <span class="chip">{visibleText(question.header)}</span>}
          {questions.length > 1 && <span>{strings.count(index + 1, questions.length)}</span>}
        </>
      }
      refusal={refusal.value}
      onSubmit={goOn}
      buttons={
        <>
          <button class="button" type="button" onClick={goBack}>
            {index > 0 ? strings.back : strings.questionCancel}
          </button>
          <button class="button primary" disabled={isSent.value || !canGoOn}>
            {isLast ? strings.questionSend : canGoOn && !isAnswered ? strings.skip : strings.questionNext}
          </button>
        </>
      }
    >
      <Options
        question={question}
        answer={answer}
        allowFreeText={request.allowFreeText !== false}
        onChange={(next) => write({ index, answers: answers.with(index, next) })}
      />
    </RequestForm>
  )
}

function trimmed({ values, freeText }: Answer): Answer {
  const words = freeText?.trim()
  return words ? { values, freeText: words } : { values }
}
