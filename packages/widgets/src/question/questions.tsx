/** Questions of the agent, one at a time, kept as they are filled in; several are looked over before they are sent. */

import type { Answer, Question, Request } from '@dogear/core'
import { useWidget } from '../context.ts'
import { Icon } from '../icon.tsx'
import { RequestForm } from '../requests/request-form.tsx'
import { useDecision, useDraft } from '../requests/use-decision.ts'
import { visibleText } from '../visible-text.ts'
import { Options } from './options.tsx'
import { Review } from './review.tsx'

interface QuestionsDraft {
  /** One more than the last question is the review. */
  readonly index: number
  /** `freeText` is undefined while "Something else…" is not chosen. */
  readonly answers: readonly Answer[]
  readonly notes?: string
}

export function Questions({ request, questions }: { request: Request; questions: readonly Question[] }) {
  const { session, strings } = useWidget()
  const { draft, write } = useDraft<QuestionsDraft>(request.id, {
    index: 0,
    answers: questions.map(() => ({ values: [] })),
  })
  const { isSent, refusal, decide } = useDecision(request.id)
  const { index, answers, notes = '' } = draft.value
  const change = (next: Partial<QuestionsDraft>) => write({ ...draft.value, ...next })
  const question = questions[index]
  const total = questions.length
  const isLast = index >= total - 1
  const canGoOn = (question ? [index] : [...questions.keys()]).every(
    (at) => isAnswered(answers[at]!) || questions[at]!.required === false,
  )

  const goOn = () => {
    if (!canGoOn) return
    if (question && total > 1) change({ index: index + 1 })
    else decide(() => session.answer(request.id, answers.map(trimmed), notes.trim() || undefined))
  }
  const goBack = () => {
    if (index > 0) change({ index: index - 1 })
    else decide(() => session.resolve(request.id, { type: 'cancel' }))
  }
  const next = isLast && (!question || total === 1) ? strings.questionSend : strings.questionNext

  return (
    <RequestForm
      key={index}
      title={question ? visibleText(question.question) : strings.questionReview}
      hint={question?.multiSelect ? strings.questionSeveral : undefined}
      facts={
        question && (
          <>
            {question.header && <span class="chip">{visibleText(question.header)}</span>}
            {question.required === false && <span>{strings.questionOptional}</span>}
            {total > 1 && <span class="end">{strings.count(index + 1, total)}</span>}
          </>
        )
      }
      refusal={refusal.value}
      onSubmit={goOn}
      buttons={
        <>
          <button class="button" type="button" onClick={goBack}>
            {index > 0 ? strings.back : strings.questionCancel}
          </button>
          <button class="button primary" disabled={isSent.value || !canGoOn}>
            {question && total > 1 && !isAnswered(answers[index]!) && canGoOn ? strings.skip : next}
          </button>
        </>
      }
    >
      {question ? (
        <Options
          question={question}
          answer={answers[index]!}
          allowFreeText={request.allowFreeText !== false}
          onChange={(answer) => change({ answers: answers.with(index, answer) })}
        />
      ) : (
        <Review questions={questions} answers={answers} onChoose={(at) => change({ index: at })} />
      )}
      {(!question || total === 1) && (
        <details class="aside" open={!question || !!notes}>
          <summary>
            {strings.questionNotes}
            <Icon name="chevron" />
          </summary>
          <textarea
            class="text"
            rows={2}
            value={notes}
            aria-label={strings.questionNotes}
            onInput={(event) => change({ notes: event.currentTarget.value })}
          />
        </details>
      )}
    </RequestForm>
  )
}

export function isAnswered({ values, freeText }: Answer): boolean {
  return values.length > 0 || !!freeText?.trim()
}

function trimmed({ values, freeText }: Answer): Answer {
  const words = freeText?.trim()
  return words ? { values, freeText: words } : { values }
}
