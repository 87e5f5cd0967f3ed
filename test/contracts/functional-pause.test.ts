/** Runs that are left and taken up again: at checkpoints, for a person, from a snapshot. */
import {
  asTool,
  captureSnapshot,
  defineAgent,
  restoreSnapshot,
  setState,
  textOf,
  validateMessages,
  type SmartState,
  type Snapshot,
} from '@dogear/core'
import { call, forever, say, scriptedModel, usage } from '@dogear/testing'
import { expect, test } from 'vitest'
import { functional, hello, told } from './functional.ts'

const ran: unknown[] = []
const book = {
  name: 'book',
  parameters: { type: 'object', properties: { hotel: { type: 'string' } }, required: ['hotel'] },
  func: ({ hotel }: { hotel: string }) => (ran.push(hotel), `booked ${hotel}`),
}
const guarded = { ...book, needsApproval: true, approvalPrompt: 'Really?' }
const asking = call('ask_user_question', {
  questions: [
    { question: 'Where?', options: [{ label: 'Lisbon' }, { label: 'Porto' }] },
    { question: 'Where?', options: [{ label: 'Lisbon' }, { label: 'Porto' }] },
  ],
})

test('[C7] [C41] [O4] a run may be left at each of its stages, and says where and why', async () => {
  const stages: string[] = []
  const { agent } = functional([call('book', { hotel: 'Sol' }), say('Done.')], { tools: [book] })
  await agent.invoke(hello, {
    onStateChange: (state, stage) => void stages.push(`${stage} ${state.step} ${state.status}`),
  })
  expect(stages).toEqual([
    'before_guardrails 1 busy',
    'after_agent 1 busy',
    'after_tools 2 busy',
    'before_guardrails 2 busy',
    'after_agent 2 idle',
    'after_loop 2 idle',
  ])
})

test.each(['before_guardrails', 'after_agent', 'after_tools', 'after_loop'] as const)(
  '[C41] [C44] left at %s it comes to the same end, and runs nothing twice',
  async (left) => {
    ran.length = 0
    const { agent, model } = functional([call('book', { hotel: 'Sol' }), say('Done.')], { tools: [book] })
    const first = await agent.invoke(hello, {
      onStateChange: (_state, stage) => stage === left,
      checkpointReason: 'tea',
    })
    expect(first.state.ctx?.__paused).toMatchObject({ stage: left, reason: 'tea', iteration: expect.any(Number) })
    expect(first.metadata.terminalReason).toBe('paused')
    const snapshot = JSON.parse(JSON.stringify(agent.snapshot(first.state, { tag: 'tea' }))) as Snapshot
    const { content, state } = await agent.resume(snapshot)
    expect(content).toBe('Done.')
    expect(state).toMatchObject({ toolCallCount: 1, step: 2, status: 'idle' })
    expect(state.ctx).toEqual({})
    expect(ran).toEqual(['Sol'])
    expect(model.requests).toHaveLength(2)
  },
)

test.each([
  ['before_tools', 'after_agent', []],
  ['after_step', 'after_tools', ['Sol']],
] as const)(
  '[C41] with checkpoint %s a run is left there without asking, and goes on when it is resumed',
  async (checkpoint, stage, done) => {
    ran.length = 0
    const { agent } = functional([call('book', { hotel: 'Sol' }), say('Done.')], { tools: [book] })
    const { state } = await agent.invoke(hello, { checkpoint })
    expect(state).toMatchObject({ status: 'paused', ctx: { __paused: { stage } } })
    expect(ran).toEqual(done)
    expect((await agent.invoke(state, { checkpoint })).content).toBe('Done.')
    expect(ran).toEqual(['Sol'])
  },
)

test('[C41] a checkpoint that throws is warned about, and the run goes on', async () => {
  const { agent, warnings } = functional([say('Done.')])
  const onStateChange = () => {
    throw new Error('no')
  }
  await expect(agent.invoke(hello, { onStateChange })).resolves.toMatchObject({ content: 'Done.' })
  expect(warnings[0]).toContain('onStateChange threw')
})

