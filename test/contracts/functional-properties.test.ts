/** Whatever happens in a run, and wherever it is left: the same end, a transcript every provider takes, nothing done twice. */
import {
  asTool,
  bodyOf,
  createSmartAgent,
  defineAgent,
  emptyHead,
  foldOf,
  functionalAgent,
  importState,
  pathOf,
  reduce,
  runAgentOf,
  runInMemory,
  unplaced,
  type AgentPorts,
  type AgentResult,
  type Entry,
  type FunctionalOptions,
  type InvokeOptions,
  type Message,
  type Model,
  type ModelEvent,
  type NewEntry,
  type Resolution,
  type SmartState,
  type Snapshot,
  type ToolContext,
} from '@dogear/core'
import { countingIds } from '@dogear/testing'
import { browserClock, sha256 } from '@dogear/worker/host'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hello } from './functional.ts'

const tools = [
  ...['works', 'slow', 'fails', 'flaky', 'hangs', 'asks-first', 'asks-inside', 'helper', 'unknown'],
  ...['ask_user_question', 'manage_todo_list'],
] as const
type Call = (typeof tools)[number]

interface Story {
  /** The calls of each answer; the last one has none. */
  readonly steps: readonly (readonly Call[])[]
  readonly approves: boolean
  readonly answers: boolean
  readonly limits: { readonly maxToolCalls: number; readonly maxSteps: number; readonly maxParallelTools: number }
}

const story: fc.Arbitrary<Story> = fc.record({
  steps: fc.array(fc.array(fc.constantFrom(...tools), { minLength: 1, maxLength: 3 }), { maxLength: 4 }),
  approves: fc.boolean(),
  answers: fc.boolean(),
  limits: fc.record({
    maxToolCalls: fc.integer({ min: 1, max: 8 }),
    maxSteps: fc.integer({ min: 1, max: 5 }),
    maxParallelTools: fc.integer({ min: 1, max: 3 }),
  }),
})

test('[C10] [C12] [C44] left at any checkpoint, as often as one likes, a run comes to the same end', async () => {
  await fc.assert(
    fc.asyncProperty(story, fc.infiniteStream(fc.boolean()), async (given, leaves) => {
      const straight = world(given)
      const whole = await toTheEnd(straight, await straight.agent.invoke(hello), {})
      const parted = world(given)
      const leaving = { onStateChange: () => leaves.next().value as boolean }
      const pieces = await toTheEnd(parted, await parted.agent.invoke(hello, leaving), leaving)
      expect(endOf(pieces)).toEqual(endOf(whole))
      expect(unnamed(parted.effects.toSorted())).toEqual(unnamed(straight.effects.toSorted()))
    }),
    { numRuns: 60 },
  )
}, 60_000)

test('[C42] [C44] a host may die anywhere: from any snapshot it took, a run comes to the same end', async () => {
  await fc.assert(
    fc.asyncProperty(story, fc.nat(), async (given, which) => {
      const straight = world(given)
      const taken: Snapshot[] = []
      const keep: InvokeOptions = { onStateChange: (state) => void taken.push(kept(straight.agent.snapshot(state))) }
      const whole = await toTheEnd(straight, await straight.agent.invoke(hello, keep), keep)
      const snapshot = taken[which % taken.length] as Snapshot
      const next = world(given)
      const resumed = await toTheEnd(next, await next.agent.resume(snapshot), {})
      expect(endOf(resumed)).toEqual(endOf(whole))
    }),
    { numRuns: 60 },
  )
}, 60_000)

test('[C61] [O6] stopped at any moment, a run does nothing more and leaves a transcript that can be gone on with', async () => {
  await fc.assert(
    fc.asyncProperty(story, fc.integer({ min: 0, max: 60 }), async (given, after) => {
      const controller = new AbortController()
      let moments = 0
      let late = 0
      const tick = (where?: 'entered') => {
        if (where && controller.signal.aborted) late += 1
        return (moments += 1) > after && controller.abort()
      }
      const { agent, effects } = world(given, tick)
      const stopped = await agent.invoke(hello, {
        signal: controller.signal,
        onEvent: () => tick(),
        onStateChange: () => tick() && false,
      })
      const done = [...effects]
      await new Promise((resolve) => setTimeout(resolve, 5))
      expect([effects, late]).toEqual([done, 0])
      expectWhole(stopped.messages, stopped.metadata.terminalReason === 'paused')
      const messages = [...stopped.messages, { role: 'user', content: 'go on' }]
      const again = world({ ...given, steps: [] })
      const went = await again.agent.invoke({ ...stopped.state, messages })
      expect(went.content).toBe('Done.')
    }),
    { numRuns: 60 },
  )
}, 60_000)

