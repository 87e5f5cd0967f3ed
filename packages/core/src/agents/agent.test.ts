import { expect, test } from 'vitest'
import { defineAgent } from './agent.ts'

test('an agent needs nothing but what cannot be guessed', () => {
  expect(defineAgent({})).toMatchObject({
    name: 'agent',
    model: 'default',
    tools: [],
    limits: { maxSteps: 160, maxToolCalls: 50, maxParallelTools: 5 },
    todoList: false,
    askUser: false,
  })
})

test('a limit that is not given, or given as undefined, is the default', () => {
  expect(defineAgent({ limits: { maxSteps: 2, maxToolCalls: undefined } }).limits).toEqual({
    maxSteps: 2,
    maxToolCalls: 50,
    maxParallelTools: 5,
  })
})

test('[C23] [C52] planning and asking are switched on, and free text is allowed unless it is switched off', () => {
  expect(defineAgent({ useTodoList: true }).todoList).toBe(true)
  for (const mode of ['todo', 'planner_executor', 'reasoning_then_tools'] as const) {
    expect(defineAgent({ planning: { mode } }).todoList).toBe(true)
  }
  expect(defineAgent({ planning: { mode: 'off' } }).todoList).toBe(false)
  expect(defineAgent({ planning: { mode: 'todo' }, useTodoList: false }).todoList).toBe(false)
  expect(defineAgent({ humanInTheLoop: { askUser: true } }).askUser).toMatchObject({ allowFreeText: true })
  const strict = defineAgent({ humanInTheLoop: { askUser: { allowFreeText: false } } })
  expect(strict.askUser).toMatchObject({ allowFreeText: false })
})

test.each([
  ['a name with spaces', { name: 'my agent' }, '1 to 64'],
  ['two tools of one name', { tools: [tool('book'), tool('book')] }, 'two tools named "book"'],
  ['a tool named like a built-in one', { useTodoList: true, tools: [tool('manage_todo_list')] }, 'manage_todo_list'],
])('an agent with %s is refused where it is written', (_what, options, says) => {
  expect(() => defineAgent(options)).toThrow(
    expect.objectContaining({ code: 'agent-invalid', message: expect.stringContaining(says) }),
  )
})

test('a name of a built-in tool that is switched off is free', () => {
  expect(defineAgent({ tools: [tool('manage_todo_list')] }).tools).toHaveLength(1)
})

function tool(name: string) {
  return { name, func: () => 'ok' }
}
