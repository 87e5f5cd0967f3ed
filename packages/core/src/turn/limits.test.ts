import fc from 'fast-check'
import { expect, test } from 'vitest'
import { defineAgent, type SmartAgentOptions } from '../agents/agent.ts'
import type { ModelEvent } from '../ports/model.ts'
import { textOf, type Message } from '../session/message.ts'
import { createTool, type ToolOptions } from '../tools/tool.ts'
import { calls, resultsIn, run } from './turn.fixture.ts'

const hello: Message = { id: 'u', role: 'user', content: 'hello', meta: { status: 'complete', createdAt: 0 } }
const look: ToolOptions = { name: 'look', effect: 'read', func: () => 'seen' }

test('[C8] [O13] a turn that asks its model too often ends with its reason and no call without a result', async () => {
  const { result, asked } = await turn({ limits: { maxTurns: 3 } }, 9)
  expect(asked).toHaveLength(3)
  expect(result).toMatchObject({ terminalReason: 'max_turns', content: 'Step 3.' })
  expect(resultsIn(result.messages)).toHaveLength(3)
})

test('[C9] calls over the limit are skipped and counted, the model is told once and has one more say', async () => {
  const answers = [calls('look', 'look', 'look'), calls('look')]
  const { asked, result } = await run({
    messages: [hello],
    answers,
    options: { tools: [look], limits: { maxToolCalls: 2 } },
  })
  const skipped = 'Skipped tool due to tool-call limit: look'
  expect(resultsIn(asked[1]!.messages)).toEqual(['seen', 'seen', skipped])
  expect(asked[1]!.messages.at(-1)).toMatchObject({
    role: 'user',
    content: expect.stringMatching(/^\[System Notice\]/),
  })
  expect(asked).toHaveLength(2)
  expect(result.terminalReason).toBe('max_tool_calls')
  expect(resultsIn(result.messages)).toHaveLength(4)
})

test('[C19] a turn stops before the step it has no tokens for, and its last words are its answer', async () => {
  const { result, asked } = await turn({ limits: { maxTotalOutputTokens: 15 } })
  expect(asked).toHaveLength(2)
  expect(result).toMatchObject({ terminalReason: 'max_output_tokens_total', content: 'Step 2.' })
  expect(resultsIn(result.messages)).toEqual(['seen', 'seen'])
})

test('[C19] a limit of 0 is none', async () => {
  const limits = { maxTotalOutputTokens: 0, maxCostUsd: 0, maxWallClockMs: 0 }
  expect((await turn({ limits })).result.terminalReason).toBe('completed')
})

test('[C19] answers whose calls need no run are counted before the next step too', async () => {
  const answers = Array.from({ length: 4 }, () => priced('Hm.', calls('nowhere')))
  const { result, asked } = await run({
    messages: [hello],
    answers,
    options: { limits: { maxTotalOutputTokens: 15 } },
  })
  expect(asked).toHaveLength(2)
  expect(result.terminalReason).toBe('max_output_tokens_total')
})

test('[C20] what a turn costs is what the estimator says of each model call', async () => {
  const seen: unknown[] = []
  const costEstimator: SmartAgentOptions['costEstimator'] = (call) => {
    seen.push(call)
    return call.outputTokens / 10
  }
  const { result, asked } = await turn({ limits: { maxCostUsd: 2.5 }, costEstimator })
  expect(asked).toHaveLength(3)
  expect(result).toMatchObject({ terminalReason: 'max_cost', usage: { totals: { default: { costUsd: 3 } } } })
  expect(seen[0]).toEqual({
    modelName: 'default',
    inputTokens: 90,
    outputTokens: 10,
    cachedInputTokens: 4,
    reasoningTokens: 2,
  })
})

test('[C19] a turn stops when its time is up', async () => {
  const slow: ToolOptions = { ...look, timeout: 100, func: () => new Promise(() => {}) }
  const { result, asked } = await turn({ tools: [slow], limits: { maxWallClockMs: 300 } }, 9)
  expect(asked).toHaveLength(2)
  expect(result.terminalReason).toBe('max_wall_clock')
})

