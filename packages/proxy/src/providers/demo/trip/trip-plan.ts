/** The four steps of a trip as `manage_todo_list` takes them. */
import { isRecord } from '../transcript.ts'
import type { Trip } from './trip.ts'

export type PlanStatus = 'not-started' | 'in-progress' | 'completed' | 'blocked'

interface PlanStep {
  readonly id: number
  readonly step: string
  readonly owner: string
  readonly exitCriteria: string
  readonly status: PlanStatus
  readonly evidence?: string
}

export function planSteps({ city }: Trip): PlanStep[] {
  return [
    {
      id: 1,
      step: 'Learn what you like',
      owner: 'user',
      exitCriteria: 'Budget and area are known',
      status: 'in-progress',
    },
    {
      id: 2,
      step: `Find places to stay in ${city}`,
      owner: 'agent',
      exitCriteria: 'One place fits',
      status: 'not-started',
    },
    {
      id: 3,
      step: 'Settle the room',
      owner: 'agent',
      exitCriteria: 'Approved or declined by you',
      status: 'not-started',
    },
    {
      id: 4,
      step: 'Sketch the days',
      owner: 'agent',
      exitCriteria: 'A loose plan for each day',
      status: 'not-started',
    },
  ]
}

/** Only the steps that change, each with what shows that it did. */
export function planUpdate(trip: Trip, statuses: Readonly<Record<number, PlanStatus>>) {
  const todoList = planSteps(trip).flatMap((step) => {
    const status = statuses[step.id]
    return status === undefined ? [] : [{ ...step, status, ...evidenceFor(step.id, status, trip) }]
  })
  return { operation: 'update', todoList }
}

/** Whether these arguments of a call finished the plan. */
export function isClosed(args: unknown): boolean {
  const steps = isRecord(args) && Array.isArray(args.todoList) ? args.todoList : []
  return steps.some((step) => isRecord(step) && step.id === 4 && step.status === 'completed')
}

function evidenceFor(id: number, status: PlanStatus, trip: Trip): { evidence?: string } {
  if (status !== 'completed' && status !== 'blocked') return {}
  const evidence = [
    trip.hasSkippedQuestions ? 'Not answered; assumed a comfortable place' : `${trip.budget}, ${trip.area}`,
    trip.hotel ?? 'The search found nothing',
    roomEvidence(trip),
    'Written below',
  ][id - 1]
  return evidence === undefined ? {} : { evidence }
}

function roomEvidence({ booking }: Trip): string {
  if (booking === undefined) return 'Left to you: this page has no way to book'
  if (booking.type === 'rejected') return 'Declined by you'
  return booking.type === 'failed' ? 'The booking did not go through' : 'Booked with your approval'
}
