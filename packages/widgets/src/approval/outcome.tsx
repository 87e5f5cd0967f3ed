/** What one word answers: what became of a call nobody knows the end of, and whether the agent goes on. */

import type { Request } from '@dogear/core'
import { useWidget } from '../context.ts'
import { RequestForm } from '../requests/request-form.tsx'
import { requestTitle } from '../requests/request-title.ts'
import { useDecision } from '../requests/use-decision.ts'
import { ValueList } from '../value-list.tsx'

export function Outcome({ request }: { request: Request }) {
  const { session, strings } = useWidget()
  const { isSent, refusal, decide } = useDecision(request.id)
  const isCheckpoint = request.kind === 'checkpoint'
  const ways = isCheckpoint ? (['stop', 'approve'] as const) : (['stop', 'retry', 'happened'] as const)
  return (
    <RequestForm
      title={requestTitle(request, session, strings)}
      hint={isCheckpoint ? strings.approvalHint : strings.outcomeHint}
      refusal={refusal.value}
      buttons={ways.map((type) => (
        <button
          class="button"
          type="button"
          key={type}
          disabled={isSent.value}
          onClick={() => decide(() => session.resolve(request.id, { type }))}
        >
          {strings.outcome[type]}
        </button>
      ))}
    >
      {request.args !== undefined && <ValueList value={request.args} />}
    </RequestForm>
  )
}
