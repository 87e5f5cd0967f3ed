/** What one entry means for a trace. */
import type { Request, RequestKind, RequestStatus } from '../permission/request.ts'
import type { CallResult, Entry, EntryOf, TerminalReason } from '../session/entry.ts'
import { callOfWorker } from '../session/fold.ts'
import { textOf } from '../session/message.ts'
import { guardrailName, guardrailSlice, newResults, type GuardrailSlice } from '../smart/guardrail.ts'
import { beginTurn, placed, release, type Happening, type Scope } from './scope.ts'

export function happeningsOf(scope: Scope, entry: Entry): Happening[] {
  // Also in the middle of one: whoever follows a session may have come late.
  if (!scope.turn && entry.turnId !== undefined) beginTurn(scope, entry.turnId, entry.at)
  switch (entry.type) {
    case 'session-start':
      scope.agent = entry.agent
      return []
    case 'state-import':
      scope.unseen = entry.messages.slice(entry.messages.findLastIndex(({ role }) => role === 'assistant') + 1)
      return []
    case 'step-start':
      scope.stepAt = entry.at
      return []
    case 'message-add':
      if (entry.message.name === guardrailName) return []
      if (entry.message.role === 'assistant') holdAnswer(scope, entry)
      else scope.unseen.push(entry.message)
      return []
    case 'tool-intent':
      scope.calls.set(entry.callId, {
        startedAt: scope.calls.get(entry.callId)?.startedAt ?? entry.at,
        attempt: entry.attempt,
      })
      return []
    case 'tool-result':
      return [callHappening(scope, entry)]
    case 'request-open':
      scope.requests.set(entry.request.id, entry.request)
      return [requestHappening(scope, entry.request, entry.at)]
    case 'request-close':
      // The page is still to be asked.
      if (entry.request && entry.resolution.type === 'retry') return []
      return [
        requestHappening(
          scope,
          scope.requests.get(entry.requestId) ?? entry.request ?? namedBy(entry),
          entry.at,
          entry,
        ),
      ]
    case 'plan-set': {
      const { version, adherenceScore, steps } = entry.plan
      const details = { operation: entry.operation, version, adherenceScore, steps: steps.length }
      const place = placed(scope, 'plan', entry.id, entry.at)
      return [{ ...place, name: entry.source, details, data: { todoList: steps } }]
    }
    case 'compaction-add': {
      const { id, durationMs, summary, trigger, tokensBefore, tokensAfter, messagesCompressed } = entry.compaction
      const details = { trigger, tokensBefore, tokensAfter, messagesCompressed }
      return [asideHappening(scope, entry, { type: 'summarization', id, durationMs, details, data: { summary } })]
    }
    case 'reflection-add': {
      const { id, durationMs, text, trigger, turn } = entry.reflection
      const details = { turn, ...(trigger && { trigger }) }
      return [asideHappening(scope, entry, { type: 'reflection', id, durationMs, details, data: { text } })]
    }
    case 'memory-add': {
      const { key, scope: where } = entry.fact
      const place = placed(scope, 'memory', entry.id, entry.at)
      return [{ ...place, name: where, data: { key, value: entry.fact.value } }]
    }
    case 'slice-set':
      return entry.extension === guardrailSlice ? guardrailHappenings(scope, entry) : []
    case 'agent-set': {
      const from = scope.agent
      scope.agent = entry.agent
      const place = placed(scope, 'handoff', entry.id, entry.at)
      return [{ ...place, name: entry.agent, details: { from, to: entry.agent } }]
    }
    case 'turn-end':
      return [...release(scope), ...turnHappening(scope, entry.at, entry)]
    default:
      return []
  }
}

function holdAnswer(scope: Scope, { message, stepId, at }: EntryOf<'message-add'>): void {
  const { stepAt = at, unseen } = scope
  const { status, reasoning, finish, agent = scope.agent } = message.meta
  scope.agent = agent
  scope.answer = {
    ...placed(scope, 'ai_call', stepId ?? message.id, stepAt),
    name: scope.model,
    durationMs: at - stepAt,
    status: status === 'partial' ? 'retry' : status === 'stopped' ? 'stopped' : 'success',
    details: { purpose: 'step', toolCalls: message.tool_calls?.length ?? 0, ...(finish && { finish }) },
    data: {
      input: unseen.map(({ role, content }) => ({ role, content })),
      output: textOf(message),
      ...(reasoning && { reasoning }),
      ...(message.tool_calls && { toolCalls: message.tool_calls.map((call) => call.function) }),
    },
  }
  scope.unseen = []
}

