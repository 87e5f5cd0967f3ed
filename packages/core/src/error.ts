/** The one error class: a code to branch on, a message that says what to do next. */

export type ErrorCode =
  | 'aborted'
  | 'agent-invalid'
  | 'bad-response'
  | 'endpoint-missing'
  | 'fenced'
  | 'forbidden'
  | 'handle-missing'
  | 'history-lost'
  | 'input-invalid'
  | 'internal'
  | 'key-in-page'
  | 'model-failed'
  | 'model-missing'
  | 'model-unknown'
  | 'network'
  | 'not-idle'
  | 'quota-exceeded'
  | 'rate-limited'
  | 'request-closed'
  | 'request-invalid'
  | 'request-rejected'
  | 'request-unknown'
  | 'schema-invalid'
  | 'schema-not-describable'
  | 'session-agent-mismatch'
  | 'session-closed'
  | 'session-exists'
  | 'session-missing'
  | 'session-newer'
  | 'session-parked'
  | 'snapshot-invalid'
  | 'snapshot-missing'
  | 'storage-blocked'
  | 'storage-failed'
  | 'storage-full'
  | 'stream-cut'
  | 'token-refused'
  | 'tool-invalid'
  | 'tool-result-invalid'
  | 'tool-timeout'
  | 'tool-unknown'
  | 'worker-blocked'
  | 'worker-lost'

export interface ErrorData {
  readonly code: ErrorCode
  readonly message: string
  /** Facts a caller may branch on: an HTTP status, seconds to wait, the names that are known. */
  readonly details?: Readonly<Record<string, unknown>>
  readonly cause?: string
}

export class DogearError extends Error {
  override readonly name = 'DogearError'
  readonly code: ErrorCode
  readonly details: Readonly<Record<string, unknown>>

  constructor(code: ErrorCode, message: string, options: { cause?: unknown; details?: Record<string, unknown> } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.details = options.details ?? {}
  }
}

/** An error as data, fit for a worker's wire or a journal. */
export function toErrorData(error: unknown): ErrorData {
  if (error instanceof DogearError) {
    const cause = error.cause === undefined ? undefined : describeError(error.cause)
    return { code: error.code, message: error.message, details: error.details, cause }
  }
  if (isAbort(error)) return { code: 'aborted', message: 'Stopped.' }
  return { code: 'internal', message: describeError(error) }
}

export function fromErrorData(data: ErrorData): DogearError {
  return new DogearError(data.code, data.message, { cause: data.cause, details: { ...data.details } })
}

/** A thrown value in words; a page may throw anything, also things whose getters throw. */
export function describeError(error: unknown): string {
  try {
    if (error instanceof Error) return error.message || error.name
    if (typeof error === 'object' && error !== null && 'message' in error) return String(error.message)
    return String(error)
  } catch {
    return 'an error that cannot be read'
  }
}

export function isAbort(error: unknown): boolean {
  if (error instanceof DogearError) return error.code === 'aborted'
  return typeof error === 'object' && error !== null && 'name' in error && error.name === 'AbortError'
}
