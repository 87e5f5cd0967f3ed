/** Folds one entry into a fold it owns, in O(entry). */
import type { Request, Resolution } from '../permission/request.ts'
import { hookName } from '../permission/hooks.ts'
import { builtinNames } from '../tools/builtin.ts'
import { succeeded } from '../smart/facts.ts'
import type { MemoryFact } from '../smart/memory.ts'
import { finishOf, toolMessage } from './body.ts'
import { definedOnly } from './defined-only.ts'
import type { CallResult, Entry, EntryOf } from './entry.ts'
import { callOfWorker, foldAt, type Fold } from './fold.ts'
import { isCut, type Message } from './message.ts'
import type { EveryKeyOf } from './partial.ts'
import type { Decision, Head, Node, OpenCall, OpenTurn, Scope, Tally, UsageTotal } from './state.ts'

/** How many taken commands a head remembers. */
const commandsKept = 256
const reflectionsKept = 10
const cacheKept = 100
const factsKept = 200
const denialsKept = 100

export function reduce(fold: Fold, entry: Entry): void {
  const head = fold.head as Draft<Head>
  // Read back by a follower that has just lost its place as owner: folded twice, a message would stand there twice.
  if (entry.seq < head.seq) return
  head.seq = entry.seq + 1
  head.epoch = entry.epoch
  if (entry.commandId !== undefined) remember(head, entry.commandId)
  if (entry.path.length) return reduceChild(fold, entry)

  switch (entry.type) {
    case 'session-start':
      head.agent = entry.agent
      if (entry.model !== undefined) head.settings = { ...head.settings, model: entry.model }
      return
    case 'state-import':
      entry.messages.forEach((message, index) =>
        addNode(fold, message, { seq: entry.seq, index, parent: head.leaf, turnId: entry.turnId }),
      )
      head.plan = entry.plan ?? head.plan
      head.cache = entry.cache ?? head.cache
      head.usage = entry.usage ?? head.usage
      return
    case 'turn-start':
      head.turn = openTurn(entry, head.activeAgent)
      if (entry.origin !== 'compact') head.lastEnd = null
      return
    case 'step-start':
      changeTurn(head, {
        step: entry.step,
        openStep: { id: entry.stepId ?? '', key: entry.key },
        calls: [],
        agent: head.activeAgent,
      })
      return
    case 'message-add':
      addMessage(fold, entry)
      return
    case 'call-request': {
      const { callId, tool, label, args } = entry.call
      const turn = head.turn
      if (!turn) return
      const calls = [...turn.calls, copyOf({ callId, tool, label, args, done: entry.answered ?? false })]
      changeTurn(head, { calls, toolCallCount: turn.toolCallCount + 1 })
      return
    }
    case 'request-open':
      head.requests = [...head.requests, entry.request]
      changeCall(head, entry.request.callId, { request: entry.request, decision: undefined })
      return
    case 'request-close': {
      const request = head.requests.find((open) => open.id === entry.requestId) ?? entry.request
      if (!request) return
      head.requests = head.requests.filter((open) => open !== request)
      const isPassed = request.kind === 'checkpoint' && entry.resolution.type === 'approve'
      if (isPassed) changeTurn(head, { checked: head.turn?.step })
      // A person cannot cancel it: what it asks is known by now, or is asked again by whoever finds that it is not.
      const isWithdrawn = request.kind === 'outcome' && entry.resolution.type === 'cancel'
      changeCall(head, request.callId, {
        request: isWithdrawn ? undefined : request,
        decision: isWithdrawn ? undefined : decisionOf(entry),
        ...(request.entered && { asked: askedWith(head, request, entry.resolution) }),
      })
      return
    }
    case 'tool-intent': {
      const { argsHash, attempt, key, at, args, host, page, context } = entry
      changeCall(head, entry.callId, {
        intent: { argsHash, attempt, key, at, ...definedOnly({ args, host, page, context }) },
        request: undefined,
        decision: undefined,
      })
      return
    }
    case 'tool-result': {
      const { callId, result } = entry
      addNode(fold, toolMessage(entry), { seq: entry.seq, parent: entry.parent, turnId: entry.turnId })
      changeCall(head, callId, { done: true })
      head.requests = head.requests.filter((open) => open.callId !== callId && callOfWorker(open.path?.[0]) !== callId)
      tally(head, result)
      note(head, callId, result)
      if (result.cacheKey) head.cache = withCached(head.cache, result.cacheKey, { id: `${callId}.r`, at: entry.at })
      dismiss(fold, callId)
      return
    }
    case 'plan-set':
      head.plan = entry.plan
      return
    case 'usage-add':
      addUsage(head, entry)
      return
    case 'cursor-set':
      // A place that is not there would leave nothing to show.
      if (entry.leaf !== null && !fold.nodes.has(entry.leaf)) return
      head.leaf = entry.leaf
      // How a turn on another branch ended is no longer what a retry is about.
      head.lastEnd = null
      if (entry.scope) setScope(head, entry.scope)
      head.rewound = entry.rewound && { ...entry.rewound, commandId: entry.commandId ?? '' }
      return
    case 'queue-set':
      head.queue = entry.queue
      return
    case 'title-set':
      head.title = entry.title
      head.titledBy = entry.source
      return
    case 'meta-set': {
      const { model, system, opts, mode, metadata, tag, archived, lifecycle, tools } = entry
      const set = { model, system, opts, mode, metadata, tag, archived, lifecycle, tools }
      head.settings = { ...head.settings, ...definedOnly(set) }
      return
    }
    case 'rule-set': {
      const { rule, decision, agent } = entry
      const others = (head.rules ?? []).filter((set) => set.rule !== rule || set.agent !== agent)
      head.rules = decision ? [...others, { rule, decision, agent }] : others
      return
    }
    case 'slice-set':
      head.slices = { ...head.slices, [entry.extension]: entry.value }
      return
    case 'command-refused':
      remember(head, entry.commandId)
      head.refused = [...head.refused.slice(-15), { commandId: entry.commandId, reason: entry.reason }]
      return
    case 'turn-end': {
      const { turnId = '', terminalReason, error, output, outputError, from } = entry
      // Nobody's words: what failed before can still be tried again.
      const isAside = head.turn?.origin === 'compact' && terminalReason === 'completed'
      if (!isAside)
        head.lastEnd = {
          turnId,
          terminalReason,
          error,
          ...definedOnly({ output, outputError, from, denials: head.turn?.denials, tainted: head.turn?.tainted }),
          ...definedOnly({ origin: head.turn?.origin, costUsd: head.turn?.spent.costUsd || undefined }),
        }
      head.turn = null
      head.requests = []
      return
    }
    case 'agent-set':
      head.activeAgent = entry.agent === head.agent ? undefined : entry.agent
      return
    case 'compaction-add':
      head.compaction = entry.compaction
      return
    case 'reflection-add':
      head.reflections = [...head.reflections.slice(1 - reflectionsKept), entry.reflection]
      changeTurn(head, { reflections: (head.turn?.reflections ?? 0) + 1 })
      return
    case 'memory-add':
      head.facts = factsWith(head.facts, entry.fact)
      return
    default:
      entry.type satisfies NotFolded
  }
}