test('[C4] [C44] only a run that began with unanswered calls says so, until they have run', async () => {
  const seen: unknown[] = []
  const { agent } = functional([call('book', { hotel: 'Sol' }), call('book', { hotel: 'Mar' }), say('Done.')], {
    tools: [book],
  })
  const first = await agent.invoke(hello, {
    onStateChange: (state, stage) => (seen.push(state.ctx?.__resumeStage), stage === 'after_agent'),
  })
  expect(seen).toEqual([undefined, undefined])
  const starts: unknown[] = []
  await agent.invoke(first.state, {
    onEvent: (event) => event.type === 'tool_call' && event.phase === 'start' && starts.push(event.args),
    onStateChange: (state, stage) => void (state.ctx?.__resumeStage === 'tools' && seen.push(stage)),
  })
  expect(starts).toEqual([{ hotel: 'Sol' }, { hotel: 'Mar' }])
  expect(seen.slice(2)).toEqual([])
})

test('[C4] [C44] a run that began with unanswered calls says so for as long as one of them is not answered', async () => {
  const calls = [call('book', { hotel: 'Sol' }), call('book', { hotel: 'Mar' })]
  const { agent } = functional([calls, say('Done.')], { tools: [guarded] })
  const stages: unknown[] = []
  let { state } = await agent.invoke(hello)
  for (const { id } of state.pendingApprovals ?? []) {
    stages.push(state.ctx?.__resumeStage)
    ;({ state } = await agent.invoke(agent.resolveToolApproval(state, { id, approved: true })))
  }
  expect([...stages, state.ctx?.__resumeStage]).toEqual([undefined, 'tools', undefined])
})

test('[C6] views of a run that is over are not taken for views of one that waits', async () => {
  const { agent } = functional([call('book', { hotel: 'Sol' })], { tools: [guarded] })
  const stale = { __cancelled: true, __deadline: 1, __limitBreached: 'max_cost', __guardrailBlocked: true, mine: 1 }
  const { state } = await agent.invoke({ ...hello, ctx: stale })
  expect(Object.keys(state.ctx ?? {})).toEqual(['mine', '__awaitingApproval'])
})

test('[C44] [C56] left just when the model was told to give its answer by the schema, a run asks it so again', async () => {
  const outputSchema = { type: 'object', properties: { rooms: { type: 'number' } }, required: ['rooms'] }
  const { agent, model } = functional([say('Three.'), call('response', { rooms: 3 })], { outputSchema })
  const { state } = await agent.invoke(hello, { onStateChange: (_state, stage) => stage === 'after_agent' })
  expect(state.messages.at(-1)?.content).toContain('not taken as the final answer')
  const { output, state: last } = await agent.resume(JSON.parse(JSON.stringify(agent.snapshot(state))) as Snapshot)
  expect(output).toEqual({ rooms: 3 })
  expect(textOf(model.requests[1]!.messages.at(-1)!)).toContain('not taken as the final answer')
  expect(last.step).toBe(2)
})

test('[C45] a run that is resumed has everything its agent has: plan, questions, summaries', async () => {
  const long = 'lorem ipsum '.repeat(400)
  const look = { name: 'look', func: () => long }
  const { agent, model, events } = functional(
    ({ messages }) => {
      if (textOf(messages[0]!).startsWith('Sum up')) return say('Sum.')
      return messages.filter(({ role }) => role === 'tool').length < 3 ? call('look') : say('Seen.')
    },
    {
      tools: [look],
      useTodoList: true,
      humanInTheLoop: { askUser: true },
      summarization: { summaryTriggerTokens: 2_000 },
    },
  )
  const { state } = await agent.invoke(hello, { onStateChange: (_state, stage) => stage === 'after_agent' })
  expect(events.some(({ type }) => type === 'summarization')).toBe(false)
  expect((await agent.resume(agent.snapshot(state))).content).toBe('Seen.')
  const tools = model.requests.at(-1)!.tools!.map(({ name }) => name)
  expect(tools).toEqual(expect.arrayContaining(['manage_todo_list', 'ask_user_question', 'look']))
  expect(events.some(({ type }) => type === 'summarization')).toBe(true)
})

