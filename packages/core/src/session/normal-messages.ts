/** Messages as callers write them, brought to ours: each with an id of its own, its calls in one shape. Nothing else is touched. */
import { DogearError } from '../error.ts'
import type { Message, ToolCall } from './message.ts'
import type { MessageInput, ToolCallInput } from './smart-state.ts'

/** The same list gives the same ids. A message that is whole already is passed on as it is. */
export function normalMessages(inputs: readonly MessageInput[], now: number): Message[] {
  if (!Array.isArray(inputs)) throw new DogearError('input-invalid', 'A state needs messages: [{ role, content }, …].')
  const ids = new Set<string>()
  const calls = new Set<string>()
  /** What the calls of the newest answer are named by their results, and what they are called here. */
  const renamed = new Map<string, string>()
  return inputs.map((input: MessageInput, index) => {
    refuseOther(input, index)
    const id = freeId(ownId(input) ?? `m${index}`, ids)
    const toolCalls = input.tool_calls?.map((call, position) => {
      const whole = wholeCall(call, `${id}.${position}`)
      const mended = calls.has(whole.id) ? { ...whole, id: `${id}.${position}`, providerId: whole.id } : whole
      calls.add(mended.id)
      renamed.set(whole.id, mended.id)
      return mended
    })
    const answers = input.tool_call_id === undefined ? undefined : renamed.get(input.tool_call_id)
    const isWhole =
      id === input.id &&
      input.meta?.status !== undefined &&
      input.meta.createdAt !== undefined &&
      input.content !== undefined &&
      (answers === undefined || answers === input.tool_call_id) &&
      (toolCalls === undefined || toolCalls.every((call, position) => call === input.tool_calls?.[position]))
    if (isWhole) return input as Message
    // The cast: its role was looked at above.
    return {
      ...(input as Message),
      id,
      content: input.content ?? null,
      ...(toolCalls && { tool_calls: toolCalls }),
      ...(answers !== undefined && { tool_call_id: answers }),
      meta: { status: 'complete', createdAt: now, ...input.meta },
    }
  })
}

const roles = new Set(['system', 'user', 'assistant', 'tool'])

function refuseOther(input: MessageInput | null | undefined, index: number): void {
  const content = input?.content ?? null
  const isMessage =
    typeof input === 'object' &&
    input !== null &&
    roles.has(input.role) &&
    (content === null || typeof content === 'string' || areObjects(content)) &&
    (input.id === undefined || typeof input.id === 'string') &&
    (input.meta === undefined || areObjects([input.meta])) &&
    (input.tool_calls === undefined || input.tool_calls === null || areObjects(input.tool_calls))
  if (isMessage) return
  throw new DogearError(
    'input-invalid',
    `Message ${index + 1} cannot be read. A message looks like { role: 'user', content: 'Hello' }.`,
  )
}

function areObjects(values: unknown): boolean {
  return Array.isArray(values) && values.every((value) => typeof value === 'object' && value !== null)
}

/** Not one that the result of some call will have. */
function ownId({ id, tool_call_id }: MessageInput): string | undefined {
  if (!id || !id.endsWith('.r')) return id || undefined
  // Not put together to be compared: every result of a state is asked for.
  return tool_call_id && id.length === tool_call_id.length + 2 && id.startsWith(tool_call_id) ? id : undefined
}

function freeId(wanted: string, ids: Set<string>): string {
  let id = wanted
  for (let twin = 2; ids.has(id); twin += 1) id = `${wanted}_${twin}`
  ids.add(id)
  return id
}

/** As OpenAI writes it, or as `{ id, name, args }`. */
function wholeCall(call: ToolCall | ToolCallInput, spare: string): ToolCall {
  const id = typeof call.id === 'string' && call.id !== '' ? call.id : spare
  if (id === call.id && typeof call.function?.arguments === 'string' && 'type' in call) return call
  const { function: called, name, args, ...rest } = call as ToolCallInput
  const text = called?.arguments ?? args ?? {}
  return {
    ...rest,
    id,
    type: 'function',
    function: { name: called?.name ?? name ?? '', arguments: typeof text === 'string' ? text : JSON.stringify(text) },
  }
}