/** The agents that worked for a call are done with it; what they wrote is in the journal. */
function dismiss(fold: Fold, callId: string): void {
  if (fold.children.size === 0) return
  for (const key of fold.children.keys()) {
    if (callOfWorker(key) !== callId) continue
    fold.children.delete(key)
    delete (fold.head.children as Record<string, Head>)[key]
  }
}

/** Kept in the journal for those who read it; a head shows nothing of them yet. */
type NotFolded = 'undo-intent' | 'undo-result'

type Draft<T> = { -readonly [K in keyof T]: T[K] }

/** A child's work is folded in its own place; what it costs, and what it asks of a person, is its parent's too. */
function reduceChild(fold: Fold, entry: Entry): void {
  const head = fold.head as Draft<Head>
  const [worker = '', ...rest] = entry.path
  // An answer that came too late for a child that is gone: it must not bring back an empty one.
  if (!fold.children.get(worker)?.head.seq && entry.type !== 'session-start') return
  const child = foldAt(fold, [worker])
  reduce(child, { ...entry, path: rest })
  if (entry.type === 'usage-add') addUsage(head, entry)
  // Its answer is made of what it has read.
  if (entry.type === 'tool-result' && entry.result.untrusted) changeTurn(head, { tainted: true })
  if (entry.type === 'session-start' && !rest.length) changeTurn(head, { childCount: (head.turn?.childCount ?? 0) + 1 })
  const { requests } = child.head
  // Those that stay keep their place: a person who reads one must not find another in its stead.
  const kept = head.requests.filter(({ path, id }) => path?.[0] !== worker || requests.some((open) => open.id === id))
  const raised = requests
    .filter(({ id }) => !kept.some((open) => open.id === id))
    .map((request) => ({ ...request, path: [worker, ...(request.path ?? [])] }))
  if (raised.length || kept.length !== head.requests.length) head.requests = [...kept, ...raised]
}

