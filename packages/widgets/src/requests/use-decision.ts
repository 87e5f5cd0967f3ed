/** Sends a person's decision once, and says so when it could not be taken. */

import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { describeError } from '@dogear/core'
import type { Turn } from '@dogear/worker'
import { useWidget } from '../context.ts'

export function useDecision(requestId: string) {
  const { memory } = useWidget()
  const isSent = useSignal(false)
  const refusal = useSignal('')
  const decide = (send: () => Turn) => {
    if (isSent.peek()) return
    isSent.value = true
    refusal.value = ''
    const again = (reason: string) => {
      isSent.value = false
      refusal.value = reason
    }
    send().then(
      ({ refused }) => refused && again(refused),
      (error: unknown) => again(describeError(error)),
    )
  }
  // Gone because it was decided; until then a refusal must find what was written where it was.
  useEffect(
    () => () => {
      if (isSent.peek()) memory.set(draftKey(requestId), undefined)
    },
    [],
  )
  return { isSent, refusal, decide }
}

/** Where half of an answer is kept, so that a reload does not lose it. */
export function useDraft<T>(requestId: string, empty: T) {
  const { memory } = useWidget()
  const draft = useSignal<T>(memory.get<T>(draftKey(requestId)) ?? empty)
  const write = (next: T) => {
    draft.value = next
    memory.set(draftKey(requestId), next)
  }
  return { draft, write }
}

/** Half a second in which a click meant for what was there before does nothing. */
export function useArmed(): boolean {
  const isArmed = useSignal(false)
  useEffect(() => {
    const timer = setTimeout(() => (isArmed.value = true), 500)
    return () => clearTimeout(timer)
  }, [])
  return isArmed.value
}

function draftKey(requestId: string): string {
  return `request ${requestId}`
}