test('[C12] a stranger’s state goes on with the calls that have no result', async () => {
  ran.length = 0
  const { agent, model } = functional([say('Done.')], { tools: [book] })
  const { messages, state } = await agent.invoke({
    messages: [
      { role: 'user', content: 'two rooms' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'a', name: 'book', args: { hotel: 'A' } },
          { id: 'b', name: 'book', args: { hotel: 'B' } },
        ],
      },
      { role: 'tool', tool_call_id: 'b', content: 'booked B' },
    ],
  })
  expect(ran).toEqual(['A'])
  expect(messages.map(({ content }) => content)).toEqual(['two rooms', null, 'booked A', 'booked B', 'Done.'])
  expect(model.requests).toHaveLength(1)
  expect(state.toolCallCount).toBe(2)
})

test('[C8] [C9] a turn’s limits hold across a pause', async () => {
  const tools = [guarded]
  const script = () => [call('book', { hotel: 'A' }), call('book', { hotel: 'B' }), say('Enough.')]
  const { agent } = functional(script(), { tools, limits: { maxToolCalls: 1 } })
  const first = await agent.invoke(hello)
  const second = await agent.invoke(agent.resolveToolApproval(first.state, { id: idOf(first.state), approved: true }))
  expect(second.state.toolHistory?.map(({ status }) => status)).toEqual(['success', 'skipped'])
  const steps = functional(script(), { tools, limits: { maxSteps: 1 } })
  const paused = await steps.agent.invoke(hello)
  const ended = await steps.agent.invoke(
    steps.agent.resolveToolApproval(paused.state, { id: idOf(paused.state), approved: true }),
  )
  expect(ended.metadata.terminalReason).toBe('max_turns')
})

test('[C11] [C15] a result that stands in for another call has no start, also across a pause', async () => {
  ran.length = 0
  const cached = { ...book, name: 'look', cache: true }
  const look = call('look', { hotel: 'Sol' })
  const { agent, events } = functional([look, call('book', { hotel: 'Sol' }), look, say('Done.')], {
    tools: [cached, guarded],
  })
  const { state } = await agent.invoke(hello)
  const snapshot = JSON.parse(JSON.stringify(agent.snapshot(state))) as Snapshot
  const approved = agent.resolveToolApproval(restoreSnapshot(snapshot), { id: idOf(state), approved: true })
  const { state: after } = await agent.invoke(approved)
  expect(ran).toEqual(['Sol', 'Sol'])
  expect(after.toolHistory?.map(({ fromCache }) => fromCache)).toEqual([undefined, undefined, true])
  const looks = events.filter((event) => event.type === 'tool_call' && event.name === 'look')
  expect(looks).toMatchObject([{ phase: 'start' }, { phase: 'success' }, { phase: 'success', durationMs: 0 }])
})

test('a turn’s budget of tokens holds across a pause', async () => {
  const script = [
    [call('book', { hotel: 'A' }), usage({ output: 60 })],
    [call('book', { hotel: 'B' }), usage({ output: 60 })],
    say('More.'),
  ]
  const { agent } = functional(script, { tools: [guarded], limits: { maxTotalOutputTokens: 100 } })
  let { state, metadata } = await agent.invoke(hello)
  for (let turn = 0; turn < 2 && metadata.terminalReason === 'paused'; turn += 1) {
    ;({ state, metadata } = await agent.invoke(agent.resolveToolApproval(state, { id: idOf(state), approved: true })))
  }
  expect(metadata.terminalReason).toBe('max_output_tokens_total')
})

