/** Clock port: the time, and waiting. */

export interface Clock {
  now(): number
  /** Resolves after `ms`, or early (never rejecting) when `signal` aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Calls after `ms`, unless what this returns is called before: for each call of a tool, where a signal would be dear. */
  after(ms: number, call: () => void): () => void
}
