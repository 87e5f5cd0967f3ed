/** Structured output: the schema a turn's answer has to fit, resolved where the agent is defined. */
import type { JsonSchema } from '../tools/json-schema.ts'
import { toJsonSchema, type StandardSchema } from '../tools/schema.ts'
import { validatorOf, type Tool } from '../tools/tool.ts'
import { builtinNames } from '../tools/builtin.ts'

type Schema = StandardSchema | JsonSchema

/** The schema alone, or with how the model is held to it. */
export type OutputOption = Schema | OutputConfig

export interface OutputConfig {
  /** Of an object: a Standard Schema (Zod, Valibot, ArkType) or a JSON Schema. */
  schema: Schema
  /**
   * `tool` (the default) works with every model that calls tools: it answers by calling a hidden tool `response`.
   * `native` sends the schema as `response_format`, for servers that hold the model to it: one try.
   */
  strategy?: 'tool' | 'tool_based' | 'native'
  /** How often the model may mend an answer that does not fit. Default 2. */
  maxRetries?: number
}

export interface OutputSpec extends Pick<Tool, 'parameters' | 'validate'> {
  readonly strategy: 'tool' | 'native'
  readonly maxRetries: number
}

export function resolveOutput(option: OutputOption | undefined): OutputSpec | undefined {
  if (!option) return undefined
  const isConfig = 'schema' in option && !('~standard' in option)
  const { schema, strategy, maxRetries } = isConfig ? (option as OutputConfig) : { schema: option }
  return {
    parameters: toJsonSchema(builtinNames.response, schema),
    validate: validatorOf(schema),
    strategy: strategy === 'native' ? strategy : 'tool',
    maxRetries: maxRetries ?? 2,
  }
}