test('[C19] an agent at work for another stops when that one may spend no more', async () => {
  const helper = defineAgent({ name: 'helper', tools: [look] })
  const ask = createTool({
    name: 'ask_helper',
    parameters: { type: 'object', properties: { input: { type: 'string' } } },
    agent: helper,
    func: () => 'never',
  })
  const step = priced('Hm.', calls('look'))
  const { result, asked } = await run({
    messages: [hello],
    answers: [priced('', calls(['ask_helper', { input: 'go' }])), step, step, step, step],
    options: { tools: [ask], limits: { maxTotalOutputTokens: 25 } },
  })
  expect(asked).toHaveLength(3)
  expect(result.terminalReason).toBe('max_output_tokens_total')
  expect(resultsIn(result.messages)).toEqual([expect.stringContaining('max_output_tokens_total')])
})

const outcomes = ['fine', 'throws', 'hangs', 'misfit', 'unknown', 'limited', 'retried'] as const

test('[C9] [C10] [C15] whatever becomes of calls, each has exactly one result, in order, and all are counted', async () => {
  const parameters = { type: 'object', properties: { n: { type: 'integer' } } }
  const tools: ToolOptions[] = [
    { name: 'fine', func: () => 'fine' },
    { name: 'throws', func: thrower },
    { name: 'hangs', timeout: 10, func: () => new Promise(() => {}) },
    { name: 'misfit', parameters, func: () => 'never' },
    { name: 'limited', maxExecutionsPerRun: 1, func: () => 'limited' },
    { name: 'retried', effect: 'read', retry: { maxRetries: 1 }, func: thrower },
  ]
  const steps = fc.array(fc.array(fc.constantFrom(...outcomes), { minLength: 1, maxLength: 5 }), { maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(steps, fc.integer({ min: 1, max: 12 }), async (names, maxToolCalls) => {
      const answers = names.map((step) => calls(...step.map((name) => [name, { n: 'x' }] as const)))
      const limits = { maxToolCalls, maxParallelTools: 2 }
      const { result, asked } = await run({ messages: [hello], answers, options: { tools, limits } })
      const given = result.messages.flatMap(({ tool_calls = [] }) => tool_calls)
      const results = result.messages.filter(({ role }) => role === 'tool')
      expect(results.map((message) => message.tool_call_id).sort(byText)).toEqual(
        given.map(({ id }) => id).sort(byText),
      )
      const prompt = asked.at(-1)?.messages ?? []
      const told = prompt.flatMap(({ role, tool_call_id }) => (role === 'tool' ? [tool_call_id] : []))
      expect(told).toEqual(prompt.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id)))
      const said = (id: string) => textOf(results.find((message) => message.tool_call_id === id) ?? hello)
      expect(given.map(({ id, function: { name } }) => kindOf(said(id), name))).toEqual(expected(names, maxToolCalls))
    }),
    { numRuns: 60 },
  )
})

/** What should become of each call, reckoned apart. */
function expected(names: readonly (readonly string[])[], maxToolCalls: number): string[] {
  let count = 0
  let limited = 0
  const kinds: string[] = []
  for (const step of names) {
    // Told that none are left, the model had one more answer, and this was it.
    const isLast = count >= maxToolCalls
    for (const name of step) {
      count += 1
      if (count > maxToolCalls) kinds.push('over the limit')
      else if (name === 'limited') kinds.push((limited += 1) > 1 ? 'over its own limit' : 'limited')
      else kinds.push(name)
    }
    if (isLast) break
  }
  return kinds
}

function kindOf(content: string, name: string): string {
  if (content.startsWith('Skipped tool due to tool-call limit')) return 'over the limit'
  if (content.startsWith('Skipped tool due to per-tool')) return 'over its own limit'
  const says = {
    fine: 'fine',
    limited: 'limited',
    throws: 'Error executing tool: no',
    retried: 'Error executing tool: no',
    hangs: 'did not answer',
    misfit: 'Invalid arguments',
    unknown: 'Tool not found',
  }
  return content.includes(says[name as keyof typeof says]) ? name : content
}

function thrower(): never {
  throw new Error('no')
}

function byText(one: string | undefined, other: string | undefined): number {
  return (one ?? '').localeCompare(other ?? '')
}

/** A turn whose model looks so often, at ten tokens a time, and then answers. */
function turn(options: SmartAgentOptions, steps = 4) {
  const answers = Array.from({ length: steps }, (_, index) => priced(`Step ${index + 1}.`, calls('look')))
  return run({ messages: [hello], answers, options: { tools: [look], ...options } })
}

function priced(text: string, events: readonly ModelEvent[]): ModelEvent[] {
  const usage = { input: 90, output: 10, total: 100, cachedInput: 4, reasoning: 2 }
  return [{ type: 'text-delta', text }, { type: 'usage', usage }, ...events]
}
