/** A run of tool calls: a card each, and one line for three or more that are over. */

import { useSignal } from '@preact/signals'
import { useWidget } from '../context.ts'
import { durationText, leastShown } from '../duration.ts'
import { Icon } from '../icon.tsx'
import { isSettled, type CallState, type CallView } from './call-view.ts'
import { ToolCard } from './tool-card.tsx'

export function ToolCalls({ calls }: { calls: readonly CallView[] }) {
  const { components } = useWidget()
  const Card = components.ToolCard ?? ToolCard
  const open = calls.findIndex((call) => !isSettled(call))
  const over = open < 0 ? calls.length : open
  const folded = over >= 3 ? over : 0
  return (
    <div class="calls">
      {folded > 0 && <Group calls={calls.slice(0, folded)} />}
      {calls.slice(folded).map((call) => (
        <Card key={call.id} call={call} />
      ))}
    </div>
  )
}

function Group({ calls }: { calls: readonly CallView[] }) {
  const { components, strings, language } = useWidget()
  const isOpen = useSignal(false)
  const Card = components.ToolCard ?? ToolCard
  const count = (counted: CallState) => calls.filter(({ state }) => state === counted).length
  const [failed, unknown] = [count('failed'), count('unknown')]
  const took = calls.reduce((total, { durationMs = 0 }) => total + durationMs, 0)
  const facts = [
    failed > 0 && strings.failures(failed),
    unknown > 0 && strings.unknowns(unknown),
    took >= leastShown && durationText(took, strings, language),
  ]

  return (
    <details class="card" onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>
        <Icon name={failed ? 'alert' : unknown ? 'unknown' : 'check'} />
        <span class="label">{strings.actions(calls.length)}</span>
        <span class="meta">{facts.filter(Boolean).join(' · ')}</span>
      </summary>
      {isOpen.value && calls.map((call) => <Card key={call.id} call={call} />)}
    </details>
  )
}
