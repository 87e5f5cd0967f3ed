/**
 * Whether a stored record is one: a disk, an older script or somebody's console may have made it anything.
 * One long file, because it is one list: every field of every record.
 */
import { isWebAddress } from '../permission/elicitation.ts'
import { parseRule } from '../permission/rule.ts'
import type { RuleRecord, SessionRecord } from '../ports/store.ts'
import {
  count,
  either,
  flag,
  isObject,
  list,
  map,
  maybe,
  object,
  orNull,
  shape,
  text,
  time,
  whole,
  type Check,
} from './checks.ts'
import type { Command } from './command.ts'
import { entryVersion, isEntryType, type Entry, type EntryType } from './entry.ts'
import type { Message } from './message.ts'
import type { Partial } from './partial.ts'
import type { Head, Node } from './state.ts'

/** One of a newer version, or of a type it may have added, is left to whoever refuses those. */
export function isEntry(value: unknown, seq: number): value is Entry {
  if (!envelope(value)) return false
  const entry = value as Entry
  return entry.seq === seq && (entry.v > entryVersion || !isEntryType(entry.type) || bodies[entry.type](value))
}

/** A type that is not known passes: whoever takes it says so to its sender. */
export function isCommand(value: unknown): value is Command {
  return shape({ commandId: text, sessionId: text, at: time, type: text })(value) && !badField(value as Command)
}

/** The first field of a command that is not what it should be, and whether it may be null. */
export function badField(command: Command): { readonly field: string; readonly mayBeNull: boolean } | undefined {
  const fields = Object.hasOwn(commands, command.type) ? Object.entries(commands[command.type]) : []
  const bad = fields.find(([field, check]) => !check(command[field as keyof Command]))
  return bad && { field: bad[0], mayBeNull: bad[1](null) }
}

export function isHead(value: unknown, sessionId: string): value is Head {
  return head(value) && (value as Head).sessionId === sessionId
}

export function isPartial(value: unknown): value is Partial {
  return partial(value)
}

export function isRuleRecord(value: unknown): value is RuleRecord {
  return shape({ id: text, agent: text, rule, decision: text, createdAt: time })(value)
}

export function isSessionRecord(value: unknown): value is SessionRecord {
  return sessionRecord(value)
}

/** Which of its fields keeps a message from being read. */
export function unreadableField(value: Message): string | undefined {
  return Object.keys(messageFields).find((key) => !messageFields[key]?.(value[key as keyof Message]))
}

/** When it was last updated is anybody's to say. */
export function isPlan(value: unknown): boolean {
  return isObject(value) && plan({ ...value, lastUpdated: 0 })
}

/** Those of its facts that are what they should be. */
export function readableFacts(value: unknown): globalThis.Partial<SessionRecord> {
  const facts = Object.entries(isObject(value) ? value : {})
  return Object.fromEntries(facts.filter(([key, fact]) => row[key]?.(fact)))
}

/** Stands where a message was that cannot be read. */
export function lostMessage(id: string, createdAt = 0): Message {
  return { id, role: 'assistant', content: null, meta: { status: 'lost', createdAt } }
}

/** What is folded in place of an entry that cannot be read: a mark, where it may have held words. */
export function entryInPlaceOf(value: unknown, seq: number): Entry {
  const { type, at, epoch, path, turnId } = (isObject(value) ? value : {}) as globalThis.Partial<Entry>
  const around = {
    v: entryVersion,
    seq,
    id: `lost.${seq}`,
    at: time(at) ? (at as number) : 0,
    epoch: whole(epoch) ? (epoch as number) : 0,
    path: list(text)(path) ? (path as string[]) : [],
    ...(text(turnId) && { turnId }),
  }
  if (type !== undefined && !wordy.has(type) && Object.hasOwn(bodies, type)) return { ...around, type: 'meta-set' }
  // No message has this name: the fold puts it behind the last.
  return { ...around, type: 'message-add', message: lostMessage(`lost.${seq}`, around.at), parent: '' }
}

