/** Lock port: one holder a name among all tabs. A hint: what fences is the epoch in the store. */

export interface Lock {
  /** Waits until held. Resolves undefined when `signal` aborts first, or when `wait` is false and it is taken. */
  acquire(name: string, options: { signal?: AbortSignal; wait: boolean; steal?: boolean }): Promise<Held | undefined>
}

export interface Held {
  release(): void
  /** Settles when the lock was stolen or lost without `release`. */
  readonly lost: Promise<void>
}
