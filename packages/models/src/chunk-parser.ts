/** Text of an event stream in, chunks of an answer out. */
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { DogearError } from '@dogear/core'
import type { Answer } from './answer.ts'
import { badResponse, type Place } from './failure.ts'
import type { WireChunk } from './wire.ts'

export interface ChunkParser {
  /** Never throws: what came before a failure is shown before the failure is. */
  feed(text: string): void
  /** The body is over; a last event without its blank line still counts when it is whole. */
  end(): void
  readonly state: Readonly<ParserState>
}

interface ParserState {
  isDone: boolean
  failure: DogearError | undefined
  hasEvents: boolean
  /** The id of the last event that was shown; undefined when the server gives none. */
  lastId: string | undefined
}

export function createChunkParser(answer: Answer, place: Place, maxBufferSize: number): ChunkParser {
  const state: ParserState = { isDone: false, failure: undefined, hasEvents: false, lastId: undefined }
  let isEnding = false
  const parser = createParser({
    onEvent,
    maxBufferSize,
    onError({ type }) {
      if (type === 'max-buffer-size-exceeded') fail(badResponse('sent an event without end. Ask again.', place))
    },
  })

  return {
    feed: parser.feed,
    end() {
      isEnding = true
      parser.feed('\n\n')
      state.isDone = true
    },
    state,
  }

  function onEvent({ data, id, event }: EventSourceMessage): void {
    if (state.isDone || data === '') return
    state.hasEvents = true
    if (data.startsWith('[DONE]')) state.isDone = true
    else if (!isAdded(data, event)) return
    if (id !== undefined && answer.isShown()) state.lastId = id
  }

  /** False for what was not read: a cursor behind it would lose its words. */
  function isAdded(data: string, event: string | undefined): boolean {
    try {
      // Whatever the server sent: each field is checked where it is read.
      const chunk = JSON.parse(data) as WireChunk & { object?: unknown }
      const isError = event === 'error' || chunk.object === 'error'
      answer.add(isError ? { error: chunk.error ?? chunk } : chunk)
      return true
    } catch (error) {
      if (error instanceof DogearError) fail(error)
      // Cut inside its last event: an answer without an end, not a server that talks nonsense.
      else if (!isEnding) fail(badResponse('sent an event that is no chat completion chunk. Ask again.', place))
      return false
    }
  }

  function fail(error: DogearError): void {
    state.failure = error
    state.isDone = true
  }
}
