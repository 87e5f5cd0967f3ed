/** Arguments a model wrote almost right: brought to what the schema says, and nothing added that is not in them. */
import { referenced, schemaIssues, type JsonSchema } from './json-schema.ts'

/** What the model most likely meant; to be checked again, because it may still not fit. */
export function coerceArgs(schema: JsonSchema, args: unknown): unknown {
  return coerce(schema, schema, unwrapped(schema, args))
}

/** The parameters by name and type, for a model that got them wrong. */
export function expectedText(schema: JsonSchema): string {
  const required = (schema.required ?? []) as readonly string[]
  const parameters = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)
  const each = ([name, part]: [string, JsonSchema]) =>
    `${name}${required.includes(name) ? '' : '?'}: ${[(part.enum ?? part.type ?? 'any') as string | string[]].flat().join(' | ')}`
  return parameters.length ? `Expected: { ${parameters.map(each).join(', ')} }.` : 'It takes no arguments.'
}

/** Some models put the arguments into an envelope that no schema asked for. */
function unwrapped(schema: JsonSchema, args: unknown): unknown {
  if (!isObject(args)) return args
  const [name = '', ...others] = Object.keys(args)
  const isEnvelope = !others.length && ['input', 'args'].includes(name) && !Object.hasOwn(propertiesOf(schema), name)
  const inner = isEnvelope ? parsed(args[name]) : undefined
  return isObject(inner) ? inner : args
}

function coerce(root: JsonSchema, schema: unknown, value: unknown): unknown {
  if (!isObject(schema)) return value
  if (typeof schema.$ref === 'string') return coerce(root, referenced(root, schema.$ref), value)
  const fits = (part: unknown, item: unknown) =>
    isObject(part) && schemaIssues({ $defs: root.$defs, definitions: root.definitions, ...part }, item).length === 0
  if (fits(schema, value)) return value
  const forms = (schema.anyOf ?? schema.oneOf) as readonly unknown[] | undefined
  if (forms) return forms.map((form) => coerce(root, form, value)).find((form) => fits(schema, form)) ?? value
  const types = [(schema.type ?? []) as string | readonly string[]].flat()
  const read = typeof value === 'string' ? fromText(types, value) : value
  if (types.includes('array') && isScalar(read)) return [coerce(root, schema.items, read)]
  if (Array.isArray(read)) return read.map((item) => coerce(root, schema.items, item))
  if (!isObject(read)) return read
  const properties = propertiesOf(schema)
  const required = (schema.required ?? []) as readonly string[]
  const entries = Object.entries(read).flatMap(([key, item]) => {
    if (!Object.hasOwn(properties, key)) return [[key, item]]
    const isLeftOut = (item === '' || item === null) && !required.includes(key) && !fits(properties[key], item)
    return isLeftOut ? [] : [[key, coerce(root, properties[key], item)]]
  })
  return Object.fromEntries(entries)
}

function fromText(types: readonly string[], text: string): unknown {
  const word = text.trim()
  if ((types.includes('number') || types.includes('integer')) && /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(word)) {
    return Number(word)
  }
  if (types.includes('boolean') && /^(true|false)$/i.test(word)) return word.toLowerCase() === 'true'
  if ((types.includes('object') && word.startsWith('{')) || (types.includes('array') && word.startsWith('['))) {
    return parsed(word)
  }
  return text
}

function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

function propertiesOf(schema: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return (schema.properties ?? {}) as Record<string, unknown>
}

function isScalar(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
