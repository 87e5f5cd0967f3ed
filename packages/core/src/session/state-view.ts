/** The state a caller sees, made from the entries of its run as they are published. */
import type { AgentDefinition } from '../agents/agent.ts'
import { agentsOf } from '../agents/agents-of.ts'
import { guardrailSlice, type GuardrailSlice } from '../smart/guardrail.ts'
import type { Stage } from '../turn/run.ts'
import type { Entry, EntryOf } from './entry.ts'
import { unplaced, type NewEntry } from './journal.ts'
import { callOfWorker, emptyHead, foldOf, pathOf, statusOf, type Fold } from './fold.ts'
import type { Message } from './message.ts'
import { pendingApproval, pendingQuestion } from './pending.ts'
import { reduce } from './reduce.ts'
import { derivedContext } from './state-context.ts'
import { executionOf, iso, paidRequest, summariesOf, summaryRecord, totalsOf } from './state-records.ts'
import type { PendingToolApproval, PendingUserQuestion, SmartState, ToolExecution } from './smart-state.ts'

export interface StateView {
  readonly fold: Fold
  take(entry: Entry): void
  /** `left`: the checkpoint where the run was left. */
  state(left?: Left): SmartState & { readonly messages: readonly Message[] }
}

export interface Left {
  readonly stage: Stage
  readonly reason?: string
  readonly at: number
}

export interface StateViewOptions {
  readonly input: SmartState
  readonly agent: AgentDefinition
  readonly sessionId: string
  /** How many entries the input itself became: what they say is in it already. */
  readonly imported: number
  /** The calls the run began with. */
  readonly unanswered: readonly string[]
}

/** Holds the input and all that was added since: what nobody here knows of is handed on. */
export function createStateView({ input, agent, sessionId, imported, unanswered }: StateViewOptions): StateView {
  const fold = foldOf(emptyHead(sessionId, agent.name))
  const history = [...(input.toolHistory ?? [])]
  const requests = [...(input.usage?.perRequest ?? [])]
  const known = requests.length
  const records = [...(input.summaryRecords ?? [])]
  const reflections = [...(input.reflections ?? [])]
  let approvals = input.pendingApprovals ?? []
  let questions = input.pendingUserQuestions ?? []
  /** What agents at work for an open call have written: nothing else could take their work up again. */
  let workers: NewEntry[] = []
  let toolCallCount = input.toolCallCount
  let step = input.step ?? 0

  function take(entry: Entry): void {
    reduce(fold, entry)
    const { turn } = fold.head
    if (turn) ({ toolCallCount, step } = turn)
    if (entry.path.length) workers.push(unplaced(entry))
    if (entry.seq < imported) return
    add(entry)
  }

  function add(entry: Entry): void {
    const isOwn = entry.path.length === 0
    switch (entry.type) {
      case 'tool-result': {
        const executed = executedBy(entry)
        approvals = changed(approvals, ({ toolCallId }) => toolCallId === entry.callId, executed)
        questions = changed(questions, ({ toolCallId }) => toolCallId === entry.callId, executed)
        if (!isOwn) return
        workers = workers.filter(({ path }) => callOfWorker(path?.[0]) !== entry.callId)
        const { agent: name } = fold.head.turn ?? {}
        return void history.push(executionOf(entry, (name !== undefined && agentsOf(agent).get(name)) || agent))
      }
      case 'request-open':
        if (entry.request.kind === 'approval') approvals = opened(approvals, pendingApproval(at(entry)))
        if (entry.request.kind === 'question') questions = opened(questions, pendingQuestion(at(entry)))
        return
      case 'usage-add':
        return void requests.push(paidRequest(entry, fold.head.turn?.id ?? '', step))
      case 'compaction-add':
        return void (isOwn && records.push(summaryRecord(entry)))
      case 'reflection-add':
        return void (isOwn && reflections.push(entry.reflection))
      default:
        return
    }
  }

  function state(left?: Left): ReturnType<StateView['state']> {
    const { head } = fold
    const archived = new Set(head.compaction?.archived)
    const isArchived = ({ executionId }: ToolExecution) => archived.size > 0 && archived.has(`${executionId}.r`)
    const status = left && head.turn ? 'paused' : statusOf(head)
    const active = head.activeAgent ?? agent.name
    const made: ReturnType<StateView['state']> = {
      messages: messagesOf(fold),
      toolCallCount: toolCallCount ?? 0,
      toolHistory: history.filter((execution) => !isArchived(execution)),
      toolHistoryArchived: [
        ...(input.toolHistoryArchived ?? []),
        ...history
          .filter(isArchived)
          .map((execution) => ({ ...execution, summarized: true, archiveId: execution.executionId })),
      ],
      summaries: [...(input.summaries ?? []), ...summariesOf(records.slice(input.summaryRecords?.length ?? 0))],
      summaryRecords: [...records],
      memoryFacts: head.facts,
      plan: planOf(fold),
      planVersion: head.plan?.version ?? 0,
      reflections: [...reflections],
      pendingApprovals: approvals,
      pendingUserQuestions: questions,
      guardrailResult: guardrailsOf(fold),
      toolCache: head.cache,
      usage: { perRequest: [...requests], totals: totalsOf(requests.slice(known), input.usage?.totals) },
      status,
      step,
      agent: active === agent.name ? { ...agentOf(agent) } : { name: active },
      ctx: derivedContext({
        input,
        head,
        approvals,
        questions,
        left,
        unanswered,
        step,
        workers,
        hasSpentCalls: (toolCallCount ?? 0) >= agent.limits.maxToolCalls,
      }),
    }
    // Not by a spread before all that: in V8 the keys added to one take microseconds.
    for (const key of Object.keys(input) as (keyof SmartState)[]) {
      if (!(key in made) && !inside.has(key)) Object.assign(made, { [key]: input[key] })
    }
    return made
  }

  return { fold, take, state }
}

