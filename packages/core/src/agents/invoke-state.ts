/** One `invoke`: a state becomes the first entries of a journal, and what is published becomes events and the next state. */
import { describeError } from '../error.ts'
import type { Entry } from '../session/entry.ts'
import { statusOf, type Fold } from '../session/fold.ts'
import { importState } from '../session/import-state.ts'
import type { NewEntry } from '../session/journal.ts'
import { textOf } from '../session/message.ts'
import { normalMessages } from '../session/normal-messages.ts'
import type { Partial } from '../session/partial.ts'
import type { Drift } from '../session/snapshot.ts'
import type { SmartState } from '../session/smart-state.ts'
import { totalsOf } from '../session/state-records.ts'
import { answerOf, createStateView, type Left } from '../session/state-view.ts'
import type { SmartAgentEvent } from '../trace/event.ts'
import { createEventMapper } from '../trace/events.ts'
import type { Stage } from '../turn/run.ts'
import type { AgentDefinition } from './agent.ts'
import type { AgentPorts } from './create-agent.ts'
import type { AgentResult, InvokeOptions } from './invoke-config.ts'

/** Runs a journal somewhere: in place, or in a worker. */
export type Runner = (job: Job) => Promise<void>

export interface Job {
  readonly agent: AgentDefinition
  readonly sessionId: string
  readonly first: readonly NewEntry[]
  readonly signal: AbortSignal
  /** Where `published` folds to: a run in place needs no other. */
  readonly fold: Fold
  /** What was committed, in order. */
  published(entries: readonly Entry[]): void
  emit(partial: Partial | null): void
  readonly checkpoint?: (stage: Stage) => Promise<boolean>
}

export interface Invocation {
  readonly agent: AgentDefinition
  readonly state: SmartState
  readonly config: InvokeOptions
  readonly ports: Required<Omit<AgentPorts, 'trace'>>
  readonly run: Runner
  readonly listeners: readonly (InvokeOptions['onEvent'] | undefined)[]
  readonly drift?: Drift
}

export async function invokeState(invocation: Invocation): Promise<AgentResult> {
  const { agent, state: input, config, ports, run, drift } = invocation
  const { entries, turnId, unanswered } = importState(
    { ...input, messages: normalMessages(input.messages, ports.clock.now()) },
    { agent, ...ports },
  )
  const sessionId = turnId ?? ports.ids.id()
  const { name, version } = agent
  const first: NewEntry[] = [{ type: 'session-start', agent: name, version, sessionId }, ...entries]
  const imported = first.length
  const stopper = createStopper(config, ports)
  const view = createStateView({ input, agent, sessionId, imported, unanswered })
  const events = createEventMapper({ fold: view.fold, agent, imported, stopReason: stopper.reason })
  const tell = teller(invocation)
  const isHeard = invocation.listeners.some(Boolean)
  const leaveAt = config.checkpoint ?? agent.checkpoint
  let left: Left | undefined

  async function checkpoint(stage: Stage): Promise<boolean> {
    const isBeforeTools = stage === 'after_agent' && view.fold.head.turn?.calls.some(({ done }) => !done)
    const isDue = leaveAt === 'before_tools' ? isBeforeTools : leaveAt && stage === 'after_tools'
    if (!isDue && !(await mayLeave(view.state(), stage, invocation))) return false
    left = { stage, at: ports.clock.now(), reason: config.checkpointReason }
    return true
  }

  try {
    await run({
      agent,
      sessionId,
      first,
      signal: stopper.signal,
      fold: view.fold,
      published(committed) {
        for (const entry of committed) {
          view.take(entry)
          if (isHeard || partly.has(entry.type)) events.entry(entry, committed).forEach(tell)
        }
      },
      emit: (partial) => partial && events.partial(partial).forEach(tell),
      ...((config.onStateChange ?? leaveAt) && { checkpoint }),
    })
  } finally {
    stopper.close()
  }

  const { head } = view.fold
  const last = answerOf(view.fold)
  const state = view.state(left)
  const isPaused = left !== undefined || statusOf(head) === 'paused'
  const { terminalReason = 'completed', error, output, outputError } = head.lastEnd ?? {}
  return {
    content: last ? textOf(last) : '',
    messages: [...state.messages],
    state,
    ...(output !== undefined && { output }),
    ...(outputError !== undefined && { outputError }),
    metadata: {
      usage: usageOfRun(input, state),
      terminalReason: isPaused ? 'paused' : terminalReason,
      requests: head.requests,
      permissionDenials: head.turn?.denials ?? head.lastEnd?.denials ?? [],
      ...(error && { error }),
      ...(drift && { drift }),
    },
  }
}

