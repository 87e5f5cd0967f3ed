/** One answer while it arrives: chunks in, events out, neighbouring deltas joined. */
import type { FinishReason, ModelEvent } from '@dogear/core'
import { createCalls } from './calls.ts'
import { toUsage } from './usage.ts'
import { badResponse, cutOff, toFailure, type Place } from './failure.ts'
import type { WireChoice, WireChunk, WireContent, WireDelta } from './wire.ts'

type DeltaType = 'text-delta' | 'reasoning-delta' | 'refusal-delta' | 'call-delta'

export interface Answer {
  /** Takes a chunk in; throws when the chunk says that the model failed. */
  add(chunk: WireChunk): void
  /** The events since the last take. */
  take(): ModelEvent[]
  /** Set once the server said why the answer ends. */
  finish(): FinishReason | undefined
  /** False while a call is held back because its name is not known yet. */
  isShown(): boolean
  /** The last events; throws when the answer has no end. */
  end(): ModelEvent[]
}

/** `resumed` when its beginning was read earlier, with the ending if that was seen too. */
export function createAnswer(place: Place, resumed?: { readonly finish?: FinishReason }): Answer {
  let events: ModelEvent[] = []
  let type: DeltaType | undefined
  let text = ''
  let index = 0
  let finish = resumed?.finish
  let hasRefused = false
  let usage: WireChunk['usage']
  let isUsageTold = false
  let model: string | undefined
  const calls = createCalls(resumed !== undefined, {
    start(start) {
      flush()
      events.push(start)
    },
    delta: (callIndex, args) => append('call-delta', args, callIndex),
  })

  return {
    add,
    take,
    end,
    // No getters: V8 makes them anew for each object, and keeps them until the next full collection.
    finish: () => finish,
    isShown: calls.areNamed,
  }

  function add(chunk: WireChunk): void {
    if (chunk.error) throw toFailure(undefined, chunk, place)
    if (chunk.usage) usage = chunk.usage
    if (typeof chunk.model === 'string') model = chunk.model
    const choice = chunk.choices?.[0]
    // Another choice than the first was not asked for, and would be mixed into it.
    if (!choice || choice.index) return
    if (choice.error) throw toFailure(undefined, choice, place)
    const delta = choice.delta ?? choice.message
    if (delta) addDelta(delta)
    if (choice.finish_reason) finish = reasonOf(choice)
  }

  function addDelta(delta: WireDelta): void {
    const { content } = delta
    const reasoning = delta.reasoning_content || delta.reasoning
    if (reasoning) append('reasoning-delta', reasoning)
    else if (delta.reasoning_details) {
      for (const detail of delta.reasoning_details) append('reasoning-delta', detail.text ?? detail.summary)
    }
    if (typeof content === 'string') append('text-delta', content)
    else if (Array.isArray(content)) addParts(content, 'text-delta')
    if (delta.refusal) {
      hasRefused = true
      append('refusal-delta', delta.refusal)
    }
    if (Array.isArray(delta.tool_calls)) calls.add(delta.tool_calls)
  }

  function addParts(parts: readonly WireContent[], as: DeltaType): void {
    for (const part of parts) {
      append(as, part.text)
      if (typeof part.thinking === 'string') append('reasoning-delta', part.thinking)
      else if (part.thinking) addParts(part.thinking, 'reasoning-delta')
    }
  }

  function append(deltaType: DeltaType, more: unknown, callIndex = 0): void {
    if (typeof more !== 'string' || more === '') return
    if (type === deltaType && index === callIndex) {
      text += more
      return
    }
    flush()
    type = deltaType
    index = callIndex
    text = more
  }

  function flush(): void {
    if (type === 'call-delta') events.push({ type, index, args: text })
    else if (type) events.push({ type, text })
    type = undefined
  }

  function reasonOf({ finish_reason: reason }: WireChoice): FinishReason {
    if (reason === 'length' || reason === 'max_tokens') return 'length'
    if (reason === 'content_filter' || reason === 'refusal') return 'refusal'
    if (reason === 'tool_calls' || reason === 'function_call') return 'tool-calls'
    if (failedReasons.has(reason ?? '')) throw toFailure(undefined, { message: reason }, place)
    // Some servers say `stop` after calls, and all do after a refusal.
    if (calls.count() > 0) return 'tool-calls'
    return hasRefused ? 'refusal' : 'stop'
  }

  function take(): ModelEvent[] {
    flush()
    if (finish && usage) tellUsage()
    const taken = events
    events = []
    return taken
  }

  /** Once: some servers count along in every chunk, and their sum would be nonsense. */
  function tellUsage(): void {
    if (usage && !isUsageTold) events.push({ type: 'usage', usage: toUsage(usage), ...(model && { model }) })
    isUsageTold = true
  }

  function end(): ModelEvent[] {
    if (!finish) throw cutOff()
    if (!calls.areNamed()) throw badResponse('asked for a tool without naming it. Ask again.', place)
    return [...take(), { type: 'finish', reason: finish }]
  }
}

const failedReasons = new Set(['error', 'network_error', 'insufficient_system_resource'])
