/** The plan: a segment a step, the current step's words, and on request the whole checklist. */

import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import type { Plan, PlanStep, PlanStepStatus } from '@dogear/core'
import { useWidget, type WidgetContext } from '../context.ts'
import { Icon, type IconName } from '../icon.tsx'
import { visibleText } from '../visible-text.ts'

export function PlanStrip({ isOpen: startsOpen = false }: { isOpen?: boolean }) {
  const { session, strings } = useWidget()
  const isOpen = useSignal(startsOpen)
  const plan = session.plan.value
  if (!plan || plan.steps.length === 0) return null
  const { current, words } = currentStep(plan, strings)

  return (
    <section class="plan" part="plan" aria-label={strings.plan}>
      <button
        class="strip"
        type="button"
        aria-expanded={isOpen.value}
        aria-controls="steps"
        onClick={() => (isOpen.value = !isOpen.value)}
      >
        <span class="segments" aria-hidden="true">
          {plan.steps.map(({ id, status }) => (
            <i key={id} data-state={status} />
          ))}
        </span>
        <span class="label">{words}</span>
        <span class="meta">{strings.count(current, plan.steps.length)}</span>
        <Icon name="chevron" />
      </button>
      <Steps plan={plan} isOpen={isOpen.value} />
    </section>
  )
}

function Steps({ plan, isOpen }: { plan: Plan; isOpen: boolean }) {
  const known = useRef<ReadonlyMap<number, string>>(undefined)
  const before = known.current
  known.current = new Map(plan.steps.map((step) => [step.id, signature(step)]))
  return (
    <ol class="steps" id="steps" hidden={!isOpen}>
      {plan.steps.map((step) => (
        <Step
          // A changed step is a new element, whose one flash is its beginning.
          key={`${step.id} ${signature(step)}`}
          step={step}
          isChanged={before !== undefined && before.get(step.id) !== signature(step)}
        />
      ))}
    </ol>
  )
}

function Step({ step, isChanged }: { step: PlanStep; isChanged: boolean }) {
  const { strings } = useWidget()
  const { status, owner, evidence } = step
  return (
    <li data-state={status} data-changed={isChanged || undefined}>
      <Icon name={icons[status]} />
      <span class="words">
        <span class="hidden">{strings.step[status]}: </span>
        {visibleText(step.title ?? step.step)}
        {owner && owner !== 'agent' && <span class="chip">{owner === 'user' ? strings.you : visibleText(owner)}</span>}
        {status === 'blocked' && <span class="chip">{strings.step.blocked}</span>}
        {evidence && <span class="meta">{visibleText(evidence)}</span>}
      </span>
    </li>
  )
}

const icons: Record<PlanStepStatus, IconName> = {
  completed: 'check',
  'in-progress': 'fold',
  'not-started': 'ring',
  blocked: 'alert',
}

/** The step in progress, else the first that is not done, with its place among all. */
function currentStep({ steps }: Plan, strings: WidgetContext['strings']): { current: number; words: string } {
  const inProgress = steps.findIndex(({ status }) => status === 'in-progress')
  const index = inProgress >= 0 ? inProgress : steps.findIndex(({ status }) => status !== 'completed')
  const step = steps[index]
  if (!step) return { current: steps.length, words: strings.planDone }
  return { current: index + 1, words: visibleText(step.title ?? step.step) }
}

function signature({ status, step, title, evidence }: PlanStep): string {
  return [status, title ?? step, evidence].join('|')
}
