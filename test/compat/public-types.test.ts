/** "State And Public Types": what an application written against those types reads, keeps and passes on compiles with ours. */
import { call, say } from '@dogear/testing'
import {
  countApproxTokens,
  type AgentLimits,
  type AgentOptions,
  type BuiltInRuntimeProfile,
  type PendingUserQuestion,
  type PlanEvent,
  type PlanStepRecord,
  type ReasoningConfig,
  type ReflectionEvent,
  type ReflectionRecord,
  type RuntimeProfile,
  type SmartAgentEvent,
  type SmartAgentLimits,
  type SmartAgentOptions,
  type SmartPageAgentOptions,
  type SmartState,
  type TracingConfig,
  type UserQuestionAnswer,
  type UserQuestionAnswerSet,
  type UserQuestionEvent,
  type UserQuestionItem,
  type UserQuestionOption,
  type UserQuestionResolution,
} from 'dogear'
import { expect, expectTypeOf, test } from 'vitest'
import type * as theirs from './public-types.ts'
import { scripted, start } from './scripted.ts'

/** Ours are read-only; an application that only reads does not notice. */
type Mutable<T> = T extends (...args: never) => unknown
  ? T
  : T extends readonly (infer Item)[]
    ? Mutable<Item>[]
    : T extends object
      ? { -readonly [Key in keyof T]: Mutable<T[Key]> }
      : T

test('State And Public Types › SmartState', () => {
  expectTypeOf<theirs.SmartState>().toExtend<SmartState>()
  // A cadence more than theirs: `initial_then_after_tool`. Messages are the application's own.
  type Read = Omit<theirs.SmartState, 'messages' | 'reflections'>
  expectTypeOf<Mutable<SmartState>>().toExtend<Mutable<Read>>()
  type Reflection = Omit<theirs.ReflectionRecord, 'trigger'>
  expectTypeOf<Mutable<NonNullable<SmartState['reflections']>>>().toExtend<Reflection[]>()
})

test('State And Public Types › PendingUserQuestion', () => {
  expectTypeOf<theirs.PendingUserQuestion>().toExtend<PendingUserQuestion>()
  expectTypeOf<Mutable<PendingUserQuestion>>().toExtend<theirs.PendingUserQuestion>()
  expectTypeOf<theirs.UserQuestionItem>().toExtend<UserQuestionItem>()
  expectTypeOf<Mutable<UserQuestionItem>>().toExtend<theirs.UserQuestionItem>()
  expectTypeOf<theirs.UserQuestionOption>().toExtend<UserQuestionOption>()
  expectTypeOf<Mutable<UserQuestionOption>>().toExtend<theirs.UserQuestionOption>()
})

test('State And Public Types › UserQuestionResolution', async () => {
  expectTypeOf<theirs.UserQuestionResolution>().toExtend<UserQuestionResolution>()
  expectTypeOf<theirs.UserQuestionAnswerSet>().toExtend<UserQuestionAnswerSet>()
  expectTypeOf<theirs.UserQuestionAnswer>().toExtend<UserQuestionAnswer>()
  expectTypeOf<Mutable<UserQuestionAnswer>>().toExtend<theirs.UserQuestionAnswer>()
  const questions = [{ question: 'Sea or hills?', options: [{ label: 'Sea' }, { label: 'Hills', value: 'up' }] }]
  const { agent } = scripted([call('ask_user_question', { questions }), say('Up we go.')], {
    humanInTheLoop: { askUser: true },
  })
  const { state } = await agent.invoke(start)
  expect(state.ctx?.__awaitingUserQuestion).toMatchObject({ toolName: 'ask_user_question' })
  const resolution: theirs.UserQuestionResolution = {
    id: state.pendingUserQuestions?.[0]?.id ?? '',
    answers: { 'Sea or hills?': { values: ['up'], notes: 'knees permitting' } },
    answeredBy: 'ann',
  }
  await expect(agent.invoke(agent.resolveUserQuestion(state, resolution))).resolves.toMatchObject({
    content: 'Up we go.',
  })
})

test('State And Public Types › UserQuestionEvent', async () => {
  expectTypeOf<Mutable<UserQuestionEvent>>().toExtend<theirs.UserQuestionEvent>()
  const seen: theirs.UserQuestionEvent[] = []
  const { agent } = scripted([call('ask_user_question', { questions: [{ question: 'When?' }] })], {
    humanInTheLoop: { askUser: { onQuestion: (event) => seen.push(event as theirs.UserQuestionEvent) } },
  })
  await agent.invoke(start)
  expect(seen).toMatchObject([
    { type: 'user_question', status: 'pending', questions: [{ question: 'When?' }], allowFreeText: true },
  ])
})

test('State And Public Types › ReasoningConfig', () => {
  expectTypeOf<theirs.ReasoningConfig>().toExtend<ReasoningConfig>()
})

test('State And Public Types › ReflectionRecord and ReflectionEvent', () => {
  expectTypeOf<theirs.ReflectionRecord>().toExtend<ReflectionRecord>()
  expectTypeOf<theirs.ReflectionEvent>().toExtend<ReflectionEvent>()
  expectTypeOf<ReflectionEvent>().toExtend<SmartAgentEvent>()
  // A cadence more than theirs: `initial_then_after_tool`.
  expectTypeOf<Omit<Mutable<ReflectionEvent>, 'trigger'>>().toExtend<Omit<theirs.ReflectionEvent, 'trigger'>>()
})

test('State And Public Types › PlanStepRecord and PlanEvent', () => {
  expectTypeOf<theirs.PlanStepRecord>().toExtend<PlanStepRecord>()
  expectTypeOf<Mutable<PlanStepRecord>>().toExtend<theirs.PlanStepRecord>()
  expectTypeOf<Mutable<PlanEvent>>().toExtend<theirs.PlanEvent>()
})

test('State And Public Types › Profiles and limits', () => {
  expectTypeOf<theirs.AgentLimits>().toExtend<AgentLimits>()
  expectTypeOf<theirs.AgentLimits>().toExtend<SmartAgentLimits>()
  expectTypeOf<BuiltInRuntimeProfile>().toEqualTypeOf<theirs.BuiltInRuntimeProfile>()
  expectTypeOf<RuntimeProfile>().toEqualTypeOf<theirs.RuntimeProfile>()
  expectTypeOf<theirs.RuntimeProfile>().toExtend<NonNullable<SmartPageAgentOptions['runtimeProfile']>>()
  expectTypeOf<theirs.AgentOptions>().toExtend<AgentOptions>()
  expectTypeOf<theirs.AgentOptions>().toExtend<SmartAgentOptions>()
  expectTypeOf<theirs.AgentOptions>().toExtend<SmartPageAgentOptions>()
})

test('Core Concepts › countApproxTokens', () => {
  expect(countApproxTokens('about four characters a token')).toBe(8)
})

test('State And Public Types › Snapshot and restore', async () => {
  const { agent } = scripted([say('Hi.')])
  const { state } = await agent.invoke({ ...start, ctx: { mine: 1, __onEvent: () => {} } })
  expect(agent.snapshot(state).state.ctx).toEqual({ mine: 1 })
})

test('State And Public Types › Tracing config', () => {
  expectTypeOf<theirs.TracingConfig>().toExtend<TracingConfig>()
})
