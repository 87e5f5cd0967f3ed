/** Whether the browser may delete what is kept here when it wants room. It is asked not to once there is something to keep. */
import { signal, type ReadonlySignal } from '@preact/signals-core'

export interface Persistence {
  /** Null where the browser does not say. */
  readonly persisted: ReadonlySignal<boolean | null>
  /** The person's words are on the disk. */
  saved(): void
}

/** `mayAsk`: also where the browser asks the person; `false`: nowhere. */
export function createPersistence(mayAsk?: boolean): Persistence {
  const persisted = signal<boolean | null>(null)
  // Absent in Node, and on a page that is not secure.
  const storage = globalThis.navigator?.storage
  let isAsked = mayAsk === false
  const tell = (answer?: Promise<boolean>) => answer?.then((is) => (persisted.value = is)).catch(() => {})
  void tell(storage?.persisted?.())
  return {
    persisted,
    saved() {
      if (isAsked || persisted.value) return
      isAsked = true
      // Firefox asks the person, who has never heard of storage: only where the page's developer wants it so.
      if (mayAsk || !('mozInnerScreenX' in globalThis)) void tell(storage?.persist?.())
    },
  }
}
