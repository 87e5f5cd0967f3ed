/** What the model is shown of a path that was compacted. The messages themselves are never changed. */
import type { AgentDefinition } from '../agents/agent.ts'
import { isFromPerson, textOf, type Message } from '../session/message.ts'
import { builtinNames } from '../tools/builtin.ts'
import type { Retention } from '../tools/tool.ts'
import type { Run, RunAgent } from '../turn/run.ts'
import type { CompactionRecord } from './compaction.ts'

export function compacted(run: Run, history: readonly Message[], record: CompactionRecord | null): readonly Message[] {
  const agent = run.agent()
  const end = record ? history.findLastIndex(({ id }) => id === record.upTo) : -1
  // Not on this branch, or not wanted: everything is shown.
  if (!record || end < 0 || agent.profile.context.policy === 'raw') return history
  const archived = new Set(record.archived)
  const hiddenTo = history.findLastIndex(({ id }) => id === record.hiddenTo)
  const isKept = neverHidden(history)
  const messages: Message[] = []
  for (const [index, message] of history.entries()) {
    if (index > hiddenTo || isKept(message, index)) {
      if (message.role === 'tool') messages.push(archived.has(message.id) ? marked(agent, message) : message)
      else messages.push(message.tool_calls ? digested(run, history, index, archived) : message)
    }
    if (index === end) messages.push(...summaryMessages(record))
  }
  return messages
}

/** Without its task, the words it answers or what it has just asked for, a model begins anew or goes in circles. */
export function neverHidden(history: readonly Message[]): (message: Message, index: number) => boolean {
  const [task, words] = [history.findIndex(isFromPerson), history.findLastIndex(isFromPerson)]
  const [from, to] = newestResults(history)
  return ({ role }, index) => role === 'system' || index === task || index === words || (index >= from && index < to)
}

/** Where the newest calls stand, and where their results end. */
export function newestResults(history: readonly Message[]): [from: number, to: number] {
  const last = history.findLastIndex(({ role }) => role === 'tool')
  const calling = history.findLastIndex(({ tool_calls: calls }, index) => index < last && calls?.length)
  return [calling < 0 ? last : calling, last + 1]
}

/** A tool of ours has neither: a plan or a question that cannot be read is of no use to the model. */
export function retentionOf(
  { tools, profile }: Pick<AgentDefinition, 'profile'> & { readonly tools: readonly Kept[] },
  name: string | undefined,
): Required<Retention> {
  const { defaultPolicy: output, defaultInputPolicy: input } = profile.toolResponses
  const isOurs = name === builtinNames.plan || name === builtinNames.question
  if (isOurs) return { output: 'keep_full', input: 'keep' }
  return { output, input, ...tools.find((tool) => tool.name === name)?.retention }
}

interface Kept {
  readonly name: string
  readonly retention: Retention
}

/** One marker for all, with what leads back to the original. */
export function marked(agent: RunAgent, message: Message): Message {
  const { output } = retentionOf(agent, message.meta.tool?.name ?? message.name)
  const text = textOf(message)
  const rest =
    output === 'keep_structured' ? outline(text) : output === 'drop' ? 'dropped' : `${text.length} characters`
  return { ...message, content: `ARCHIVED_TOOL_RESPONSE executionId:'${message.tool_call_id}' ${rest}` }
}

const outlineLength = 1_200

function outline(text: string): string {
  const short = rewritten(text, (value) => {
    if (typeof value === 'string') return cut(value, 120)
    const rest = Array.isArray(value) ? value.length - 3 : 0
    return rest > 0 ? [...(value as unknown[]).slice(0, 3), `… ${rest} more`] : value
  })
  return cut(short, outlineLength)
}

/** JSON with each of its values changed; what is not JSON stays as it is. */
function rewritten(json: string, change: (value: unknown) => unknown): string {
  try {
    return JSON.stringify(JSON.parse(json), (_key, value) => change(value))
  } catch {
    return json
  }
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text
}

/** A call whose result is archived and whose tool lets its arguments go: long texts in them are shown by their beginnings. */
function digested(run: Run, history: readonly Message[], index: number, archived: ReadonlySet<string>): Message {
  const message = history[index] as Message
  // Signed reasoning belongs to the very calls it came with: changed, a provider refuses both.
  if (message.meta.providerData) return message
  let digest = digests.get(message)
  if (digest) return digest
  const toolCalls = message.tool_calls?.map((call) => {
    const { name, arguments: args } = call.function
    const isDigested =
      retentionOf(run.agent(), name).input === 'digest' && archived.has(resultId(history, index, call.id))
    return isDigested ? { ...call, function: { name, arguments: digestOf(run, call.id, args) } } : call
  })
  if (toolCalls?.every((call) => message.tool_calls?.includes(call))) return message
  digests.set(message, (digest = { ...message, tool_calls: toolCalls }))
  return digest
}

/** Hashed once, not at every step. */
const digests = new WeakMap<Message, Message>()

function resultId(history: readonly Message[], index: number, callId: string): string {
  const result = history.find((message, at) => at > index && message.tool_call_id === callId)
  return result?.id ?? ''
}

function digestOf({ hash }: Run, callId: string, args: string): string {
  const recover = `get_tool_response executionId:'${callId}' part:'input'`
  return rewritten(args, (value) =>
    typeof value === 'string' && value.length > 2_000
      ? { __digest: { chars: value.length, sha256: hash.sha256(value), head: value.slice(0, 200), recover } }
      : value,
  )
}

/** A call nobody made and its result: the one place in a conversation where every provider takes such a text. */
function summaryMessages({ id, summary, structuredSummary }: CompactionRecord): Message[] {
  if (!summary && !structuredSummary) return []
  const meta = { status: 'complete', createdAt: 0 } as const
  const call = { id: `${id}.s`, type: 'function', function: { name: 'summarize_context', arguments: '{}' } } as const
  const content = structuredSummary ? JSON.stringify(structuredSummary) : summary
  return [
    { id: `${id}.m`, role: 'assistant', content: null, tool_calls: [call], meta },
    { id: `${id}.r`, role: 'tool', content, tool_call_id: call.id, meta },
  ]
}
