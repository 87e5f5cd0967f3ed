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

export interface Archived {
  readonly text: string
  /** A stranger's words. */
  readonly untrusted?: boolean
}

/** Undefined when there is no such call. */
export function archivedPart(history: readonly Message[], { executionId, part }: ArchiveArgs): Archived | undefined {
  if (part !== 'input') {
    const result = history.findLast((message) => message.tool_call_id === executionId)
    return result && { text: textOf(result), untrusted: result.meta.tool?.untrusted }
  }
  const calls = history.flatMap((message) => message.tool_calls ?? [])
  const call = calls.findLast(({ id }) => id === executionId)
  return call && { text: call.function.arguments }
}
