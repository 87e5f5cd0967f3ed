/** Chunks of an answer as an event stream's text, and the events of one joined. */
import type { Model, ModelEvent, ModelOptions, ModelRequest } from '@dogear/core'

/** `data: …` for one chunk, with an id when given. */
export function sse(chunk: unknown, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(chunk)}\n\n`
}

export const done = 'data: [DONE]\n\n'

export function delta(fields: Record<string, unknown>, finish: string | null = null) {
  return { object: 'chat.completion.chunk', choices: [{ index: 0, delta: fields, finish_reason: finish }] }
}

export function words(text: string, id?: string): string {
  return sse(delta({ content: text }), id)
}

export function finish(reason: string, id?: string): string {
  return sse(delta({}, reason), id)
}

export function toolCall(call: Record<string, unknown>): string {
  return sse(delta({ tool_calls: [call] }))
}

export const request: ModelRequest = { model: 'default', messages: [] }

/** Everything a stream gives, into `seen` too, so that a test sees what came before a failure. */
export async function read(
  model: Model,
  options: { [Option in keyof ModelOptions]?: ModelOptions[Option] } = {},
  seen: ModelEvent[] = [],
  asked = request,
): Promise<ModelEvent[]> {
  const signal = new AbortController().signal
  for await (const event of model.stream(asked, { signal, ...options })) seen.push(event)
  return seen
}

/** An answer without the accidents of how it was cut into reads. */
export function joined(events: readonly ModelEvent[]) {
  const calls = new Map<number, { id?: string; name: string; args: string }>()
  const all = { text: '', reasoning: '', refusal: '', calls, finish: '', usage: [] as unknown[] }
  for (const event of events) {
    if (event.type === 'text-delta') all.text += event.text
    else if (event.type === 'reasoning-delta') all.reasoning += event.text
    else if (event.type === 'refusal-delta') all.refusal += event.text
    else if (event.type === 'call-start') calls.set(event.index, { id: event.id, name: event.name, args: '' })
    else if (event.type === 'call-delta') calls.get(event.index)!.args += event.args
    else if (event.type === 'finish') all.finish += event.reason
    else if (event.type === 'usage') all.usage.push(event.usage)
  }
  return { ...all, calls: [...calls.values()] }
}
