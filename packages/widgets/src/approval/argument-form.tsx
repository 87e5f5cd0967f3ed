/** Arguments as a form: a field each, by the tool's JSON Schema; what has no field of its own is JSON. */

import { spellOut } from '@dogear/core'
import { useWidget } from '../context.ts'
import type { Strings } from '../strings.ts'
import { visibleText } from '../visible-text.ts'

/** What stands in the fields, by argument. */
export type Texts = Readonly<Record<string, string>>

export interface Arguments {
  readonly args: unknown
  readonly parameters?: unknown
}

/** The arguments the schema names, and those it does not: all of them are sent, so all are shown. */
export function toTexts({ args, parameters }: Arguments): Texts {
  const values = record(args)
  const names = Object.keys({ ...record(record(parameters).properties), ...values })
  return Object.fromEntries(names.map((name) => [name, textOfValue(values[name])]))
}

export interface ReadTexts {
  readonly args: Record<string, unknown>
  readonly errors: Texts
}

/** The arguments as edited. What they must be beyond their type is checked where the tool is. */
export function readTexts(texts: Texts, given: Arguments, strings: Strings): ReadTexts {
  const args: Record<string, unknown> = {}
  const errors: Record<string, string> = {}
  for (const [name, text] of Object.entries(texts)) {
    const { type, choices } = fieldOf(name, given)
    const isText = type === 'string' || choices
    if (text === '' && !(isText && name in record(given.args))) continue
    try {
      args[name] = isText ? text : JSON.parse(text)
    } catch {
      errors[name] = isNumber(type) ? strings.notNumber : strings.notJson
    }
  }
  return { args, errors }
}

interface ArgumentFormProps {
  readonly given: Arguments
  readonly texts: Texts
  readonly errors: Texts
  readonly onChange: (texts: Texts) => void
}

export function ArgumentForm({ given, texts, errors, onChange }: ArgumentFormProps) {
  return (
    <div>
      {Object.entries(texts).map(([name, text], index) => {
        const { description } = fieldOf(name, given)
        const error = errors[name]
        // By its place: in a list of ids a space, which a name may have, would begin another one.
        const hintId = `hint-${index}`
        return (
          <label class="field" key={name}>
            <span class="meta">{visibleText(spellOut(name))}</span>
            <Control
              {...fieldOf(name, given)}
              value={text}
              aria-invalid={!!error}
              aria-describedby={hintId}
              onInput={(event) => onChange({ ...texts, [name]: event.currentTarget.value })}
            />
            <span class={error ? 'bad' : 'meta'} id={hintId}>
              {error ?? description}
            </span>
          </label>
        )
      })}
    </div>
  )
}

interface ControlProps extends Field {
  readonly value: string
  readonly 'aria-invalid': boolean
  readonly 'aria-describedby': string
  readonly onInput: (event: { readonly currentTarget: { readonly value: string } }) => void
}

function Control({ type, choices, description: _, ...shared }: ControlProps) {
  const { strings } = useWidget()
  const { value } = shared
  if (choices || type === 'boolean') {
    return (
      <select {...shared}>
        {value === '' && <option />}
        {(choices ?? ['true', 'false']).map((choice) => (
          <option key={choice} value={choice}>
            {choices ? choice : choice === 'true' ? strings.yes : strings.no}
          </option>
        ))}
      </select>
    )
  }
  if (isNumber(type)) return <input inputMode="decimal" {...shared} />
  const isLong = type !== 'string' || value.length > 40 || value.includes('\n')
  return isLong ? <textarea rows={3} {...shared} /> : <input {...shared} />
}

interface Field {
  /** A JSON Schema's type; without one, that of the value. */
  readonly type: unknown
  readonly choices?: readonly string[]
  readonly description?: string
}

function fieldOf(name: string, { args, parameters }: Arguments): Field {
  const schema = record(record(record(parameters).properties)[name])
  const isChoice = Array.isArray(schema.enum) && schema.enum.every((entry) => typeof entry === 'string')
  return {
    type: schema.type ?? typeof record(args)[name],
    choices: isChoice ? (schema.enum as string[]) : undefined,
    description: schema.description as string | undefined,
  }
}

function isNumber(type: unknown): boolean {
  return type === 'number' || type === 'integer'
}

function textOfValue(value: unknown): string {
  if (value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
}
