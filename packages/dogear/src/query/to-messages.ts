/** The journal of a session, told as `query()`'s messages: one mapping, whoever wrote the entries. */
import {
  stopReasonOf,
  textOf,
  type Entry,
  type EntryOf,
  type ErrorData,
  type Message,
  type ModelUsage,
  type Partial,
  type Request,
} from '@dogear/core'
import { contentOf } from './content-of.ts'
import { errorClass, subtypeOf } from './error-class.ts'
import type {
  ContentBlock,
  SDKAPIRetryMessage,
  SDKAssistantMessage,
  SDKMessage,
  SDKModelUsage,
  SDKPermissionDenial,
  SDKResultMessage,
  SDKUsage,
} from './sdk-message.ts'
import { createStreamEvents, shownOf, type Shown } from './stream-events.ts'
import { createTasks } from './tasks.ts'

export interface ToMessagesOptions {
  readonly sessionId: string
  /** The alias asked for, until an answer says which model it was. */
  readonly model: string
  readonly includePartialMessages: boolean
  /** Also the words of agents that work for a call; else only what they do. */
  readonly forwardSubagentText: boolean
  readonly now: () => number
}

export interface ToMessages {
  /** The result of a turn that is left at a call which waits for somebody else. */
  deferred(request: Request): SDKMessage[]
  entry(entry: Entry): SDKMessage[]
  /** A model call that is in no journal. */
  count(paid: Pick<EntryOf<'usage-add'>, 'model' | 'usage' | 'costUsd'>): void
  costUsd(): number
  /** The result of words that are not asked any more. */
  overBudget(): SDKMessage
  partial(partial: Partial | null): SDKMessage[]
  /** The model is asked again because of this. `limits` where there are any. */
  retry(error: Pick<ErrorData, 'code' | 'details'>, limits?: RetryLimits): SDKMessage
}

type RetryLimits = Pick<SDKAPIRetryMessage, 'max_retries' | 'retry_delay_ms'>

