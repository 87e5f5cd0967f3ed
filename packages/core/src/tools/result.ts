/** What a tool gave back, as the text a model reads. */
import { describeError, DogearError, isAbort } from '../error.ts'
import { countApproxTokens } from '../smart/tokens.ts'
import type { Authority } from '../turn/page.ts'
import { createAsking, type Asking, type Asks, type Told } from './asking.ts'
import { isRepeatable, type Tool, type ToolContext } from './tool.ts'

/** The most characters of one result that ever leave the page; an agent's profile shows its model fewer. */
export const resultLimit = 100_000

/** A call's end, as plain data that crosses any wire. */
export interface CallReply {
  readonly status: 'complete' | 'error' | 'rejected' | 'stopped'
  readonly content: string
  /** It rests here, without an effect so far, until a person has answered. */
  readonly asks?: Asks
  readonly summary?: string
  /** Whether it took effect is not known. */
  readonly unknown?: boolean
  /** For the developer: cause and fix. */
  readonly problem?: string
  /** Whether the tool's `retry` allows another try. */
  readonly mayRetry?: boolean
}

/** What a host hands to a call; the rest of a tool's context is made here. */
export interface CallContext extends Omit<ToolContext, 'cancellationToken' | keyof Asking> {
  /** What people said to this call so far, in order: each answer enters its tool anew. */
  readonly told?: readonly Told[]
  /** Absent where nobody else could drive the session. */
  readonly authority?: Authority
}

/** Runs a tool's function and turns whatever comes of it into a reply. Never throws. */
export async function callTool(tool: Tool, args: unknown, context: CallContext): Promise<CallReply> {
  let result: unknown
  let asks: Asks | undefined
  try {
    result = await new Promise((resolve, reject) => {
      const asking = createAsking(context.told ?? [], (asked) => resolve((asks ??= asked)))
      Promise.resolve(tool.func(args, toolContext(context, asking))).then(resolve, reject)
    })
    // The first alone: what was asked beside it is asked on the next entry.
    if (asks) return { status: 'stopped', content: '', asks }
  } catch (error) {
    if (context.signal.aborted && isAbort(error)) return abortedReply(tool)
    if (error instanceof DogearError && error.code === 'request-rejected') {
      return { status: 'rejected', content: `Tool call rejected: ${error.message}` }
    }
    const reason = describeError(error)
    return {
      status: 'error',
      content: `Error executing tool: ${reason}`,
      problem: `Tool "${tool.name}" threw: ${reason}`,
      ...(tool.retry && { mayRetry: await mayRetry(tool, error, context.attempt) }),
    }
  }
  try {
    return {
      status: 'complete',
      content: resultText(result),
      summary: tool.summary && (await summaryOf(tool, args, result)),
    }
  } catch (error) {
    const reason = describeError(error)
    return {
      status: 'error',
      content: `Error executing tool: it ran, but its result cannot be read (${reason})`,
      problem: `Tool "${tool.name}" returned ${reason} Return plain data: strings, numbers, booleans, arrays and objects.`,
    }
  }
}

/** A request that was ended here may have arrived all the same: a server that has paid would be told as one that has not. */
function abortedReply({ effect }: Tool): CallReply {
  const [status, content] = ['stopped', 'Stopped before it finished.'] as const
  if (effect === 'read') return { status, content }
  return { status, content: `${content} Whether it took effect is not known.`, unknown: true }
}

function toolContext(context: CallContext, { ask, requestApproval, elicit }: Asking): ToolContext {
  const { idempotencyKey, callId, sessionId, attempt } = context
  return {
    idempotencyKey,
    callId,
    sessionId,
    attempt,
    ask,
    requestApproval,
    elicit,
    // Asked for by few, and a signal is the dearest part of a call.
    get signal() {
      return context.signal
    },
    get cancellationToken() {
      const { signal } = context
      return {
        get isCancellationRequested() {
          return signal.aborted
        },
      }
    },
  }
}

async function mayRetry({ effect, retry }: Tool, error: unknown, attempt: number): Promise<boolean> {
  try {
    return retry?.shouldRetry ? await retry.shouldRetry(error, attempt) : isRepeatable(effect)
  } catch {
    return false
  }
}

/** A result as text; throws with the path of the first value that cannot be one. */
export function resultText(result: unknown): string {
  if (result === undefined || result === null) return 'Done.'
  const text =
    typeof result === 'string' ? result : JSON.stringify(isPlain(result, 0) ? result : plainCopy(result, 'result', []))
  return cutText(text, resultLimit)
}

/** A result as an agent's profile lets its model read it. */
export function cappedText(
  text: string,
  limits: { readonly maxToolResponseChars: number; readonly maxToolResponseTokens: number },
): string {
  const { maxToolResponseChars: chars, maxToolResponseTokens: tokens } = limits
  // No character is more than two thirds of a token: most results need no count.
  if (text.length <= Math.min(chars, tokens * 1.5)) return text
  // Cut once before, on the page: what was lost there counts too.
  const [mark = '', lost = 0] = /\n\[cut: (\d+) more characters\]$/.exec(text) ?? []
  const body = text.slice(0, text.length - mark.length)
  return cutText(body, Math.min(chars, Math.floor((body.length * tokens) / countApproxTokens(body))), Number(lost))
}

function cutText(text: string, limit: number, lost = 0): string {
  if (text.length <= limit && !lost) return text
  // Half a character, which a surrogate without its other is, makes servers refuse the whole conversation.
  const end = /[\uD800-\uDBFF]/.test(text.charAt(limit - 1)) ? limit - 1 : limit
  const kept = text.slice(0, end)
  return `${kept}\n[cut: ${text.length - kept.length + lost} more characters]`
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
