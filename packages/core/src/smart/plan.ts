/** The model's plan: what `manage_todo_list` writes and the checklist shows. */
import { builtinNames } from '../tools/builtin.ts'
import type { JsonSchema } from '../tools/json-schema.ts'

export type PlanStepStatus = 'not-started' | 'in-progress' | 'completed' | 'blocked'

export interface PlanStep {
  readonly id: number
  readonly step: string
  readonly owner: string
  readonly exitCriteria: string
  readonly status: PlanStepStatus
  readonly evidence?: string
  readonly title?: string
  readonly description?: string
}

export interface Plan {
  readonly version: number
  readonly steps: readonly PlanStep[]
  readonly lastUpdated: number
  readonly adherenceScore: number
}

export const planTool = {
  name: builtinNames.plan,
  label: { ask: 'Change the plan', doing: 'Planning', done: 'Updated the plan' },
  description:
    'Keeps your plan. "write" replaces the whole list (ids 1, 2, 3 …), "update" changes the given steps by id, "read" returns it. At most one step may be in-progress.',
  parameters: {
    type: 'object',
    properties: {
      operation: { type: 'string', enum: ['read', 'write', 'update'] },
      expectedVersion: {
        type: 'integer',
        minimum: 0,
        description: 'Fails when the plan has changed since this version.',
      },
      todoList: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            id: { type: 'integer', minimum: 1 },
            step: { type: 'string', description: 'A few words a person would read.' },
            owner: { type: 'string', description: 'agent, user, tool or a name.' },
            exitCriteria: { type: 'string' },
            evidence: { type: 'string', description: 'At most 300 characters.' },
            status: { type: 'string', enum: ['not-started', 'in-progress', 'completed', 'blocked'] },
            title: { type: 'string' },
            description: { type: 'string' },
          },
          required: ['id'],
        },
      },
    },
    required: ['operation'],
  } satisfies JsonSchema,
} as const

export const planPrompt = [
  'For work of more than two actions, first write a plan with manage_todo_list.',
  'Mark a step in-progress before you start it, and completed, with evidence, as soon as it is done.',
  'People see the plan: do not repeat it.',
].join(' ')

export interface PlanChange {
  /** What the model reads. Mistakes are results, so that it can mend them. */
  readonly reply: Readonly<Record<string, unknown>>
  /** The new plan; absent when nothing changed. */
  readonly plan?: Plan
  readonly operation: 'read' | 'write' | 'update'
}

type PlanArgs = { operation: 'read' | 'write' | 'update'; expectedVersion?: number; todoList?: readonly StepArgs[] }
type StepArgs = globalThis.Partial<PlanStep> & { id: number }

/** A change of the plan that a person makes. */
export interface PlanEdit {
  /** `write` replaces the whole list, `update` changes the steps it names. */
  readonly operation: 'write' | 'update'
  readonly todoList: readonly StepArgs[]
  /** Refuses the change when the plan has another version by now. */
  readonly expectedVersion?: number
}

/** What a person touched is theirs. The model's next change by the old version fails, so that it reads the plan again. */
export function editPlan(before: Plan | null, edit: PlanEdit, now: number): PlanChange {
  return changePlan(before, { ...edit, todoList: edit.todoList.map((step) => ({ owner: 'user', ...step })) }, now)
}

/** Applies one call of `manage_todo_list`; the arguments fit the schema already. */
export function changePlan(before: Plan | null, args: PlanArgs, now: number): PlanChange {
  const { operation } = args
  const version = before?.version ?? 0
  const refuse = (error: string): PlanChange => ({
    operation,
    reply: { status: 'error', operation, error, version, adherenceScore: before?.adherenceScore ?? 1 },
  })

  if (operation === 'read') return { operation, reply: { status: 'ok', operation, ...planReply(before) } }
  if (args.expectedVersion !== undefined && args.expectedVersion !== version) {
    return refuse(`The plan is at version ${version}, not ${args.expectedVersion}. Read it and try again.`)
  }
  if (!args.todoList) return refuse(`"${operation}" needs a todoList.`)
  const steps = operation === 'write' ? written(args.todoList) : updated(before, args.todoList)
  if (typeof steps === 'string') return refuse(steps)
  if (steps.filter((step) => step.status === 'in-progress').length > 1) {
    return refuse('At most one step may be in-progress.')
  }
  const plan: Plan = { version: version + 1, steps, lastUpdated: now, adherenceScore: adherenceOf(steps) }
  return { operation, plan, reply: { status: 'ok', operation, ...planReply(plan) } }
}

function planReply(plan: Plan | null) {
  return { todoList: plan?.steps ?? [], version: plan?.version ?? 0, adherenceScore: plan?.adherenceScore ?? 1 }
}

function written(list: readonly StepArgs[]): PlanStep[] | string {
  const twin = list.find((step, index) => list.findIndex((other) => other.id === step.id) !== index)
  if (twin) return `Two steps have the id ${twin.id}.`
  if (list.some((step, index) => step.id !== index + 1)) return 'Ids must be 1, 2, 3 … in order.'
  const nameless = list.find((step) => !wordsOf(step))
  if (nameless) return `Step ${nameless.id} has no text.`
  return list.map((step) => fullStep(step))
}

function updated(before: Plan | null, changes: readonly StepArgs[]): PlanStep[] | string {
  if (!before) return 'There is no plan yet. Use "write" first.'
  const unknown = changes.find((change) => !before.steps.some((step) => step.id === change.id))
  if (unknown) return `There is no step ${unknown.id}.`
  const twin = changes.find((step, index) => changes.findIndex((other) => other.id === step.id) !== index)
  if (twin) return `Step ${twin.id} is given twice.`
  return before.steps.map((step) => {
    const change = changes.find((candidate) => candidate.id === step.id)
    return change ? fullStep({ ...ownWords(step), ...change }) : step
  })
}

/** Without the words that only stood in for missing ones: they must not outlive a change of what they repeat. */
function ownWords({ title, description, ...step }: PlanStep): StepArgs {
  return {
    ...step,
    ...(title !== step.step && { title }),
    ...(description !== step.step && { description }),
  }
}

function fullStep(step: StepArgs): PlanStep {
  const words = wordsOf(step) ?? ''
  return {
    id: step.id,
    step: words,
    owner: step.owner || 'agent',
    exitCriteria: step.exitCriteria ?? '',
    status: step.status ?? 'not-started',
    title: step.title || words,
    description: step.description || words,
    ...(step.evidence && { evidence: step.evidence.slice(0, 300) }),
  }
}

function wordsOf(step: StepArgs): string | undefined {
  return step.step || step.title || step.description
}

function adherenceOf(steps: readonly PlanStep[]): number {
  if (!steps.length) return 1
  const completed = steps.filter((step) => step.status === 'completed').length
  return Math.round((completed / steps.length) * 100) / 100
}
