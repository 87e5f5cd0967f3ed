import { expect, test } from 'vitest'
import { defineAgent } from '../agents/agent.ts'

test('[C18] an agent without a profile may call fifty tools, and sums nothing up', () => {
  const { limits, profile } = defineAgent({})
  expect(limits).toMatchObject({ maxToolCalls: 50, maxParallelTools: 5 })
  expect(limits.maxContextTokens).toBeUndefined()
  expect(profile).toMatchObject({ name: 'none', summarization: { enable: false } })
})

test.each([
  ['fast', 8, 3, 32_000, 24_000, 6_000, 0.5, 8, 'keep_structured', 16_000, 4_000, 'off', 1, 2, 1, 'minimal'],
  [
    'balanced',
    20,
    5,
    96_000,
    72_000,
    12_000,
    0.45,
    16,
    'summarize_archive',
    32_000,
    8_000,
    'role_based',
    2,
    6,
    3,
    'scoped',
  ],
  [
    'deep',
    40,
    8,
    200_000,
    150_000,
    16_000,
    0.4,
    30,
    'summarize_archive',
    64_000,
    16_000,
    'role_based',
    3,
    10,
    4,
    'scoped',
  ],
  [
    'research',
    80,
    10,
    400_000,
    300_000,
    24_000,
    0.35,
    60,
    'summarize_archive',
    96_000,
    24_000,
    'automatic',
    4,
    16,
    6,
    'full',
  ],
] as const)('[C18] the %s profile has its numbers', (runtimeProfile, ...n) => {
  const { limits, profile } = defineAgent({ runtimeProfile })
  const { summarization, context, toolResponses, delegation, memory, planning } = profile
  expect([
    limits.maxToolCalls,
    limits.maxParallelTools,
    limits.maxContextTokens,
    summarization.summaryTriggerTokens,
    summarization.summaryPromptMaxTokens,
    summarization.summaryCompressionRatioTarget,
    context.lastTurnsToKeep,
    toolResponses.defaultPolicy,
    toolResponses.maxToolResponseChars,
    toolResponses.maxToolResponseTokens,
    delegation.mode,
    delegation.maxDelegationDepth,
    delegation.maxChildCalls,
    delegation.maxParallelChild,
    delegation.childContextPolicy,
  ]).toEqual(n)
  expect(summarization).toMatchObject({ enable: true, summaryMode: 'incremental', integrityCheck: true })
  expect(planning).toEqual({ mode: 'off', replanPolicy: 'on_failure' })
  expect(memory).toEqual({
    readPolicy: runtimeProfile === 'fast' ? 'recent_only' : 'hybrid',
    writePolicy: 'auto_important',
    scope: runtimeProfile === 'fast' || runtimeProfile === 'balanced' ? 'session' : 'workspace',
  })
})

test('[C18] an option wins over the custom profile, and that over the profile it extends', () => {
  const { limits, profile } = defineAgent({
    runtimeProfile: 'custom',
    customProfile: {
      extends: 'deep',
      limits: { maxToolCalls: 7, maxParallelTools: 2 },
      summarization: { integrityCheck: false },
    },
    limits: { maxToolCalls: 9, maxParallelTools: undefined },
    summarization: true,
  })
  expect(limits).toMatchObject({ maxToolCalls: 9, maxParallelTools: 2, maxContextTokens: 200_000 })
  expect(profile.summarization).toMatchObject({ enable: true, integrityCheck: false, summaryTriggerTokens: 150_000 })
})

test('[C18] a custom profile extends balanced, and is taken when no other is named', () => {
  const { limits, profile } = defineAgent({ customProfile: { limits: { maxToolCalls: 3 } } })
  expect(limits).toMatchObject({ maxToolCalls: 3, maxParallelTools: 5, maxContextTokens: 96_000 })
  expect(profile.name).toBe('custom')
  expect(defineAgent({ runtimeProfile: 'custom' }).limits.maxToolCalls).toBe(20)
})

test('[C18] a profile nobody knows is refused with those that are known', () => {
  expect(() => defineAgent({ runtimeProfile: 'quick' as 'fast' })).toThrow('fast, balanced, deep, research or custom')
})

test('[C22] the older names of limits are taken, and the newer ones win', () => {
  const { limits, profile } = defineAgent({
    runtimeProfile: 'balanced',
    limits: { maxToken: 5_000, contextTokenLimit: 9_000, summaryTokenLimit: 700, maxTurns: 12 },
  })
  expect(limits).toMatchObject({ maxContextTokens: 9_000, maxSteps: 12 })
  expect(profile.summarization).toMatchObject({ summaryTriggerTokens: 5_000, summaryPromptMaxTokens: 700 })
  const both = defineAgent({ limits: { maxContextTokens: 1, contextTokenLimit: 2, maxSteps: 3, maxTurns: 4 } })
  expect(both.limits).toMatchObject({ maxContextTokens: 1, maxSteps: 3 })
})

test('[C19] a summary is due before the context is full, whatever the context is set to', () => {
  const { profile } = defineAgent({ runtimeProfile: 'balanced', limits: { maxContextTokens: 8_000 } })
  expect(profile.summarization.summaryTriggerTokens).toBe(6_000)
})

test('[C39] what is reserved for instructions and goals is not the conversation’s, and more than there is is refused', () => {
  const budget = { systemReserveTokens: 3_000, goalsReserveTokens: 1_000 }
  const { profile } = defineAgent({
    runtimeProfile: 'balanced',
    limits: { maxContextTokens: 8_000 },
    context: { budget },
  })
  expect(profile.summarization.summaryTriggerTokens).toBe(4_000)
  expect(() =>
    defineAgent({
      limits: { maxContextTokens: 8_000 },
      context: { budget: { ...budget, recentTurnsReserveTokens: 5_000 } },
    }),
  ).toThrow(expect.objectContaining({ code: 'agent-invalid', message: expect.stringContaining('context.budget') }))
})

test.each([
  [50, 160],
  [3, 40],
  [Infinity, 100],
])('[C8] an agent with %d tool calls may ask its model %d times', (maxToolCalls, maxSteps) => {
  expect(defineAgent({ limits: { maxToolCalls } }).limits.maxSteps).toBe(maxSteps)
})

test('[C23] planning mode todo gives the model its plan', () => {
  expect(defineAgent({ planning: { mode: 'todo' } }).todoList).toBe(true)
  expect(defineAgent({ planning: { mode: 'todo' }, useTodoList: false }).todoList).toBe(false)
})
