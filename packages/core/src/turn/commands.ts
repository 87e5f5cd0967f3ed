/** Commands, taken one at a time: each becomes entries, and its inbox row goes in the same transaction. */
import { describeError, DogearError } from '../error.ts'
import { resolutionsOf, type Request, type RequestStatus, type Resolution } from '../permission/request.ts'
import type { Clock } from '../ports/clock.ts'
import type { InboxRow } from '../ports/store.ts'
import type { Command } from '../session/command.ts'
import type { Journal, NewEntry } from '../session/journal.ts'
import { editPlan, planTool } from '../smart/plan.ts'
import { checkAnswers } from '../smart/questions.ts'
import { resultText } from '../tools/result.ts'
import { checkJsonSchema } from '../tools/schema.ts'
import { turnEntries } from './begin.ts'
import type { RunAgent } from './run.ts'
import { agentAt } from '../agents/active-agent.ts'

interface Taker {
  readonly journal: Journal
  readonly agent: RunAgent
  readonly clock: Clock
}

/** `stop` is left to the driver: its row goes with the end of the turn. `interrupt`: what was queued must not wait. */
export async function takeCommand(taker: Taker, row: InboxRow): Promise<'taken' | 'stop' | 'interrupt'> {
  const { journal } = taker
  const { command } = row
  const { head } = journal.fold
  if (head.commands.includes(command.commandId)) {
    await journal.append([], { take: [row.key] })
    return 'taken'
  }
  if (command.type === 'stop' && head.turn) return 'stop'
  const isInterrupt = command.type === 'send' && command.when === 'now' && head.turn !== null
  await journal.append(await entriesFor(taker, command), { take: [row.key] })
  return isInterrupt ? 'interrupt' : 'taken'
}

async function entriesFor(taker: Taker, command: Command): Promise<NewEntry[]> {
  try {
    return await accepted(taker, command)
  } catch (error) {
    return [{ type: 'command-refused', commandId: command.commandId, reason: describeError(error) }]
  }
}

async function accepted(taker: Taker, command: Command): Promise<NewEntry[]> {
  const { journal, agent, clock } = taker
  const { head } = journal.fold
  const { commandId } = command
  switch (command.type) {
    case 'send': {
      const { content, when } = command
      if (content.length === 0) throw new DogearError('input-invalid', 'There is nothing to send: give it some text.')
      if (!head.turn) return turnEntries(journal.fold, agent, clock, { commandId, content })
      const queued = { commandId, content, when }
      const queue = when === 'now' ? [queued, ...head.queue] : [...head.queue, queued]
      return [{ type: 'queue-set', commandId, queue }]
    }
    case 'unqueue':
      return [
        { type: 'queue-set', commandId, queue: head.queue.filter((queued) => queued.commandId !== command.target) },
      ]
    case 'retry':
      if (head.turn || !head.lastEnd || head.lastEnd.terminalReason === 'completed') {
        throw new DogearError('not-idle', 'There is nothing to try again.')
      }
      return turnEntries(journal.fold, agent, clock, { commandId })
    case 'compact':
      if (head.turn) throw new DogearError('not-idle', 'Wait until this turn has ended, then compact.')
      return [{ type: 'turn-start', turnId: commandId, commandId, origin: 'compact' }]
    case 'rename':
      return [{ type: 'title-set', commandId, title: command.title, source: 'person' }]
    case 'set':
      return [{ type: 'meta-set', commandId, ...command.settings }]
    case 'plan': {
      const { operation } = command.change
      const checked = checkJsonSchema(planTool.parameters, command.change)
      if (!checked.ok) throw new DogearError('input-invalid', checked.issues.join('; '))
      const { plan, reply } = editPlan(head.plan, command.change, clock.now())
      if (!plan) throw new DogearError('input-invalid', String(reply.error))
      return [{ type: 'plan-set', commandId, plan, source: 'system', operation }]
    }
    case 'resolve':
      return [await requestClose(taker, command)]
    case 'stop':
      throw new DogearError('not-idle', 'Nothing is running.')
  }
}

async function requestClose(
  { journal, agent }: Taker,
  command: Extract<Command, { type: 'resolve' }>,
): Promise<NewEntry> {
  const { requestId, resolution, by, commandId } = command
  const { head } = journal.fold
  const request = head.requests.find((open) => open.id === requestId)
  if (!request) throw new DogearError('request-closed', 'This was answered already.')
  await checkResolution(request, resolution, agentAt(agent, head, request.path))
  const turnId = head.turn?.id
  const { path } = request
  const status = statusAfter[resolution.type]
  return { type: 'request-close', turnId, commandId, requestId, status, resolution, by, ...(path && { path }) }
}

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
  if (resolution.type === 'result' || resolution.type === 'happened') resultText(resolution.result)
  if (resolution.type === 'approve' && resolution.args !== undefined) {
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
  cancel: 'cancelled',
  result: 'resolved',
  happened: 'resolved',
  retry: 'approved',
  stop: 'stopped',
}