function remember(head: Draft<Head>, commandId: string): void {
  if (head.commands.includes(commandId)) return
  head.commands = [...head.commands.slice(1 - commandsKept), commandId]
}

function setScope(head: Draft<Head>, { plan, compaction, reflections, slices, activeAgent }: Scope): void {
  Object.assign(head, { plan, compaction, reflections, slices, activeAgent })
}

function openTurn(entry: EntryOf<'turn-start'>, agent: string | undefined): OpenTurn {
  return {
    id: entry.turnId ?? '',
    origin: entry.origin,
    startedAt: entry.at,
    back: entry.back,
    step: 0,
    openStep: null,
    calls: [],
    toolCallCount: 0,
    agent,
    model: entry.model,
    childCount: 0,
    cuts: 0,
    finish: 'completed',
    spent: { outputTokens: 0, costUsd: 0 },
    tallies: {},
    tainted: entry.tainted,
    ...entry.resumed,
  }
}

function addMessage(fold: Fold, entry: EntryOf<'message-add'>): void {
  const { message } = entry
  const isLost = message.meta.status === 'lost'
  const cut = message.meta.status === 'partial'
  addNode(fold, message, { seq: entry.seq, parent: entry.parent, turnId: entry.turnId })
  if (message.meta.origin === 'system' && message.name !== hookName)
    changeTurn(fold.head, { nudges: (fold.head.turn?.nudges ?? 0) + 1 })
  // Whatever it was, the turn is not further for it.
  if (message.role !== 'assistant' || isLost) return
  const cuts = cut ? (fold.head.turn?.cuts ?? 0) + 1 : 0
  changeTurn(fold.head, { openStep: null, cuts, finish: finishOf(message) })
}

function addNode(fold: Fold, message: Message, place: Pick<Node, 'seq' | 'parent' | 'index' | 'turnId'>): void {
  const { id, role } = message
  const { seq, index, turnId } = place
  const head = fold.head as Draft<Head>
  // A name that comes twice would make a path that never ends.
  if (fold.nodes.has(id)) return
  // What it stood behind cannot be read: without this all that came before would be out of sight.
  const parent = place.parent === null || fold.nodes.has(place.parent) ? place.parent : head.leaf
  // Key by key: every message of a state that is imported becomes one.
  const node: Draft<Node> =
    index === undefined ? { id, role, seq, parent, turnId } : { id, role, seq, index, parent, turnId }
  if (isCut(message.meta)) node.cut = true
  // The fold owns this array: a copy an entry would make long sessions slow.
  ;(head.nodes as Node[]).push(node)
  head.leaf = id
  fold.nodes.set(id, node)
  fold.bodies.set(id, message)
}

function changeTurn(head: Draft<Head>, change: Partial<OpenTurn>): void {
  if (!head.turn) return
  const { id, origin, startedAt, back, step, openStep, calls, toolCallCount, agent, model } = head.turn
  const { childCount, cuts, finish, spent, tallies, reflections, nudges, checked, tainted } = head.turn
  const { interrupted, denials } = head.turn
  // Key by key: nearly every entry changes the turn, and by a spread a copy of a copy takes V8 microseconds.
  const copy: EveryKeyOf<OpenTurn> = {
    id,
    origin,
    startedAt,
    back,
    step,
    openStep,
    calls,
    toolCallCount,
    agent,
    model,
    childCount,
    cuts,
    finish,
    spent,
    reflections,
    nudges,
    checked,
    tainted,
    interrupted,
    denials,
    tallies,
  }
  head.turn = Object.assign(copy, change)
}

