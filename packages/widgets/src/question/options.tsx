/** The ways to answer one question: rows to choose from, and a row to write in. */

import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Answer, Question } from '@dogear/core'
import { useWidget } from '../context.ts'
import { visibleText } from '../visible-text.ts'

interface OptionsProps {
  readonly question: Question
  readonly answer: Answer
  readonly allowFreeText: boolean
  readonly onChange: (answer: Answer) => void
}

export function Options({ question, answer, allowFreeText, onChange }: OptionsProps) {
  const { strings } = useWidget()
  const { options = [], multiSelect } = question
  const { values, freeText } = answer
  const field = (
    <FreeText
      text={freeText ?? ''}
      label={question.question}
      placeholder={question.placeholder ?? strings.questionPlaceholder}
      takesFocus={options.length > 0}
      onText={(text) => onChange({ values, freeText: text })}
    />
  )
  if (options.length === 0) return field

  const rows: Row[] = options.map(({ label, value = label, description, preview }) => {
    const isChosen = values.includes(value)
    const others = values.filter((each) => each !== value)
    return {
      label: visibleText(label),
      description: description && visibleText(description),
      preview: preview && visibleText(preview),
      isChosen,
      chosen: multiSelect ? { values: isChosen ? others : [...values, value], freeText } : { values: [value] },
    }
  })
  const isOther = freeText !== undefined
  if (allowFreeText) {
    rows.push({
      label: strings.questionOther,
      isChosen: isOther,
      chosen: { values: multiSelect ? values : [], freeText: isOther && multiSelect ? undefined : '' },
      field,
    })
  }
  const name = visibleText(question.question)
  return (
    <div
      role={multiSelect ? 'group' : 'radiogroup'}
      aria-label={name}
      aria-required={multiSelect ? undefined : question.required !== false}
    >
      {rows.map((row, index) => (
        <label class="option" key={index}>
          <input
            type={multiSelect ? 'checkbox' : 'radio'}
            name="option"
            checked={row.isChosen}
            aria-label={row.label}
            onChange={() => onChange(row.chosen)}
          />
          {(row.isChosen && row.field) || (
            <span class="words">
              {row.label}
              <span class="meta">{row.description}</span>
              {/* What choosing it would look like, for whoever is about to. */}
              {row.isChosen && row.preview && <span class="preview">{row.preview}</span>}
            </span>
          )}
          {index < 9 && <kbd aria-hidden="true">{index + 1}</kbd>}
        </label>
      ))}
    </div>
  )
}

interface Row {
  readonly label: string
  readonly description?: string
  readonly preview?: string
  readonly isChosen: boolean
  /** The answer once this row is clicked. */
  readonly chosen: Answer
  /** What it becomes when chosen. */
  readonly field?: preact.JSX.Element
}

interface FreeTextProps {
  readonly text: string
  readonly label: string
  readonly placeholder: string
  readonly takesFocus: boolean
  readonly onText: (text: string) => void
}

function FreeText({ text, label, placeholder, takesFocus, onText }: FreeTextProps) {
  const field = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => {
    if (takesFocus) field.current!.focus()
  }, [])
  return (
    <input
      class="text"
      ref={field}
      value={text}
      placeholder={placeholder}
      aria-label={label}
      onInput={(event) => onText(event.currentTarget.value)}
    />
  )
}
