/** A model that answers from a script: deterministic, and it remembers what it was asked. */
import {
  DogearError,
  type FinishReason,
  type Model,
  type ModelEvent,
  type ModelOptions,
  type ModelRequest,
} from '@dogear/core'
import type { Answer, Beat } from './script.ts'

/** The answers in order, or a function of the request and its number (from 0). */
export type Script = readonly Answer[] | ((request: ModelRequest, n: number) => Answer | Promise<Answer>)

export interface ScriptedModelOptions {
  /** Gives cursors and can be re-attached by them, as the proxy can. Without it a cut answer is asked for anew. */
  readonly resumable?: boolean
}

export interface ScriptedModel extends Model {
  /** Every request that started an answer, in order; a re-attached stream starts none. */
  readonly requests: readonly ModelRequest[]
  /** The options each of those requests came with. */
  readonly options: readonly ModelOptions[]
  /** The keys of the streams that were stopped. */
  readonly stopped: readonly string[]
  stop(key: string): Promise<void>
}

export function scriptedModel(script: Script, { resumable = false }: ScriptedModelOptions = {}): ScriptedModel {
  const requests: ModelRequest[] = []
  const optionsSeen: ModelOptions[] = []
  const stopped: string[] = []
  const performances = new Map<string, Performance>()

  return { requests, options: optionsSeen, stopped, stream, stop }

  async function* stream(request: ModelRequest, options: ModelOptions): AsyncGenerator<ModelEvent> {
    const performance = known(options) ?? (await start(request, options))
    let position = 0
    let calls = 0
    for (const beat of performance.beats) {
      position += 1
      if (beat.type === 'call') calls += 1
      if (position <= Number(options.after ?? 0)) continue
      if (options.signal.aborted) throw stoppedError()
      if (beat.type === 'wait') await settledOrAborted(beat.until, options.signal)
      else if (beat.type === 'throw') breakOff(performance, position, beat.error)
      else yield* eventsOf(beat, calls - 1)
      if (resumable && isSeen(beat)) yield { type: 'cursor', after: String(position) }
    }
    if (options.signal.aborted) throw stoppedError()
    yield { type: 'finish', reason: performance.reason }
  }

  function known({ key, after }: ModelOptions): Performance | undefined {
    const performance = resumable && key !== undefined ? performances.get(key) : undefined
    if (!performance && after !== undefined) {
      throw new DogearError('stream-cut', 'This stream is no longer kept; ask anew.', { details: { lost: true } })
    }
    return performance
  }

  async function start(request: ModelRequest, options: ModelOptions): Promise<Performance> {
    const n = requests.length
    requests.push(request)
    optionsSeen.push(options)
    const answer = typeof script === 'function' ? await script(request, n) : script[n]
    if (!answer) {
      throw new DogearError('model-failed', `The script has ${n} answers and was asked for one more: add it.`)
    }
    const performance = rehearse(answer)
    if (options.key !== undefined) performances.set(options.key, performance)
    return performance
  }

  function breakOff({ cutsPassed }: Performance, position: number, error: DogearError): void {
    // Asked again, a resumable stream goes on: the connection was lost, not the answer.
    if (resumable && error.code === 'stream-cut') {
      if (cutsPassed.has(position)) return
      cutsPassed.add(position)
    }
    throw error
  }

  async function stop(key: string): Promise<void> {
    stopped.push(key)
  }
}

interface Performance {
  readonly beats: readonly Beat[]
  readonly reason: FinishReason
  /** Where it was already cut. */
  readonly cutsPassed: Set<number>
}

function rehearse(answer: Answer): Performance {
  const beats = Array.isArray(answer) ? answer.flat() : [answer as Beat]
  return { beats, reason: reasonOf(beats), cutsPassed: new Set() }
}

function reasonOf(beats: readonly Beat[]): FinishReason {
  const ending = beats.findLast((beat) => beat.type === 'end')
  if (ending) return ending.reason
  if (beats.some((beat) => beat.type === 'call')) return 'tool-calls'
  return beats.some((beat) => beat.type === 'refusal-delta') ? 'refusal' : 'stop'
}

function* eventsOf(beat: Exclude<Beat, { type: 'wait' | 'throw' }>, index: number): Generator<ModelEvent> {
  if (beat.type === 'end') return
  if (beat.type === 'retry') yield { ...beat, attempt: 1 }
  else if (beat.type === 'call') {
    yield { type: 'call-start', index, name: beat.name, ...(beat.id !== undefined && { id: beat.id }) }
    yield { type: 'call-delta', index, args: beat.args }
  } else yield beat
}

function isSeen(beat: Beat): boolean {
  return beat.type !== 'wait' && beat.type !== 'throw' && beat.type !== 'end' && beat.type !== 'retry'
}

async function settledOrAborted(until: Promise<unknown> | null, signal: AbortSignal): Promise<void> {
  const waiting = new AbortController()
  const aborted = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { signal: waiting.signal })
  })
  try {
    await (until ? Promise.race([until, aborted]) : aborted)
  } finally {
    waiting.abort()
  }
  if (signal.aborted) throw stoppedError()
}

function stoppedError(): DogearError {
  return new DogearError('aborted', 'Stopped.')
}
