/** Fills a tool's JSON Schema with what the person's words suggest, so that any tool offered can be tried. */
import { isRecord } from './transcript.ts'

export interface Hints {
  readonly said: string
  readonly [property: string]: unknown
}

/** Required properties get a value whatever happens; optional ones only where a hint names them. */
export function guessArguments(schema: Record<string, unknown> | undefined, hints: Hints): Record<string, unknown> {
  const properties = isRecord(schema?.properties) ? schema.properties : {}
  const required = Array.isArray(schema?.required) ? schema.required : []
  const args: Record<string, unknown> = {}
  for (const [name, property] of Object.entries(properties)) {
    if (!isRecord(property)) continue
    const hint = hintFor(name, hints)
    if (fits(hint, property)) args[name] = hint
    else if (required.includes(name)) args[name] = guess(property, hints)
  }
  return args
}

const synonyms: Readonly<Record<string, readonly string[]>> = {
  city: ['location', 'destination', 'place', 'town', 'where'],
  area: ['neighbourhood', 'neighborhood', 'district'],
  hotel: ['hotelname', 'room', 'property'],
  nights: ['duration', 'days', 'length'],
  guests: ['people', 'adults', 'persons', 'travellers'],
  checkIn: ['date', 'arrival', 'from', 'start', 'startdate', 'when'],
  budget: ['price', 'maxprice', 'pricerange'],
  item: ['product', 'sku', 'article', 'productname'],
  said: ['query', 'q', 'question', 'text', 'message', 'search', 'prompt', 'input'],
}

function hintFor(name: string, hints: Hints): unknown {
  const plain = plainName(name)
  const known = Object.keys(hints).find((hint) => plainName(hint) === plain)
  if (known !== undefined) return hints[known]
  for (const [hint, names] of Object.entries(synonyms))
    if (names.includes(plain) && hints[hint] !== undefined) return hints[hint]
  return undefined
}

function plainName(name: string): string {
  return name.toLowerCase().replace(/[^a-z]/g, '')
}

function fits(value: unknown, { type, enum: allowed }: Record<string, unknown>): boolean {
  if (value === undefined) return false
  if (Array.isArray(allowed)) return allowed.includes(value)
  if (type === 'integer') return Number.isInteger(value)
  return type === undefined || type === typeof value
}

function guess(schema: Record<string, unknown>, hints: Hints): unknown {
  if ('const' in schema) return schema.const
  if ('default' in schema) return schema.default
  if (Array.isArray(schema.enum)) return mentioned(schema.enum, hints.said) ?? schema.enum[0]
  if (Array.isArray(schema.examples)) return schema.examples[0]
  switch (schema.type) {
    case 'integer':
    case 'number':
      return firstNumber(hints.said) ?? (typeof schema.minimum === 'number' ? schema.minimum : 1)
    case 'boolean':
      return true
    case 'array':
      return isRecord(schema.items) ? [guess(schema.items, hints)] : []
    case 'object':
      return guessArguments(schema, hints)
    default:
      return hints.said
  }
}

function mentioned(allowed: readonly unknown[], said: string): unknown {
  return allowed.find((value) => typeof value === 'string' && said.toLowerCase().includes(value.toLowerCase()))
}

function firstNumber(text: string): number | undefined {
  const [digits] = /\d+/.exec(text) ?? []
  return digits === undefined ? undefined : Number(digits)
}
