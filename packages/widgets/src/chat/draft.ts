/** What is written in the composer and not sent: kept across navigations. */

import { useSignal, type ReadonlySignal } from '@preact/signals'
import { useWidget } from '../context.ts'

export interface Draft {
  readonly text: ReadonlySignal<string>
  write(text: string): void
}

export function useDraft(): Draft {
  const { memory } = useWidget()
  const text = useSignal(memory.get<string>('draft') ?? '')
  return {
    text,
    write(words) {
      text.value = words
      memory.set('draft', words || undefined)
    },
  }
}
