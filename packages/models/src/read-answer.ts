/** A server's response read into the events of an answer: an event stream, or one JSON body from servers without. */
import type { Clock, DogearError, ModelEvent } from '@dogear/core'
import { createAnswer } from './answer.ts'
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

/** One generator for connecting and reading: an event handed on by a second one costs as much as parsing it. */
export async function* readAnswer(
  connecting: AsyncGenerator<ModelEvent, Response>,
  reading: Reading,
): AsyncGenerator<ModelEvent, void> {
  const response = yield* connecting
  const { signal, after } = reading
  const answer = createAnswer(reading, after === undefined ? undefined : { finish: finishOf(after) })
  const type = response.headers.get('content-type') ?? ''
  if (type.includes('json')) {
    answer.add(await readWhole(response, reading))
    yield* answer.end()
    return
  }
  const reader = openBody(response, type, reading)
  const parser = createChunkParser(answer, reading, sizeLimit)
  const decoder = new TextDecoder()
  let isWhole = false
  let cursor = after
  const silence = watchSilence(
    reading.clock,
    () => (cursor === undefined ? patience.stream : patience.return),
    () => cancel(reader),
  )
  try {
    const { state } = parser
    while (!state.isDone) {
      let bytes: Uint8Array | undefined
      try {
        // In place: a function of its own would cost each piece another promise.
        bytes = (await reader.read()).value
      } catch (error) {
        // Lost after its last word, the answer is whole all the same.
        if (!answer.finish() && !signal.aborted) throw cutOff({}, error)
      }
      if (signal.aborted) throw stopped()
      silence.broken = true
      if (bytes) parser.feed(decoder.decode(bytes, { stream: true }))
      else parser.end()
      for (const event of answer.take()) yield event
      const next = state.lastId === undefined ? cursor : toCursor(state.lastId, answer.finish())
      if (next !== undefined && next !== cursor) yield { type: 'cursor', after: (cursor = next) }
    }
    if (state.failure) throw state.failure
    if (!state.hasEvents && !answer.finish()) throw nothingCame(type, reading)
    const last = answer.end()
    isWhole = true
    for (const event of last) yield event
  } finally {
    silence.end()
    if (isWhole) reading.ending.add(reader)
    else cancel(reader)
  }
}

async function readWhole(response: Response, reading: Reading): Promise<WireChunk> {
  let chunk: unknown
  try {
    chunk = JSON.parse(await readText(response, sizeLimit, reading.clock))
  } catch (error) {
    if (reading.signal.aborted) throw stopped()
    if (error instanceof SyntaxError) throw badResponse('answered with broken JSON. Ask again.', reading)
    throw cutOff({}, error)
  }
  if (isChunk(chunk)) return chunk
  throw badResponse('answered with JSON that is no chat completion: is the endpoint right?', reading)
}

function isChunk(value: unknown): value is WireChunk {
  return typeof value === 'object' && value !== null && ('choices' in value || 'error' in value)
}

function openBody(response: Response, type: string, reading: Reading): Reader {
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
