/** An object as a form: a field each, by its JSON Schema; what has no field of its own is JSON. */

import { useRef } from 'preact/hooks'
import { useWidget } from '../context.ts'
import type { Strings } from '../strings.ts'
import { LongText, marked, nameText } from '../value-list.tsx'
import { visibleText } from '../visible-text.ts'
import { fieldsOf, record, type Schema } from './json-schema.ts'
import { useGrow } from './use-grow.ts'

/** What stands in the fields, by name. */
export type Texts = Readonly<Record<string, string>>

export interface Given {
  /** What is proposed; the form says what differs from it. Without, it is a form to be filled in. */
  readonly args?: unknown
  /** Its JSON Schema. */
  readonly parameters?: unknown
}

/** The fields the schema names, and those it does not: all of them are sent, so all are shown. */
export function toTexts({ args, parameters }: Given): Texts {
  const values = record(args)
  const names = Object.keys({ ...fieldsOf(parameters), ...values })
  return Object.fromEntries(names.map((name) => [name, textOfValue(values[name])]))
}

/** Whether something else would be sent than was proposed. */
export function hasChanges(texts: Texts, given: Given): boolean {
  const proposed = toTexts(given)
  return Object.entries(texts).some(([name, text]) => text !== (proposed[name] ?? ''))
}

export interface ReadTexts {
  readonly args: Record<string, unknown>
  readonly errors: Texts
}

/** The object as edited. What it must be beyond this is checked where the tool is. */
export function readTexts(texts: Texts, given: Given, strings: Strings): ReadTexts {
  const required = requiredOf(given)
  const args: [string, unknown][] = []
  const errors: [string, string][] = []
  for (const [name, text] of Object.entries(texts)) {
    const field = fieldOf(name, given)
    if (text === '' && !(isText(field) && Object.hasOwn(record(given.args), name))) {
      if (required.includes(name)) errors.push([name, strings.field.required])
      continue
    }
    try {
      const value: unknown = isText(field) ? text : JSON.parse(text)
      const problem = problemOf(value, field, strings)
      if (problem) errors.push([name, problem])
      args.push([name, value])
    } catch {
      errors.push([name, isNumber(field) ? strings.notNumber : strings.notJson])
    }
  }
  // Not by assignment, which would lose an argument named `__proto__`.
  return { args: Object.fromEntries(args), errors: Object.fromEntries(errors) }
}

function requiredOf({ parameters }: Given): unknown[] {
  return [record(parameters).required].flat()
}

/** What a person can mend on the spot; the rest is said by whoever runs it. */
function problemOf(value: unknown, { schema, type }: Field, { field: words, notNumber }: Strings): string | undefined {
  const { minimum, maximum, minLength = 0, maxLength = Infinity } = schema as Record<string, number | undefined>
  if (typeof value === 'string' && !isNumber({ type })) {
    if (value.length < minLength) return words.least(minLength)
    if (value.length > maxLength) return words.most(maxLength)
    const format = (Object.keys(formats) as (keyof typeof formats)[]).find((name) => name === schema.format)
    return format && !formats[format].test(value) ? words[format] : undefined
  }
  if (!isNumber({ type })) return undefined
  if (typeof value !== 'number') return notNumber
  if (type === 'integer' && !Number.isInteger(value)) return words.whole
  if (minimum !== undefined && value < minimum) return words.atLeast(minimum)
  return maximum !== undefined && value > maximum ? words.atMost(maximum) : undefined
}

/** Those a person writes by hand, told by their rough shape. */
const formats = { email: /^\S+@\S+$/, uri: /^[a-z][\w+.-]*:\S+$/i, date: /^\d{4}-\d\d-\d\d$/ }

interface SchemaFormProps {
  readonly given: Given
  readonly texts: Texts
  readonly errors: Texts
  readonly onChange: (texts: Texts) => void
}