/** What a state tells nobody but the run it is given to. */
const inside = new Set<keyof SmartState>(['private', 'runningCalls'])

/** From the first message to the last; a cut answer is shown by sessions, and never part of a state. */
export function messagesOf(fold: Fold): Message[] {
  const messages: Message[] = []
  for (const { id, cut } of pathOf(fold)) {
    const body = cut ? undefined : fold.bodies.get(id)
    if (body) messages.push(body)
  }
  // Results in the order of their calls, as every provider wants them, whichever finished first.
  for (let index = 0; index < messages.length; index += 1) {
    const calls = messages[index]?.tool_calls
    if (!calls || calls.length < 2) continue
    let end = index + 1
    while (messages[end]?.role === 'tool') end += 1
    const place = ({ tool_call_id }: Message) => calls.findIndex(({ id }) => id === tool_call_id)
    const results = messages.slice(index + 1, end).sort((one, other) => place(one) - place(other))
    messages.splice(index + 1, results.length, ...results)
  }
  return messages
}

/** The newest answer of the path: its end is looked at, however long it is. */
export function answerOf(fold: Fold): Message | undefined {
  let node = fold.nodes.get(fold.head.leaf ?? '')
  while (node && (node.role !== 'assistant' || node.cut)) node = fold.nodes.get(node.parent ?? '')
  return node && fold.bodies.get(node.id)
}

function agentOf({ name, version, tools }: StateViewOptions['agent']) {
  return { name, ...(version !== undefined && { version }), tools: tools.map((tool) => tool.name) }
}

function planOf({ head: { plan } }: Fold): SmartState['plan'] {
  return plan && { ...plan, lastUpdated: iso(plan.lastUpdated) }
}

function guardrailsOf({ head: { slices } }: Fold): SmartState['guardrailResult'] {
  return (slices[guardrailSlice] as GuardrailSlice | undefined)?.results
}

function executedBy({ callId, result, at }: EntryOf<'tool-result'>) {
  const resolution = result.status === 'complete' || result.status === 'error' ? 'approved' : result.status
  return <T extends PendingToolApproval | PendingUserQuestion>(pending: T) => ({
    status: 'executed' as const,
    metadata: { ...pending.metadata, resolution: 'questions' in pending ? questionEnd[pending.status] : resolution },
    ...(!('questions' in pending) && { resolvedAt: iso(at), executionId: callId }),
  })
}

const questionEnd = { pending: 'stopped', answered: 'answered', cancelled: 'cancelled', executed: 'answered' } as const

/** A worker's request says where it was raised. */
function at({ request, path }: EntryOf<'request-open'>) {
  return path.length ? { ...request, path: [...path, ...(request.path ?? [])] } : request
}

function opened<T extends { readonly id: string }>(list: readonly T[], pending: T): readonly T[] {
  return [...list.filter(({ id }) => id !== pending.id), pending]
}

function changed<T extends { readonly status: string }>(
  list: readonly T[],
  isMeant: (pending: T) => boolean,
  change: (pending: T) => globalThis.Partial<NoInfer<T>>,
): readonly T[] {
  const isOpen = (pending: T) => pending.status !== 'executed' && isMeant(pending)
  return list.some(isOpen)
    ? list.map((pending) => (isOpen(pending) ? { ...pending, ...change(pending) } : pending))
    : list
}
