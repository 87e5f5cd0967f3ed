/** The message in an entry: what a fold keeps beside its head, and a reader finds again by seq. */
import { definedOnly } from './defined-only.ts'
import type { Entry, EntryOf, TerminalReason } from './entry.ts'
import type { Message } from './message.ts'

/** The message an entry holds, or undefined. */
export function bodyOf(entry: Entry, index = 0): Message | undefined {
  if (entry.type === 'message-add') return entry.message
  if (entry.type === 'tool-result') return toolMessage(entry)
  if (entry.type === 'state-import') return entry.messages[index]
  return undefined
}

/** The tool message a result becomes; also how a body is read back from the journal. */
export function toolMessage(entry: EntryOf<'tool-result'>): Message {
  const { status, content, tool, label, args, durationMs, summary, fromCache, handoff, unknown, untrusted } =
    entry.result
  return {
    id: `${entry.callId}.r`,
    role: 'tool',
    content,
    tool_call_id: entry.callId,
    meta: {
      status,
      createdAt: entry.at,
      tool: {
        name: tool,
        label,
        args,
        durationMs,
        summary,
        ...definedOnly({ fromCache, handoff, unknown, untrusted }),
      },
    },
  }
}

/** How a turn ends whose last answer this is. */
export function finishOf({ meta }: Message): TerminalReason {
  return meta.finish === 'length' ? 'max_output_tokens' : (meta.finish ?? 'completed')
}
