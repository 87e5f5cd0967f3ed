/** A fork: the path of one session as the first entries of another. No id is shared, and nothing that waits comes along. */
import type { NewEntry } from './journal.ts'
import type { Message } from './message.ts'
import type { Head, Scope } from './state.ts'
import { treeEntries } from './tree-entries.ts'
import type { Tree } from './tree.ts'

export interface ForkOptions {
  readonly head: Head
  readonly tree: Tree
  /** The path, from the first message to the last that is copied. */
  readonly messages: readonly Message[]
  /** The id of the new session. */
  readonly into: string
  readonly title?: string
}

export function forkEntries({ head, tree, messages, into, title }: ForkOptions): NewEntry[] {
  const renamed = renaming(into)
  const { model, system, opts, mode, metadata, tools } = head.settings
  const entries: NewEntry[] = [
    { type: 'session-start', agent: head.agent, sessionId: into },
    { type: 'title-set', title: title ?? `${head.title ?? 'New conversation'} (fork)`, source: 'person' },
    { type: 'meta-set', model, system, opts, mode, metadata, tools },
    ...head.facts.map((fact): NewEntry => ({ type: 'memory-add', fact })),
  ]
  const path = messages.map((message, index) => ({ message, parent: messages[index - 1]?.id ?? null }))
  for (const entry of treeEntries(path, tree)) {
    if (entry.type === 'cursor-set') {
      const leaf = entry.leaf === null ? null : renamed(entry.leaf)
      entries.push({ ...entry, leaf, scope: renamedScope(entry.scope, renamed) })
    } else {
      entries.push({ ...entry, messages: entry.messages.map((message) => renamedMessage(message, renamed)) })
    }
  }
  const kept = new Set(messages.map(({ id }) => id))
  const cache = Object.entries(head.cache).filter(([, { id }]) => kept.has(id))
  const found = cache.map(([key, { id, at }]) => [key, { id: renamed(id), at }] as const)
  const from = head.sessionId
  return [...entries, { type: 'state-import', messages: [], plan: null, cache: Object.fromEntries(found), from }]
}

type Renamed = (id: string) => string

/** By its first part, which the turn's messages, calls and results have in common: what belongs together stays so. */
function renaming(into: string): Renamed {
  const names = new Map<string, string>()
  return (id) => {
    const [first = ''] = id.split('.', 1)
    const name = names.get(first) ?? `${into}_${names.size + 1}`
    names.set(first, name)
    return name + id.slice(first.length)
  }
}

function renamedMessage(message: Message, renamed: Renamed): Message {
  const { id, tool_calls: calls, tool_call_id: call } = message
  return {
    ...message,
    id: renamed(id),
    ...(calls && { tool_calls: calls.map((each) => ({ ...each, id: renamed(each.id) })) }),
    ...(call !== undefined && { tool_call_id: renamed(call) }),
  }
}

function renamedScope({ compaction, reflections, ...scope }: Scope, renamed: Renamed): Scope {
  return {
    ...scope,
    compaction: compaction && {
      ...compaction,
      id: renamed(compaction.id),
      upTo: renamed(compaction.upTo),
      archived: compaction.archived.map(renamed),
      ...(compaction.hiddenTo !== undefined && { hiddenTo: renamed(compaction.hiddenTo) }),
    },
    reflections: reflections.map((each) => ({
      ...each,
      id: renamed(each.id),
      toolCallIds: each.toolCallIds?.map(renamed),
    })),
  }
}
