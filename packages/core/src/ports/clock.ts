/** Clock port: the time, and waiting. */

export interface Clock {
  /** The time of day, for what is written down: it may be set, by a person or by daylight saving. */
  now(): number
  /** Milliseconds since some moment of this host's life, for how long something takes: they only grow. */
  elapsed(): number
  /** Resolves after `ms`, or early (never rejecting) when `signal` aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Calls after `ms`, unless what this returns is called before: for each call of a tool, where a signal would be dear. */
  after(ms: number, call: () => void): () => void
}