test('[C3] [C19] [C57] what an agent at work has cost is counted once, however often it is left', async () => {
  const paid = usage({ input: 1, output: 5 })
  const look = { name: 'look', needsApproval: true, func: () => 'seen' }
  const finder = defineAgent({
    name: 'finder',
    model: scriptedModel([[call('look'), paid], say('Found.')]),
    tools: [look],
  })
  const { agent } = functional([[call('finder', { input: 'Find' }), paid], say('Done.')], {
    tools: [asTool(finder)],
    limits: { maxTotalOutputTokens: 15 },
  })
  const { state } = await agent.invoke(hello)
  const approved = agent.resolveToolApproval(state, { id: state.pendingApprovals![0]!.id, approved: true })
  const { content, metadata, state: last } = await agent.invoke(JSON.parse(JSON.stringify(approved)) as SmartState)
  expect([content, metadata.terminalReason]).toEqual(['Done.', 'completed'])
  expect(last.usage?.totals.default).toMatchObject({ input: 2, output: 10 })
  expect(metadata.usage.totals.default?.output ?? 0).toBe(0)
})

test('[C48] [C50] an approved call runs with what was shown, and the decision is told', async () => {
  ran.length = 0
  const { agent, events } = functional([call('book', { hotel: 'Sol' }), say('Done.')], { tools: [guarded] })
  const first = await agent.invoke(hello)
  expect(first.state.pendingApprovals?.[0]?.metadata).toMatchObject({ prompt: 'Really?' })
  const decided = agent.resolveToolApproval(first.state, {
    id: first.state.pendingApprovals?.[0]?.toolCallId ?? '',
    approved: true,
    decidedBy: 'on-call',
    comment: 'fine',
  })
  expect(first.state.pendingApprovals?.[0]?.status).toBe('pending')
  expect(decided.ctx).not.toHaveProperty('__awaitingApproval')
  events.length = 0
  const { state, content } = await agent.invoke(decided)
  expect(content).toBe('Done.')
  expect(ran).toEqual(['Sol'])
  expect(told(events)).toEqual(['tool_approval approved', 'tool_call start', 'tool_call success', 'finalAnswer'])
  expect(events[0]).toMatchObject({ decidedBy: 'on-call', args: { hotel: 'Sol' } })
  expect(state.pendingApprovals).toMatchObject([
    {
      status: 'executed',
      decidedBy: 'on-call',
      comment: 'fine',
      decidedAt: expect.any(String),
      resolvedAt: expect.any(String),
      executionId: state.toolHistory?.[0]?.executionId,
      metadata: { resolution: 'approved' },
    },
  ])
})

test('[C48] a rejected call tells the model why, and is over', async () => {
  ran.length = 0
  const { agent, model } = functional([call('book', { hotel: 'Sol' }), say('Ok.')], { tools: [guarded] })
  const first = await agent.invoke(hello)
  const rejected = agent.resolveToolApproval(first.state, {
    id: idOf(first.state),
    approved: false,
    comment: 'too far',
  })
  const { state } = await agent.invoke(rejected)
  expect(ran).toEqual([])
  expect(model.requests[1]?.messages.at(-1)?.content).toBe('Tool call rejected: too far')
  expect(state.pendingApprovals).toMatchObject([{ status: 'executed', metadata: { resolution: 'rejected' } }])
  expect(state.toolHistory).toMatchObject([{ status: 'rejected' }])
  expect(() => agent.resolveToolApproval(state, { id: idOf(state), approved: true })).toThrow(
    expect.objectContaining({ code: 'request-closed' }),
  )
})

test('[C48] two who go on from one state are two to the model’s server, and one to the tool', async () => {
  const keys: string[] = []
  const tool = {
    ...guarded,
    func: (_: unknown, context: { idempotencyKey: string }) => keys.push(context.idempotencyKey),
  }
  const { agent, model } = functional([call('book', { hotel: 'Sol' }), say('A.'), say('B.')], { tools: [tool] })
  const { state } = await agent.invoke(hello)
  const approved = agent.resolveToolApproval(state, { id: idOf(state), approved: true })
  for (const each of [approved, approved]) await agent.invoke(each)
  expect(new Set(model.options.map(({ key }) => key)).size).toBe(3)
  expect(new Set(keys).size).toBe(1)
})