export function createToMessages(options: ToMessagesOptions): ToMessages {
  const { sessionId } = options
  const tasks = createTasks(sessionId)
  const streamEvents = createStreamEvents()
  const modelUsage: Record<string, SDKModelUsage> = {}
  let totalCost = 0
  let turn = newTurn(0)
  let streamedCount = 0
  /** Of the message that is being answered, by whichever model. */
  let retries = 0
  let retried = 0
  let refused = 0
  /** Requests that wait for an answer. */
  const open = new Set<string>()
  /** The names of the tools, by the calls. */
  const tools = new Map<string, string>()

  function told(entry: Entry): SDKMessage[] {
    const at = { uuid: entry.id, session_id: sessionId }
    switch (entry.type) {
      case 'turn-start':
        turn = newTurn(entry.at)
        return [{ type: 'system', subtype: 'session_state_changed', state: 'running', ...at }]
      case 'step-start':
        turn.steps += 1
        turn.askedAt = entry.at
        return [...again(), { type: 'system', subtype: 'status', status: 'requesting', ...at }]
      case 'message-add':
        return said(entry)
      case 'usage-add':
        if (entry.purpose === 'step') addUsage(turn.usage, entry.usage)
        return []
      case 'tool-intent':
        return [toolProgress(entry)]
      case 'request-open':
        open.add(entry.request.id)
        return [{ type: 'system', subtype: 'session_state_changed', state: 'requires_action', ...at }]
      case 'request-close':
        return closed(entry)
      case 'tool-result':
        return [...denied(entry), toolResult(entry)]
      case 'compaction-add': {
        const { trigger, tokensBefore, tokensAfter } = entry.compaction
        const compact_metadata = { trigger, pre_tokens: tokensBefore, post_tokens: tokensAfter }
        return [{ type: 'system', subtype: 'compact_boundary', compact_metadata, ...at }]
      }
      case 'turn-end':
        return [
          ...stream(null),
          ...failureOf(entry),
          { type: 'system', subtype: 'session_state_changed', state: 'idle', ...at, uuid: `${entry.id}.idle` },
          resultOf(entry),
        ]
      default:
        return []
    }
  }

  /** An answer that broke off stands there with its words, and the step after it asks anew. */
  function again(): SDKMessage[] {
    if (!turn.isCut) return []
    turn.isCut = false
    return [retry({ code: 'stream-cut' }, { max_retries: null, retry_delay_ms: 0 })]
  }

  function retry(
    { code, details }: Parameters<ToMessages['retry']>[0],
    limits: RetryLimits = { max_retries: null, retry_delay_ms: null },
  ): SDKMessage {
    const { status } = details ?? {}
    return {
      type: 'system',
      subtype: 'api_retry',
      attempt: (retries += 1),
      ...limits,
      error_status: typeof status === 'number' ? status : null,
      error: errorClass(code),
      uuid: `${sessionId}.retry.${(retried += 1)}`,
      session_id: sessionId,
    }
  }

  function rateLimited(uuid: string, delayMs: number): SDKMessage {
    const resetsAt = Math.ceil((options.now() + delayMs) / 1000)
    return {
      type: 'rate_limit_event',
      rate_limit_info: { status: 'rejected', resetsAt },
      uuid: `${uuid}.limit`,
      session_id: sessionId,
    }
  }

  function said(entry: EntryOf<'message-add'>): SDKMessage[] {
    const { message } = entry
    const at = { uuid: message.id, session_id: sessionId, parent_tool_use_id: parentOf(entry) }
    if (message.role === 'user') {
      retries = 0
      return [{ type: 'user', message: { role: 'user', content: textOf(message) }, isReplay: true, ...at }]
    }
    if (message.role !== 'assistant') return []
    const streamed = [...stream(shownOf(message)), ...stream(null)]
    turn.apiMs += entry.at - turn.askedAt
    if (message.meta.status === 'complete' || message.meta.status === 'refused') turn.text = textOf(message)
    turn.stopReason = stopReasonOf(message)
    turn.isCut = message.meta.status === 'partial'
    const error = message.meta.finish === 'length' && ({ error: 'max_output_tokens' } as const)
    return [...streamed, { type: 'assistant', message: assistant(message, contentOf(message)), ...error, ...at }]
  }

  /** Frames are skipped while a page is busy: what they left out is told before the whole answer. */
  function stream(shown: Shown | null): SDKMessage[] {
    if (!options.includePartialMessages) return []
    return streamEvents(shown).map((event) => ({
      type: 'stream_event',
      event,
      parent_tool_use_id: null,
      uuid: `${sessionId}.${(streamedCount += 1)}`,
      session_id: sessionId,
    }))
  }

  function assistant(message: Pick<Message, 'id'>, content: readonly ContentBlock[]): SDKAssistantMessage['message'] {
    return {
      id: message.id,
      type: 'message',
      role: 'assistant',
      model: turn.model ?? options.model,
      content,
      stop_reason: turn.stopReason,
      stop_sequence: null,
      usage: { ...turn.usage },
    }
  }

  function toolProgress(entry: EntryOf<'tool-intent'>): SDKMessage {
    return {
      type: 'tool_progress',
      tool_use_id: entry.callId,
      tool_name: tools.get(entry.callId) ?? '',
      parent_tool_use_id: parentOf(entry),
      elapsed_time_seconds: 0,
      uuid: entry.id,
      session_id: sessionId,
    }
  }

  function toolResult(entry: EntryOf<'tool-result'>): SDKMessage {
    const { callId, result } = entry
    const isError = result.status !== 'complete'
    return {
      type: 'user',
      uuid: `${callId}.r`,
      session_id: sessionId,
      parent_tool_use_id: parentOf(entry),
      isSynthetic: true,
      message: {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: callId, content: result.content, ...(isError && { is_error: true }) },
        ],
      },
    }
  }

  function closed({ id, request, requestId, status }: EntryOf<'request-close'>): SDKMessage[] {
    const messages: SDKMessage[] = []
    const isGoneTo = request?.url !== undefined && status === 'answered'
    if (isGoneTo) {
      const about = { elicitation_id: requestId, tool_use_id: request.callId }
      messages.push({ type: 'system', subtype: 'elicitation_complete', ...about, uuid: id, session_id: sessionId })
    }
    // Answered by the page itself it was never open.
    const isLast = open.delete(requestId) && open.size === 0
    const uuid = isGoneTo ? `${id}.running` : id
    if (isLast) {
      messages.push({ type: 'system', subtype: 'session_state_changed', state: 'running', uuid, session_id: sessionId })
    }
    return messages
  }

  function denied(entry: EntryOf<'tool-result'>): SDKMessage[] {
    if (entry.result.status !== 'rejected') return []
    const denial = denialOf(entry)
    turn.denials.push(denial)
    const { tool_name, tool_use_id } = denial
    const at = { uuid: entry.id, session_id: sessionId }
    const reason = entry.result.content
    return [{ type: 'system', subtype: 'permission_denied', tool_name, tool_use_id, reason, ...at }]
  }

  /** A turn that a failure ended says so as an answer too: a list of messages must not end in the middle. */
  function failureOf({ error, id }: EntryOf<'turn-end'>): SDKMessage[] {
    if (!error) return []
    const message = assistant({ id: `${id}.m` }, [{ type: 'text', text: error.message }])
    return [
      {
        type: 'assistant',
        uuid: `${id}.m`,
        session_id: sessionId,
        parent_tool_use_id: null,
        message,
        error: errorClass(error.code),
      },
    ]
  }

  function resultOf(entry: EntryOf<'turn-end'>): SDKResultMessage {
    const { terminalReason, error, output, outputError } = entry
    const subtype = subtypeOf(terminalReason)
    const status = error?.details?.status
    const common = {
      type: 'result' as const,
      uuid: entry.id,
      session_id: sessionId,
      duration_ms: entry.at - turn.startedAt,
      duration_api_ms: turn.apiMs,
      is_error: subtype !== 'success',
      ...(error && { api_error_status: typeof status === 'number' ? status : null }),
      num_turns: turn.steps,
      stop_reason: turn.stopReason,
      total_cost_usd: totalCost,
      usage: { ...turn.usage },
      modelUsage: { ...modelUsage },
      permission_denials: turn.denials,
      terminal_reason: terminalReason,
      origin: { kind: 'human' as const },
    }
    if (subtype !== 'success') {
      return {
        ...common,
        subtype,
        errors: [error?.message ?? outputError ?? `The turn ended early: ${terminalReason}.`],
      }
    }
    return {
      ...common,
      subtype,
      result: turn.text,
      ...(turn.ttftMs !== undefined && { ttft_ms: turn.ttftMs }),
      ...(output !== undefined && { structured_output: output }),
    }
  }

  function count({ model, usage, costUsd = 0 }: Parameters<ToMessages['count']>[0]): void {
    totalCost += costUsd
    const before = modelUsage[model]
    modelUsage[model] = {
      inputTokens: (before?.inputTokens ?? 0) + usage.input,
      outputTokens: (before?.outputTokens ?? 0) + usage.output,
      cacheReadInputTokens: (before?.cacheReadInputTokens ?? 0) + usage.cachedInput,
      cacheCreationInputTokens: 0,
      costUSD: (before?.costUSD ?? 0) + costUsd,
    }
  }

  /** Of agents that work for a call: what they do, and their words when these are wanted. */
  function childTold(entry: Entry): SDKMessage[] {
    if (entry.type === 'tool-result') return [toolResult(entry)]
    if (entry.type === 'tool-intent') return [toolProgress(entry)]
    if (entry.type !== 'message-add' || entry.message.role !== 'assistant') return []
    const content = contentOf(entry.message).filter((block) => options.forwardSubagentText || block.type === 'tool_use')
    if (!content.length) return []
    const at = { uuid: entry.message.id, session_id: sessionId, parent_tool_use_id: parentOf(entry) }
    return [{ type: 'assistant', message: assistant(entry.message, content), ...at }]
  }

  return {
    count,
    costUsd: () => totalCost,
    overBudget() {
      turn = newTurn(options.now())
      const id = `${sessionId}.refused.${(refused += 1)}`
      return resultOf({ id, at: turn.startedAt, terminalReason: 'max_cost' } as EntryOf<'turn-end'>)
    },
    deferred({ callId, tool, args, openedAt }) {
      const end = { id: `${callId}.deferred`, at: openedAt, terminalReason: 'completed' } as EntryOf<'turn-end'>
      return [
        {
          ...resultOf(end),
          stop_reason: 'tool_deferred',
          terminal_reason: 'tool_deferred',
          deferred_tool_use: { id: callId, name: tool, input: args },
        },
      ]
    },
    entry(entry) {
      if (entry.type === 'usage-add') count(entry)
      if (entry.type === 'call-request') tools.set(entry.call.callId, entry.call.tool)
      if (entry.path.length) return [...tasks(entry), ...childTold(entry)]
      if (entry.type === 'usage-add') turn.model = entry.model
      return told(entry)
    },
    partial(partial) {
      if (partial?.retry) {
        const { code = 'model-failed', status, max = null, delayMs } = partial.retry
        const again = retry({ code, details: { status } }, { max_retries: max, retry_delay_ms: delayMs })
        return code === 'rate-limited' ? [rateLimited(again.uuid, delayMs), again] : [again]
      }
      if (partial && turn.ttftMs === undefined) turn.ttftMs = options.now() - turn.startedAt
      return stream(partial)
    },
    retry,
  }
}

