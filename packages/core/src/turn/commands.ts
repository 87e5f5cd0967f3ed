/** Commands, taken one at a time: each becomes entries, and its inbox row goes in the same transaction. */
import { describeError, DogearError } from '../error.ts'
import { resolutionsOf, type Request, type RequestStatus, type Resolution } from '../permission/request.ts'
import { checkMode } from '../permission/mode.ts'
import { parseRule } from '../permission/rule.ts'
import type { Hash } from '../ports/hash.ts'
import type { InboxRow, RuleRecord, Store } from '../ports/store.ts'
import type { Command } from '../session/command.ts'
import { definedOnly } from '../session/defined-only.ts'
import { isWaiting, statusOf } from '../session/fold.ts'
import type { NewEntry } from '../session/journal.ts'
import type { Head, RuleSet } from '../session/state.ts'
import { editPlan, planTool } from '../smart/plan.ts'
import { notEditable } from '../permission/resolvers.ts'
import { checkAnswers } from '../smart/questions.ts'
import { argsHash } from '../tools/canonical.ts'
import { resultText } from '../tools/result.ts'
import { checkJsonSchema } from '../tools/schema.ts'
import { changeEntry } from './change.ts'
import { contentIssues } from './elicit.ts'
import { turnEntries } from './begin.ts'
import { editEntries, gotoEntries, refuseUnlessIdle, regenerateEntries, type Mover } from './branch.ts'
import { checkedContent, enqueued, isDue, requeued, userMessage } from './queue.ts'
import { rewindEntries } from './rewind.ts'
import type { RunAgent } from './run.ts'
import { checkRuleRoom } from './standing.ts'
import { agentAt } from '../agents/active-agent.ts'

interface Taker extends Mover {
  readonly store: Mover['store'] & Pick<Store, 'saveRule'>
  readonly hash: Hash
}

/** `stop` and `stop-task` are left to the driver: their rows go with the end of the turn, or of the call. */
export async function takeCommand(taker: Taker, row: InboxRow): Promise<'taken' | 'stop'> {
  const { journal } = taker
  const { command } = row
  const { head } = journal.fold
  if (head.commands.includes(command.commandId)) {
    await journal.append([], { take: [row.key] })
    return 'taken'
  }
  if (command.type === 'stop' && head.turn) return 'stop'
  if (command.type === 'stop-task' && isAtWork(head, command.task)) return 'stop'
  const isStopped = stopsAtCheckpoint(head, command)
  await journal.append(command.type === 'plan' ? planEntries(taker, command) : await entriesFor(taker, command), {
    take: [row.key],
  })
  return isStopped ? 'stop' : 'taken'
}

/** An agent at work for a call, or a call that may wait for its page: what waits for a person is theirs to answer. */
function isAtWork(head: Head, task: string): boolean {
  const { turn, children } = head
  const worker = children[task]
  if (worker) return statusOf(worker) === 'busy'
  return turn?.calls.some((call) => call.callId === task && !call.done && !isWaiting(head, call)) ?? false
}

/** A host that dies before the turn has ended finds the checkpoint not passed, and asks again. */
function stopsAtCheckpoint({ requests }: Head, command: Command): boolean {
  if (command.type !== 'resolve' || command.resolution.type !== 'stop') return false
  return requests.some(({ id, kind }) => id === command.requestId && kind === 'checkpoint')
}

async function entriesFor(taker: Taker, command: Exclude<Command, { type: 'plan' }>): Promise<NewEntry[]> {
  try {
    return await accepted(taker, command)
  } catch (error) {
    // Not refused: whoever has the session now goes on with it.
    if (taker.signal.aborted) throw error
    return [refusal(command, error)]
  }
}

function refusal({ commandId }: Command, error: unknown): NewEntry {
  const by = error instanceof DogearError ? error.details.by : undefined
  return {
    type: 'command-refused',
    commandId,
    reason: describeError(error),
    ...(typeof by === 'string' && { by }),
  }
}

