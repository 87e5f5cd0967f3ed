/** What one word answers: what became of a call nobody knows the end of, and whether the agent goes on. */

import type { Request, Resolution } from '@dogear/core'
import { useWidget } from '../context.ts'
import { RequestForm } from '../requests/request-form.tsx'
import { requestTitle } from '../requests/request-title.ts'
import { useArmed, useDecision, useDraft } from '../requests/use-decision.ts'
import { ValueList } from '../value-list.tsx'

/** The answers after which something runs. */
const runs: ReadonlySet<string> = new Set(['retry', 'approve'])

export function Outcome({ request }: { request: Request }) {
  const { session, strings } = useWidget()
  const { draft, write } = useDraft(request.id, '')
  const { isSent, refusal, decide } = useDecision(request.id)
  const isArmed = useArmed()
  const isCheckpoint = request.kind === 'checkpoint'
  const ways = isCheckpoint ? (['stop', 'approve'] as const) : (['stop', 'retry', 'happened'] as const)
  const resolution = (type: (typeof ways)[number]): Resolution => {
    const result = draft.value.trim()
    return type === 'happened' && result ? { type, result } : { type }
  }
  const buttons = ways.map((type) => (
    <button
      class={`button ${type === 'approve' ? 'primary' : ''}`}
      type="button"
      key={type}
      disabled={isSent.value || (runs.has(type) && !isArmed)}
      onClick={() => decide(() => session.resolve(request.id, resolution(type)))}
    >
      {strings.outcome[type]}
    </button>
  ))
  return (
    <RequestForm
      title={requestTitle(request, session, strings)}
      hint={isCheckpoint ? strings.approvalHint : strings.outcomeHint}
      refusal={refusal.value}
      buttons={isCheckpoint ? buttons : <div class="choices">{buttons}</div>}
    >
      {request.args !== undefined && <ValueList value={request.args} />}
      {!isCheckpoint && (
        <label class="field">
          <span class="meta">{strings.outcomeResult}</span>
          <textarea rows={2} value={draft.value} onInput={(event) => write(event.currentTarget.value)} />
        </label>
      )}
    </RequestForm>
  )
}
