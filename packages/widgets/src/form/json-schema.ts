/** The little that a form has to know of a JSON Schema, whatever was given for one. */

export type Schema = Readonly<Record<string, unknown>>

/** What it says of an object's fields. */
export function fieldsOf(schema: unknown): Schema {
  return record(record(schema).properties)
}

export function record(value: unknown): Schema {
  return typeof value === 'object' && value !== null ? (value as Schema) : {}
}
