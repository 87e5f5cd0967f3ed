/** What a trace promises, of runs through the real client, wire, host, loop and journal. */
import { customSink, type TraceEvent, type TraceSinkConfig } from '@dogear/core'
import { call, fail, say, scriptedModel, think, usage } from '@dogear/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { traced } from './traced.ts'

const hotels = { name: 'find_hotels', func: () => 'three hotels' }
const twoSteps = () => [
  [call('find_hotels', { city: 'Lisbon' }), usage({ input: 10, output: 4, cachedInput: 6 })],
  [say('Three.'), usage({ input: 20, output: 2 })],
]

describe('[C63] a trace', () => {
  test('tells each model call and tool call of a run with its cost and its place', async () => {
    const { trace } = await traced({}, { agent: { model: scriptedModel(twoSteps()), tools: [hotels] } })
    expect(trace).toMatchObject({
      sessionId: 'run-1',
      threadId: 'thread-1',
      agent: { name: 'tester', model: 'default' },
      status: 'success',
      summary: {
        totalEvents: 4,
        droppedEvents: 0,
        tokens: { default: { input: 30, output: 6, cachedInput: 6 } },
        toolCalls: 1,
        errors: 0,
      },
    })
    expect(trace.events.map(({ sequence, type, status }) => [sequence, type, status])).toEqual([
      [1, 'ai_call', 'success'],
      [2, 'tool_call', 'success'],
      [3, 'ai_call', 'success'],
      [4, 'turn', 'success'],
    ])
    const [asked, tool, answered, turn] = trace.events as [TraceEvent, TraceEvent, TraceEvent, TraceEvent]
    expect(asked).toMatchObject({ usage: { model: 'default', input: 10, output: 4, cachedInput: 6 }, parent: turn.id })
    expect(tool).toMatchObject({ name: 'find_hotels', toolExecutionId: expect.stringMatching(/\.1\.0$/) })
    expect(answered.data).toEqual({ input: [{ role: 'tool', content: 'three hotels' }], output: 'Three.' })
    expect(Date.parse(trace.endedAt ?? '') - Date.parse(trace.startedAt)).toBe(trace.durationMs)
  })

  test('tells who was asked, how long it took, and what was decided', async () => {
    const model = scriptedModel([call('book'), say('Done.')])
    const agent = { model, tools: [{ name: 'book', needsApproval: true, func: () => 'ok' }] }
    const { trace } = await traced({}, { agent })
    expect(trace.status).toBe('success')
    expect(trace.events.map(({ type, status }) => [type, status])).toEqual([
      ['ai_call', 'success'],
      ['approval', 'pending'],
      ['turn', 'pending'],
    ])
  })

  test('tells plans, as numbers and as steps', async () => {
    const todoList = [{ id: 1, step: 'Find a hotel' }]
    const model = scriptedModel([call('manage_todo_list', { operation: 'write', todoList }), say('Planned.')])
    const { trace } = await traced({}, { agent: { model, useTodoList: true } })
    expect(trace.events.find(({ type }) => type === 'plan')).toMatchObject({
      name: 'manage_todo_list',
      details: { operation: 'write', version: 1, steps: 1 },
      data: { todoList: [expect.objectContaining({ step: 'Find a hotel' })] },
    })
  })

  test('of a run that failed is an error, with its code', async () => {
    const { trace } = await traced({}, { agent: { model: scriptedModel([fail('model-failed')]) } })
    expect(trace).toMatchObject({ status: 'error', events: [{ type: 'turn', error: { code: 'model-failed' } }] })
  })

  test('of a run whose tool failed counts the error, and is a success', async () => {
    const broken = { name: 'find_hotels', func: () => Promise.reject(new Error('no hotels')) }
    const { trace } = await traced({}, { agent: { model: scriptedModel(twoSteps()), tools: [broken] } })
    expect(trace).toMatchObject({ status: 'success', summary: { errors: 1, toolCalls: 1 } })
    expect(trace.events[1]).toMatchObject({ status: 'error', error: { message: expect.stringContaining('no hotels') } })
  })

  test('of one run holds nothing of another that goes on beside it', async () => {
    const runs = await Promise.all(
      ['Lisbon', 'Porto'].map((city) =>
        traced(
          {},
          {
            agent: { model: scriptedModel([call('find_hotels', { city }), say(city)]), tools: [hotels] },
            sessionId: city,
            words: `to ${city}`,
          },
        ),
      ),
    )
    for (const { trace, entries } of runs) {
      const other = trace.sessionId === 'Lisbon' ? 'Porto' : 'Lisbon'
      expect(JSON.stringify(trace)).not.toContain(other)
      expect(trace.events.every(({ sessionId }) => sessionId === trace.sessionId)).toBe(true)
      expect(entries.length).toBeGreaterThan(0)
    }
  })
})

