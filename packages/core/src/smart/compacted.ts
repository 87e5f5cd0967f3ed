/** What the model is shown of a path that was compacted. The messages themselves are never changed. */
import { isFromPerson, textOf, type Message } from '../session/message.ts'
import type { InputRetention, OutputRetention, Tool } from '../tools/tool.ts'
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

export function outputPolicy(agent: RunAgent, { meta, name }: Message): OutputRetention {
  return toolNamed(agent, meta.tool?.name ?? name)?.retention.output ?? agent.profile.toolResponses.defaultPolicy
}

function inputPolicy(agent: RunAgent, name: string): InputRetention {
  const tool = toolNamed(agent, name)
  // A plan or a question that cannot be read is of no use to the model.
  return tool ? (tool.retention.input ?? agent.profile.toolResponses.defaultInputPolicy) : 'keep'
}

function toolNamed({ tools }: RunAgent, name: string | undefined): Pick<Tool, 'retention'> | undefined {
  return tools.find((tool) => tool.name === name)
}

/** One marker for all, with what leads back to the original. */
export function marked(agent: RunAgent, message: Message): Message {
  const policy = outputPolicy(agent, message)
  const text = textOf(message)
  const rest =
    policy === 'keep_structured' ? outline(text) : policy === 'drop' ? 'dropped' : `${text.length} characters`
  return { ...message, content: `ARCHIVED_TOOL_RESPONSE executionId:'${message.tool_call_id}' ${rest}` }
}

const outlineLength = 1_200

function outline(text: string): string {
  try {
    return cut(JSON.stringify(shortened(JSON.parse(text))), outlineLength)
  } catch {
    return cut(text, outlineLength / 3)
  }
}

function shortened(value: unknown): unknown {
  if (typeof value === 'string') return cut(value, 120)
  if (Array.isArray(value)) {
    const rest = value.length - 3
    return [...value.slice(0, 3).map(shortened), ...(rest > 0 ? [`… ${rest} more`] : [])]
  }
  return mapped(value, shortened)
}

function mapped(value: unknown, change: (item: unknown) => unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(change)
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, change(item)]))
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text
}

/** A call whose result is archived and whose tool lets its arguments go: long texts in them are shown by their beginnings. */
function digested(run: Run, history: readonly Message[], index: number, archived: ReadonlySet<string>): Message {
  const message = history[index] as Message
  const isDigested = (id: string, name: string) =>
    inputPolicy(run.agent(), name) === 'digest' && archived.has(resultOf(history, index, id)?.id ?? '')
  const calls = message.tool_calls ?? []
  // Signed reasoning belongs to the very calls it came with: changed, a provider refuses both.
  if (message.meta.providerData || !calls.some(({ id, function: { name } }) => isDigested(id, name))) return message
  let digest = digests.get(message)
  if (!digest) {
    const toolCalls = calls.map((call) =>
      isDigested(call.id, call.function.name)
        ? { ...call, function: { ...call.function, arguments: digestOf(run, call.id, call.function.arguments) } }
        : call,
    )
    digests.set(message, (digest = { ...message, tool_calls: toolCalls }))
  }
  return digest
}

/** Hashed once, not at every step. */
const digests = new WeakMap<Message, Message>()

function resultOf(history: readonly Message[], index: number, callId: string): Message | undefined {
  for (let at = index + 1; history[at]?.role === 'tool'; at += 1) {
    if (history[at]?.tool_call_id === callId) return history[at]
  }
  return undefined
}

function digestOf({ hash }: Run, callId: string, args: string): string {
  const digest = (value: unknown): unknown => {
    if (typeof value !== 'string' || value.length <= 2_000) return mapped(value, digest)
    const recover = `get_tool_response executionId:'${callId}' part:'input'`
    return { __digest: { chars: value.length, sha256: hash.sha256(value), head: value.slice(0, 200), recover } }
  }
  try {
    return JSON.stringify(digest(JSON.parse(args)))
  } catch {
    return args
  }
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
