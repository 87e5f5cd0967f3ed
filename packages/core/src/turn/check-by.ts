/** Whether arguments fit a schema, as written or as most likely meant. */
import { describeError } from '../error.ts'
import { coerceArgs } from '../tools/coerce.ts'
import { checkJsonSchema } from '../tools/schema.ts'
import type { Validated } from '../tools/tool.ts'
import type { RunTool } from './run.ts'

/** Checks where the schema lives, or by the JSON Schema where that is all there is. Never throws. */
export async function checkBy(
  { parameters, validate }: Pick<RunTool, 'parameters' | 'validate'>,
  value: unknown,
): Promise<Validated> {
  const check = (args: unknown) => (validate ? validate(args) : checkJsonSchema(parameters, args))
  try {
    const given = check(value)
    const asWritten = 'ok' in given ? given : await given
    if (asWritten.ok) return asWritten
    const mended = await check(coerceArgs(parameters, value))
    return mended.ok ? mended : asWritten
  } catch (error) {
    return { ok: false, issues: [describeError(error)] }
  }
}
