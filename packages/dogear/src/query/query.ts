/** `query()`: one question, or a stream of them, answered as a stream of messages over a session. */
import {
  toModelUsage,
  type ErrorData,
  type FunctionalAgent,
  type PermissionMode,
  type Request,
  type Resolution,
  type TerminalReason,
  type When,
} from '@dogear/core'
import type { Session } from '@dogear/worker'
import { createMessageQueue } from './message-queue.ts'
import { createSummaries, summaryPrompt } from './progress-summaries.ts'
import { agentOptionsOf, type QueryOptions } from './query-options.ts'
import { checkSessionOptions, openQuerySession } from './query-session.ts'
import type { SDKMessage } from './sdk-message.ts'
import { createToMessages, type ToMessages } from './to-messages.ts'
import { toldHooks } from './told-hooks.ts'
import type { Agent, SmartPageAgentOptions } from '../agent.ts'

export interface QueryInput {
  /** One message, or messages as they come: each is answered in turn. */
  prompt: string | AsyncIterable<QueryUserMessage>
  options?: QueryOptions
}

export interface QueryUserMessage {
  readonly type: 'user'
  readonly message: { readonly role: 'user'; readonly content: string | readonly { type: 'text'; text: string }[] }
  /** `false`: held, and said with the next message that asks. What none follows is not kept. */
  readonly shouldQuery?: boolean
  /** While another is answered: `now` stops that, `next` joins it and has no result of its own, `later` (default) waits. */
  readonly priority?: When
}

export interface Query extends AsyncGenerator<SDKMessage, void> {
  /** Stops the turn that runs; its result follows. `still_queued`: the uuids of the messages that wait behind it. */
  interrupt(): Promise<{ still_queued: readonly string[] }>
  /** Ends the task with this `task_id`; its `task_notification` follows, and the agent that gave it goes on. */
  stopTask(taskId: string): Promise<void>
  /** For what is asked from now on; without one, the query's own. */
  setModel(model?: string): Promise<void>
  /** From the next call on. */
  setPermissionMode(mode: PermissionMode): Promise<void>
  /** Ends the query, and the turn that runs. */
  close(): void
}

export interface QueryPlatform {
  createAgent(options: SmartPageAgentOptions): Agent
  /** An agent without sessions. */
  createHelper(options: SmartPageAgentOptions): Pick<FunctionalAgent, 'invoke'>
  warn(message: string): void
  now(): number
}

