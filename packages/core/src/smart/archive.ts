/** `get_tool_response`: gives the model back what a compaction has taken out of its sight. */
import { textOf, type Message } from '../session/message.ts'
import { builtinNames } from '../tools/builtin.ts'

export const archiveTool = {
  name: builtinNames.archive,
  label: 'Look up an earlier result',
  description: "Gives the original of an ARCHIVED_TOOL_RESPONSE: the tool's output, or its input.",
  parameters: {
    type: 'object',
    properties: { executionId: { type: 'string' }, part: { type: 'string', enum: ['input', 'output'] } },
    required: ['executionId'],
  },
} as const

export interface ArchiveArgs {
  readonly executionId: string
  readonly part?: 'input' | 'output'
}

/** In one turn: a model that fetches everything back would be compacted for ever. */
export const archiveReads = 8

/** Undefined when there is no such call. */
export function archivedText(history: readonly Message[], { executionId, part }: ArchiveArgs): string | undefined {
  const result = history.findLast((message) => message.tool_call_id === executionId)
  if (part !== 'input') return result && textOf(result)
  const calls = history.flatMap((message) => message.tool_calls ?? [])
  return calls.findLast((call) => call.id === executionId)?.function.arguments
}