test('[C48] a decision may be changed until it was carried out, and must be about something that waits', async () => {
  ran.length = 0
  const { agent } = functional([call('book', { hotel: 'Sol' }), say('Ok.')], { tools: [guarded] })
  const { state } = await agent.invoke(hello)
  const yes = agent.resolveToolApproval(state, { id: idOf(state), approved: true, approvedArgs: { hotel: 'Mar' } })
  const no = agent.resolveToolApproval(yes, { id: idOf(state), approved: false })
  expect(no.pendingApprovals?.[0]).not.toHaveProperty('approvedArgs')
  await agent.invoke(no)
  expect(ran).toEqual([])
  expect(() => agent.resolveToolApproval(state, { id: 'other', approved: true })).toThrow(
    expect.objectContaining({ code: 'request-unknown', message: expect.stringContaining(idOf(state)) }),
  )
})

test('[C48] [C49] edited arguments are checked again by the run', async () => {
  ran.length = 0
  const { agent, model } = functional([call('book', { hotel: 'Sol' }), say('Ok.')], { tools: [guarded] })
  const { state } = await agent.invoke(hello)
  const edited = (args: unknown) =>
    agent.resolveToolApproval(state, { id: idOf(state), approved: true, approvedArgs: args })
  await agent.invoke(edited({ hotel: 7 }))
  expect(model.requests[1]?.messages.at(-1)?.content).toContain('Invalid arguments after editing')
  const again = functional([say('Ok.')], { tools: [guarded] })
  const { state: after } = await again.agent.invoke(edited({ hotel: 'Mar' }))
  expect(ran).toEqual(['Mar'])
  expect(after.toolHistory).toMatchObject([{ args: { hotel: 'Mar' } }])
})

test('[O10] a person may give the result in place of the tool', async () => {
  ran.length = 0
  const { agent, model } = functional([call('book', { hotel: 'Sol' }), say('Ok.')], { tools: [guarded] })
  const { state } = await agent.invoke(hello)
  await agent.invoke(agent.resolveToolApproval(state, { id: idOf(state), approved: true, result: 'by phone' }))
  expect(ran).toEqual([])
  expect(model.requests[1]?.messages.at(-1)?.content).toBe('by phone')
})

test('[C49] all that a step needs of people is there at once, and safe calls have run', async () => {
  ran.length = 0
  const free = { ...book, name: 'free' }
  const answer = [call('book', { hotel: 'A' }), call('free', { hotel: 'B' }), call('book', { hotel: 'C' })]
  const { agent } = functional([answer, say('Ok.')], { tools: [guarded, free] })
  const first = await agent.invoke(hello)
  expect(first.state.pendingApprovals).toHaveLength(2)
  expect(ran).toEqual(['B'])
  const [one, two] = first.state.pendingApprovals ?? []
  const half = await agent.invoke(agent.resolveToolApproval(first.state, { id: one?.id ?? '', approved: true }))
  expect(half.metadata.terminalReason).toBe('paused')
  expect(half.state.pendingApprovals?.map(({ status }) => status)).toEqual(['executed', 'pending'])
  const whole = await agent.invoke(agent.resolveToolApproval(half.state, { id: two?.id ?? '', approved: true }))
  expect(whole.content).toBe('Ok.')
  expect(ran).toEqual(['B', 'A', 'C'])
})