const wordy = new Set<EntryType>(['message-add', 'tool-result', 'state-import'])

const envelope = shape({
  v: whole,
  seq: whole,
  id: text,
  at: time,
  epoch: whole,
  path: list(text),
  type: text,
  turnId: maybe(text),
  stepId: maybe(text),
  commandId: maybe(text),
})

const part: Check = (value) =>
  isObject(value) && (value.type === 'text' ? text(value.text) : shape({ image_url: shape({ url: text }) })(value))
const content = either(text, list(part))
const roles = new Set<unknown>(['system', 'user', 'assistant', 'tool'])
const messageFields: Readonly<Record<string, Check>> = {
  id: text,
  role: (value) => roles.has(value),
  content: orNull(content),
  tool_calls: maybe(list(shape({ id: text, function: shape({ name: text, arguments: text }) }))),
  tool_call_id: maybe(text),
  name: maybe(text),
  meta: shape({
    status: text,
    createdAt: time,
    agent: maybe(text),
    reasoning: maybe(list(text)),
    attachments: maybe(list(object)),
    resumedAt: maybe(list(count)),
    finish: maybe(text),
    origin: maybe(text),
    replaced: maybe(text),
    tool: maybe(
      shape({ name: text, label: maybe(text), durationMs: maybe(count), summary: maybe(text), handoff: maybe(text) }),
    ),
  }),
}
const message = shape(messageFields)
const plan = shape({
  version: count,
  lastUpdated: time,
  adherenceScore: maybe(count),
  steps: list(
    shape({
      id: count,
      step: text,
      status: text,
      owner: maybe(text),
      exitCriteria: maybe(text),
      evidence: maybe(text),
      title: maybe(text),
      description: maybe(text),
    }),
  ),
})
const kinds = new Set<unknown>(['approval', 'question', 'elicitation', 'checkpoint', 'deferred', 'outcome'])
const option = shape({ label: text, value: maybe(text), description: maybe(text), preview: maybe(text) })
const question = shape({ question: text, header: maybe(text), placeholder: maybe(text), options: maybe(list(option)) })
const request = shape({
  id: text,
  kind: (value) => kinds.has(value),
  openedAt: time,
  callId: text,
  tool: text,
  argsHash: text,
  path: maybe(list(text)),
  label: maybe(text),
  description: maybe(text),
  parameters: maybe(object),
  prompt: maybe(text),
  reason: maybe(text),
  context: maybe(text),
  questions: maybe(list(question)),
  message: maybe(text),
  url: maybe(isWebAddress),
  entered: maybe(shape({ asks: object })),
  always: maybe(shape({ rule: text })),
  expiresAt: maybe(time),
})
const resolutions = new Set<unknown>([
  'approve',
  'reject',
  'answer',
  'fill',
  'cancel',
  'result',
  'happened',
  'retry',
  'stop',
])
const resolution = shape({
  type: (value) => resolutions.has(value),
  comment: maybe(text),
  notes: maybe(text),
  answers: maybe((value) => typeof value === 'object' && value !== null),
})
const error = shape({ code: text, message: text, details: maybe(object), cause: maybe(text) })
const queue = list(shape({ commandId: text, content, when: maybe(text) }))
const usage = shape({ input: count, output: count, total: count, cachedInput: count })
const totals = shape({
  totals: map(
    shape({
      requests: count,
      input: count,
      output: count,
      total: count,
      cachedInput: count,
      costUsd: maybe(count),
    }),
  ),
})
const cache = map(shape({ id: text, at: time }))
const tallies = map(shape({ successes: count, failures: count }))
const spent = shape({ outputTokens: count, costUsd: count })
const summary = shape({
  stable_facts: list(shape({ key: text, value: text, confidence: count })),
  active_goals: list(text),
  open_questions: list(text),
  discarded_obsolete: list(text),
})
const compaction = shape({ upTo: text, summary: text, archived: list(text), structuredSummary: maybe(summary) })
const reflection = shape({ id: text, text })
const fact = shape({ key: text, value: text, confidence: count, lastUpdatedAt: text, tags: maybe(list(text)) })
const scope = shape({
  plan: maybe(orNull(plan)),
  compaction: maybe(orNull(compaction)),
  reflections: maybe(list(reflection)),
  activeAgent: maybe(text),
  slices: maybe(object),
})
const settings = shape({
  model: maybe(text),
  system: maybe(text),
  opts: maybe(object),
  mode: maybe(text),
  metadata: maybe(object),
  tag: maybe(orNull(text)),
  archived: maybe(flag),
  lifecycle: maybe(text),
  tools: maybe(map(text)),
})
/** One that cannot be read would stop every call. */
const rule: Check = (value) => {
  try {
    return text(value) && !!parseRule(value as string)
  } catch {
    return false
  }
}
const denials = list(shape({ callId: text, tool: text, reason: text }))
const result = shape({
  status: text,
  tool: text,
  content: text,
  label: maybe(text),
  durationMs: maybe(count),
  summary: maybe(text),
  cacheKey: maybe(text),
  handoff: maybe(text),
})

