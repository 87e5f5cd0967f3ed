/** A store whose writes fail on plan, for tests of what happens then. */
import { DogearError, type ErrorCode, type Store } from '@dogear/core'

export interface Fault {
  /** Which write it hits, counted from 1: of all writes, or of the writes by `on`. */
  readonly nth: number
  /** Only writes by this method. */
  readonly on?: Write
  /**
   * - `fail`: nothing is written, the promise rejects.
   * - `hang`: nothing is written, the promise never settles.
   * - `commit-fail`: it is written, yet the promise rejects.
   * - `commit-hang`: it is written, and nobody ever hears of it.
   */
  readonly fault: 'fail' | 'hang' | 'commit-fail' | 'commit-hang'
  /** What a failing write rejects with; `storage-failed` when not given. */
  readonly code?: Extract<ErrorCode, `storage-${string}`>
}

export interface FaultyStore extends Store {
  /** How many writes were asked for, by any method. */
  readonly writes: number
}

export function faulty(store: Store, plan: readonly Fault[]): FaultyStore {
  const counts = new Map<string, number>()
  let writes = 0

  return new Proxy(store, {
    get(target, name) {
      if (name === 'writes') return writes
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      const method = (...args: unknown[]): unknown => Reflect.apply(member, target, args)
      return isWrite(name) ? (...args: unknown[]) => write(name, () => method(...args)) : method
    },
  }) as FaultyStore // `writes` is answered above, which a Proxy's type cannot say.

  async function write(name: Write, commit: () => unknown): Promise<unknown> {
    writes += 1
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    const hit = plan.find(({ on, nth }) => (on === undefined ? nth === writes : on === name && nth === count))
    if (!hit) return commit()
    if (hit.fault.startsWith('commit')) await commit()
    if (hit.fault.endsWith('hang')) return new Promise(() => {})
    throw new DogearError(hit.code ?? 'storage-failed', `The plan says that this ${name} fails.`)
  }
}

const writeMethods = [
  'acquire',
  'append',
  'clear',
  'delete',
  'saveHead',
  'savePartial',
  'saveSide',
  'saveSnapshot',
  'send',
  'swapSide',
] as const satisfies readonly (keyof Store)[]

type Write = (typeof writeMethods)[number]

function isWrite(name: string | symbol): name is Write {
  return (writeMethods as readonly (string | symbol)[]).includes(name)
}