/** The oldest go when there are too many: the head is written with every turn. */
function withCached(cache: Head['cache'], key: string, found: Head['cache'][string]): Head['cache'] {
  const others = Object.entries(cache).filter(([other]) => other !== key)
  return Object.fromEntries([...others.slice(1 - cacheKept), [key, found]])
}

function tally(head: Draft<Head>, { tool, status, fromCache }: CallResult): void {
  const tallies = head.turn?.tallies
  // A person was asked, whether they answered or not.
  const isDone = status === 'complete' || (status === 'rejected' && tool === builtinNames.question)
  if (!tallies || fromCache || (!isDone && status !== 'error')) return
  const { successes, failures } = tallies[tool] ?? { successes: 0, failures: 0 }
  const next: Tally = isDone ? { successes: successes + 1, failures: 0 } : { successes, failures: failures + 1 }
  changeTurn(head, { tallies: { ...tallies, [tool]: next } })
}

function note(
  head: Draft<Head>,
  callId: string,
  { tool, status, args, content, untrusted, interrupts }: CallResult,
): void {
  if (untrusted) changeTurn(head, { tainted: true })
  if (interrupts) changeTurn(head, { interrupted: true, ...(interrupts === 'hook' && { finish: 'hook_stopped' }) })
  // A question that was not answered is nothing that was denied.
  if (status !== 'rejected' || tool === builtinNames.question) return
  const before = head.turn?.denials ?? []
  if (before.length < denialsKept) changeTurn(head, { denials: [...before, { callId, tool, args, reason: content }] })
}

function changeCall(head: Draft<Head>, callId: string, change: Partial<OpenCall>): void {
  if (!head.turn) return
  const calls = head.turn.calls.map((call) => (call.callId === callId ? Object.assign(copyOf(call), change) : call))
  changeTurn(head, { calls })
}

function copyOf(call: OpenCall): EveryKeyOf<OpenCall> {
  const { callId, tool, label, args, request, decision, asked, intent, done } = call
  return { callId, tool, label, args, request, decision, asked, intent, done }
}

function askedWith({ turn }: Head, request: Request, resolution: Resolution): OpenCall['asked'] {
  const call = turn?.calls.find(({ callId }) => callId === request.callId)
  return [...(call?.asked ?? []), { request, resolution }]
}

function decisionOf({ resolution, by, argsHash, host, at }: EntryOf<'request-close'>): Decision {
  switch (resolution.type) {
    case 'approve':
      return { type: 'run', args: resolution.args, at, ...definedOnly({ argsHash, host }) }
    case 'retry':
    // The tool is entered again, and finds what was filled in where it asked.
    case 'fill':
      return { type: 'run' }
    case 'reject':
      return { type: 'reject', comment: resolution.comment, by }
    case 'answer':
      return { type: 'answer', answers: resolution.answers, notes: resolution.notes }
    case 'cancel':
    case 'stop':
      return { type: 'cancel' }
    case 'result':
    case 'happened':
      return { type: 'result', result: resolution.result }
  }
}

function addUsage(head: Draft<Head>, { model, usage, costUsd }: EntryOf<'usage-add'>): void {
  const before = head.usage.totals[model] ?? noUsage
  const cost = costUsd === undefined ? before.costUsd : (before.costUsd ?? 0) + costUsd
  const sum: UsageTotal = {
    requests: before.requests + 1,
    input: before.input + usage.input,
    output: before.output + usage.output,
    total: before.total + usage.total,
    cachedInput: before.cachedInput + usage.cachedInput,
    ...(cost !== undefined && { costUsd: cost }),
  }
  head.usage = { totals: { ...head.usage.totals, [model]: sum } }
  const spent = head.turn?.spent
  if (!spent) return
  changeTurn(head, {
    spent: { outputTokens: spent.outputTokens + usage.output, costUsd: spent.costUsd + (costUsd ?? 0) },
  })
}

function factsWith(facts: readonly MemoryFact[], fact: MemoryFact): MemoryFact[] {
  const before = facts.find(({ key, obsolete }) => key === fact.key && !obsolete)
  return [...facts.filter(({ key }) => key !== fact.key), ...succeeded(before, fact)].slice(-factsKept)
}

const noUsage: UsageTotal = { requests: 0, input: 0, output: 0, total: 0, cachedInput: 0 }