test('[C12] [G3] a host may die at any commit, as often as one likes: the next goes on from the journal, and no call has two effects', async () => {
  await fc.assert(
    fc.asyncProperty(story, fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 4 }), async (given, deaths) => {
      const straight = world(given)
      const whole = await toTheEnd(straight, await straight.agent.invoke(hello), {})
      const { entries, effects } = await lives(given, deaths)
      const once = effects.filter((effect) => !effect.startsWith('flaky'))
      expect(once.toSorted()).toEqual([...new Set(once)].toSorted())
      const { fold } = foldAll(entries)
      expect(fold.head.turn).toBeNull()
      expect(fold.head.lastEnd?.terminalReason).toBe(whole.metadata.terminalReason)
      expect(fold.head.children).toEqual({})
      const messages = pathOf(fold).map(({ id }) => fold.bodies.get(id)!)
      const said = (list: readonly Message[]) => list.map(({ role }) => role)
      expect(said(messages)).toEqual(said(whole.messages))
      const answered = messages.flatMap(({ tool_call_id }) => tool_call_id ?? [])
      const asked = messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id))
      expect(answered.toSorted()).toEqual(asked.toSorted())
    }),
    { numRuns: 80 },
  )
}, 60_000)

/** One host after another on one journal: each dies after so many commits, the last one lives. */
async function lives(given: Story, deaths: readonly number[]) {
  const effects: string[] = []
  const user: Message = { id: 'u', role: 'user', content: 'hello', meta: { status: 'complete', createdAt: 0 } }
  const ids = countingIds('t')
  const { entries: first } = importState({ messages: [user] }, { agent: { name: 'tester' }, ids, hash: sha256 })
  const entries: NewEntry[] = [{ type: 'session-start', agent: 'tester', sessionId: 't' }, ...first]
  for (let life = 0; foldAll(entries).fold.head.turn; life += 1) {
    if (life > 100) throw new Error('it never ends')
    let commits = 0
    let isDead = false
    let die = () => {}
    const death = new Promise<void>((resolve) => (die = resolve))
    const known = entries.length
    // Whatever it awaits then, nothing comes back to it.
    const { options, ports } = parts(given, effects, () => (isDead ? new Promise<never>(() => {}) : undefined))
    const running = runInMemory({
      ...ports,
      agent: runAgentOf(defineAgent(options), options.model),
      sessionId: 't',
      first: [...entries],
      signal: new AbortController().signal,
      published(committed) {
        if (isDead) return
        entries.push(...committed.filter(({ seq }) => seq >= known).map((entry) => unplaced(kept(entry))))
        commits += 1
        if (commits <= (deaths[life] ?? Infinity)) return
        isDead = true
        die()
      },
    })
    await Promise.race([running, death])
    const { requests, turn } = foldAll(entries).fold.head
    for (const { id, kind, callId, questions = [], path } of requests) {
      const resolution = ((): Resolution => {
        if (kind === 'outcome') {
          const isDone = effects.some((effect) => effect.endsWith(` ${callId}`))
          return isDone ? { type: 'happened', result: 'worked' } : { type: 'retry' }
        }
        if (kind === 'approval') return given.approves ? { type: 'approve' } : { type: 'reject' }
        const answers = questions.map(() => ({ values: [], freeText: 'yes' }))
        return given.answers ? { type: 'answer', answers } : { type: 'cancel' }
      })()
      const status = 'answered' as const
      const at = { turnId: path?.at(-1) ?? turn?.id, ...(path && { path }) }
      if (isDead && life % 2) continue
      entries.push({ type: 'request-close', requestId: id, status, resolution, ...at })
    }
  }
  return { entries, effects }
}

function foldAll(entries: readonly NewEntry[]) {
  const fold = foldOf(emptyHead('t', 'tester'))
  const tips = new Map<string, string | null>()
  for (const [seq, entry] of entries.entries()) {
    const path = entry.path ?? []
    const own = path.join()
    const placed = { v: 1, seq, id: `${seq}`, at: 1, epoch: 1, path, parent: tips.get(own) ?? null, ...entry } as Entry
    reduce(fold, placed)
    const message = bodyOf(placed, placed.type === 'state-import' ? placed.messages.length - 1 : 0)
    if (message) tips.set(own, message.id)
  }
  return { fold }
}

test('folding a run’s journal gives the run’s own state, also from a head that was kept on the way', async () => {
  await fc.assert(
    fc.asyncProperty(story, fc.nat(), async (given, at) => {
      const { options, ports } = parts(given)
      const entries: Entry[] = []
      let live: unknown
      const agent = functionalAgent(options, ports, async (job) => {
        const journal = await runInMemory({
          ...job,
          ...ports,
          agent: runAgentOf(job.agent, options.model),
          published(committed) {
            entries.push(...kept(committed))
            job.published(committed)
          },
        })
        live = kept(journal.fold.head)
      })
      await agent.invoke(hello)
      const fold = foldOf(emptyHead((live as { sessionId: string }).sessionId, 'tester'))
      let later: typeof fold | undefined
      for (const [index, entry] of entries.entries()) {
        reduce(fold, entry)
        if (later) reduce(later, entry)
        if (index === at % entries.length) later = foldOf(kept(fold.head))
      }
      expect(kept(fold.head)).toEqual(live)
      expect(kept(later?.head)).toEqual(live)
    }),
    { numRuns: 40 },
  )
}, 60_000)

