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
  /** How many streams are kept. Past it the oldest finished one goes, the caller's own first. Default 100. */
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
  readonly #known = new Map<string, { stream: LiveStream; subject: string; fingerprint: string }>()

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
      return { stream: this.#start(name, fingerprint, open), isNew: true }
    if (known.fingerprint !== fingerprint)
      throw new ProxyError(409, 'key_reused', 'This key already names another request. Use a new key for a new one.')
    // A failed call answers nothing any more: asking again under its key is a new try.
    if (stream.failure !== undefined) return { stream: this.#start(name, fingerprint, open), isNew: true }
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

  #start(name: StreamName, fingerprint: string, open: Open): LiveStream {
    const id = idOf(name)
    const { subject } = name
    this.#known.delete(id)
    if (!this.#makeRoom(subject)) return this.startUnnamed(open)
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
    this.#known.set(id, { stream, subject, fingerprint })
    stream.opened.catch(forget)
    return stream
  }

  #forgetOld(): void {
    const oldest = Date.now() - this.#limits.keepFor
    for (const [id, { stream }] of this.#known) if ((stream.endedAt ?? Infinity) < oldest) this.#known.delete(id)
  }

  /** Of the caller's own before anybody else's: one who sends many keys must not throw out what others return to. */
  #makeRoom(subject: string): boolean {
    if (this.#known.size < this.#limits.max) return true
    const ended = [...this.#known].filter(([, { stream }]) => stream.endedAt !== undefined)
    const [id] = ended.find(([, known]) => known.subject === subject) ?? ended[0] ?? []
    return id !== undefined && this.#known.delete(id)
  }
}

function idOf({ subject, key }: StreamName): string {
  return JSON.stringify([subject, key])
}