const bodies: Readonly<Record<EntryType, Check>> = {
  'session-start': shape({ agent: text, model: maybe(text) }),
  'state-import': shape({ messages: list(message), plan: orNull(plan), cache: maybe(cache), usage: maybe(totals) }),
  'turn-start': shape({
    origin: text,
    tainted: maybe(flag),
    model: maybe(text),
    resumed: maybe(shape({ step: count, toolCallCount: count, spent, tallies, nudges: maybe(count) })),
  }),
  'step-start': shape({ step: count, key: text }),
  'message-add': shape({ message, parent: orNull(text) }),
  'call-request': shape({ call: shape({ callId: text, index: count, tool: text, args: text, label: maybe(text) }) }),
  'request-open': shape({ request }),
  'request-close': shape({
    requestId: text,
    status: text,
    resolution,
    request: maybe(request),
    by: maybe(text),
    argsHash: maybe(text),
    host: maybe(text),
  }),
  'tool-intent': shape({
    callId: text,
    argsHash: text,
    attempt: count,
    key: text,
    host: maybe(text),
    page: maybe(text),
    context: maybe(text),
  }),
  'tool-result': shape({ callId: text, result, parent: orNull(text) }),
  'plan-set': shape({ plan, source: text, operation: text }),
  'usage-add': shape({ model: text, usage, purpose: text, costUsd: maybe(count) }),
  'compaction-add': shape({ compaction }),
  'reflection-add': shape({ reflection }),
  'memory-add': shape({ fact }),
  'cursor-set': shape({ leaf: orNull(text), scope: maybe(scope) }),
  'agent-set': shape({ agent: text }),
  'queue-set': shape({ queue }),
  'rule-set': shape({ rule, decision: orNull(text), agent: text }),
  'title-set': shape({ title: text, source: text }),
  'meta-set': settings,
  'slice-set': shape({ extension: text }),
  'undo-intent': shape({ callId: text }),
  'undo-result': shape({ callId: text, error: maybe(error) }),
  'command-refused': shape({ commandId: text, reason: text, by: maybe(text) }),
  'turn-end': shape({ terminalReason: text, error: maybe(error), outputError: maybe(text) }),
}

const commands: Readonly<Record<Command['type'], Readonly<Record<string, Check>>>> = {
  send: { content, when: maybe(text) },
  add: { message: shape({ role: (value) => value === 'user' || value === 'assistant', content, name: maybe(text) }) },
  unqueue: { target: text },
  requeue: { target: text, content: maybe(content), when: maybe(text) },
  stop: {},
  'stop-task': { task: text },
  resolve: { requestId: text, resolution, by: maybe(text), host: maybe(text) },
  'resolve-all': { requestIds: list(text), resolution, by: maybe(text) },
  rule: { rule: text, decision: orNull(text), agent: text },
  retry: { model: maybe(text) },
  goto: { messageId: orNull(text), exact: maybe(flag) },
  edit: { messageId: text, content },
  regenerate: { messageId: maybe(text) },
  rewind: { messageId: orNull(text) },
  compact: {},
  rename: { title: text },
  set: { settings },
  plan: { change: object },
  report: { reply: shape({ status: text, content: text, summary: maybe(text), asks: maybe(object) }) },
}

