/** Events from entries and partials: one mapping for everything that tells what happens in a run. */
import type { AgentDefinition } from '../agents/agent.ts'
import type { Request } from '../permission/request.ts'
import type { CallRequest, Entry, EntryOf } from '../session/entry.ts'
import { callOfWorker, foldAt, type Fold } from '../session/fold.ts'
import { textOf } from '../session/message.ts'
import { normalizeUsage } from '../session/normalize-usage.ts'
import type { Partial } from '../session/partial.ts'
import { answerOf } from '../session/state-view.ts'
import { guardrailSlice, type GuardrailSlice } from '../smart/guardrail.ts'
import { builtinNames } from '../tools/builtin.ts'
import { readPartialJson } from '../tools/partial-json.ts'
import type { SmartAgentEvent } from './event.ts'
import { guardrailEvents, planEvent, requestClosed, requestOpened, resultEvent, summarization } from './entry-event.ts'

export interface EventMapper {
  /** The events of an entry that was just folded; `beside` is all that was committed with it. */
  entry(entry: Entry, beside: readonly Entry[]): SmartAgentEvent[]
  /** What has been added to the answer that streams. */
  partial(partial: Partial): SmartAgentEvent[]
}

export interface EventMapperOptions {
  /** The view's own fold. */
  readonly fold: Fold
  readonly agent: Pick<AgentDefinition, 'name' | 'limits' | 'output' | 'reflection'>
  /** How many entries the state itself became: of them only decisions and a first step are news. */
  readonly imported: number
  readonly stopReason: () => Extract<SmartAgentEvent, { type: 'cancelled' }>['reason']
}