export function createQuery({ prompt, options = {} }: QueryInput, platform: QueryPlatform): Query {
  const { warn } = platform
  checkSessionOptions(options)
  const queue = createMessageQueue<SDKMessage>()
  const hooks = options.includeHookEvents ? toldHooks(options.hooks, (message) => queue.push([message])) : options.hooks
  const given = agentOptionsOf({ ...options, hooks }, warn)
  const agent = platform.createAgent(given)
  const model = typeof given.model === 'string' ? given.model : 'default'
  const fallbacks = options.fallbackModel?.split(',').map((alias) => alias.trim()) ?? []
  const opening = openQuerySession(agent, options)
  /** The turns of this query: a session that goes on may have others. */
  const turns = new Set<string>()
  // Its steps, and the turns of those that work for it, begin with its id.
  const isOurs = (id: string) => turns.has(id.split('.', 1)[0] ?? '')
  let untried = fallbacks
  /** This turn was stopped because the budget is spent. */
  let isSpent = false
  let unanswered = 0
  let isInputOver = false

  async function run(): Promise<void> {
    const session = await opening
    const messages = createToMessages({
      sessionId: session.id,
      model,
      includePartialMessages: options.includePartialMessages ?? false,
      forwardSubagentText: options.forwardSubagentText ?? false,
      now: platform.now,
    })
    const tell = (told: readonly SDKMessage[]) => {
      if (options.debug) for (const message of told) warn(JSON.stringify(message))
      queue.push(told)
    }
    const summaries =
      options.agentProgressSummaries &&
      createSummaries({ ask: (about) => summed(about, messages), tell: (progress) => tell([progress]), warn })
    /** An agent's own limit knows of one turn; a query's holds for all of them, and for what is asked aside. */
    const isOverBudget = () => Boolean(options.maxBudgetUsd) && messages.costUsd() >= (options.maxBudgetUsd ?? 0)
    session.listen((given) => {
      if (given.turnId !== undefined && !isOurs(given.turnId)) return
      if (given.type === 'step-start' && !isSpent && isOverBudget()) {
        isSpent = true
        void session.stop()
      }
      const isStopped = given.type === 'turn-end' && !given.path.length && given.terminalReason.startsWith('aborted')
      const entry = isSpent && isStopped ? { ...given, terminalReason: 'max_cost' as const } : given
      // Asked again with another model: the message has one result, and this is not it.
      if (entry.type === 'turn-end' && entry.path.length === 0) {
        const retry = goesOn(session, entry.error)
        if (retry) return tell([messages.retry(retry, { max_retries: fallbacks.length, retry_delay_ms: 0 })])
      }
      // It joined the turn that was running, and has no end of its own.
      if (entry.type === 'message-add' && turns.has(entry.commandId ?? '') && entry.turnId !== entry.commandId) {
        unanswered -= 1
      }
      const made = messages.entry(entry)
      tell(made)
      if (summaries) summaries(entry, made)
      if (entry.type === 'request-open' && entry.request.kind !== 'deferred') {
        void session.resolve(entry.request.id, withoutAnybody(entry.request))
      }
      if (entry.type !== 'turn-end' || entry.path.length > 0) return
      if (!isSpent || !isStopped) return answered(session, entry.terminalReason)
      // Held back by the stop.
      const waiting = session.queued.value
      unanswered -= waiting.length
      tell(waiting.map(() => messages.overBudget()))
      // Before the session is closed: left in line, they would be asked where it is opened next.
      const takenBack = waiting.map(({ commandId }) => session.unqueue(commandId))
      void Promise.allSettled(takenBack).then(() => answered(session, 'max_cost'))
    })
    session.partial.subscribe((partial) => {
      if (!partial || isOurs(partial.stepId)) tell(messages.partial(partial))
    })
    session.waiting.subscribe((waiting) => {
      if (waiting === 'network') tell([messages.retry({ code: 'network' })])
      if (waiting === 'token') tell([messages.retry({ code: 'token-refused' })])
    })
    // They would hold up all that is asked.
    for (const request of session.requests.value) void session.resolve(request.id, withoutAnybody(request))
    session.status.subscribe((status) => {
      const [first] = session.requests.value
      if (status !== 'paused' || !first || session.requests.value.some(({ kind }) => kind !== 'deferred')) return
      tell(messages.deferred(first))
      end()
    })
    tell([
      {
        type: 'system',
        subtype: 'init',
        uuid: `${session.id}.init`,
        session_id: session.id,
        model,
        agents: Object.keys(options.agents ?? {}),
        tools: session.agent.tools.map((tool) => tool.name),
        permissionMode: session.mode.value,
        mcp_servers: [],
        slash_commands: [],
      },
    ])
    // Its input may never end by itself: nothing more is asked.
    const stop = () => {
      isInputOver = true
      if (unanswered > 0) void session.stop()
      else end()
    }
    options.abortController?.signal.addEventListener('abort', stop, { once: true })
    const { initialPrompt } = options.agents?.[options.agent ?? ''] ?? {}
    for await (const { text, when } of wordsOf(prompt, initialPrompt)) {
      if (options.abortController?.signal.aborted) break
      if (unanswered === 0 && isOverBudget()) {
        tell([messages.overBudget()])
        continue
      }
      unanswered += 1
      const turn = session.send(text, { when })
      turns.add(turn.id)
      await turn.saved
    }
    isInputOver = true
    if (unanswered === 0) end()
  }

  async function summed(content: string, messages: ToMessages): Promise<string> {
    const helper = platform.createHelper({
      ...given,
      name: 'summary',
      ...{ instructions: summaryPrompt, limits: { maxSteps: 1 } },
      ...{ tools: [], agents: undefined, reasoning: undefined, outputSchema: undefined },
    })
    const answer = await helper.invoke({ messages: [{ role: 'user', content }] })
    for (const { modelName, usage, costUsd } of answer.metadata.usage.perRequest) {
      messages.count({ model: modelName, usage: toModelUsage(usage), costUsd })
    }
    return answer.content
  }

  /** Closed, because an open channel would keep a process alive. */
  function end(): void {
    queue.end()
    void opening.then((session) => session.close())
  }

  function answered(session: Session, reason: TerminalReason): void {
    unanswered -= 1
    isSpent = false
    const [next] = session.queued.value
    // Held back by a session after a stop or a failure; of a query all is asked, until it is aborted.
    if (options.abortController?.signal.aborted) unanswered = 0
    else if (next && reason !== 'completed') void session.editQueued(next.commandId, { when: 'now' })
    untried = fallbacks
    if (isInputOver && unanswered <= 0) end()
  }

  /** Why another model gets the question, if it does. */
  function goesOn(session: Session, error: ErrorData | undefined): ErrorData | undefined {
    const [next, ...rest] = untried
    if (!error || next === undefined || !isModelsFault.has(error.code)) return undefined
    untried = rest
    warn(`query: ${error.message} Trying "${next}".`)
    // For this question alone: the next begins with the first model again, also one that waits already.
    turns.add(session.retry({ model: next }).id)
    return error
  }

  run().catch((error: unknown) => queue.fail(error))
  const close = () => {
    void opening.then((session) => session.stop().finally(() => session.close())).catch(() => {})
    queue.end()
  }
  const messages = told(queue, close)
  return Object.assign(messages, {
    async interrupt() {
      const session = await opening
      await session.stop()
      // As the uuids their messages will have.
      return { still_queued: session.queued.value.map(({ commandId }) => `${commandId}.u`) }
    },
    stopTask: async (taskId: string) => (await opening).stopTask(taskId),
    setModel: async (next = model) => (await opening).set({ model: next }),
    setPermissionMode: async (mode: PermissionMode) => (await opening).setMode(mode),
    close,
  })
}

