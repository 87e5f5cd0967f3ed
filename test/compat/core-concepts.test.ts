/** "Core Concepts": every sample of the page runs as it is printed, and what its headings promise holds. */
import { call, say, usage } from '@dogear/testing'
import {
  captureSnapshot,
  createTool,
  normalizeUsage,
  restoreSnapshot,
  type SmartAgentEvent,
  type SmartState,
  type Snapshot,
} from 'dogear'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { scripted, start } from './scripted.ts'

const booked: unknown[] = []
const book = createTool({
  name: 'book_room',
  schema: z.object({ nights: z.number().int().min(1) }),
  func: ({ nights }) => {
    booked.push(nights)
    return { confirmation: `R-${nights}` }
  },
})
const twoNights = call('book_room', { nights: 2 })

test('Core Concepts › 1. State container', async () => {
  const { agent } = scripted([[twoNights, usage({ input: 3, output: 2 })], say('Done.')], {
    tools: [book],
    useTodoList: true,
  })
  const { state } = await agent.invoke(start)
  expect(state).toMatchObject({
    messages: [{ role: 'user' }, { role: 'assistant' }, { role: 'tool' }, { role: 'assistant' }],
    toolCallCount: 1,
    toolHistory: [{ toolName: 'book_room' }],
    toolHistoryArchived: [],
    summaries: [],
    plan: null,
    planVersion: 0,
    usage: { totals: { default: { input: 3, output: 2, total: 5 } } },
    agent: { name: 'assistant', tools: ['book_room'] },
    ctx: {},
  })
})

test('Core Concepts › 2. Nodes (phases)', async () => {
  const { agent } = scripted([twoNights, say('Done.')], { tools: [book] })
  const stages: string[] = []
  await agent.invoke(start, { onStateChange: (_state, stage) => void stages.push(stage) })
  expect(stages).toEqual([
    'before_guardrails',
    'after_agent',
    'after_tools',
    'before_guardrails',
    'after_agent',
    'after_loop',
  ])
})

test('Core Concepts › 3. Tools', async () => {
  const { agent, model } = scripted(
    [[call('book_room', { nights: 0 }), call('by_call', {}), call('by_invoke', {})], say('Done.')],
    { tools: [book, { name: 'by_call', call: () => 'called' }, { name: 'by_invoke', invoke: () => [1, 2] }] },
  )
  await agent.invoke(start)
  const [wrong, byCall, byInvoke] = model.requests[1]?.messages.slice(-3) ?? []
  expect(wrong?.content).toContain('nights')
  expect([byCall?.content, byInvoke?.content]).toEqual(['called', '[1,2]'])
})

test('Core Concepts › 4. Planning helpers', async () => {
  const todoList = [
    { id: 1, step: 'Look', status: 'in-progress' },
    { id: 2, step: 'Book', status: 'not-started' },
  ]
  const { agent, model } = scripted([call('manage_todo_list', { operation: 'write', todoList }), say('Done.')], {
    useTodoList: true,
  })
  const plans: SmartAgentEvent[] = []
  const { state } = await agent.invoke(start, { onEvent: (event) => event.type === 'plan' && plans.push(event) })
  expect(model.requests[0]?.tools?.map(({ name }) => name)).toContain('manage_todo_list')
  expect(plans).toMatchObject([{ operation: 'write', version: 1, todoList }])
  expect(state.plan).toMatchObject({ version: 1, steps: todoList })
})

test.each([
  ['by calling the finalize tool', call('response', { total: 240 })],
  ['in words that are JSON', say('Here: {"total": 240}')],
])('Core Concepts › 5. Structured output finalize, %s', async (_how, answer) => {
  const { agent } = scripted([answer], { outputSchema: z.object({ total: z.number() }) })
  const result = await agent.invoke(start)
  expect(result.output).toEqual({ total: 240 })
  expect(result.state.ctx?.__structuredOutputParsed).toEqual({ total: 240 })
})

test('Core Concepts › 6. Multi-agent composition', async () => {
  const finder = scripted([say('Hotel Sol.')], { name: 'finder' }).agent
  const billing = scripted([say('Paid.')], { name: 'billing' }).agent
  const { agent } = scripted(
    [call('find_hotel', { input: 'by the sea' }), call('handoff_to_billing', { reason: 'pay' })],
    {
      tools: [finder.asTool({ toolName: 'find_hotel' }), billing.asHandoff()],
    },
  )
  const { content, state } = await agent.invoke(start)
  expect(content).toBe('Paid.')
  expect(state.agent).toMatchObject({ name: 'billing' })
  expect(state.toolHistory).toMatchObject([{ output: 'Hotel Sol.' }, { output: 'ok', status: 'handoff' }])
})

test('Core Concepts › 7. Limits', async () => {
  const { agent } = scripted([[twoNights, call('book_room', { nights: 3 })], say('Only one.')], {
    tools: [book],
    limits: { maxToolCalls: 1, maxParallelTools: 1, maxToken: 60000, contextTokenLimit: 6000, summaryTokenLimit: 500 },
  })
  const phases: string[] = []
  await agent.invoke(start, { onEvent: (event) => event.type === 'tool_call' && phases.push(event.phase) })
  expect(phases.sort()).toEqual(['skipped', 'start', 'success'])
})

