/** Connections whose answer is whole: given time to end by themselves, because a cancelled one cannot be used again. */

export type Reader = ReadableStreamDefaultReader<Uint8Array>

export interface Ending {
  add(reader: Reader): void
}

/** A browser has six connections a host: servers that never end theirs may not hold more than this. */
const limit = 2

export function createEnding(): Ending {
  const readers = new Set<Reader>()
  return {
    add(reader) {
      const leave = () => {
        readers.delete(reader)
        cancel(reader)
      }
      readers.add(reader)
      reader.read().then(leave, leave)
      const [oldest] = readers
      if (oldest && readers.size > limit) cancel(oldest)
    },
  }
}

export function cancel(reader: Reader): void {
  // A lost connection cannot be cancelled, and need not be.
  reader.cancel().catch(() => {})
}
