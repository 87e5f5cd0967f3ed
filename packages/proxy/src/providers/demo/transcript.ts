/** What the demo model looks at: the last words of the person, the tools offered, and what they have returned since. */
import type { ChatMessage } from '../../request/chat-request.ts'
import type { ProviderRequest } from '../provider.ts'

export interface Transcript {
  readonly said: string
  readonly tools: readonly OfferedTool[]
  /** The calls made since the person last spoke, in order, each with its result. */
  readonly used: readonly ToolUse[]
}

export interface OfferedTool {
  readonly name: string
  readonly description?: string | undefined
  readonly parameters?: Record<string, unknown> | undefined
}

export interface ToolUse {
  readonly name: string
  readonly args: unknown
  readonly result: string
}

export function readTranscript({ messages, tools = [], tool_choice }: ProviderRequest): Transcript {
  const last = messages.findLastIndex((message) => message.role === 'user' && !isNotice.test(textOf(message)))
  const speaker = messages[last]
  return {
    said: speaker === undefined ? '' : textOf(speaker).trim(),
    tools: tool_choice === 'none' ? [] : tools.map((tool) => tool.function),
    used: usesIn(messages.slice(last + 1)),
  }
}

/** What the loop itself says in the person's name. */
const isNotice = /^\[System Notice\]/

export function offers({ tools }: Transcript, name: string): boolean {
  return tools.some((tool) => tool.name === name)
}

export function lastUse({ used }: Transcript, name: string): ToolUse | undefined {
  return used.findLast((use) => use.name === name)
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function usesIn(messages: readonly ChatMessage[]): ToolUse[] {
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? (message.tool_calls ?? []) : []))
  return messages.flatMap((message) => {
    if (message.role !== 'tool') return []
    const call = calls.find(({ id }) => id === message.tool_call_id)?.function
    return call ? [{ name: call.name, args: parseJson(call.arguments), result: textOf(message) }] : []
  })
}

function textOf({ content }: ChatMessage): string {
  if (typeof content === 'string') return content
  return (content ?? []).map((part) => (part.type === 'text' ? part.text : '')).join(' ')
}
