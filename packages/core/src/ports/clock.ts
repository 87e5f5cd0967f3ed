/** Clock port: the time, and waiting. */

export interface Clock {
  now(): number
  /** Resolves after `ms`, or early (never rejecting) when `signal` aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}