/** Left in the middle, by a `break`, nobody waits for the rest. */
async function* told(queue: AsyncIterable<SDKMessage>, left: () => void): AsyncGenerator<SDKMessage, void> {
  let isRead = false
  try {
    yield* queue
    isRead = true
  } finally {
    if (!isRead) left()
  }
}

const isModelsFault = new Set<ErrorData['code']>(['model-failed', 'model-unknown', 'rate-limited', 'bad-response'])

/** Nobody watches a query: what would wait for a person is answered in their place, always with no. */
function withoutAnybody({ kind }: Request): Resolution {
  if (kind === 'question') return { type: 'cancel' }
  if (kind === 'outcome' || kind === 'checkpoint') return { type: 'stop' }
  return { type: 'reject', comment: 'Nobody can be asked here. Do without it, or say what you need.' }
}

async function* wordsOf(
  prompt: QueryInput['prompt'],
  first: string | undefined,
): AsyncGenerator<{ text: string; when?: When }> {
  let held = first ? [first] : []
  const said = (text: string) => [...held.splice(0), text].join('\n\n')
  if (typeof prompt === 'string') return yield { text: said(prompt) }
  for await (const { message, shouldQuery = true, priority } of prompt) {
    const { content } = message
    const text = said(typeof content === 'string' ? content : content.map((part) => part.text).join(''))
    if (shouldQuery) yield { text, when: priority }
    else held = [text]
  }
}
