/** A model request as the body OpenAI-compatible servers take: their fields only, none of ours. */
import { textOf, type Message, type ModelRequest, type ModelTool, type ToolCall } from '@dogear/core'
import type { WireBody, WireMessage, WireTool } from './wire.ts'

/** What a server turned out not to understand, so that it is not asked for it twice. */
export interface Dialect {
  usageInStream: boolean
  tokenLimit: 'max_tokens' | 'max_completion_tokens'
}

/** Writes the bodies of one model's requests: a conversation that goes on is not written anew at every step. */
export function createBodyWriter(): (request: ModelRequest, dialect: Dialect) => string {
  const written = new WeakMap<Message, Written>()

  return ({ model, messages, tools, toolChoice, maxOutputTokens, temperature, extra }, dialect) => {
    const body: Omit<WireBody, 'messages'> & { messages: undefined } = {
      // First, so that no extra field can replace what the session says.
      ...extra,
      messages: undefined,
      model,
      ...(tools?.length && { tools: tools.map(toWireTool) }),
      ...(tools?.length && toolChoice && { tool_choice: toolChoice }),
      ...(maxOutputTokens !== undefined && { [dialect.tokenLimit]: maxOutputTokens }),
      ...(temperature !== undefined && { temperature }),
      stream: true,
      ...(dialect.usageInStream && { stream_options: { include_usage: true } }),
    }
    return `{"messages":[${conversationText(messages, written)}],${JSON.stringify(body).slice(1)}`
  }
}

/** A conversation as it was written last, and where each of its messages ends in the text. */
interface Written {
  readonly messages: Seen[]
  readonly wireIds: Map<string, string>
  text: string
}

/** What the text was made of: a caller may have changed it since. */
interface Seen extends Pick<Message, 'content' | 'tool_calls' | 'tool_call_id' | 'name'> {
  readonly message: Message
  readonly end: number
}

function conversationText(messages: readonly Message[], written: WeakMap<Message, Written>): string {
  // What comes first is made anew for each request; the conversation is known by what it begins with.
  const start = messages.findIndex(({ role }) => role !== 'system')
  const first = messages[start]
  if (!first) return messages.map((message) => JSON.stringify(toWireMessage(message, new Map()))).join()
  let known = written.get(first)
  if (!known) written.set(first, (known = { messages: [], wireIds: new Map(), text: '' }))
  const system = messages.slice(0, start).map((message) => `${JSON.stringify(toWireMessage(message, known.wireIds))},`)
  return system.join('') + goneOn(known, messages, start)
}

function goneOn(known: Written, messages: readonly Message[], start: number): string {
  const { messages: seen, wireIds } = known
  let same = 0
  while (same < seen.length && isSame(seen[same] as Seen, messages[start + same])) same += 1
  if (same < seen.length) {
    known.text = known.text.slice(0, seen[same - 1]?.end ?? 0)
    seen.length = same
    wireIds.clear()
    for (const { message } of seen) toWireMessage(message, wireIds)
  }
  for (let index = start + same; index < messages.length; index += 1) {
    const message = messages[index] as Message
    const { content, tool_calls, tool_call_id, name } = message
    known.text += (known.text && ',') + JSON.stringify(toWireMessage(message, wireIds))
    seen.push({ message, content, tool_calls, tool_call_id, name, end: known.text.length })
  }
  return known.text
}

function isSame(seen: Seen, message: Message | undefined): boolean {
  return (
    seen.message === message &&
    seen.content === message.content &&
    seen.tool_calls === message.tool_calls &&
    seen.tool_call_id === message.tool_call_id &&
    seen.name === message.name &&
    // Its parts may have been changed in their place.
    !Array.isArray(message.content)
  )
}

function toWireTool({ name, description, parameters }: ModelTool): WireTool {
  return { type: 'function', function: { name, description, parameters } }
}

function toWireMessage(message: Message, wireIds: Map<string, string>): WireMessage {
  const { role, content, name } = message
  switch (role) {
    case 'system':
      return named({ role, content: textOf(message) }, name)
    case 'user':
      return named({ role, content: typeof content === 'string' ? content : [...(content ?? [])] }, name)
    case 'assistant':
      return named(toWireAnswer(message, wireIds), name)
    case 'tool': {
      const id = message.tool_call_id ?? ''
      return { role, content: textOf(message), tool_call_id: wireIds.get(id) ?? id }
    }
  }
}

/** Not by a spread: this is done again for every message of a conversation whenever the model is asked. */
function named(wire: Exclude<WireMessage, { role: 'tool' }>, name: string | undefined): WireMessage {
  if (name) wire.name = name
  return wire
}

function toWireAnswer(message: Message, wireIds: Map<string, string>): WireAnswer {
  const role = 'assistant'
  const text = textOf(message)
  if (!message.tool_calls?.length) return { role, content: text }
  const { tool_calls: calls } = message
  const hasTwins = calls.length > 1 && new Set(calls.map((call) => call.providerId)).size < calls.length
  return {
    role,
    content: text || null,
    tool_calls: calls.map((call) => toWireCall(call, hasTwins ? calls : [], wireIds)),
  }
}

type WireAnswer = Extract<WireMessage, { role: 'assistant' }>

function toWireCall(call: ToolCall, siblings: readonly ToolCall[], wireIds: Map<string, string>) {
  const { name, arguments: args } = call.function
  // Two calls under one id would have one answer: then our own ids tell them apart.
  const isRepeated = siblings.some((other) => other !== call && other.providerId === call.providerId)
  const own = call.providerId && !isRepeated ? call.providerId : call.id
  const id = own.length <= idLength ? own : `dogear_${wireIds.size}`
  wireIds.set(call.id, id)
  return { id, type: 'function' as const, function: { name: wireName(name), arguments: wireArgs(call, args) } }
}

/** Longer ones are refused by some; those of an agent that works for another grow with every level. */
const idLength = 40

/** A name that a model made up is in the conversation for good: servers that refuse it would refuse every later question. */
function wireName(name: string): string {
  return /^[\w-]{1,64}$/.test(name) ? name : name.replace(/[^\w-]/g, '_').slice(0, 64) || 'unknown'
}

/** So are arguments that a token limit cut off: servers that read them take only an object. */
function wireArgs(call: ToolCall, args: string): string {
  let wire = known.get(call)
  if (wire === undefined) known.set(call, (wire = objectText(args.trim()) ?? JSON.stringify({ invalid: args })))
  return wire
}

/** Looked at once, not at every step. */
const known = new WeakMap<ToolCall, string>()

/** Some models write the object as a text once more. */
function objectText(args: string): string | undefined {
  try {
    const value: unknown = JSON.parse(args || '{}')
    if (typeof value === 'string') return objectText(value)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? args || '{}' : undefined
  } catch {
    return undefined
  }
}