export function createEventMapper({ fold, agent, imported, stopReason }: EventMapperOptions): EventMapper {
  const requests = new Map<string, Request>()
  const calls = new Map<string, CallRequest>()
  const started = new Set<string>()
  /** The agents at work for others, by their path. */
  const workers = new Map<string, string>()
  let speaker = agent.name
  let told = { stepId: '', text: '' }
  let written = ''

  function entry(given: Entry, beside: readonly Entry[]): SmartAgentEvent[] {
    remember(given)
    const isNews = given.seq >= imported || given.type === 'request-close' || given.type === 'step-start'
    if (!isNews) return []
    const events = eventsOf(given, beside)
    if (given.path.length === 0) return events
    const delegatedTo = workers.get(given.path.join()) ?? ''
    const passedOn = events.filter(({ type }) => !ownAlone.has(type)).map((event) => ({ ...event, delegatedTo }))
    return [...passedOn, ...workerEvents(given, delegatedTo)]
  }

  function remember(given: Entry): void {
    if (given.type === 'request-open') requests.set(given.request.id, given.request)
    if (given.type === 'call-request') calls.set(given.call.callId, given.call)
    if (given.type === 'session-start' && given.path.length) workers.set(given.path.join(), given.agent)
    if (given.type === 'agent-set' && given.seq < imported) speaker = given.agent
  }

  function eventsOf(given: Entry, beside: readonly Entry[]): SmartAgentEvent[] {
    switch (given.type) {
      case 'step-start':
        return [{ type: 'progress', stage: 'model', step: given.step }]
      case 'tool-intent':
        return startEvents(given.callId, given.args)
      case 'tool-result':
        return resultEvents(given)
      case 'request-open':
        return requestOpened(given.request)
      case 'request-close':
        return requestClosed(given, requests.get(given.requestId))
      case 'plan-set':
        return [planEvent(given.plan, given.source, given.operation)]
      case 'compaction-add':
        return [summarization(given)]
      case 'reflection-add': {
        if (agent.reflection?.emitEvents === false) return []
        const { createdAt: _at, anchorMessageIndex: _anchor, ...reflection } = given.reflection
        return [{ type: 'reflection', ...reflection }]
      }
      case 'slice-set':
        return given.extension === guardrailSlice ? guardrailEvents(given.value as GuardrailSlice) : []
      case 'message-add':
        return given.message.role === 'assistant' ? answerEvents(given, beside) : []
      case 'turn-end':
        return endEvents(given)
      default:
        return []
    }
  }

  /** Once a call, however often its host had to begin it. */
  function startEvents(callId: string, args?: unknown): SmartAgentEvent[] {
    const call = calls.get(callId)
    if (!call || started.has(callId)) return []
    started.add(callId)
    return [{ type: 'tool_call', phase: 'start', name: call.tool, id: callId, args: args ?? parsed(call.args) }]
  }

  function resultEvents(given: EntryOf<'tool-result'>): SmartAgentEvent[] {
    const { callId, result } = given
    const { tool, status, fromCache, handoff, args } = result
    // What the loop does itself has no intent: its beginning and its end are one.
    const start = status === 'complete' && !fromCache ? startEvents(callId, args) : []
    const events = [...start, resultEvent(given)]
    const isRead = tool === builtinNames.plan && status === 'complete' && isReading(args)
    if (isRead) events.push(planEvent(fold.head.plan ?? noPlan, builtinNames.plan, 'read'))
    if (handoff === undefined) return events
    const from = speaker
    speaker = handoff
    return [...events, { type: 'handoff', from, to: handoff, toolName: tool }]
  }

  function answerEvents({ message, stepId = '', path }: EntryOf<'message-add'>, beside: readonly Entry[]) {
    const paid = beside.find(
      (other) => other.type === 'usage-add' && other.purpose === 'step' && other.stepId === stepId,
    )
    const { model, usage } = (paid ?? {}) as globalThis.Partial<EntryOf<'usage-add'>>
    const events: SmartAgentEvent[] = []
    if (path.length === 0) {
      const text = textOf(message)
      // What a guardrail put in place of the words is told whole.
      const isContinued = told.stepId === stepId && text.startsWith(told.text)
      const isFinal = !message.tool_calls?.length && message.meta.status !== 'partial'
      events.push({ type: 'stream', text: isContinued ? text.slice(told.text.length) : text, isFinal })
      told = { stepId: '', text: '' }
    }
    events.push({ type: 'metadata', modelName: model, limits: agent.limits, usage: normalizeUsage(usage) })
    return events
  }

  function endEvents({ terminalReason, output, path }: EntryOf<'turn-end'>): SmartAgentEvent[] {
    if (path.length) return []
    const events: SmartAgentEvent[] = []
    if (terminalReason.startsWith('aborted')) {
      const stage = terminalReason === 'aborted_streaming' ? 'agent' : 'tools'
      return [{ type: 'cancelled', stage, reason: stopReason() }]
    }
    if (terminalReason === 'model_error' || terminalReason === 'prompt_too_long') return []
    if (terminalReason.startsWith('max_') && terminalReason !== 'max_output_tokens') {
      events.push({ type: 'metadata', limits: agent.limits, limitBreached: terminalReason })
    }
    if (output !== undefined) events.push({ type: 'output-delta', output, isFinal: true })
    const last = answerOf(fold)
    return [...events, { type: 'finalAnswer', content: last ? textOf(last) : '' }]
  }

  function workerEvents(given: Entry, name: string): SmartAgentEvent[] {
    const about = { type: 'subagent', name, toolCallId: callOfWorker(given.path.at(-1)) ?? '' } as const
    if (given.type === 'session-start') return [{ ...about, phase: 'start' }]
    if (given.type === 'request-open') return [{ ...about, phase: 'paused', requests: [given.request] }]
    if (given.type !== 'turn-end') return []
    const { terminalReason, error } = given
    const last = answerOf(foldAt(fold, given.path))
    if (terminalReason === 'completed') return [{ ...about, phase: 'result', result: last ? textOf(last) : '' }]
    return [{ ...about, phase: 'error', error: { message: error?.message ?? terminalReason } }]
  }

  function partial({ stepId, text, calls: open }: Partial): SmartAgentEvent[] {
    const response = agent.output && open.find(({ name }) => name === builtinNames.response)
    const events = response && response.args !== written ? outputEvents((written = response.args)) : []
    const known = told.stepId === stepId ? told.text : ''
    if (text.length <= known.length) return events
    told = { stepId, text }
    return [{ type: 'stream', text: text.slice(known.length), isFinal: false }, ...events]
  }

  return { entry, partial }
}

function outputEvents(args: string): SmartAgentEvent[] {
  const output = readPartialJson(args)
  return output === undefined ? [] : [{ type: 'output-delta', output, isFinal: false }]
}

/** What an agent that works for another tells nobody but itself. */
const ownAlone = new Set<SmartAgentEvent['type']>(['finalAnswer', 'metadata', 'progress', 'stream'])

const noPlan = { steps: [], version: 0, adherenceScore: 1 }

function isReading(args: unknown): boolean {
  return (args as { operation?: unknown } | undefined)?.operation === 'read'
}

function parsed(args: string): unknown {
  try {
    return JSON.parse(args || '{}')
  } catch {
    return args
  }
}
