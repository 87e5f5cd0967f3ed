/**
 * One upstream call, and everybody who listens to it.
 *
 *   upstream ──▶ frames (id 1 … n) ──▶ listener at 3, listener at n
 *
 * While it is resumable every frame is kept, so that a reloaded page reads on from its cursor. Past `maxBytes` only
 * what a listener still has to read is kept, and upstream waits for the slowest of them. A listener hears a comment when
 * nothing else comes for long: silence then means that the connection is dead.
 */
import { asProxyError, ProxyError } from '../proxy-error.ts'

export interface LiveStreamOptions {
  readonly open: (signal: AbortSignal) => Promise<AsyncIterable<object>>
  /** Whether listeners may come back. Without a key nobody could name the stream to come back to. */
  readonly isResumable: boolean
  readonly maxBytes: number
  /** How long upstream goes on with nobody listening, in milliseconds. */
  readonly grace: number
  /** Called once, when the stream can no longer be resumed. */
  readonly onLost: () => void
  /** Called when upstream fails in mid-answer. A failure to open is told by `opened`. */
  readonly onFailure: (error: unknown) => void
}

interface Listener {
  next: number
}

/** Well below the half minute after which a page takes a silent connection for dead. */
const heartbeat = 10_000

export class LiveStream {
  /** Settles when upstream has accepted the request; rejects when it has not. */
  readonly opened: Promise<void>
  endedAt: number | undefined
  failure: ProxyError | undefined

  readonly #options: LiveStreamOptions
  readonly #upstream = new AbortController()
  readonly #listeners = new Set<Listener>()
  readonly #waiting = new Set<() => void>()
  #frames: string[] = []
  #firstId = 1
  #bytes = 0
  #isResumable: boolean
  #goodbye: ReturnType<typeof setTimeout> | undefined

  constructor(options: LiveStreamOptions) {
    this.#options = options
    this.#isResumable = options.isResumable
    const opening = options.open(this.#upstream.signal)
    this.opened = opening.then(() => undefined)
    // Whoever waits for `opened` hears of the failure there; with nobody waiting it must not end the process.
    this.opened.catch(() => undefined)
    void this.#run(opening)
  }

  /** The events after `cursor` as server-sent events, then the live ones. Ends when `signal` does. */
  attach(cursor: number, signal: AbortSignal): ReadableStream<Uint8Array<ArrayBuffer>> {
    const listener: Listener = { next: cursor + 1 }
    this.#listeners.add(listener)
    clearTimeout(this.#goodbye)
    const detach = () => this.#detach(listener)
    if (signal.aborted) detach()
    signal.addEventListener('abort', detach, { once: true })
    let isCancelled = false
    const encoder = new TextEncoder()
    return new ReadableStream(
      {
        pull: async (controller) => {
          const text = await this.#read(listener)
          if (isCancelled) return
          if (text !== '') controller.enqueue(encoder.encode(text))
          if (this.#listeners.has(listener) && !this.#hasReadAll(listener)) return
          signal.removeEventListener('abort', detach)
          detach()
          controller.close()
        },
        cancel: () => {
          isCancelled = true
          detach()
        },
      },
      { highWaterMark: 0 },
    )
  }

  /** Ends upstream. Those who still listen are told. */
  stop(): void {
    this.#upstream.abort()
    this.#end(new ProxyError(409, 'stream_stopped', 'This answer was stopped.'))
    this.#lose()
  }

  async #run(opening: Promise<AsyncIterable<object>>): Promise<void> {
    let isOpen = false
    try {
      const events = await opening
      isOpen = true
      for await (const event of events) {
        if (this.endedAt !== undefined) return
        this.#push(JSON.stringify(event))
        await this.#hasRoom()
      }
      if (this.endedAt === undefined) this.#push('[DONE]')
      this.#end()
    } catch (error) {
      if (this.endedAt !== undefined) return
      if (isOpen) this.#options.onFailure(error)
      const failure = asProxyError(error)
      this.#push(JSON.stringify(failure))
      this.#end(failure)
    }
  }

  #push(data: string): void {
    const frame = `id: ${this.#firstId + this.#frames.length}\ndata: ${data}\n\n`
    this.#frames.push(frame)
    this.#bytes += frame.length
    if (this.#bytes > this.#options.maxBytes) this.#lose()
    this.#wake()
  }

  #end(failure?: ProxyError): void {
    if (this.endedAt !== undefined) return
    this.endedAt = Date.now()
    this.failure = failure
    clearTimeout(this.#goodbye)
    this.#wake()
  }

  #lose(): void {
    if (!this.#isResumable) return
    this.#isResumable = false
    this.#options.onLost()
    // Nobody can come back to it any more: waiting for them would only be paid for.
    if (this.#listeners.size === 0) this.stop()
  }

  /** Everything this listener has not read yet, waiting for more when there is nothing. */
  async #read(listener: Listener): Promise<string> {
    while (this.#unread(listener) <= 0 && this.endedAt === undefined && this.#listeners.has(listener))
      if (await this.#isSilent()) return ': thinking\n\n'
    if (!this.#listeners.has(listener)) return ''
    const text = this.#frames.slice(Math.max(0, listener.next - this.#firstId)).join('')
    listener.next = Math.max(listener.next, this.#firstId + this.#frames.length)
    this.#trim()
    return text
  }

  /** True when nothing has happened for long. */
  #isSilent(): Promise<boolean> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer)
        resolve(false)
      }
      const timer = setTimeout(() => {
        this.#waiting.delete(wake)
        resolve(true)
      }, heartbeat)
      this.#waiting.add(wake)
    })
  }

  #unread(listener: Listener): number {
    return this.#firstId + this.#frames.length - listener.next
  }

  #hasReadAll(listener: Listener): boolean {
    return this.endedAt !== undefined && this.#unread(listener) <= 0
  }

  /** Forgets what nobody will ask for again, and lets upstream go on. */
  #trim(): void {
    if (this.#isResumable) return
    const oldest = Math.min(...[...this.#listeners].map((listener) => listener.next))
    const read = Math.min(oldest - this.#firstId, this.#frames.length)
    if (read <= 0) return
    for (const frame of this.#frames.splice(0, read)) this.#bytes -= frame.length
    this.#firstId += read
    this.#wake()
  }

  /** A listener that does not read must not make the proxy keep a whole answer it can no longer resume. */
  async #hasRoom(): Promise<void> {
    while (!this.#isResumable && this.#bytes > this.#options.maxBytes && this.endedAt === undefined)
      await new Promise<void>((resolve) => this.#waiting.add(resolve))
  }

  #detach(listener: Listener): void {
    if (!this.#listeners.delete(listener)) return
    // Upstream may have waited for this one alone.
    this.#trim()
    this.#wake()
    if (this.#listeners.size > 0 || this.endedAt !== undefined) return
    const grace = this.#isResumable ? this.#options.grace : 0
    if (grace === 0) this.stop()
    else this.#goodbye = setTimeout(() => this.stop(), grace)
  }

  #wake(): void {
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const resolve of waiting) resolve()
  }
}
