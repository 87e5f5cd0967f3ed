/** The `memory` option, checked where an agent is defined. */
import { DogearError } from '../error.ts'
import type { MemoryStore } from '../ports/memory.ts'
import type { MemoryPolicyOptions, ProfiledOptions } from './profile.ts'

export interface MemoryOptions extends MemoryPolicyOptions {
  /**
   * Where facts are kept beyond the session. Without one a session's facts are its own, and with scope `user` a page
   * keeps them in the browser. `workspace` and `tenant` need one.
   */
  store?: MemoryStore
}

/** The policies as a profile takes them, and the store as plain functions. */
export function memoryOf({ memory, customProfile, runtimeProfile }: ProfiledOptions & { memory?: MemoryOptions }) {
  const { store, ...policies } = memory ?? {}
  const scope = policies.scope ?? customProfile?.memory?.scope
  if (!store && (scope === 'workspace' || scope === 'tenant')) {
    throw new DogearError(
      'agent-invalid',
      `Memory of scope "${scope}" needs a store that all its members reach: give memory.store. In a browser alone there is only "session" and "user".`,
    )
  }
  // A store of your own is there to be used; a profile that goes further says so itself.
  const isWide = runtimeProfile === 'deep' || runtimeProfile === 'research'
  const wished = store && !isWide ? 'user' : undefined
  return { memory: { ...policies, scope: scope ?? wished }, memoryStore: store && bound(store) }
}

/** A class keeps its methods on its prototype, and only an object's own functions cross to a worker. */
function bound(store: MemoryStore): MemoryStore {
  return {
    get: (...args) => store.get(...args),
    upsert: (...args) => store.upsert(...args),
    markObsolete: (...args) => store.markObsolete(...args),
    semanticSearch: (...args) => store.semanticSearch(...args),
    list: (...args) => store.list(...args),
  }
}
