/** What a tool gave back, as the text a model reads. */
import { describeError, DogearError, isAbort } from '../error.ts'
import type { Tool, ToolContext } from './tool.ts'

/** The most characters of one result a model is shown. */
export const resultLimit = 32_000

/** A call's end, as plain data that crosses any wire. */
export interface CallReply {
  readonly status: 'complete' | 'error' | 'stopped'
  readonly content: string
  readonly summary?: string
  /** For the developer: cause and fix. */
  readonly problem?: string
}

/** Runs a tool's function and turns whatever comes of it into a reply. Never throws. */
export async function callTool(tool: Tool, args: unknown, context: ToolContext): Promise<CallReply> {
  let result: unknown
  try {
    result = await tool.func(args, context)
  } catch (error) {
    if (context.signal.aborted && isAbort(error)) return { status: 'stopped', content: 'Stopped before it finished.' }
    const reason = describeError(error)
    return {
      status: 'error',
      content: `Error executing tool: ${reason}`,
      problem: `Tool "${tool.name}" threw: ${reason}`,
    }
  }
  try {
    return { status: 'complete', content: resultText(result), summary: await summaryOf(tool, args, result) }
  } catch (error) {
    const reason = describeError(error)
    return {
      status: 'error',
      content: `Error executing tool: it ran, but its result cannot be read (${reason})`,
      problem: `Tool "${tool.name}" returned ${reason} Return plain data: strings, numbers, booleans, arrays and objects.`,
    }
  }
}

/** A result as text; throws with the path of the first value that cannot be one. */
export function resultText(result: unknown): string {
  if (result === undefined || result === null) return 'Done.'
  const text =
    typeof result === 'string' ? result : JSON.stringify(isPlain(result, 0) ? result : plainCopy(result, 'result', []))
  if (text.length <= resultLimit) return text
  // Half a character, which a surrogate without its other is, makes servers refuse the whole conversation.
  const end = /[\uD800-\uDBFF]/.test(text.charAt(resultLimit - 1)) ? resultLimit - 1 : resultLimit
  return `${text.slice(0, end)}\n[cut: ${text.length - end} more characters]`
}

/** Whether it is JSON as it stands, as most results are: a copy would cost several times as much as writing it. */
function isPlain(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return isPlainScalar(value)
  if (depth > 20) return false
  if (Array.isArray(value)) return value.every((item) => isPlain(item, depth + 1))
  if (Object.getPrototypeOf(value) !== Object.prototype || 'toJSON' in value) return false
  for (const key in value) if (!isPlain((value as Record<string, unknown>)[key], depth + 1)) return false
  return true
}

function isPlainScalar(value: unknown): boolean {
  return typeof value !== 'bigint' && typeof value !== 'function' && typeof value !== 'symbol'
}

function plainCopy(value: unknown, path: string, above: object[]): unknown {
  if (typeof value === 'bigint') return value.toString()
  if (typeof value === 'function' || typeof value === 'symbol') {
    throw new DogearError('tool-result-invalid', `a ${typeof value} at ${path}.`)
  }
  if (typeof value !== 'object' || value === null) return value
  if (above.includes(value)) throw new DogearError('tool-result-invalid', `a cycle at ${path}.`)
  if (above.length > 100) throw new DogearError('tool-result-invalid', `more than 100 levels at ${path}.`)
  const inside = [...above, value]
  if ('toJSON' in value && typeof value.toJSON === 'function') return plainCopy(value.toJSON(), path, inside)
  if (Array.isArray(value)) return value.map((item, index) => plainCopy(item, `${path}[${index}]`, inside))
  if (value instanceof Map) return plainCopy(Object.fromEntries(value), path, inside)
  if (value instanceof Set) return plainCopy([...value], path, inside)
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, plainCopy(item, `${path}.${key}`, inside)]),
  )
}

async function summaryOf(tool: Tool, args: unknown, result: unknown): Promise<string | undefined> {
  try {
    const summary = await tool.summary?.(args, result)
    return typeof summary === 'string' ? summary.slice(0, 80) : undefined
  } catch {
    // A card without its few words is better than a call reported as failed.
    return undefined
  }
}