test('[C53] [C54] a question stops the run, is answered by its words, and every status is told', async () => {
  const heard: unknown[] = []
  const { agent, events, model } = functional([asking, say('Lisbon it is.')], {
    humanInTheLoop: { askUser: { allowFreeText: false, onQuestion: (event) => heard.push(event.id) } },
  })
  const first = await agent.invoke(hello)
  const [pending] = first.state.pendingUserQuestions ?? []
  expect(first.state.ctx).toMatchObject({ __awaitingUserQuestion: { toolName: 'ask_user_question' } })
  expect(pending).toMatchObject({ status: 'pending', allowFreeText: false, questions: [{ question: 'Where?' }, {}] })
  expect(heard).toEqual([pending?.id])
  const answered = agent.resolveUserQuestion(first.state, {
    id: pending?.toolCallId ?? '',
    answers: [{ values: ['Lisbon'] }, { values: ['Porto'] }],
    answeredBy: 'ann',
    notes: 'by train',
  })
  const { state, content } = await agent.invoke(answered)
  expect(content).toBe('Lisbon it is.')
  expect(JSON.parse(textOf(model.requests[1]?.messages.at(-1) ?? { content: '' }))).toMatchObject({
    status: 'answered',
    answers: [{ values: ['Lisbon'] }, { values: ['Porto'] }],
    reviewerNotes: 'by train',
  })
  expect(state.pendingUserQuestions).toMatchObject([
    { status: 'executed', answeredBy: 'ann', metadata: { resolution: 'answered' } },
  ])
  expect(told(events).filter((event) => event.startsWith('user_question'))).toEqual([
    'user_question pending',
    'user_question answered',
  ])
})

test('[C54] a question may be cancelled, and an answer that does not fit is refused', async () => {
  const { agent, events, model } = functional([asking, say('Ok.')], {
    humanInTheLoop: { askUser: { allowFreeText: false } },
  })
  const { state } = await agent.invoke(hello)
  const id = state.pendingUserQuestions?.[0]?.id ?? ''
  for (const answers of [[], { 'Where?': { values: ['Rome'] } }, { 'Where?': { values: ['Lisbon', 'Porto'] } }]) {
    expect(() => agent.resolveUserQuestion(state, { id, answers })).toThrow(
      expect.objectContaining({ code: 'request-invalid' }),
    )
  }
  const cancelled = agent.resolveUserQuestion(state, { id, cancelled: true })
  expect(() => agent.resolveUserQuestion(cancelled, { id, cancelled: true })).toThrow(
    expect.objectContaining({ code: 'request-closed', message: expect.stringContaining('cancelled already') }),
  )
  await agent.invoke(cancelled)
  expect(model.requests[1]?.messages.at(-1)?.content).toContain('"cancelled"')
  expect(told(events)).toContain('user_question cancelled')
})

test('[C42] [C43] a snapshot is JSON, without callbacks, views or what is private', async () => {
  const { agent } = functional([call('book', { hotel: 'Sol' })], { tools: [guarded], version: '2' })
  const { state } = await agent.invoke({ ...hello, ctx: { mine: 1, __onEvent: () => {} } })
  const snapshot = agent.snapshot({ ...state, private: { socket: () => {} } }, { tag: 'before' })
  expect(JSON.parse(JSON.stringify(snapshot))).toEqual(snapshot)
  expect(snapshot).toMatchObject({
    schemaVersion: 1,
    runtimeHint: { name: 'tester', version: '2', tools: ['book'] },
    metadata: { tag: 'before', paused: true, createdAt: expect.any(Number) },
    state: { ctx: { mine: 1 } },
  })
  expect(snapshot.state).not.toHaveProperty('private')
  expect(agent.snapshot(state, { includeRuntimeHint: false })).not.toHaveProperty('runtimeHint')
})

test('[C43] what cannot be kept is named by its place', () => {
  const state = { ...hello, ctx: { tree: { leaf: [1, () => {}] } } } as SmartState
  expect(() => captureSnapshot(state)).toThrow('state.ctx.tree.leaf[1] (a function)')
  const cycle: Record<string, unknown> = {}
  cycle.self = cycle
  expect(() => captureSnapshot({ ...hello, metadata: cycle })).toThrow('state.metadata.self (a cycle)')
  expect(() => captureSnapshot({ ...hello, metadata: { map: new Map() } })).toThrow('state.metadata.map (a Map)')
})

