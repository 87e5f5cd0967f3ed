/** A server's response read into the events of an answer: an event stream, or one JSON body from servers without. */
import type { Clock, DogearError, ModelEvent } from '@dogear/core'
import { createAnswer, type Answer } from './answer.ts'
import { createChunkParser } from './chunk-parser.ts'
import { finishOf, toCursor } from './cursor.ts'
import { cancel, type Ending, type Reader } from './ending.ts'
import { badResponse, cutOff, stopped, type Place } from './failure.ts'
import { readText } from './read-text.ts'
import { patience, watchSilence } from './silence.ts'
import type { WireChunk } from './wire.ts'

/** In characters, for one event or one whole body: more is no chat answer, and would fill the page's memory. */
export const sizeLimit = 8_000_000

export interface Reading extends Place {
  readonly signal: AbortSignal
  readonly ending: Ending
  readonly clock: Clock
  /** The cursor it was re-attached by. */
  readonly after?: string
}

/** Connects and reads. Not by a generator: an event yielded by one costs as much as parsing it. */
export function readAnswer(
  connecting: AsyncGenerator<ModelEvent, Response>,
  reading: Reading,
): AsyncIterableIterator<ModelEvent> {
  let events: readonly ModelEvent[] = []
  let at = 0
  let body: Body | undefined
  let isOver = false

  async function start(): Promise<readonly ModelEvent[]> {
    const { done, value } = await connecting.next()
    if (!done) return [value]
    const type = value.headers.get('content-type') ?? ''
    if (!type.includes('json')) body = openBody(value, type, reading)
    isOver = !body
    return body ? [] : readWhole(value, reading)
  }

  function end(): void {
    isOver = true
    at = events.length
    body?.close()
  }

  return {
    async next() {
      try {
        while (at === events.length) {
          if (isOver) return { done: true, value: undefined }
          at = 0
          events = []
          if (!body) events = await start()
          else if (body.isDone()) {
            events = body.last()
            isOver = true
          } else {
            let bytes: Uint8Array | undefined
            try {
              // In place: a function of its own would cost each piece another promise.
              bytes = (await body.reader.read()).value
            } catch (error) {
              body.lost(error)
            }
            events = body.take(bytes)
          }
        }
      } catch (error) {
        end()
        throw error
      }
      return { done: false, value: events[at++] as ModelEvent }
    },
    async return() {
      if (!body) void connecting.return(undefined as never)
      end()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

interface Body {
  readonly reader: Reader
  /** All that is worth reading was read. */
  isDone(): boolean
  /** The connection broke. */
  lost(error: unknown): void
  /** What a piece brings, or the end when there is none. */
  take(bytes: Uint8Array | undefined): readonly ModelEvent[]
  /** What is told when all was read; throws when that is no answer. */
  last(): readonly ModelEvent[]
  close(): void
}

function openBody(response: Response, type: string, reading: Reading): Body {
  const { signal, after } = reading
  const answer = answerTo(reading)
  const reader = readerOf(response, type, reading)
  const parser = createChunkParser(answer, reading, sizeLimit)
  const decoder = new TextDecoder()
  let isOpen = true
  let cursor = after
  const silence = watchSilence(
    reading.clock,
    () => (cursor === undefined ? patience.stream : patience.return),
    () => cancel(reader),
  )

  function closeBy(leave: (reader: Reader) => void): void {
    if (!isOpen) return
    isOpen = false
    silence.end()
    leave(reader)
  }

  return {
    reader,
    isDone: () => parser.state.isDone,
    lost(error) {
      // Lost after its last word, the answer is whole all the same.
      if (!answer.finish() && !signal.aborted) throw cutOff({}, error)
    },
    take(bytes) {
      if (signal.aborted) throw stopped()
      silence.broken = true
      if (bytes) parser.feed(decoder.decode(bytes, { stream: true }))
      else parser.end()
      const events = answer.take()
      const { lastId } = parser.state
      const next = lastId === undefined ? cursor : toCursor(lastId, answer.finish())
      if (next !== undefined && next !== cursor) events.push({ type: 'cursor', after: (cursor = next) })
      return events
    },
    last() {
      const { failure, hasEvents } = parser.state
      if (failure) throw failure
      if (!hasEvents && !answer.finish()) throw nothingCame(type, reading)
      const events = answer.end()
      closeBy(reading.ending.add)
      return events
    },
    close: () => closeBy(cancel),
  }
}

async function readWhole(response: Response, reading: Reading): Promise<readonly ModelEvent[]> {
  const answer = answerTo(reading)
  let chunk: unknown
  try {
    chunk = JSON.parse(await readText(response, sizeLimit, reading.clock))
  } catch (error) {
    if (reading.signal.aborted) throw stopped()
    if (error instanceof SyntaxError) throw badResponse('answered with broken JSON. Ask again.', reading)
    throw cutOff({}, error)
  }
  if (!isChunk(chunk))
    throw badResponse('answered with JSON that is no chat completion: is the endpoint right?', reading)
  answer.add(chunk)
  return answer.end()
}

function answerTo(reading: Reading): Answer {
  const { after } = reading
  return createAnswer(reading, after === undefined ? undefined : { finish: finishOf(after) })
}

function isChunk(value: unknown): value is WireChunk {
  return typeof value === 'object' && value !== null && ('choices' in value || 'error' in value)
}

function readerOf(response: Response, type: string, reading: Reading): Reader {
  if (!response.body || type.includes('html')) {
    response.body?.cancel().catch(() => {})
    throw notAStream(type, reading)
  }
  return response.body.getReader()
}

/** Re-attached to nothing: asked the same again, the server would say the same. */
function nothingCame(type: string, reading: Reading): DogearError {
  return type.includes('event-stream') ? cutOff({ lost: reading.after !== undefined }) : notAStream(type, reading)
}

function notAStream(type: string, place: Place): DogearError {
  const found = type.split(';', 1)[0] || 'no content type'
  return badResponse(`answered with ${found}, not with an event stream: is the endpoint right?`, place)
}