const partial = shape({
  stepId: text,
  text,
  reasoning: text,
  refusal: text,
  calls: list(shape({ index: count, id: maybe(text), name: text, args: text })),
  after: maybe(text),
  usage: maybe(usage),
  model: maybe(text),
  finish: maybe(text),
  resumedAt: maybe(list(count)),
})

const row: Readonly<Record<string, Check>> = {
  id: text,
  agent: text,
  seq: whole,
  epoch: whole,
  createdAt: time,
  updatedAt: time,
  messageCount: whole,
  waiting: whole,
  asks: maybe(list(text)),
  status: maybe(text),
  minReader: whole,
  title: maybe(text),
  tag: maybe(text),
  archived: maybe(flag),
}
const sessionRecord = shape(row)

const node = shape({
  id: text,
  parent: orNull(text),
  seq: whole,
  index: maybe(whole),
  role: (value) => roles.has(value),
  turnId: maybe(text),
  cut: maybe(flag),
})
const openCall = shape({
  callId: text,
  tool: text,
  args: text,
  label: maybe(text),
  request: maybe(request),
  decision: maybe(
    shape({
      type: text,
      comment: maybe(text),
      by: maybe(text),
      notes: maybe(text),
      argsHash: maybe(text),
      host: maybe(text),
    }),
  ),
  intent: maybe(
    shape({
      argsHash: text,
      attempt: count,
      key: text,
      at: time,
      host: maybe(text),
      page: maybe(text),
      context: maybe(text),
    }),
  ),
  done: flag,
})
const turn = shape({
  id: text,
  origin: text,
  startedAt: time,
  back: maybe(shape({ leaf: orNull(text), scope })),
  step: count,
  openStep: orNull(shape({ id: text, key: text })),
  calls: list(openCall),
  toolCallCount: count,
  agent: maybe(text),
  model: maybe(text),
  childCount: count,
  cuts: count,
  finish: text,
  spent,
  reflections: maybe(count),
  nudges: maybe(count),
  tainted: maybe(flag),
  interrupted: maybe(flag),
  denials: maybe(denials),
  tallies,
})
const headFields = shape({
  v: (value) => value === 1,
  sessionId: text,
  agent: text,
  seq: whole,
  epoch: whole,
  nodes: list(node),
  leaf: orNull(text),
  activeAgent: maybe(text),
  plan: orNull(plan),
  compaction: orNull(compaction),
  reflections: list(reflection),
  facts: list(fact),
  cache,
  requests: list(request),
  queue,
  usage: totals,
  turn: orNull(turn),
  lastEnd: orNull(
    shape({
      turnId: text,
      terminalReason: text,
      error: maybe(error),
      outputError: maybe(text),
      denials: maybe(denials),
      tainted: maybe(flag),
      origin: maybe(text),
      costUsd: maybe(count),
    }),
  ),
  commands: list(text),
  refused: list(shape({ commandId: text, reason: text })),
  title: maybe(text),
  titledBy: maybe(text),
  settings,
  rules: maybe(list(shape({ rule, decision: text, agent: text }))),
  slices: object,
})

const head: Check = (value) => headFields(value) && isTree(value as Head) && map(head)((value as Head).children)

/** Each behind one that came before it: a path through anything else may never end. */
function isTree({ nodes, leaf }: Head): boolean {
  const known = new Set<string | null>([null])
  const isPlaced = ({ id, parent }: Node) => known.has(parent) && known.size < known.add(id).size
  return nodes.every(isPlaced) && known.has(leaf)
}