test('[C42] a restored state is a copy, with the caller’s own context', () => {
  const snapshot = captureSnapshot({ ...hello, ctx: { mine: 1 } }, { tag: 't', at: 7 })
  expect(restoreSnapshot(snapshot, { ctx: { more: 2 } }).ctx).toEqual({
    mine: 1,
    more: 2,
    __restoredFromSnapshot: { tag: 't', createdAt: 7 },
  })
  expect(restoreSnapshot(snapshot, { ctx: { more: 2 }, mergeCtx: false }).ctx).not.toHaveProperty('mine')
  const restored = restoreSnapshot(snapshot)
  expect(restored.messages).not.toBe(snapshot.state.messages)
})

test('[C42] an older snapshot is read, a newer one refused', () => {
  const { schemaVersion: _version, ...older } = captureSnapshot(hello, { at: 0 })
  const written = { ...older, metadata: { createdAt: '2026-01-01T00:00:00.000Z', paused: null } } as unknown as Snapshot
  expect(restoreSnapshot(written)).toMatchObject({
    ...hello,
    ctx: { __restoredFromSnapshot: { createdAt: 1767225600000 } },
  })
  expect(() => restoreSnapshot({ ...written, schemaVersion: 2 } as unknown as Snapshot)).toThrow('not a snapshot')
})

test('[C46] an agent that has changed since is noticed', async () => {
  const { agent } = functional([call('book', { hotel: 'Sol' })], { tools: [guarded], version: '1' })
  const { state } = await agent.invoke(hello)
  const other = functional([say('Ok.')], { tools: [], version: '2' })
  const approved = agent.resolveToolApproval(state, { id: idOf(state), approved: false })
  const { metadata } = await other.agent.resume(agent.snapshot(approved))
  expect(metadata.drift).toEqual({ version: { was: '1', is: '2' }, missingTools: ['book'] })
  expect(other.warnings[0]).toContain('another agent')
})

test('[C46] an approved call whose tool is gone ends the run with the reason', async () => {
  const { agent } = functional([call('book', { hotel: 'Sol' })], { tools: [guarded] })
  const { state } = await agent.invoke(hello)
  const other = functional([say('Ok.')], { tools: [] })
  const { metadata } = await other.agent.invoke(agent.resolveToolApproval(state, { id: idOf(state), approved: true }))
  expect(metadata).toMatchObject({ terminalReason: 'model_error', error: { code: 'tool-unknown' } })
})

test('[C6] a deadline is the run’s: what was left for long is not late', async () => {
  const { agent } = functional([call('book', { hotel: 'Sol' }), say('Done.')], {
    tools: [guarded],
    limits: { maxWallClockMs: 300 },
  })
  const { state } = await agent.invoke(hello, { timeoutMs: 300 })
  await new Promise((resolve) => setTimeout(resolve, 350))
  const approved = agent.resolveToolApproval(state, { id: idOf(state), approved: true })
  await expect(agent.invoke(approved, { timeoutMs: 300 })).resolves.toMatchObject({ content: 'Done.' })
})

test('[C55] a question that an agent asks for another goes on where it was asked', async () => {
  const helper = functional([call('book', { hotel: 'Sol' }), say('Booked Sol.')], { name: 'helper', tools: [guarded] })
  const { agent, events } = functional([call('helper', { input: 'a room' }), say('All done.')], {
    tools: [helper.agent.asTool()],
  })
  ran.length = 0
  const first = await agent.invoke(hello)
  expect(first.state.pendingApprovals).toMatchObject([{ toolName: 'book', status: 'pending' }])
  expect(events).toContainEqual(expect.objectContaining({ type: 'tool_approval', delegatedTo: 'helper' }))
  const snapshot = JSON.parse(JSON.stringify(agent.snapshot(first.state))) as Snapshot
  const restored = restoreSnapshot(snapshot)
  const approved = agent.resolveToolApproval(restored, { id: idOf(restored), approved: true })
  const { content, state } = await agent.invoke(approved)
  expect(content).toBe('All done.')
  expect(ran).toEqual(['Sol'])
  expect(helper.model.requests).toHaveLength(2)
  expect(events.filter(({ type }) => type === 'subagent')).toMatchObject([
    { phase: 'start', name: 'helper' },
    { phase: 'paused', requests: [{ tool: 'book' }] },
    { phase: 'result', result: 'Booked Sol.' },
  ])
  expect(state.pendingApprovals).toMatchObject([{ status: 'executed' }])
  expect(state.ctx).toEqual({})
  expect(events.filter(({ type }) => type === 'finalAnswer')).toEqual([{ type: 'finalAnswer', content: 'All done.' }])
})

