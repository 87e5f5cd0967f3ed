/** Checks a value against a JSON Schema (2020-12, the part tools use): no eval, no formats, no remote references. */
import { canonicalText } from './canonical.ts'

export type JsonSchema = Readonly<Record<string, unknown>>

type Schema = JsonSchema | boolean
type Value = unknown
type Report = (path: string, problem: string) => void

/** What is wrong, each with its path; empty when the value fits. */
export function schemaIssues(schema: JsonSchema, value: unknown): string[] {
  const issues: string[] = []
  const report: Report = (path, problem) => void issues.push(path ? `${path}: ${problem}` : problem)
  check({ root: schema, depth: 0 }, schema, value, '', report)
  return issues
}

interface Scope {
  readonly root: Schema
  readonly depth: number
}

/** A reference to itself that consumes nothing would never end. */
const depthLimit = 200

function check(scope: Scope, schema: Schema, value: Value, path: string, report: Report): void {
  if (schema === true || typeof schema !== 'object' || schema === null) {
    if (!schema) report(path, 'is not allowed')
    return
  }
  if (scope.depth > depthLimit) return report(path, 'is nested too deeply')
  const inner = { ...scope, depth: scope.depth + 1 }
  const at = (part: Schema, item: Value, key?: string | number) =>
    check(inner, part, item, key === undefined ? path : `${path}${path ? '.' : ''}${key}`, report)
  const fits = (part: Schema, item: Value = value) => {
    let ok = true
    check(inner, part, item, path, () => (ok = false))
    return ok
  }
  if (typeof schema.$ref === 'string') at(referenced(scope.root, schema.$ref), value)
  checkGeneral(schema, value, path, report)
  if (typeof value === 'number') checkNumber(schema, value, path, report)
  if (typeof value === 'string') checkString(schema, value, path, report)
  if (Array.isArray(value)) checkArray(schema, value, path, report, at, fits)
  else if (typeof value === 'object' && value !== null) checkObject(schema, value, path, report, at, fits)
  checkCombined(schema, value, path, report, at, fits)
}

type At = (schema: Schema, item: Value, key?: string | number) => void
type Fits = (schema: Schema, item?: Value) => boolean

function checkGeneral(schema: JsonSchema, value: Value, path: string, report: Report): void {
  const { type = [] } = schema as { type?: string | string[] }
  const types = Array.isArray(type) ? type : [type]
  if (types.length && !types.some((type) => isType(type, value))) {
    report(path, `must be ${types.join(' or ')}, not ${typeName(value)}`)
  }
  if ('const' in schema && !isSame(schema.const, value)) report(path, `must be ${JSON.stringify(schema.const)}`)
  if (Array.isArray(schema.enum) && !schema.enum.some((option) => isSame(option, value))) {
    report(path, `must be one of ${schema.enum.map((option) => JSON.stringify(option)).join(', ')}`)
  }
}

function checkNumber(schema: JsonSchema, value: number, path: string, report: Report): void {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema as Record<string, number>
  if (minimum !== undefined && value < minimum) report(path, `must be at least ${minimum}`)
  if (maximum !== undefined && value > maximum) report(path, `must be at most ${maximum}`)
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) report(path, `must be more than ${exclusiveMinimum}`)
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum) report(path, `must be less than ${exclusiveMaximum}`)
  if (multipleOf && !isMultiple(value, multipleOf)) report(path, `must be a multiple of ${multipleOf}`)
}

/** 0.3 is a multiple of 0.1, whatever binary fractions say. */
function isMultiple(value: number, of: number): boolean {
  const times = value / of
  return Math.abs(times - Math.round(times)) <= Math.abs(times) * Number.EPSILON
}

function checkString(schema: JsonSchema, value: string, path: string, report: Report): void {
  const { minLength, maxLength, pattern } = schema as { minLength?: number; maxLength?: number; pattern?: string }
  const length = minLength === undefined && maxLength === undefined ? 0 : [...value].length
  if (minLength !== undefined && length < minLength) report(path, `must have at least ${minLength} characters`)
  if (maxLength !== undefined && length > maxLength) report(path, `must have at most ${maxLength} characters`)
  if (pattern !== undefined && !matches(pattern, value)) report(path, `must match ${pattern}`)
}