/** Made when it is written: the model may change the plan at the same time. */
function planEntries({ journal, clock }: Taker, command: Extract<Command, { type: 'plan' }>): () => NewEntry[] {
  return () => {
    const { change, commandId } = command
    try {
      const checked = checkJsonSchema(planTool.parameters, change)
      if (!checked.ok) throw new DogearError('input-invalid', checked.issues.join('; '))
      const { plan, reply } = editPlan(journal.fold.head.plan, change, clock.now())
      if (!plan) throw new DogearError('input-invalid', String(reply.error))
      return [{ type: 'plan-set', commandId, plan, source: 'system', operation: change.operation }]
    } catch (error) {
      return [refusal(command, error)]
    }
  }
}

async function accepted(taker: Taker, command: Exclude<Command, { type: 'plan' }>): Promise<NewEntry[]> {
  const { journal, agent, clock } = taker
  const { head } = journal.fold
  const { commandId } = command
  switch (command.type) {
    case 'send': {
      const content = checkedContent(command.content)
      // Between two turns: what waited before these words goes first.
      if (!head.turn && !isDue(head)) return turnEntries(journal.fold, agent, clock, { commandId, content })
      return [{ type: 'queue-set', commandId, queue: enqueued(head.queue, { commandId, content, when: command.when }) }]
    }
    case 'add': {
      refuseUnlessIdle(head)
      const { role, content, name } = command.message
      const message = { ...userMessage(commandId, checkedContent(content), clock), role, ...definedOnly({ name }) }
      return [{ type: 'message-add', commandId, message }]
    }
    case 'unqueue':
      return [
        { type: 'queue-set', commandId, queue: head.queue.filter((queued) => queued.commandId !== command.target) },
      ]
    case 'requeue':
      return [{ type: 'queue-set', commandId, queue: requeued(head.queue, command.target, command) }]
    case 'retry': {
      const { model } = command
      if (head.turn || !head.lastEnd || head.lastEnd.terminalReason === 'completed') {
        throw new DogearError('not-idle', 'There is nothing to try again.')
      }
      if (head.lastEnd.from === undefined)
        return turnEntries(journal.fold, agent, clock, { commandId, model, tainted: head.lastEnd.tainted })
      return regenerateEntries(taker, { type: 'regenerate', commandId, model, messageId: head.lastEnd.from })
    }
    case 'goto':
      return gotoEntries(taker, command)
    case 'rewind':
      return rewindEntries(taker, command)
    case 'edit':
      return editEntries(taker, command)
    case 'regenerate':
      return regenerateEntries(taker, command)
    case 'compact':
      if (head.turn) throw new DogearError('not-idle', 'Wait until this turn has ended, then compact.')
      return [{ type: 'turn-start', turnId: commandId, commandId, origin: 'compact' }]
    case 'set':
      if (command.settings.mode !== undefined) checkMode(command.settings.mode, agent.permissions.mayBypass)
      return [changeEntry(command)]
    case 'rename':
      return [changeEntry(command)]
    case 'resolve':
      return requestClose(taker, command)
    case 'resolve-all': {
      const { requestIds, ...given } = command
      const open = requestIds.filter((id) => head.requests.some((request) => request.id === id))
      if (!open.length) throw new DogearError('request-closed', 'These were answered already.')
      const closes = open.map((requestId) => requestClose(taker, { ...given, requestId, type: 'resolve' }))
      return (await Promise.all(closes)).flat()
    }
    case 'rule': {
      const { rule, decision, agent: name } = command
      parseRule(rule)
      return [{ type: 'rule-set', commandId, rule, decision, agent: name }]
    }
    case 'report':
      // Its call has a result already, or was entered anew.
      return []
    case 'stop':
    case 'stop-task':
      throw new DogearError('not-idle', 'Nothing is running.')
    default:
      // A tab with a newer script put it there: refused, or it would stop this one at every drain.
      command satisfies never
      throw new DogearError('input-invalid', 'The tab that drives this session is too old for this. Reload it.')
  }
}

