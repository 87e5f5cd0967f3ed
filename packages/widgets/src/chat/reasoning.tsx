/** What a model thought before it spoke: folded, and never mistaken for its answer. */

import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { useWidget } from '../context.ts'
import { durationText } from '../duration.ts'
import { Icon } from '../icon.tsx'

export function Reasoning({ text, isOver }: { text: string; isOver: boolean }) {
  const { strings, language } = useWidget()
  const isOpen = useSignal(false)
  const duration = useDuration(isOver)
  const words = duration === undefined ? strings.thought : strings.thoughtFor(durationText(duration, strings, language))

  return (
    <details class="reasoning" onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary class="meta">
        <Icon name="chevron" />
        {isOver ? words : strings.thinking}
      </summary>
      {isOpen.value && <p class="meta">{text}</p>}
    </details>
  )
}

/** How long it took under this visitor's eyes; unknown for what was there before. */
function useDuration(isOver: boolean): number | undefined {
  const began = useRef(isOver ? undefined : performance.now())
  const took = useRef<number>(undefined)
  if (isOver && began.current !== undefined) took.current ??= performance.now() - began.current
  return took.current
}
