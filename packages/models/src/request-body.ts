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

/** A conversation as it was written last. */
interface Written {
  readonly messages: Seen[]
  readonly wireIds: Map<string, string>
  text: string
}

interface Seen {
  readonly message: Message
  /** A caller may have changed it since. */
  readonly content: Message['content']
  /** Where it ends in the text. */
  readonly end: number
}

function conversationText(messages: readonly Message[], written: WeakMap<Message, Written>): string {
  // Known by what it begins with; the instructions are made anew for each request.
  const first = messages.find(({ role }) => role !== 'system') ?? messages[0]
  if (!first) return ''
  const known = written.get(first) ?? { messages: [], wireIds: new Map<string, string>(), text: '' }
  written.set(first, known)
  const { messages: seen, wireIds } = known
  let same = seen.findIndex((one, index) => !isSame(one, messages[index]))
  if (same < 0) same = seen.length
  else {
    known.text = known.text.slice(0, seen[same - 1]?.end ?? 0)
    seen.length = same
    wireIds.clear()
    for (const { message } of seen) toWireMessage(message, wireIds)
  }
  for (const message of messages.slice(same)) {
    known.text += (known.text && ',') + JSON.stringify(toWireMessage(message, wireIds))
    seen.push({ message, content: message.content, end: known.text.length })
  }
  return known.text
}

function isSame({ message, content }: Seen, now: Message | undefined): boolean {
  // Parts may have been changed in their place.
  if (!now || content !== now.content || Array.isArray(content)) return false
  return message === now || (message.role === 'system' && now.role === 'system' && message.name === now.name)
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
