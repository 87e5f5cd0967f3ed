import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkJsonSchema } from '../tools/schema.ts'
import { changePlan, planTool, type Plan, type PlanStepStatus } from './plan.ts'

const hotel = { id: 1, step: 'Find a hotel' }
const booking = { id: 2, step: 'Book it' }

test('[C24] a written step gets every field: owner agent, not started, and its words as title and description', () => {
  expect(written(hotel).steps).toEqual([
    {
      id: 1,
      step: 'Find a hotel',
      title: 'Find a hotel',
      description: 'Find a hotel',
      owner: 'agent',
      exitCriteria: '',
      status: 'not-started',
    },
  ])
})

test('[C24] step, title and description stand in for each other', () => {
  expect(written({ id: 1, title: 'A' }).steps[0]).toMatchObject({ step: 'A', title: 'A', description: 'A' })
  expect(written({ id: 1, description: 'B' }).steps[0]).toMatchObject({ step: 'B', title: 'B', description: 'B' })
  expect(written({ id: 1, step: 'C', title: 'D' }).steps[0]).toMatchObject({ step: 'C', title: 'D', description: 'C' })
})

test('[C24] write replaces the whole list, update changes only what it names', () => {
  const plan = written(hotel, booking)
  const updated = changed(plan, { operation: 'update', todoList: [{ id: 2, status: 'completed', evidence: 'No. 7' }] })
  expect(updated.steps[0]).toBe(plan.steps[0])
  expect(updated.steps[1]).toMatchObject({ id: 2, step: 'Book it', status: 'completed', evidence: 'No. 7' })
  expect(changed(updated, { operation: 'write', todoList: [hotel] }).steps).toHaveLength(1)
})

test('[C24] a step given new words shows them, also where the old ones stood in for a title', () => {
  const plan = written(hotel, { ...booking, title: 'Booking' })
  const updated = changed(plan, {
    operation: 'update',
    todoList: [
      { id: 1, step: 'Find a hostel' },
      { id: 2, step: 'Reserve it' },
    ],
  })
  expect(updated.steps).toMatchObject([
    { step: 'Find a hostel', title: 'Find a hostel', description: 'Find a hostel' },
    { step: 'Reserve it', title: 'Booking', description: 'Reserve it' },
  ])
})

test('[C24] evidence is cut at 300 characters instead of costing the model another call', () => {
  const args = { operation: 'write' as const, todoList: [{ ...hotel, evidence: 'x'.repeat(400) }] }
  expect(checkJsonSchema(planTool.parameters, args).ok).toBe(true)
  expect(changed(null, args).steps[0]?.evidence).toHaveLength(300)
})

test.each([
  ['a version the plan does not have yet', { operation: 'write', expectedVersion: 3, todoList: [hotel] }, 'version 1'],
  ['a version the plan no longer has', { operation: 'update', expectedVersion: 0, todoList: [hotel] }, 'version 1'],
  ['a write without a list', { operation: 'write' }, 'needs a todoList'],
  ['an update without a list', { operation: 'update' }, 'needs a todoList'],
  ['two steps with one id', { operation: 'write', todoList: [hotel, { id: 1, step: 'Again' }] }, 'id 1'],
  ['ids that do not count from 1', { operation: 'write', todoList: [booking] }, '1, 2, 3'],
  ['a step without words', { operation: 'write', todoList: [{ id: 1 }] }, 'no text'],
  ['an id the plan does not have', { operation: 'update', todoList: [{ id: 9, step: 'x' }] }, 'no step 9'],
  ['one step updated twice', { operation: 'update', todoList: [hotel, hotel] }, 'given twice'],
  [
    'two steps in progress',
    {
      operation: 'write',
      todoList: [
        { ...hotel, status: 'in-progress' },
        { ...booking, status: 'in-progress' },
      ],
    },
    'in-progress',
  ],
] as const)('[C25] %s is a result that says what to mend, and the plan stays', (_what, args, says) => {
  const change = changePlan(written(hotel, booking), args, 5)
  expect(change.plan).toBeUndefined()
  expect(change.reply).toMatchObject({ status: 'error', operation: args.operation, version: 1, adherenceScore: 0 })
  expect(change.reply.error).toContain(says)
})

test('[C25] an update before any plan is a result', () => {
  const { reply } = changePlan(null, { operation: 'update', todoList: [hotel] }, 0)
  expect(reply).toMatchObject({ status: 'error', version: 0, adherenceScore: 1 })
  expect(reply.error).toContain('no plan yet')
})

test('[C26] a plan that is all done or blocked has no step in progress', () => {
  const done = { ...hotel, status: 'completed' as const }
  expect(written(done, { ...booking, status: 'blocked' }).version).toBe(1)
})

test('[C27] a read gives the plan and changes nothing', () => {
  const plan = written(hotel)
  const change = changePlan(plan, { operation: 'read', expectedVersion: 99 }, 5)
  expect(change.plan).toBeUndefined()
  expect(change.reply).toEqual({
    status: 'ok',
    operation: 'read',
    todoList: plan.steps,
    version: 1,
    adherenceScore: 0,
  })
  expect(changePlan(null, { operation: 'read' }, 5).reply).toMatchObject({ todoList: [], version: 0 })
})

test('[C28] the score is what is completed of all, in two decimals; blocked is not completed; nothing to do is 1', () => {
  const steps = (...all: PlanStepStatus[]) => all.map((status, index) => ({ id: index + 1, step: 's', status }))
  expect(written(...steps('completed', 'blocked', 'not-started')).adherenceScore).toBe(0.33)
  expect(written(...steps('completed', 'completed', 'in-progress')).adherenceScore).toBe(0.67)
  expect(written().adherenceScore).toBe(1)
})

test('[C28] any calls leave a plan with ids from 1, at most one step in progress, and one version a change', () => {
  const status = fc.constantFrom<PlanStepStatus>('not-started', 'in-progress', 'completed', 'blocked')
  const step = fc.record({ id: fc.integer({ min: 1, max: 4 }), step: fc.string(), status }, { requiredKeys: ['id'] })
  const call = fc.record(
    {
      operation: fc.constantFrom('read' as const, 'write' as const, 'update' as const),
      expectedVersion: fc.integer({ min: 0, max: 3 }),
      todoList: fc.array(step, { maxLength: 4 }),
    },
    { requiredKeys: ['operation'] },
  )
  fc.assert(
    fc.property(fc.array(call, { maxLength: 12 }), (calls) => {
      let plan: Plan | null = null
      for (const args of calls) {
        const before: Plan | null = plan
        const change = changePlan(before, args, 0)
        plan = change.plan ?? before
        expect(plan?.version ?? 0).toBe((before?.version ?? 0) + (change.plan ? 1 : 0))
        expect(change.reply.version).toBe(plan?.version ?? 0)
        expect(plan?.steps.map(({ id }) => id) ?? []).toEqual(plan?.steps.map((_, index) => index + 1) ?? [])
        expect(plan?.steps.filter((one) => one.status === 'in-progress').length ?? 0).toBeLessThanOrEqual(1)
      }
    }),
  )
})

type Args = Parameters<typeof changePlan>[1]

function written(...todoList: NonNullable<Args['todoList']>[number][]): Plan {
  return changed(null, { operation: 'write', todoList })
}

function changed(before: Plan | null, args: Args): Plan {
  const { plan, reply } = changePlan(before, args, 0)
  if (!plan) throw new Error(`refused: ${JSON.stringify(reply)}`)
  return plan
}