test('Core Concepts › 8. Summarization lifecycle', async () => {
  const page = createTool({
    name: 'read_page',
    retention: { output: 'summarize_archive' },
    schema: z.object({ n: z.number() }),
    func: ({ n }) => `${n}: ${'word '.repeat(2000)}`,
  })
  let turn = 0
  const summary = JSON.stringify({
    stable_facts: [],
    active_goals: [],
    open_questions: [],
    discarded_obsolete: [],
    rawSummary: 'Pages were read.',
  })
  const { agent, model } = scripted(
    ({ tools }) => (tools?.length ? ((turn += 1) < 5 ? call('read_page', { n: turn }) : say('Read.')) : say(summary)),
    { tools: [page], limits: { maxToken: 4000, contextTokenLimit: 8000 } },
  )
  const told: SmartAgentEvent[] = []
  const { state } = await agent.invoke(start, {
    onEvent: (event) => event.type === 'summarization' && told.push(event),
  })
  expect(told[0]).toMatchObject({ summary: expect.stringContaining('Pages were read.') })
  expect(state.summaries?.[0]).toContain('Pages were read.')
  expect(state.toolHistoryArchived?.[0]).toMatchObject({ toolName: 'read_page', summarized: true })
  const marker = `executionId:'${state.toolHistoryArchived?.[0]?.executionId}'`
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain(marker)
  expect(JSON.stringify(state.messages)).not.toContain(marker)
  // The next run is shown no more than the last one was.
  await agent.invoke({ ...state, messages: [...state.messages, { role: 'user', content: 'And?' }] })
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain(marker)
})

test('Core Concepts › 9. Pause & resume runs', async () => {
  booked.length = 0
  const { agent } = scripted([twoNights, say('Done.')], { tools: [book] })
  const state: SmartState = start
  let kept = ''
  // prettier-ignore
  async function sample() {
const result = await agent.invoke(state, {
	onStateChange(current) {
		const last = current.messages.at(-1);
		return !current.ctx?.__resumeStage && Array.isArray(last?.tool_calls);
	},
	checkpointReason: "waiting-for-review",
});

if (result.state?.ctx?.__paused) {
	const snapshot = agent.snapshot(result.state, { tag: "checkpoint" });
	// persist snapshot (JSON.stringify) and resume later
	kept = JSON.stringify(snapshot)
}
    return result
  }
  const result = await sample()
  expect(result.state.ctx?.__paused).toMatchObject({ stage: 'after_agent', reason: 'waiting-for-review' })
  expect(booked).toEqual([])
  const snapshot = JSON.parse(kept) as Snapshot
  await expect(agent.resume(snapshot)).resolves.toMatchObject({ content: 'Done.' })
  expect(booked).toEqual([2])
})

test('Core Concepts › 9. Pause & resume runs, by the exported helpers', async () => {
  const { agent } = scripted([twoNights, say('Done.')], { tools: [book] })
  const { state } = await agent.invoke(start, { onStateChange: (_state, stage) => stage === 'after_agent' })
  const snapshot = JSON.parse(JSON.stringify(captureSnapshot(state))) as Snapshot
  await expect(agent.invoke(restoreSnapshot(snapshot))).resolves.toMatchObject({ content: 'Done.' })
})

test('Core Concepts › 10. Human approvals for tools', async () => {
  booked.length = 0
  const reviewed = createTool({
    name: 'book_room',
    schema: z.object({ nights: z.number() }),
    needsApproval: true,
    approvalPrompt: 'Check the dates.',
    func: ({ nights }) => (booked.push(nights), 'booked'),
  })
  const { agent } = scripted([twoNights, say('Done.')], { tools: [reviewed] })
  const statuses: string[] = []
  const onEvent = (event: SmartAgentEvent) => event.type === 'tool_approval' && statuses.push(event.status)
  const { state } = await agent.invoke(start, { onEvent })
  // prettier-ignore
  async function sample() {
const pending = state.pendingApprovals?.[0];
if (pending) {
	const updated = agent.resolveToolApproval(state, {
		id: pending.id,
		approved: true,
		decidedBy: "on-call",
		comment: "Safe to execute",
	});
	const resumed = await agent.invoke(updated);
	return resumed
}
  }
  expect(await sample()).toMatchObject({ content: 'Done.' })
  expect(booked).toEqual([2])
  expect(statuses).toEqual(['pending'])
  expect(state.pendingApprovals?.[0]).toMatchObject({
    toolCallId: expect.any(String),
    metadata: { prompt: 'Check the dates.' },
  })
})

test('Core Concepts › 11. Events & observability', async () => {
  const everywhere: string[] = []
  const here: string[] = []
  const { agent } = scripted([[twoNights, usage({ input: 1, output: 1 })], say('Done.')], {
    tools: [book],
    onEvent: ({ type }) => everywhere.push(type),
  })
  await agent.invoke(start, { onEvent: ({ type }) => here.push(type) })
  expect(here).toEqual(everywhere)
  expect(here).toEqual(expect.arrayContaining(['tool_call', 'metadata', 'finalAnswer']))
})

test('Core Concepts › 12. Usage tracking', async () => {
  expect(normalizeUsage({ input_tokens: 10, output_tokens: 4, cache_read_input_tokens: 6 })).toMatchObject({
    prompt_tokens: 10,
    completion_tokens: 4,
    total_tokens: 14,
    prompt_tokens_details: { cached_tokens: 6 },
  })
  const { agent } = scripted([[say('Hi.'), usage({ input: 7, output: 2 })]])
  const told: unknown[] = []
  const { state } = await agent.invoke(start, {
    onEvent: (event) => event.type === 'metadata' && told.push(event.usage),
  })
  expect(state.usage?.totals).toMatchObject({ default: { input: 7, output: 2, total: 9 } })
  expect(told).toMatchObject([{ prompt_tokens: 7, completion_tokens: 2 }])
})
