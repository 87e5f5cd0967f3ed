/** Waiting for something a page may never give: a stop ends the wait. */

export function unlessStopped<T>(signal: AbortSignal, wait: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason as Error)
    if (signal.aborted) stop()
    const waits = waitsOf(signal)
    waits.add(stop)
    wait.then(
      (value) => {
        waits.delete(stop)
        resolve(value)
      },
      (error: unknown) => {
        waits.delete(stop)
        reject(error)
      },
    )
  })
}

/** One listener for all that wait: to add and remove one for each costs more than most waits. */
const waiting = new WeakMap<AbortSignal, Set<() => void>>()

function waitsOf(signal: AbortSignal): Set<() => void> {
  let waits = waiting.get(signal)
  if (!waits) {
    const stops = (waits = new Set())
    waiting.set(signal, stops)
    signal.addEventListener('abort', () => stops.forEach((stop) => stop()))
  }
  return waits
}
