/** Messages pushed by a session, pulled by a `for await`. */

export interface MessageQueue<T> extends AsyncIterable<T> {
  push(items: readonly T[]): void
  /** No more: what was pushed is still read. */
  end(): void
  fail(error: unknown): void
}

export function createMessageQueue<T>(): MessageQueue<T> {
  const items: T[] = []
  let wake = () => {}
  let isOver = false
  let failure: { readonly error: unknown } | undefined

  function close(): void {
    isOver = true
    wake()
  }

  return {
    push(more) {
      items.push(...more)
      wake()
    },
    end: close,
    fail(error) {
      failure ??= { error }
      close()
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        while (items.length) yield items.shift() as T
        if (failure) throw failure.error
        if (isOver) return
        await new Promise<void>((resolve) => (wake = resolve))
      }
    },
  }
}