test('[C58] the agent that has the word keeps it across a pause, and the next turn is the first agent’s', async () => {
  const billing = functional([call('book', { hotel: 'Sol' }), say('Billed.')], { name: 'billing', tools: [guarded] })
  const { agent, events, model } = functional([call('handoff_to_billing', { reason: 'money' }), say('Back.')], {
    tools: [billing.agent.asHandoff()],
  })
  const first = await agent.invoke(hello)
  expect(first.state.agent).toMatchObject({ name: 'billing' })
  expect(events).toContainEqual({ type: 'handoff', from: 'tester', to: 'billing', toolName: 'handoff_to_billing' })
  const { content, messages, state } = await agent.invoke(
    agent.resolveToolApproval(first.state, { id: idOf(first.state), approved: true }),
  )
  expect(content).toBe('Billed.')
  const next = await agent.invoke({ ...state, messages: [...messages, { role: 'user', content: 'thanks' }] })
  expect(next.content).toBe('Back.')
  expect(model.requests).toHaveLength(2)
})

test('a run that was stopped can be asked again', async () => {
  const { agent } = functional([[say('Hm'), forever], say('There.')])
  const first = await agent.invoke(hello, { timeoutMs: 5 })
  await expect(agent.invoke(first.state)).resolves.toMatchObject({ content: 'There.' })
})

test('a state that has its answer is not asked about again', async () => {
  const { agent, model } = functional([say('Hi.')])
  const { state } = await agent.invoke(hello)
  await expect(agent.invoke(state)).resolves.toMatchObject({
    content: 'Hi.',
    metadata: { terminalReason: 'completed' },
  })
  expect(model.requests).toHaveLength(1)
})

test('[O5] a conversation may rest when nothing in it waits for an answer', () => {
  expect(validateMessages([])).toEqual({ ok: true })
  expect(validateMessages([{ role: 'assistant', content: 'Hi.' }])).toEqual({ ok: true })
  expect(validateMessages(hello.messages)).toEqual({ ok: false, error: 'invalid_messages' })
  const calling = { role: 'assistant', content: null, tool_calls: [{ id: 'c', name: 'book', args: {} }] }
  expect(validateMessages([calling])).toEqual({ ok: false, error: 'invalid_messages' })
})

test('[O7] a state at rest is changed whole or not at all', async () => {
  const { agent, model } = functional([say('Hi.'), say('Yes.')], { instructions: 'Be brief.' })
  const { state } = await agent.invoke(hello)
  const changed = agent.setState(state, { system: 'Be kind.', model: 'large', messages: [] })
  await agent.invoke({ ...changed, messages: hello.messages })
  expect(model.requests[1]).toMatchObject({ model: 'large', messages: [{ content: 'Be kind.' }, {}] })
  expect(setState(state, ({ messages }) => ({ messages: messages.slice(0, 0) })).messages).toEqual([])
  expect(() => setState(state, { system: 'x', messages: hello.messages })).toThrow('invalid_messages')
  expect(() => setState(state, { plan: null } as object)).toThrow(
    expect.objectContaining({ details: expect.objectContaining({ key: 'plan' }) }),
  )
  expect(() => setState({ ...state, status: 'paused' }, { system: 'x' })).toThrow(
    expect.objectContaining({ code: 'not-idle' }),
  )
})

function idOf(state: SmartState): string {
  return (
    state.pendingApprovals?.findLast(({ status }) => status !== 'executed')?.id ?? state.pendingApprovals?.[0]?.id ?? ''
  )
}
