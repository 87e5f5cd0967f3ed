import { expect, test } from 'vitest'
import { defineAgent } from '../agents/agent.ts'
import { asked } from '../turn/turn.fixture.ts'
import { resolveReasoning, type ReasoningConfig } from './reasoning.ts'

test.each([
  ['minimal', undefined],
  ['low', { maxTokens: 200, maxChars: 600, cadence: 'on_branch' }],
  ['medium', { maxTokens: 350, maxChars: 1200, cadence: 'initial_then_after_tool' }],
  ['high', { maxTokens: 600, maxChars: 2000, cadence: 'initial_then_after_tool' }],
] as const)('[C30] level %s sets the effort and how the model reflects', (level, preset) => {
  const { extra, reflection } = resolveReasoning({ level })
  expect(extra).toEqual({ reasoning_effort: level })
  const rest = { keepLast: 3, everyNTurns: 1, mode: 'piggyback', emitEvents: true, feedTo: 'none' }
  expect(reflection).toEqual(preset && { ...preset, ...rest, maxPerRun: undefined, promptTemplate: undefined })
})

test('[C29] [C30] what is said itself wins over the level', () => {
  const { extra, reflection } = resolveReasoning({
    level: 'high',
    native: { effort: 'none' },
    reflection: { cadence: 'every_turn', maxChars: 50, keepLast: 1, maxPerRun: 2, everyNTurns: 3, mode: 'separate' },
  })
  expect(extra).toEqual({ reasoning_effort: 'none' })
  const said = { cadence: 'every_turn', maxChars: 50, maxTokens: 600, keepLast: 1, maxPerRun: 2, everyNTurns: 3 }
  expect(reflection).toMatchObject({ ...said, mode: 'separate' })
})

test.each<[string, ReasoningConfig | undefined, object]>([
  ['nothing', undefined, {}],
  ['an empty object', {}, {}],
  ['enabled: false beside a level', { enabled: false, level: 'high' }, {}],
  ['enabled alone, as medium', { enabled: true }, { extra: { reasoning_effort: 'medium' } }],
  ['native: false', { level: 'minimal', native: false }, {}],
  ['reflection: false', { level: 'low', reflection: false }, { extra: { reasoning_effort: 'low' } }],
  ['a reflection that is not enabled', { reflection: { enabled: false } }, {}],
])('[C29] %s is understood', (_what, config, resolved) => {
  const { extra, reflection } = resolveReasoning(config)
  if (config?.enabled !== true) expect(reflection).toBeUndefined()
  expect({ extra }).toEqual({ extra: undefined, ...resolved })
})

test('[C29] a budget stands in for the effort of a level, and extras of a provider go along', () => {
  const native = { budgetTokens: 900, includeThoughts: false, providerExtras: { verbosity: 'low' } }
  expect(resolveReasoning({ level: 'high', native }).extra).toEqual({
    reasoning: { max_tokens: 900, exclude: true },
    verbosity: 'low',
  })
})

test('[C29] the fields stand in every model request', async () => {
  const [request] = await asked({ messages: [], options: { reasoning: { level: 'minimal' } } })
  expect(request?.extra).toEqual({ reasoning_effort: 'minimal' })
})

test('[C29] a level or a cadence nobody knows is a mistake its developer reads', () => {
  expect(() => defineAgent({ reasoning: { level: 'huge' as never } })).toThrow(/level must be one of minimal/)
  expect(() => defineAgent({ reasoning: { reflection: { cadence: 'daily' as never } } })).toThrow(/every_turn/)
})