test('[C21] runs side by side hear, count and pay for themselves alone, in whatever order they go on', async () => {
  const calls = fc.array(fc.constantFrom<Call>('works', 'slow', 'manage_todo_list'), { minLength: 1, maxLength: 2 })
  const runs = fc.array(fc.array(calls, { minLength: 1, maxLength: 3 }), { minLength: 2, maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(runs, fc.scheduler(), async (stories, scheduler) => {
      const tick = () => scheduler.schedule(Promise.resolve())
      const all = Promise.all(stories.map((steps, index) => lonely(steps, `run ${index}`, index + 1, tick)))
      await scheduler.waitFor(all)
    }),
    { numRuns: 30 },
  )
}, 60_000)

/** One run with a name, a price and limits of its own: nobody else's may reach it. */
async function lonely(steps: Story['steps'], name: string, price: number, tick: Tick): Promise<void> {
  const { options, ports } = parts({ steps, approves: true, answers: true, limits: roomy }, [], tick)
  const counted: string[] = []
  const paid: string[] = []
  const heard: unknown[] = []
  const agent = createSmartAgent({
    ...options,
    ports,
    tools: (options.tools ?? []).map((tool) => ({ ...tool, func: async () => (await tick(), `worked in ${name}`) })),
    model: namedModel(options.model, name),
    costEstimator: ({ modelName }) => (paid.push(modelName), price),
    tokenCounter: (text) => (counted.push(text), text.length),
  })
  const { state } = await agent.invoke(
    { messages: [{ role: 'user', content: `words of ${name}` }] },
    {
      limits: { maxToolCalls: 10 + price },
      onEvent: (event) => event.type === 'metadata' && heard.push(event.limits?.maxToolCalls),
    },
  )
  const asked = state.usage?.perRequest ?? []
  expect(asked).toHaveLength(steps.length + 1)
  expect(asked.map(({ modelName, costUsd }) => [modelName, costUsd])).toEqual(asked.map(() => [name, price]))
  expect(paid).toEqual(asked.map(() => name))
  expect(new Set(heard)).toEqual(new Set([10 + price]))
  // What it counted is what its model was shown.
  const results = steps.flat().filter((call) => call !== 'manage_todo_list')
  expect(counted.filter((text) => text.startsWith('worked in'))).toEqual(results.map(() => `worked in ${name}`))
  expect(counted.filter((text) => text.startsWith('words of'))).toEqual([`words of ${name}`])
}

function namedModel(model: Model, name: string): Model {
  return {
    async *stream(request, signal) {
      for await (const event of model.stream(request, signal))
        yield event.type === 'usage' ? { ...event, model: name } : event
    },
  }
}

const roomy = { maxToolCalls: 50, maxSteps: 20, maxParallelTools: 5 }

/** An agent, a model whose answer is a matter of what it is shown alone, and what was done. */
function world(given: Story, tick: Tick = () => {}) {
  const effects: string[] = []
  const { options, ports } = parts(given, effects, tick)
  return { agent: createSmartAgent({ ...options, ports }), effects, given }
}

type Tick = (where?: 'entered') => unknown

/** `tick` is asked wherever a run waits for somebody else, and holds it for as long as it likes. */
function parts(given: Story, effects: string[] = [], tick: Tick = () => {}) {
  const tool = (name: string, func: (ctx: ToolContext) => unknown, more = {}) => ({
    name,
    parameters: { type: 'object', properties: { at: { type: 'string' } } },
    async func(_args: unknown, ctx: ToolContext) {
      await tick('entered')
      if (name === 'asks-inside') await ctx.requestApproval()
      effects.push(`${name} ${ctx.callId}`)
      const result = await func(ctx)
      await tick()
      return result
    },
    ...more,
  })
  const reachable = [
    tool('works', () => 'worked'),
    tool('slow', () => new Promise((resolve) => setTimeout(resolve, 2, 'worked late'))),
    tool('fails', () => Promise.reject(new Error('no'))),
    tool('flaky', ({ attempt }) => (attempt === 1 ? Promise.reject(new Error('not yet')) : 'worked at last'), {
      effect: 'read' as const,
      retry: { maxRetries: 3, backoffMs: 0 },
    }),
    tool('hangs', () => new Promise(() => {}), { timeout: 1 }),
    tool('asks-first', () => 'worked too', { needsApproval: true }),
    tool('asks-inside', () => 'worked inside'),
  ]
  const steps: Story['steps'] = [['works', 'asks-first'], ['ask_user_question']]
  const helper = defineAgent({
    name: 'helper',
    model: modelOf({ ...given, steps }, tick),
    tools: reachable,
    humanInTheLoop: { askUser: true },
  })
  const options: FunctionalOptions & { model: Model } = {
    name: 'tester',
    model: modelOf(given, tick),
    limits: given.limits,
    useTodoList: true,
    humanInTheLoop: { askUser: true },
    tools: [...reachable, asTool(helper)],
  }
  const ports: AgentPorts = { clock: browserClock, hash: sha256, ids: countingIds('t'), warn: () => {} }
  return { options, ports }
}

function modelOf({ steps }: Story, tick: Tick): Model {
  return {
    async *stream({ messages, toolChoice }): AsyncGenerator<ModelEvent> {
      await tick()
      expectWhole(messages, false)
      const done = messages.filter(({ role }) => role === 'assistant').length
      const calls = toolChoice === 'none' ? [] : (steps[done] ?? [])
      if (calls.length === 0) yield { type: 'text-delta', text: 'Done.' }
      for (const [index, name] of calls.entries()) {
        yield { type: 'call-start', index, name }
        await tick()
        yield { type: 'call-delta', index, args: JSON.stringify(argsOf(name, `${done}.${index}`)) }
      }
      yield { type: 'usage', usage: { input: 1, output: 1, total: 2, cachedInput: 0, reasoning: 0 } }
      await tick()
      yield { type: 'finish', reason: calls.length ? 'tool-calls' : 'stop' }
    },
  }
}

function argsOf(name: Call, at: string): unknown {
  if (name === 'ask_user_question') return { questions: [{ question: `At ${at}?` }] }
  if (name === 'helper') return { input: at }
  return name === 'manage_todo_list' ? { operation: 'write', todoList: [{ id: 1, step: at }] } : { at }
}

/** Decides what waits, and takes up what was left, until the run has ended. */
async function toTheEnd({ agent, given }: ReturnType<typeof world>, first: AgentResult, config: InvokeOptions) {
  let result = first
  for (let times = 0; result.metadata.terminalReason === 'paused'; times += 1) {
    if (times > 200) throw new Error('it never ends')
    const state = decided(agent, result.state, given)
    // The last pieces in one: a run left at every checkpoint for ever would never end.
    result = await agent.resume(kept(agent.snapshot(state)), times > 50 ? {} : config)
  }
  return result
}

function decided(
  agent: ReturnType<typeof world>['agent'],
  given: SmartState,
  { approves, answers }: Story,
): SmartState {
  let state = given
  for (const { id, status } of given.pendingApprovals ?? []) {
    if (status === 'pending') state = agent.resolveToolApproval(state, { id, approved: approves })
  }
  for (const { id, status, questions } of given.pendingUserQuestions ?? []) {
    if (status !== 'pending') continue
    const given = Object.fromEntries(questions.map(({ question }) => [question, { values: [], freeText: 'yes' }]))
    state = agent.resolveUserQuestion(state, answers ? { id, answers: given } : { id, cancelled: true })
  }
  return state
}

/** What a caller can tell of how a run ended; a run left before its first answer has a turn of another name. */
function endOf({ content, messages, state, metadata }: AgentResult) {
  const { plan, toolCallCount, step, toolHistory = [], pendingApprovals = [], usage } = state
  // Each request costs one: nothing is counted twice, whoever worked and however often it was left.
  expect(usage?.totals.default?.input).toBe(usage?.perRequest.length)
  const end = {
    content,
    messages: messages.map(({ meta: _meta, ...message }) => message),
    plan: plan && { version: plan.version, steps: plan.steps },
    toolCallCount,
    step,
    history: toolHistory.map(({ executionId, status }) => `${executionId} ${status}`).sort(),
    approvals: pendingApprovals.map(({ id, status }) => `${id} ${status}`).sort(),
    totals: usage?.totals,
    reason: metadata.terminalReason,
  }
  return unnamed(end)
}

function unnamed(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll(/\bt-\d+\b/g, 't')) as unknown
}

/** After a message with calls exactly their results, in the order of the calls. */
function expectWhole(messages: readonly Message[], mayWait: boolean): void {
  const open: string[] = []
  for (const { role, tool_calls = [], tool_call_id } of messages) {
    if (role === 'tool') {
      if (mayWait) expect(open.splice(open.indexOf(tool_call_id ?? ''), 1)).toEqual([tool_call_id])
      else expect(open.shift()).toBe(tool_call_id)
    } else {
      expect(open).toEqual([])
      open.push(...tool_calls.map(({ id }) => id))
    }
  }
  if (!mayWait) expect(open).toEqual([])
}

function kept<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T
}