const callStatus: Readonly<Record<CallResult['status'], Happening['status']>> = {
  complete: 'success',
  error: 'error',
  rejected: 'rejected',
  skipped: 'skipped',
  stopped: 'stopped',
}

function callHappening(scope: Scope, { callId, result, at }: EntryOf<'tool-result'>): Happening {
  const { tool, status, content, args, fromCache } = result
  const begun = scope.calls.get(callId)
  scope.calls.delete(callId)
  scope.unseen.push({ id: '', role: 'tool', content, meta: { status, createdAt: at } })
  const durationMs = result.durationMs ?? (begun ? at - begun.startedAt : 0)
  return {
    ...placed(scope, 'tool_call', callId, begun?.startedAt ?? at - durationMs),
    name: tool,
    durationMs,
    status: callStatus[status],
    toolExecutionId: callId,
    ...(status === 'error' && { error: { message: content } }),
    details: { attempt: begun?.attempt ?? 0, ...(fromCache && { fromCache }) },
    data: { args, result: content },
  }
}

function guardrailHappenings(scope: Scope, { id, at, value }: EntryOf<'slice-set'>): Happening[] {
  return newResults(value as GuardrailSlice).map(({ guardrail, phase, disposition, reason }) => ({
    ...placed(scope, 'guardrail', `${id}.${guardrail}`, at),
    name: guardrail,
    status: disposition === 'block' ? 'rejected' : 'success',
    details: { phase, disposition },
    ...(reason !== undefined && { data: { reason } }),
  }))
}

type AskedOf = Pick<Request, 'id' | 'kind' | 'tool' | 'callId'> & Partial<Request>

/** Raised in an earlier trace: its id says as much as there is to know here. */
function namedBy({ requestId }: EntryOf<'request-close'>): AskedOf {
  const dot = requestId.lastIndexOf('.')
  const kind = requestId.slice(dot + 1) as RequestKind
  return { id: requestId, kind, tool: kind, callId: requestId.slice(0, dot) }
}

function requestHappening(scope: Scope, request: AskedOf, at: number, close?: EntryOf<'request-close'>): Happening {
  const { id, kind, tool, callId, openedAt = at, args, questions } = request
  const decision: RequestStatus = close?.status ?? 'pending'
  return {
    ...placed(
      scope,
      kind === 'question' || kind === 'elicitation' ? 'question' : 'approval',
      `${id}.${decision}`,
      openedAt,
    ),
    name: tool,
    status: close ? (decision === 'rejected' ? 'rejected' : 'success') : 'pending',
    toolExecutionId: callId,
    ...(close && { durationMs: at - openedAt }),
    ...(close && !close.request && { actor: { scope: 'person', ...(close.by && { name: close.by }) } }),
    details: { kind, decision },
    data: close ? { resolution: close.resolution } : questions ? { questions } : { args },
  }
}

function asideHappening(
  scope: Scope,
  { at }: Entry,
  about: Pick<Happening, 'type' | 'id' | 'durationMs' | 'details' | 'data'>,
): Happening {
  const purpose = about.type === 'summarization' ? 'summary' : 'reflection'
  const usage = scope.asides[purpose]?.usage
  delete scope.asides[purpose]
  // It came before the step's own question: that one began only now.
  scope.stepAt = at
  return {
    ...about,
    ...placed(scope, about.type, about.id, at - (about.durationMs ?? 0)),
    name: usage?.model ?? 'none',
    ...(usage && { usage }),
  }
}

export function turnHappening(scope: Scope, at: number, end?: EntryOf<'turn-end'>): Happening[] {
  const { path, turn } = scope
  if (!turn) return []
  scope.turn = undefined
  const worker = callOfWorker(path.at(-1))
  const { terminalReason, error, output } = end ?? {}
  return [
    {
      ...placed(scope, worker === undefined ? 'turn' : 'subagent', '', turn.startedAt),
      id: turn.id,
      ...(worker !== undefined && { parent: `tool_call:${worker}` }),
      name: scope.agent,
      durationMs: at - turn.startedAt,
      status: statusOf(terminalReason),
      ...(error && { error: { code: error.code, message: error.message } }),
      ...(terminalReason && { details: { terminalReason } }),
      ...(output !== undefined && { data: { output } }),
    },
  ]
}

/** A failure of the run is an error; a limit or a refusal is not. Without an end, the turn waits for a person. */
function statusOf(reason: TerminalReason | undefined): Happening['status'] {
  if (reason === undefined) return 'pending'
  if (reason === 'model_error' || reason === 'prompt_too_long' || reason === 'structured_output_retry_exhausted')
    return 'error'
  return reason.startsWith('aborted') ? 'stopped' : 'success'
}
