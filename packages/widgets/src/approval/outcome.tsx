/** A call whose outcome nobody knows: the person looks, and says what became of it. */

import type { Request } from '@dogear/core'
import { useWidget } from '../context.ts'
import { RequestForm } from '../requests/request-form.tsx'
import { requestTitle } from '../requests/request-title.ts'
import { useDecision } from '../requests/use-decision.ts'
import { ValueList } from '../value-list.tsx'

export function Outcome({ request }: { request: Request }) {
  const { session, strings } = useWidget()
  const { isSent, refusal, decide } = useDecision(request.id)
  return (
    <RequestForm
      title={requestTitle(request, session, strings)}
      hint={strings.outcomeHint}
      refusal={refusal.value}
      buttons={(['stop', 'retry', 'happened'] as const).map((type) => (
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
      <ValueList value={request.args} />
    </RequestForm>
  )
}
