/** Locks in memory, first come first served: give the same one to every host that should compete. */
import type { Held, Lock } from '@dogear/core'

export function memoryLock(): Lock {
  const queues = new Map<string, Queue>()

  return {
    acquire(name, { signal, wait, steal = false }) {
      const queue = queues.get(name) ?? { holder: undefined, waiting: [] }
      queues.set(name, queue)
      if (signal?.aborted) return Promise.resolve(undefined)
      if (steal) return Promise.resolve(stealFrom(queue))
      if (!queue.holder) return Promise.resolve(give(queue))
      if (!wait) return Promise.resolve(undefined)
      return waitIn(queue, signal)
    },
  }
}

interface Queue {
  holder: Holder | undefined
  readonly waiting: ((held: Held) => void)[]
}

interface Holder {
  readonly lose: () => void
}

function give(queue: Queue): Held {
  let holder: Holder | undefined
  const lost = new Promise<void>((lose) => {
    holder = queue.holder = { lose }
  })
  return { lost, release }

  function release(): void {
    // A late release by somebody who was stolen from must not free the thief's lock.
    if (queue.holder !== holder) return
    queue.holder = undefined
    queue.waiting.shift()?.(give(queue))
  }
}

function stealFrom(queue: Queue): Held {
  queue.holder?.lose()
  return give(queue)
}

function waitIn(queue: Queue, signal: AbortSignal | undefined): Promise<Held | undefined> {
  return new Promise((resolve) => {
    const take = (held: Held) => {
      signal?.removeEventListener('abort', leave)
      resolve(held)
    }
    const leave = () => {
      queue.waiting.splice(queue.waiting.indexOf(take), 1)
      signal?.removeEventListener('abort', leave)
      resolve(undefined)
    }
    queue.waiting.push(take)
    signal?.addEventListener('abort', leave)
  })
}