function newTurn(startedAt: number) {
  return {
    startedAt,
    askedAt: startedAt,
    apiMs: 0,
    steps: 0,
    isCut: false,
    text: '',
    stopReason: null as string | null,
    model: undefined as string | undefined,
    ttftMs: undefined as number | undefined,
    usage: {
      input_tokens: 0,
      output_tokens: 0,
      cache_creation_input_tokens: null,
      cache_read_input_tokens: 0,
      cache_creation: null,
      server_tool_use: null,
      service_tier: null,
      speed: null,
      inference_geo: null,
      iterations: null,
    } as Draft<SDKUsage>,
    denials: [] as SDKPermissionDenial[],
  }
}

type Draft<T> = { -readonly [Key in keyof T]: T[Key] }

function addUsage(sum: Draft<SDKUsage>, { input, output, cachedInput }: ModelUsage): void {
  sum.input_tokens += input
  sum.output_tokens += output
  sum.cache_read_input_tokens = (sum.cache_read_input_tokens ?? 0) + cachedInput
}

function parentOf({ path }: Entry): string | null {
  return path.at(-1)?.split('#')[0] ?? null
}

function denialOf({ callId, result }: EntryOf<'tool-result'>): SDKPermissionDenial {
  return { tool_name: result.tool, tool_use_id: callId, tool_input: result.args }
}
