/** The streams that can be returned to, by key: in memory, few, and for a few minutes. */
import { ProxyError } from '../proxy-error.ts'
import { LiveStream, type LiveStreamOptions } from './live-stream.ts'

export interface StreamLimits {
  /** How long upstream goes on with nobody listening. Default 30 seconds. */
  readonly grace?: number
  /** How long a finished stream can still be read. Default 5 minutes. */
  readonly keepFor?: number
  /** What one stream may hold. Past it the answer goes on, but cannot be resumed. Default 4 MB. */
  readonly maxBytes?: number
  /** How many streams are kept. Past it the oldest finished one goes. Default 100. */
  readonly max?: number
}

/** A key belongs to whoever made it: the same key of another subject is another stream. */
export interface StreamName {
  readonly subject: string
  readonly key: string
}

type Open = LiveStreamOptions['open']

export class Streams {
  readonly #limits: Required<StreamLimits>
  readonly #onFailure: (error: unknown) => void
  readonly #known = new Map<string, { stream: LiveStream; fingerprint: string }>()

  constructor(limits: StreamLimits, onFailure: (error: unknown) => void) {
    this.#limits = { grace: 30_000, keepFor: 300_000, maxBytes: 4_000_000, max: 100, ...limits }
    this.#onFailure = onFailure
  }

  find(name: StreamName): LiveStream | undefined {
    this.#forgetOld()
    return this.#known.get(idOf(name))?.stream
  }

  /** The stream of this key: the one under way or finished if there is one, else a new upstream call. */
  findOrStart(name: StreamName, fingerprint: string, open: Open): { stream: LiveStream; isNew: boolean } {
    const stream = this.find(name)
    const known = this.#known.get(idOf(name))
    if (stream === undefined || known === undefined)
      return { stream: this.#start(idOf(name), fingerprint, open), isNew: true }
    if (known.fingerprint !== fingerprint)
      throw new ProxyError(409, 'key_reused', 'This key already names another request. Use a new key for a new one.')
    // A failed call answers nothing any more: asking again under its key is a new try.
    if (stream.failure !== undefined) return { stream: this.#start(idOf(name), fingerprint, open), isNew: true }
    return { stream, isNew: false }
  }

  /** A stream that nobody can come back to. */
  startUnnamed(open: Open): LiveStream {
    const { maxBytes } = this.#limits
    return new LiveStream({
      open,
      maxBytes,
      grace: 0,
      isResumable: false,
      onLost: () => undefined,
      onFailure: this.#onFailure,
    })
  }

  stop(name: StreamName): void {
    this.find(name)?.stop()
  }

  #start(id: string, fingerprint: string, open: Open): LiveStream {
    this.#known.delete(id)
    if (!this.#makeRoom()) return this.startUnnamed(open)
    const { grace, maxBytes } = this.#limits
    const forget = () => {
      if (this.#known.get(id)?.stream === stream) this.#known.delete(id)
    }
    const stream = new LiveStream({
      open,
      grace,
      maxBytes,
      isResumable: true,
      onLost: forget,
      onFailure: this.#onFailure,
    })
    this.#known.set(id, { stream, fingerprint })
    stream.opened.catch(forget)
    return stream
  }

  #forgetOld(): void {
    const oldest = Date.now() - this.#limits.keepFor
    for (const [id, { stream }] of this.#known) if ((stream.endedAt ?? Infinity) < oldest) this.#known.delete(id)
  }

  #makeRoom(): boolean {
    if (this.#known.size < this.#limits.max) return true
    for (const [id, { stream }] of this.#known) if (stream.endedAt !== undefined) return this.#known.delete(id)
    return false
  }
}

function idOf({ subject, key }: StreamName): string {
  return JSON.stringify([subject, key])
}
