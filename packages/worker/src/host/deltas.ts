/** What streams, told at most once a frame, as what was added since the last telling. */
import type { Clock, Partial } from '@dogear/core'
import type { PartialDelta } from '../protocol.ts'

const frame = 16

export interface Deltas {
  show(partial: Partial | null): void
  /** The answer is in the journal, or the turn has ended: what was not told yet no longer matters. */
  drop(): void
}

export function createDeltas(clock: Clock, tell: (delta: PartialDelta) => void): Deltas {
  let latest: Partial | null = null
  let told: Partial | null = null
  let isScheduled = false

  function flush(): void {
    isScheduled = false
    if (!latest || latest === told) return
    const from = told?.stepId === latest.stepId ? told : null
    tell({
      stepId: latest.stepId,
      textAt: from?.text.length ?? 0,
      text: latest.text.slice(from?.text.length ?? 0),
      reasoningAt: from?.reasoning.length ?? 0,
      reasoning: latest.reasoning.slice(from?.reasoning.length ?? 0),
      calls: latest.calls,
      resumedAt: latest.resumedAt,
      retry: latest.retry,
    })
    told = latest
  }

  return {
    show(partial) {
      latest = partial
      if (!partial || isScheduled) return
      isScheduled = true
      void clock.sleep(frame).then(flush)
    },
    drop() {
      latest = null
      told = null
    },
  }
}

/** What is known already may be told again, to somebody who joined in the middle. Undefined when something was missed. */
export function addDelta(partial: Partial | null, delta: PartialDelta): Partial | undefined {
  const base =
    partial?.stepId === delta.stepId
      ? partial
      : { stepId: delta.stepId, text: '', reasoning: '', refusal: '', calls: [] }
  if (base.text.length < delta.textAt || base.reasoning.length < delta.reasoningAt) return undefined
  const { calls, resumedAt, retry } = delta
  const text = base.text.slice(0, delta.textAt) + delta.text
  const reasoning = base.reasoning.slice(0, delta.reasoningAt) + delta.reasoning
  return { ...base, text, reasoning, calls, resumedAt, retry }
}

/** For somebody who has heard nothing of it. */
export function wholeDelta({ stepId, text, reasoning, calls, resumedAt, retry }: Partial): PartialDelta {
  return { stepId, textAt: 0, text, reasoningAt: 0, reasoning, calls, resumedAt, retry }
}