export function SchemaForm({ given, texts, errors, onChange }: SchemaFormProps) {
  const { strings } = useWidget()
  const proposed = toTexts(given)
  const isBlank = given.args === undefined
  const required = requiredOf(given)
  return (
    <div>
      {Object.entries(texts).map(([name, text], index) => {
        const field = fieldOf(name, given)
        const { title, description } = field.schema as { title?: string; description?: string }
        const error = errors[name]
        const was = proposed[name] ?? ''
        // By its place: in a list of ids a space, which a name may have, would begin another one.
        const hintId = `hint-${index}`
        return (
          <div class="field" key={name}>
            <label class="meta" for={`field-${index}`}>
              {title ? visibleText(title) : nameText(name, given.parameters)}
              {isBlank && !required.includes(name) && ` · ${strings.questionOptional}`}
            </label>
            <Control
              {...field}
              isBlank={isBlank}
              id={`field-${index}`}
              value={text}
              aria-required={required.includes(name)}
              aria-invalid={!!error}
              aria-describedby={hintId}
              onInput={(event) => onChange({ ...texts, [name]: event.currentTarget.value })}
            />
            <div class="meta" id={hintId}>
              {error ? <p class="bad">{error}</p> : description && <p>{visibleText(description)}</p>}
              {/* A field shows its text as it is, and so not what hides in it. */}
              {visibleText(text) !== text && <p class="exact">{marked(text)}</p>}
              {!isBlank && text !== was && (
                <p>
                  {strings.was} <del>{was === '' ? strings.none : <LongText text={was} isExact />}</del>
                </p>
              )}
            </div>
          </div>
        )
      })}
    </div>
  )
}

interface ControlProps extends Field {
  readonly isBlank: boolean
  readonly id: string
  readonly value: string
  readonly 'aria-required': boolean
  readonly 'aria-invalid': boolean
  readonly 'aria-describedby': string
  readonly onInput: (event: { readonly currentTarget: { readonly value: string } }) => void
}

function Control({ type, choices, labels, schema, isBlank, ...shared }: ControlProps) {
  const { strings } = useWidget()
  const { value } = shared
  // A line would hide the end of what somebody else wrote. Once for all: another element would lose the focus.
  const isTall = useRef(!isBlank || type !== 'string' || value.length > 40 || value.includes('\n')).current
  const box = useRef<HTMLTextAreaElement>(null)
  useGrow(box, value)
  if (choices || type === 'boolean') {
    const options = choices ?? ['true', 'false']
    return (
      <select {...shared}>
        {/* Also what is none of them stays what it is until somebody changes it. */}
        {(options.includes(value) ? options : [value, ...options]).map((option) => (
          <option key={option} value={option}>
            {choices
              ? visibleText(labels?.[choices.indexOf(option)] ?? option)
              : option && (option === 'true' ? strings.yes : strings.no)}
          </option>
        ))}
      </select>
    )
  }
  if (isNumber({ type })) return <input inputMode="decimal" {...shared} />
  if (schema.format === 'date') return <input type="date" {...shared} />
  return isTall ? <textarea rows={1} ref={box} {...shared} /> : <input {...shared} />
}

interface Field {
  readonly schema: Schema
  /** A JSON Schema's type; without one, that of the value. */
  readonly type: unknown
  /** When only these are allowed. */
  readonly choices?: readonly string[]
  /** What each of them is called. */
  readonly labels?: readonly string[]
}

function fieldOf(name: string, { args, parameters }: Given): Field {
  const schema = record(fieldsOf(parameters)[name])
  const ways = Array.isArray(schema.oneOf) ? schema.oneOf.map(record) : undefined
  const { type = typeof record(args)[name], enum: values = ways?.map((way) => way.const), enumNames } = schema
  return { schema, type, choices: texts(values), labels: texts(ways?.map(({ title }) => title) ?? enumNames) }
}

function texts(values: unknown): readonly string[] | undefined {
  return Array.isArray(values) && values.every((each) => typeof each === 'string') ? values : undefined
}

function isText({ type, choices }: Field): boolean {
  return type === 'string' || choices !== undefined
}

function isNumber({ type }: Pick<Field, 'type'>): boolean {
  return type === 'number' || type === 'integer'
}

function textOfValue(value: unknown): string {
  if (value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}
