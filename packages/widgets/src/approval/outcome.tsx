/** What one word answers: what became of a call nobody knows the end of, and whether the agent goes on. */

import type { Request, Resolution } from '@dogear/core'
import { useWidget } from '../context.ts'
import { RequestForm } from '../requests/request-form.tsx'
import { requestTitle } from '../requests/request-title.ts'
import { useConsent } from '../requests/use-consent.ts'
import { useDecision, useDraft } from '../requests/use-decision.ts'
import { ValueList } from '../value-list.tsx'
import { ApproveButton } from './approve-button.tsx'

interface OutcomeProps {
  readonly request: Request
  /** Shows it over everything else on the page. */
  readonly onTop?: () => void
}

export function Outcome({ request, onTop }: OutcomeProps) {
  const { session, strings } = useWidget()
  const { draft, write } = useDraft(request.id, '')
  const { isSent, refusal, decide } = useDecision(request.id)
  const consent = useConsent()
  const isCheckpoint = request.kind === 'checkpoint'
  const answer = (type: Resolution['type'] & keyof typeof strings.outcome) => () => {
    const result = draft.value.trim()
    const resolution: Resolution = type === 'happened' && result ? { type, result } : { type }
    decide(() => session.resolve(request.id, resolution))
  }
  const button = (type: 'stop' | 'happened') => (
    <button class="button" type="button" disabled={isSent.value} onClick={answer(type)}>
      {strings.outcome[type]}
    </button>
  )
  // What it runs is as much of a decision as an approval.
  const run = (type: 'retry' | 'approve') => (
    <ApproveButton
      consent={consent}
      words={strings.outcome[type]}
      // Whether it happened is for the person to say: neither answer is the one to press.
      isPlain={!isCheckpoint}
      isDestructive={request.destructive}
      isDisabled={isSent.value}
      onTop={onTop}
      onApprove={answer(type)}
    />
  )
  return (
    <RequestForm
      form={consent.form}
      title={requestTitle(request, session, strings)}
      hint={isCheckpoint ? strings.approvalHint : strings.outcomeHint}
      refusal={refusal.value}
      buttons={
        isCheckpoint ? (
          <>
            {button('stop')}
            {run('approve')}
          </>
        ) : (
          <div class="choices">
            {button('stop')}
            {run('retry')}
            {button('happened')}
          </div>
        )
      }
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
