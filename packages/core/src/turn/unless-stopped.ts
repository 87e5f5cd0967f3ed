/** Waiting for something a page may never give: a stop ends the wait. */

export function unlessStopped<T>(signal: AbortSignal, wait: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason as Error)
    const waited =
      <Value>(settle: (value: Value) => void) =>
      (value: Value) => {
        signal.removeEventListener('abort', stop)
        settle(value)
      }
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop)
    wait.then(waited(resolve), waited(reject))
  })
}
