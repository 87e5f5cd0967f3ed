import { expect, test } from 'vitest'
import { emptyHead } from '../session/fold.ts'
import type { Message } from '../session/message.ts'
import type { Head, OpenTurn } from '../session/state.ts'
import { dueReflection, isNearDuplicate, type Reflecting, type ReflectionRecord } from './reflection.ts'
import { resolveReasoning } from './reasoning.ts'

test('[C31] a note is due after a step with tools, once', () => {
  expect(due('after_tool', [['look']])).toMatchObject({ id: 't.1.m.reflection', toolCallIds: ['t.1.0'] })
  expect(due('after_tool', [['look']], {}, ['t.1.m.reflection'])).toBeUndefined()
  expect(due('every_turn', [['look']])).toBeDefined()
  expect(due('after_tool', [])).toBeUndefined()
})

test('[C31] a note about a branch is due when other tools are used than in the step before, and in the first', () => {
  expect(due('on_branch', [['look', 'book']])).toBeDefined()
  expect(
    due('on_branch', [
      ['look', 'book'],
      ['book', 'look', 'look'],
    ]),
  ).toBeUndefined()
  expect(due('on_branch', [['look', 'book'], ['look']])).toBeDefined()
})

test('[C31] a first note is due before anything was answered, not in a later turn', () => {
  expect(due('initial_then_after_tool', [])).toMatchObject({ id: 't.0.reflection', toolCallIds: [] })
  expect(due('initial_then_after_tool', [], {}, ['t.0.reflection'])).toBeUndefined()
  expect(due('initial_then_after_tool', [['look']], {}, ['t.0.reflection'])).toBeDefined()
  const earlier = [message('old.1.m', 'assistant')]
  expect(
    dueReflection(headWith({}), [...earlier, message('t.u', 'user')], how('initial_then_after_tool')),
  ).toBeUndefined()
})

test('[C31] everyNTurns counts steps with tools since the last note', () => {
  const steps = [['a'], ['b'], ['c']]
  expect(due('after_tool', steps.slice(0, 2), { everyNTurns: 2 }, ['t.1.m.reflection'])).toBeUndefined()
  expect(due('after_tool', steps, { everyNTurns: 2 }, ['t.1.m.reflection'])).toMatchObject({ id: 't.3.m.reflection' })
  expect(due('after_tool', steps.slice(0, 1), { everyNTurns: 9 })).toBeDefined()
})

test('[C31] maxPerRun is for one turn', () => {
  expect(due('after_tool', [['a']], { maxPerRun: 2 }, ['old.1.m.reflection'], { reflections: 1 })).toBeDefined()
  expect(due('after_tool', [['a']], { maxPerRun: 2 }, [], { reflections: 2 })).toBeUndefined()
  expect(due('after_tool', [['a']], { maxPerRun: 0 })).toBeUndefined()
})

test('[C31] a note that says the same again is known by its words', () => {
  const before = [
    { text: 'The hotel is full; try the next one on the list, then book two nights.' } as ReflectionRecord,
  ]
  expect(isNearDuplicate('the hotel is full: Try the next one on the list then book two NIGHTS', before)).toBe(true)
  expect(isNearDuplicate('The hotel is free; book it for two nights.', before)).toBe(false)
  expect(isNearDuplicate('anything', [])).toBe(false)
})

function due(
  cadence: Reflecting['cadence'],
  steps: readonly (readonly string[])[],
  more: Partial<Reflecting> = {},
  made: readonly string[] = [],
  turn: Partial<OpenTurn> = {},
) {
  const history = steps.flatMap((tools, index) => {
    const calls = tools.map((name, at) => ({
      id: `t.${index + 1}.${at}`,
      type: 'function' as const,
      function: { name, arguments: '{}' },
    }))
    const results = calls.map(({ id }) => message(`${id}.r`, 'tool'))
    return [{ ...message(`t.${index + 1}.m`, 'assistant'), tool_calls: calls }, ...results]
  })
  const head = { ...headWith(turn), reflections: made.map((id) => ({ id, turn: 0, text: id, createdAt: '' })) }
  return dueReflection(head, [message('t.u', 'user'), ...history], { ...how(cadence), ...more })
}

function how(cadence: Reflecting['cadence']): Reflecting {
  return resolveReasoning({ reflection: { cadence } }).reflection as Reflecting
}

function message(id: string, role: Message['role']): Message {
  return { id, role, content: id, meta: { status: 'complete', createdAt: 0 } }
}

function headWith(turn: Partial<OpenTurn>): Head {
  const head = emptyHead('s', 'tester')
  return { ...head, turn: { id: 't', step: 1, calls: [], ...turn } as unknown as OpenTurn }
}