describe('[C63] a sink', () => {
  const agent = () => ({ model: scriptedModel(twoSteps()), tools: [hotels] })
  const failing = customSink({ onSession: () => Promise.reject(new Error('disk full')) })

  test('that fails makes a trace partial, says so once, and leaves the run alone', async () => {
    const throwing = customSink({
      onEvent() {
        throw new Error('no')
      },
    })
    const { trace, result, warnings } = await traced({ sink: throwing }, { agent: agent() })
    expect(result).toMatchObject({ terminalReason: 'completed', text: 'Three.' })
    expect(trace.status).toBe('partial')
    expect(warnings).toEqual([expect.stringContaining('custom sink of a trace failed: no.')])
  })

  test('gets what another one did not', async () => {
    const seen: string[] = []
    const whole = customSink({
      onEvent: ({ type }) => void seen.push(type),
      onSession: ({ status }) => void seen.push(status),
    })
    const { trace } = await traced({ sink: [failing, whole] }, { agent: agent() })
    expect(trace.status).toBe('partial')
    expect(seen).toEqual(['ai_call', 'tool_call', 'ai_call', 'turn', 'success'])
  })

  test('that cannot work is replaced with a warning', async () => {
    const seen: string[] = []
    const fallback = customSink({ onSession: ({ sessionId }) => void seen.push(sessionId) })
    const bad = { type: 'http', url: 'http://example.com' } as unknown as TraceSinkConfig
    const { trace, warnings } = await traced({ sink: bad }, { agent: agent(), platform: { fallback } })
    expect(seen).toEqual(['run-1'])
    expect(trace.status).toBe('success')
    expect(warnings).toEqual([expect.stringContaining('httpSink')])
  })

  test('that was not given is the platform’s own, or none with a warning', async () => {
    const { warnings } = await traced({ sink: undefined }, { agent: agent(), platform: { isPage: true } })
    expect(warnings).toEqual([expect.stringContaining('has no sink')])
  })

  test('that never answers holds nobody up', async () => {
    const stuck = customSink({ onEvent: () => new Promise(() => {}) })
    const hasty = { now: () => Date.now(), elapsed: () => 0, sleep: () => Promise.resolve(), after: () => () => {} }
    const { trace, endedIn } = await traced({ sink: stuck }, { agent: agent(), platform: { clock: hasty } })
    expect(trace).toMatchObject({ status: 'partial', summary: { totalEvents: 4 } })
    expect(endedIn).toBeLessThan(1_000)
  })
})

describe('[C64] what leaves', () => {
  test('is metrics only in a page, whatever is said, called, answered or goes wrong', async () => {
    const words = fc.string({ minLength: 8, maxLength: 40, unit: 'grapheme' }).map((text) => `§${text}§`)
    await fc.assert(
      fc.asyncProperty(fc.array(words, { minLength: 8, maxLength: 8 }), fc.boolean(), async (said, isBroken) => {
        const [user, thought, args, result, answer, step, comment, question] = said as Eight
        const model = scriptedModel([
          [think(thought), say(comment), call('look', { args }), usage({ input: 1, output: 1 })],
          call('manage_todo_list', { operation: 'write', todoList: [{ id: 1, step }] }),
          call('ask_user_question', { questions: [{ question, header: 'Which' }] }),
          say(answer),
        ])
        const look = { name: 'look', func: () => (isBroken ? Promise.reject(new Error(result)) : result) }
        const left: unknown[] = []
        const sink = customSink({
          onEvent: (event) => void left.push(event),
          onSession: (trace) => void left.push(trace),
        })
        const agent = { model, tools: [look], useTodoList: true, humanInTheLoop: { askUser: true } }
        const { trace } = await traced({ sink }, { agent, words: user, platform: { isPage: true } })
        const text = JSON.stringify([left, trace])
        expect(trace.events.map(({ type }) => type)).toContain('question')
        for (const each of said) expect(text).not.toContain(JSON.stringify(each).slice(1, -1))
      }),
      { numRuns: 25 },
    )
  })

  test('may be more where the developer says so, and less where he hides it', async () => {
    const agent = () => ({ model: scriptedModel(twoSteps()), tools: [hotels] })
    const open = await traced({ logData: true }, { agent: agent(), platform: { isPage: true } })
    expect(JSON.stringify(open.trace)).toContain('Lisbon')
    const closed = await traced({ logData: false }, { agent: agent() })
    expect(JSON.stringify(closed.trace)).not.toContain('Lisbon')
  })

  test('passes redact first; what it does not give back never happened', async () => {
    const redact = (event: TraceEvent) => (event.type === 'tool_call' ? null : { ...event, data: { hidden: true } })
    const { trace } = await traced({ redact }, { agent: { model: scriptedModel(twoSteps()), tools: [hotels] } })
    expect(trace.events.map(({ sequence, type, data }) => [sequence, type, data])).toEqual([
      [1, 'ai_call', { hidden: true }],
      [2, 'ai_call', { hidden: true }],
      [3, 'turn', { hidden: true }],
    ])
    expect(trace.summary).toMatchObject({ totalEvents: 3, toolCalls: 0 })
  })

  test('has no data when redact throws', async () => {
    const redact = () => {
      throw new Error('oops')
    }
    const { trace, warnings } = await traced(
      { redact },
      { agent: { model: scriptedModel(twoSteps()), tools: [hotels] } },
    )
    expect(JSON.stringify(trace)).not.toContain('Lisbon')
    expect(trace.summary.totalEvents).toBe(4)
    expect(warnings[0]).toContain('redact threw (oops)')
  })
})

type Eight = [string, string, string, string, string, string, string, string]
