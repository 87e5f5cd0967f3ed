/** Schemas: from what a developer has (Standard Schema or JSON Schema) to what a model reads, and checks by it. */
import { describeError, DogearError } from '../error.ts'
import { schemaIssues, type JsonSchema } from './json-schema.ts'
import type { Validated } from './tool.ts'

/** The part of https://standardschema.dev that is used here; `undefined` is said, for `exactOptionalPropertyTypes`. */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
    readonly types?: { readonly input: any; readonly output: Output } | undefined
    readonly jsonSchema?: { readonly input: (options: { target: any }) => Record<string, unknown> } | undefined
  }
}

type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string; readonly path?: readonly unknown[] | undefined }[] }

/** The JSON Schema a model is shown for a tool's arguments. */
export function toJsonSchema(
  tool: string,
  schema: StandardSchema | JsonSchema | undefined,
  beside?: JsonSchema,
): JsonSchema {
  if (beside) return objectSchema(tool, beside)
  if (!schema) return { type: 'object', properties: {} }
  if (!('~standard' in schema)) return objectSchema(tool, schema)
  const describe = (schema as StandardSchema)['~standard'].jsonSchema
  if (!describe) {
    throw new DogearError(
      'schema-not-describable',
      `The schema of tool "${tool}" cannot describe itself as JSON Schema. Give it beside: parameters: z.toJSONSchema(schema).`,
    )
  }
  const { $schema: _dialect, ...described } = describedBy(tool, describe.input)
  return objectSchema(tool, described)
}

function describedBy(tool: string, describe: (options: { target: any }) => JsonSchema): JsonSchema {
  try {
    return describe({ target: 'draft-2020-12' })
  } catch (cause) {
    throw new DogearError(
      'schema-not-describable',
      `The schema of tool "${tool}" has a part JSON Schema cannot say (${describeError(cause)}). Say it beside: parameters: { type: 'object', … }.`,
      { cause },
    )
  }
}

function objectSchema(tool: string, schema: JsonSchema): JsonSchema {
  if (Object.keys(schema).length === 0) return { type: 'object', properties: {} }
  if (schema.type === undefined && typeof schema.properties === 'object') return { type: 'object', ...schema }
  if (schema.type === 'object') return schema
  throw new DogearError(
    'tool-invalid',
    `The arguments of tool "${tool}" must be an object schema: { type: 'object', properties: { … } }.`,
  )
}

export function checkJsonSchema(schema: JsonSchema, value: unknown): Validated {
  const issues = schemaIssues(schema, value)
  return issues.length ? { ok: false, issues } : { ok: true, value }
}