function usageOfRun(input: SmartState, { usage }: SmartState): AgentResult['metadata']['usage'] {
  const perRequest = usage?.perRequest.slice(input.usage?.perRequest.length ?? 0) ?? []
  return { perRequest, totals: totalsOf(perRequest) }
}

async function mayLeave(state: SmartState, stage: Stage, { config, ports }: Invocation): Promise<boolean> {
  try {
    return (await config.onStateChange?.(state, stage)) === true
  } catch (error) {
    ports.warn(`onStateChange threw (${describeError(error)}); the run goes on.`)
    return false
  }
}

/** All that `onStream` and `onProgress` are told of: events for nobody are not made. */
const partly = new Set<Entry['type']>(['message-add', 'step-start'])

/** A listener that throws must not end what it listens to. */
function teller({ listeners, config, ports }: Invocation): (event: SmartAgentEvent) => void {
  const { onProgress, onStream, stream = onStream !== undefined } = config
  function tellOne(listener: (event: never) => unknown, event: SmartAgentEvent): void {
    const threw = (error: unknown) =>
      ports.warn(`A listener threw at a "${event.type}" event (${describeError(error)}).`)
    try {
      const told = listener(event as never)
      // Most give nothing back, and are told of every word: a promise for each costs more than the word.
      if (typeof told === 'object') Promise.resolve(told).catch(threw)
    } catch (error) {
      threw(error)
    }
  }
  return (event) => {
    const isPart = event.type === 'stream' || (event.type === 'output-delta' && !event.isFinal)
    if (isPart && !stream) return
    for (const listener of listeners) if (listener) tellOne(listener, event)
    if (event.type === 'progress' && onProgress) tellOne(onProgress, event)
    if (event.type === 'stream' && onStream) tellOne(onStream, event)
  }
}

/** One signal for every way to stop a run, and which of them it was. */
function createStopper(config: InvokeOptions, { clock }: Pick<AgentPorts, 'clock'>) {
  const controller = new AbortController()
  const over = new AbortController()
  let reason: 'aborted' | 'cancelled' | 'timeout' = 'aborted'
  const stop = (why: typeof reason) => () => {
    if (controller.signal.aborted) return
    reason = why
    controller.abort()
  }
  const { signal, cancellationToken: token, timeoutMs } = config
  if (signal) follow(signal, stop('aborted'), over.signal)
  if (token && 'aborted' in token) follow(token, stop('aborted'), over.signal)
  else if (token?.isCancellationRequested) stop('cancelled')()
  else token?.onCancellationRequested?.(stop('cancelled'))
  if (timeoutMs !== undefined) {
    void clock.sleep(timeoutMs, over.signal).then(() => over.signal.aborted || stop('timeout')())
  }
  // Aborting what nobody listens to is not free.
  const close = () => (signal ?? token ?? timeoutMs) !== undefined && over.abort(ended)
  return { signal: controller.signal, reason: () => reason, close }
}

/** Nobody reads it: without a reason each run would make an error with its stack. */
const ended = 'ended'

function follow(signal: AbortSignal, stop: () => void, over: AbortSignal): void {
  if (signal.aborted) stop()
  else signal.addEventListener('abort', stop, { once: true, signal: over })
}
