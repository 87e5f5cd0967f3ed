/** A message: OpenAI's chat fields, an id of ours, and what a chat view needs to know about it. */

export type Role = 'system' | 'user' | 'assistant' | 'tool'

export type ContentPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string } }

export interface ToolCall {
  /** Ours: `${stepId}.${index}`. Providers repeat theirs. */
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; readonly arguments: string }
  /** The provider's own id, used on its wire. */
  readonly providerId?: string
}

/** `lost`: it cannot be read any more. */
export type MessageStatus = 'complete' | 'partial' | 'lost' | 'stopped' | 'refused' | 'error' | 'rejected' | 'skipped'

export interface MessageMeta {
  readonly status: MessageStatus
  readonly createdAt: number
  readonly agent?: string
  readonly reasoning?: readonly string[]
  readonly providerData?: Readonly<Record<string, unknown>>
  readonly attachments?: readonly Attachment[]
  /** Offsets into the text where the answer was picked up again after a reload, a crash or a lost connection. */
  readonly resumedAt?: readonly number[]
  /** Why the answer ends before its natural end. */
  readonly finish?: 'length' | 'refusal'
  /** Not the person's words, though the model reads them as a user's: a chat does not show them. */
  readonly origin?: 'system'
  /** What a guardrail took out of sight, where it was short. */
  readonly replaced?: string
  /** Tool messages only. */
  readonly tool?: ToolOutcome
}

export interface ToolOutcome {
  readonly name: string
  readonly label?: string
  /** The arguments it ran with, after validation and any edit by a person. */
  readonly args: unknown
  /** Whether it took effect is not known: it was late, or stopped, or its page was left. */
  readonly unknown?: boolean
  readonly durationMs?: number
  /** A few words for the card's end: "7 found". */
  readonly summary?: string
  readonly fromCache?: boolean
  /** The agent that took over. */
  readonly handoff?: string
  /** Others may have written what is in it. */
  readonly untrusted?: boolean
}

export interface Attachment {
  readonly hash: string
  readonly type: string
  readonly name?: string
}

export interface Message {
  readonly id: string
  readonly role: Role
  readonly content: string | readonly ContentPart[] | null
  readonly tool_calls?: readonly ToolCall[]
  readonly tool_call_id?: string
  readonly name?: string
  readonly meta: MessageMeta
}

export type Part =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'image'; readonly url: string }
  | { readonly type: 'tool-call'; readonly callId: string; readonly tool: string; readonly args: string }
  | { readonly type: 'tool-result'; readonly callId: string; readonly tool: string; readonly text: string }

/** A message as the parts a view draws, in the order it draws them. */
export function toParts(message: Message): Part[] {
  const parts: Part[] = []
  for (const text of message.meta.reasoning ?? []) parts.push({ type: 'reasoning', text })
  if (message.role === 'tool') {
    const tool = message.meta.tool?.name ?? message.name ?? ''
    return [{ type: 'tool-result', callId: message.tool_call_id ?? '', tool, text: textOf(message) }]
  }
  if (typeof message.content === 'string') {
    if (message.content) parts.push({ type: 'text', text: message.content })
  } else {
    for (const part of message.content ?? []) {
      parts.push(part.type === 'text' ? part : { type: 'image', url: part.image_url.url })
    }
  }
  for (const call of message.tool_calls ?? []) {
    parts.push({ type: 'tool-call', callId: call.id, tool: call.function.name, args: call.function.arguments })
  }
  return parts
}

/** Shown, and never sent to the model. */
export function isCut({ status }: MessageMeta): boolean {
  return status === 'partial' || status === 'lost'
}

/** Not what the model was told in a user's name. */
export function isFromPerson({ role, meta }: Pick<Message, 'role' | 'meta'>): boolean {
  return role === 'user' && meta.origin !== 'system'
}

/** Why the model stopped, in the words of a messages API. */
export function stopReasonOf({ meta, tool_calls: calls }: Message): string {
  if (meta.finish === 'length') return 'max_tokens'
  if (meta.finish === 'refusal') return 'refusal'
  return calls?.length ? 'tool_use' : 'end_turn'
}

export function textOf(message: Pick<Message, 'content'>): string {
  if (typeof message.content === 'string') return message.content
  return (message.content ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('')
}
