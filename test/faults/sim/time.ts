/** Virtual time: one event at a time, and every promise it wakes has run before the next. */
import type { Clock } from '@dogear/core'

/** Who an event happens to. The dead hear nothing, the frozen hear it when they thaw. */
export interface Actor {
  readonly name: string
  isDead(): boolean
  frozenUntil(): number
}

export interface Time {
  /** Milliseconds since the world began: never jumps. */
  elapsed(): number
  /** The actor whose event runs now, with all the promises it wakes. */
  current(): Actor | undefined
  /** Returns what takes it back. */
  after(ms: number, actor: Actor, event: () => void): () => void
  /** Resolves for the actor after `ms`; rejects with the signal's reason when that aborts before. */
  pass(ms: number, actor: Actor, signal?: AbortSignal): Promise<void>
  /** Runs the next event; false when there is none. */
  step(): Promise<boolean>
  /** The wall clock is set: nobody waits shorter or longer by it. */
  jump(ms: number): void
  clockOf(actor: Actor): Clock
}

interface Event {
  due: number
  readonly order: number
  readonly actor: Actor
  readonly run: () => void
  isOver: boolean
}

/** A person or a server: always there. */
export function bystander(name: string): Actor {
  return { name, isDead: () => false, frozenUntil: () => 0 }
}

export function virtualTime(): Time {
  const queue: Event[] = []
  let elapsed = 0
  let offset = Date.UTC(2026, 0, 1)
  let order = 0
  let current: Actor | undefined

  function after(ms: number, actor: Actor, run: () => void): () => void {
    const event: Event = { due: elapsed + ms, order: (order += 1), actor, run, isOver: false }
    push(queue, event)
    return () => void (event.isOver = true)
  }

  function pass(ms: number, actor: Actor, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error)
      const takeBack = after(ms, actor, () => {
        signal?.removeEventListener('abort', stop)
        resolve()
      })
      function stop(): void {
        takeBack()
        if (!actor.isDead()) reject(signal?.reason as Error)
      }
      signal?.addEventListener('abort', stop, { once: true })
    })
  }

  async function step(): Promise<boolean> {
    const event = pop(queue)
    if (!event) return false
    if (event.isOver || event.actor.isDead()) return true
    elapsed = Math.max(elapsed, event.due)
    const thaw = event.actor.frozenUntil()
    if (thaw > elapsed) {
      event.due = thaw
      push(queue, event)
      return true
    }
    event.isOver = true
    current = event.actor
    event.run()
    await promisesRan()
    return true
  }

  return {
    elapsed: () => elapsed,
    current: () => current,
    after,
    pass,
    step,
    jump: (ms) => void (offset += ms),
    clockOf: (actor) => ({
      now: () => offset + elapsed,
      elapsed: () => elapsed,
      sleep: (ms, signal) => pass(ms, actor, signal).catch(() => {}),
      after: (ms, call) => after(ms, actor, call),
    }),
  }
}

/** A turn of the event loop comes when no promise is left to run. */
function promisesRan(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** A binary heap by due time, then by the order they were asked for. */
function push(heap: Event[], event: Event): void {
  let at = heap.push(event) - 1
  while (at > 0) {
    const parent = (at - 1) >> 1
    if (!isBefore(event, heap[parent]!)) break
    heap[at] = heap[parent]!
    at = parent
  }
  heap[at] = event
}

function pop(heap: Event[]): Event | undefined {
  const [first] = heap
  const last = heap.pop()
  if (!first || !last || heap.length === 0) return first
  let at = 0
  for (;;) {
    let child = 2 * at + 1
    if (child >= heap.length) break
    if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1
    if (!isBefore(heap[child]!, last)) break
    heap[at] = heap[child]!
    at = child
  }
  heap[at] = last
  return first
}

function isBefore(one: Event, other: Event): boolean {
  return one.due < other.due || (one.due === other.due && one.order < other.order)
}