function checkArray(schema: JsonSchema, value: Value[], path: string, report: Report, at: At, fits: Fits): void {
  const {
    minItems = 0,
    maxItems = Infinity,
    minContains = 1,
    maxContains = Infinity,
  } = schema as Record<string, number>
  const first = (schema.prefixItems ?? []) as Schema[]
  for (const [index, item] of value.entries()) {
    const part = first[index] ?? (schema.items as Schema | undefined)
    if (part !== undefined) at(part, item, index)
  }
  if (value.length < minItems) report(path, `must have at least ${minItems} items`)
  if (value.length > maxItems) report(path, `must have at most ${maxItems} items`)
  if (schema.uniqueItems && new Set(value.map(canonicalText)).size < value.length)
    report(path, 'must not repeat an item')
  if (schema.contains !== undefined) {
    const found = value.filter((item) => fits(schema.contains as Schema, item)).length
    if (found < minContains || found > maxContains) report(path, 'does not contain the right items')
  }
}

function checkObject(schema: JsonSchema, value: object, path: string, report: Report, at: At, fits: Fits): void {
  const { minProperties = 0, maxProperties = Infinity } = schema as Record<string, number>
  const properties = (schema.properties ?? {}) as Record<string, Schema>
  const patterns = Object.entries((schema.patternProperties ?? {}) as Record<string, Schema>)
  const entries = Object.entries(value)
  for (const key of (schema.required ?? []) as string[]) {
    if (!Object.hasOwn(value, key)) report(path, `${key} is missing`)
  }
  for (const [key, item] of entries) {
    const matching = patterns.filter(([pattern]) => matches(pattern, key))
    if (Object.hasOwn(properties, key)) at(properties[key] as Schema, item, key)
    for (const [, part] of matching) at(part, item, key)
    const isKnown = Object.hasOwn(properties, key) || matching.length > 0
    if (!isKnown && schema.additionalProperties !== undefined) at(schema.additionalProperties as Schema, item, key)
    if (schema.propertyNames !== undefined && !fits(schema.propertyNames as Schema, key))
      report(path, `${key} is not allowed`)
  }
  if (entries.length < minProperties) report(path, `must have at least ${minProperties} properties`)
  if (entries.length > maxProperties) report(path, `must have at most ${maxProperties} properties`)
  for (const [key, needed] of Object.entries((schema.dependentRequired ?? {}) as Record<string, string[]>)) {
    const missing = Object.hasOwn(value, key) ? needed.find((other) => !Object.hasOwn(value, other)) : undefined
    if (missing !== undefined) report(path, `${missing} is missing beside ${key}`)
  }
  for (const [key, part] of Object.entries((schema.dependentSchemas ?? {}) as Record<string, Schema>)) {
    if (Object.hasOwn(value, key)) at(part, value)
  }
}

function checkCombined(schema: JsonSchema, value: Value, path: string, report: Report, at: At, fits: Fits): void {
  const { allOf = [], anyOf, oneOf } = schema as { allOf?: Schema[]; anyOf?: Schema[]; oneOf?: Schema[] }
  for (const part of allOf) at(part, value)
  if (anyOf && !anyOf.some((part) => fits(part))) report(path, 'fits none of the allowed forms')
  const fitting = oneOf?.filter((part) => fits(part)).length ?? 1
  if (fitting !== 1) report(path, fitting ? 'fits more than one form' : 'fits none of the allowed forms')
  if (schema.not !== undefined && fits(schema.not as Schema)) report(path, 'is of a form that is not allowed')
  if (schema.if !== undefined) {
    const branch = (fits(schema.if as Schema) ? schema.then : schema.else) as Schema | undefined
    if (branch !== undefined) at(branch, value)
  }
}

function isType(type: string, value: Value): boolean {
  if (type === 'integer') return Number.isInteger(value)
  return type === 'number' ? typeof value === 'number' : type === typeName(value)
}

function typeName(value: Value): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

function isSame(one: Value, other: Value): boolean {
  return canonicalText(one) === canonicalText(other)
}

function matches(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(text)
  } catch {
    return new RegExp(pattern).test(text)
  }
}

/** `#` or `#/$defs/name`, inside the same schema. */
export function referenced(root: Schema, reference: string): Schema {
  let found: unknown = root
  const [, ...keys] = decodeURIComponent(reference.replace(/^#/, '')).split('/')
  for (const key of keys)
    found = (found as Record<string, unknown> | undefined)?.[key.replaceAll('~1', '/').replaceAll('~0', '~')]
  if (found === undefined || !reference.startsWith('#')) throw new Error(`The schema has no ${reference}.`)
  return found as Schema
}
