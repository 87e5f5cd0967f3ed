/** The tool calls of one answer: which call a delta belongs to, whatever the server does with ids and indexes. */
import type { ModelEvent } from '@dogear/core'
import type { WireCallDelta } from './wire.ts'

export interface Calls {
  add(deltas: readonly WireCallDelta[]): void
  count(): number
  /** False while arguments wait for the name of their call. */
  areNamed(): boolean
}

interface Listener {
  start(event: Extract<ModelEvent, { type: 'call-start' }>): void
  delta(index: number, args: string): void
}

interface OpenCall {
  /** Ours: the server's own, unless it repeats or leaves it out. A re-attached stream then finds the same calls. */
  readonly index: number
  readonly wireIndex: number
  id: string | undefined
  isNamed: boolean
  held: string
}

/** `isResumed`: calls may go on whose beginning was read earlier. */
export function createCalls(isResumed: boolean, listener: Listener): Calls {
  const calls: OpenCall[] = []

  return {
    add,
    count: () => calls.length,
    areNamed: () => calls.every((call) => call.isNamed),
  }

  function add(deltas: readonly WireCallDelta[]): void {
    for (const delta of deltas) {
      const name = delta.function?.name || undefined
      const call = find(delta, name) ?? open(delta, name)
      call.id ??= delta.id || undefined
      if (!call.isNamed && name) {
        call.isNamed = true
        listener.start({ type: 'call-start', index: call.index, name, ...(call.id && { id: call.id }) })
      }
      const args = call.held + toText(delta.function?.arguments)
      call.held = call.isNamed ? '' : args
      if (call.isNamed) listener.delta(call.index, args)
    }
  }

  function find({ index, id }: WireCallDelta, name: string | undefined): OpenCall | undefined {
    if (typeof index !== 'number') {
      return (id && calls.find((call) => call.id === id)) || (name ? undefined : calls.at(-1))
    }
    const call = calls.findLast((each) => each.wireIndex === index)
    // All under one index, told apart by id only. An id without a name is no new call: some servers mint one a delta.
    if (call?.isNamed && name && id && call.id && call.id !== id) return undefined
    return call
  }

  function open({ index, id }: WireCallDelta, name: string | undefined): OpenCall {
    const wireIndex = typeof index === 'number' ? index : calls.length
    const isTaken = calls.some((call) => call.index === wireIndex)
    const call: OpenCall = {
      index: isTaken ? Math.max(...calls.map((each) => each.index)) + 1 : wireIndex,
      wireIndex,
      id: id || undefined,
      isNamed: isResumed && !name,
      held: '',
    }
    calls.push(call)
    return call
  }
}

function toText(args: unknown): string {
  if (typeof args === 'string') return args
  return typeof args === 'object' && args !== null ? JSON.stringify(args) : ''
}
