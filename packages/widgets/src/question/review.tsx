/** What was answered, to look over before it is sent; each answer leads back to its question. */

import type { Answer, Question } from '@dogear/core'
import { useWidget } from '../context.ts'
import { Icon } from '../icon.tsx'
import { visibleText } from '../visible-text.ts'

interface ReviewProps {
  readonly questions: readonly Question[]
  readonly answers: readonly Answer[]
  readonly onChoose: (index: number) => void
}

export function Review({ questions, answers, onChoose }: ReviewProps) {
  const { strings } = useWidget()
  return (
    <ol class="review">
      {questions.map(({ question, options = [] }, index) => {
        const { values, freeText } = answers[index]!
        const labels = values.map((value) => options.find((option) => (option.value ?? option.label) === value)?.label)
        const words = [...labels, freeText?.trim()].filter(Boolean).join(', ')
        return (
          <li key={index}>
            <div class="words">
              <p class="meta">{visibleText(question)}</p>
              <p class={words ? undefined : 'meta'}>{words ? visibleText(words) : strings.questionSkipped}</p>
            </div>
            <button
              class="quiet"
              type="button"
              aria-label={strings.questionChange(question)}
              onClick={() => onChoose(index)}
            >
              <Icon name="edit" />
            </button>
          </li>
        )
      })}
    </ol>
  )
}
