/** The model's server: it outlives every tab, keeps its answers when it is resumable, and its wire may break anywhere. */
import { DogearError, type Model, type ModelEvent, type ModelOptions, type ModelRequest } from '@dogear/core'
import type { Beat } from '@dogear/testing'
import { checkRequest } from './check-request.ts'
import type { Fault } from './chaos.ts'
import { answerAt, isSummary, positionOf, summaryOf } from './story.ts'
import type { Mortal, World } from './world.ts'

const openFaults: readonly Fault[] = [
  'network',
  'answer-lost',
  'rate-limited',
  'server-error',
  'garbage',
  'token-refused',
  'slow',
]
const eventFaults: readonly Fault[] = ['cut', 'cut', 'network', 'slow', 'twice', 'garbage', 'forgotten']

export interface ModelServer {
  modelFor(worker: Mortal, epoch: () => number): Model
}

export function createModelServer(world: World): ModelServer {
  const { time, random, ledger, story, network } = world
  const answers = new Map<string, readonly ModelEvent[]>()

  function begin(request: ModelRequest, key: string | undefined, epoch: number): readonly ModelEvent[] {
    const events = eventsOf(answerTo(request.messages, epoch), story.isResumable)
    if (story.isResumable && key !== undefined) answers.set(key, events)
    // Whoever speaks into an answer has it begun anew.
    if (!story.isResumable || story.isRestless) ledger.lostAnswer()
    return events
  }

  function answerTo(messages: ModelRequest['messages'], epoch: number): readonly Beat[] {
    checkRequest(messages, ledger)
    if (isSummary(messages)) return summaryOf(messages)
    ledger.pay(messages, epoch)
    const position = positionOf(messages)
    world.log(() => `      the model answers "${position.words}", step ${position.step}`)
    return answerAt(story, position)
  }

  function known({ key, after }: ModelOptions): readonly ModelEvent[] | undefined {
    const events = key === undefined ? undefined : answers.get(key)
    if (!events && after !== undefined) {
      throw new DogearError('stream-cut', 'This stream is no longer kept; ask anew.', { details: { lost: true } })
    }
    return events
  }

  function forget(key = ''): void {
    answers.delete(key)
    ledger.lostAnswer()
  }

  return {
    modelFor(worker, epoch) {
      /** Until `ms` have passed for the worker, or it no longer wants the answer. */
      async function arrive(ms: number, signal: AbortSignal): Promise<void> {
        await time.pass(ms, worker, signal).catch(() => {
          throw new DogearError('aborted', 'Stopped.')
        })
      }

      async function* stream(request: ModelRequest, options: ModelOptions): AsyncGenerator<ModelEvent> {
        const { signal, key } = options
        const fault = world.point(worker, 'model.open', openFaults)
        if (worker.isDead()) return void (await never)
        await arrive(fault === 'slow' ? random.between(1000, 40_000) : world.latency(), signal)
        if (fault === 'network' || !network.isOnline()) throw new DogearError('network', 'The network is gone.')
        if (isFinal(fault)) ledger.lostAnswer()
        failIf(fault)
        const events = known(options) ?? begin(request, key, epoch())
        if (fault === 'answer-lost') throw new DogearError('network', 'The network is gone.')
        for (const event of events.slice(Number(options.after ?? 0))) {
          await arrive(world.latency(), signal)
          const broken = world.point(worker, `model.${event.type}`, eventFaults)
          if (worker.isDead()) return void (await never)
          if (broken === 'forgotten') forget(key)
          // Words that came without their cursor cannot be gone on from.
          const isBare = !options.after && event === events[1] && (broken || !network.isOnline())
          if (isFinal(broken) || isBare) ledger.lostAnswer()
          if (broken === 'cut' || broken === 'forgotten' || !network.isOnline()) {
            throw new DogearError('stream-cut', 'The stream was cut.')
          }
          failIf(broken)
          if (broken === 'slow') await arrive(random.between(500, 8000), signal)
          yield event
          if (broken === 'twice' && isIdempotent(event)) yield event
        }
      }

      return { stream, stop: async (key) => forget(key) }
    },
  }
}

const never = new Promise<never>(() => {})

/** Text that came twice would be the adapter's mistake, which drops events by their ids; these it may repeat. */
function isIdempotent({ type }: ModelEvent): boolean {
  return type === 'cursor' || type === 'usage' || type === 'finish'
}

/** The turn ends by it, and is asked for anew. */
function isFinal(fault: Fault | undefined): boolean {
  return fault === 'rate-limited' || fault === 'server-error' || fault === 'garbage'
}

function failIf(fault: Fault | undefined): void {
  if (fault === 'network') throw new DogearError('network', 'The network is gone.')
  if (fault === 'rate-limited') throw new DogearError('rate-limited', 'Too many requests (429).')
  if (fault === 'server-error') throw new DogearError('model-failed', 'The server failed (503).')
  if (fault === 'garbage') throw new DogearError('bad-response', 'The server sent something unreadable.')
  if (fault === 'token-refused') throw new DogearError('token-refused', 'Sign in again (401).')
}

/** Each event is followed by its cursor, which counts both. */
function eventsOf(beats: readonly Beat[], isResumable: boolean): ModelEvent[] {
  const events: ModelEvent[] = []
  let calls = 0
  const add = (event: ModelEvent) => {
    events.push(event)
    if (isResumable) events.push({ type: 'cursor', after: String(events.length + 1) })
  }
  for (const beat of beats) {
    if (beat.type === 'text-delta' || beat.type === 'usage') add(beat)
    if (beat.type !== 'call') continue
    const index = calls++
    add({ type: 'call-start', index, name: beat.name })
    const half = beat.args.length >> 1
    add({ type: 'call-delta', index, args: beat.args.slice(0, half) })
    add({ type: 'call-delta', index, args: beat.args.slice(half) })
  }
  events.push({ type: 'finish', reason: calls ? 'tool-calls' : 'stop' })
  return events
}