async function requestClose(
  { journal, store, agent, clock, hash }: Taker,
  command: Extract<Command, { type: 'resolve' }>,
): Promise<NewEntry[]> {
  const { requestId, resolution, by, commandId } = command
  const { head } = journal.fold
  const request = head.requests.find((open) => open.id === requestId)
  if (!request) {
    const recent = await store.entries(head.sessionId, Math.max(0, head.seq - lookedBack))
    const first = recent.findLast((entry) => entry.type === 'request-close' && entry.requestId === requestId)
    const details = first?.type === 'request-close' && first.by !== undefined ? { by: first.by } : {}
    throw new DogearError('request-closed', 'This was answered already.', { details })
  }
  if ((request.expiresAt ?? Infinity) <= clock.now())
    throw new DogearError('request-closed', 'The time for this is up.')
  const asker = agentAt(agent, head, request.path)
  await checkResolution(request, resolution, asker)
  const isEdited = resolution.type === 'approve' && resolution.args !== undefined
  const close: NewEntry = {
    type: 'request-close',
    turnId: head.turn?.id,
    commandId,
    requestId,
    status: statusAfter[resolution.type],
    resolution,
    by,
    ...(isEdited && { argsHash: argsHash(hash, request.tool, resolution.args) }),
    ...(request.gesture && { host: command.host }),
    ...(request.path && { path: request.path }),
  }
  const rule = alwaysRule(request, resolution)
  if (rule === undefined || !asker) return [close]
  const set = { rule, decision: 'allow', agent: asker.name } as const
  if (resolution.type !== 'approve' || resolution.always === 'session') {
    checkRuleRoom((head.rules?.length ?? 0) + 1)
    return [close, { type: 'rule-set', ...set }]
  }
  // Before the answer: a crash between the two leaves the question open, never a rule that was promised and lost.
  await store.saveRule(ruleRecord(set, clock.now()))
  return [close]
}

/** What "always" makes: the rule that was shown, and for no other arguments than it was shown with. */
function alwaysRule(request: Request, resolution: Resolution): string | undefined {
  if (resolution.type !== 'approve' || resolution.always === undefined) return undefined
  if (!request.always || resolution.args !== undefined || !['session', 'user'].includes(resolution.always)) {
    throw new DogearError('request-invalid', 'No rule may be made of this: approve it without "always".')
  }
  return request.always.rule
}

export function ruleRecord(set: RuleSet, createdAt: number): RuleRecord {
  return { id: ruleId(set.agent, set.rule), ...set, createdAt }
}

export function ruleId(agent: string, rule: string): string {
  return `${agent}/${rule}`
}

/** How many entries are searched for whoever answered before: two who answer at once are close together. */
const lookedBack = 200

async function checkResolution(request: Request, resolution: Resolution, agent: RunAgent | undefined): Promise<void> {
  if (!resolutionsOf[request.kind].includes(resolution.type)) {
    const takes = resolutionsOf[request.kind].join(', ')
    throw new DogearError(
      'request-invalid',
      `A request of kind "${request.kind}" takes ${takes}, not "${resolution.type}".`,
    )
  }
  if (resolution.type === 'answer') {
    checkAnswers(request.questions ?? [], resolution.answers, request.allowFreeText ?? true)
  }
  if (resolution.type === 'fill') {
    const issues = contentIssues(request, resolution.content)
    if (issues.length) throw new DogearError('request-invalid', `This cannot be taken: ${issues.join('; ')}.`)
  }
  if (resolution.type === 'result' || resolution.type === 'happened') resultText(resolution.result)
  if (resolution.type === 'approve' && resolution.args !== undefined) {
    if (request.entered) throw notEditable()
    const tool = agent?.tools.find((candidate) => candidate.name === request.tool)
    const checked = tool?.validate
      ? await tool.validate(resolution.args)
      : checkJsonSchema(request.parameters ?? {}, resolution.args)
    if (!checked.ok) throw new DogearError('request-invalid', checked.issues.join('; '))
  }
}

const statusAfter: Readonly<Record<Resolution['type'], RequestStatus>> = {
  approve: 'approved',
  reject: 'rejected',
  answer: 'answered',
  fill: 'answered',
  cancel: 'cancelled',
  result: 'resolved',
  happened: 'resolved',
  retry: 'approved',
  stop: 'stopped',
}
