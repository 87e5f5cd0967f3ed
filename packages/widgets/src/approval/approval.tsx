/** "Book a room?": what would happen, from the real arguments, and the person's decision about it. */

import type { Request } from '@dogear/core'
import { useWidget } from '../context.ts'
import { RequestForm } from '../requests/request-form.tsx'
import { requestLabel, requestTitle } from '../requests/request-title.ts'
import { useArmed, useDecision, useDraft } from '../requests/use-decision.ts'
import { ValueList } from '../value-list.tsx'
import { visibleText } from '../visible-text.ts'
import { ArgumentForm, readTexts, toTexts, type Texts } from './argument-form.tsx'

interface ApprovalDraft {
  readonly view: 'look' | 'edit' | 'reject'
  readonly comment: string
  readonly texts: Texts
}

export function Approval({ request }: { request: Request }) {
  const { session, strings } = useWidget()
  const { draft, write } = useDraft<ApprovalDraft>(request.id, { view: 'look', comment: '', texts: toTexts(request) })
  const { isSent, refusal, decide } = useDecision(request.id)
  const isArmed = useArmed()
  const { view, comment, texts } = draft.value
  const change = (next: Partial<ApprovalDraft>) => write({ ...draft.value, ...next })
  const isEdit = view === 'edit'
  const isReject = view === 'reject'
  const { args, errors } = readTexts(texts, request, strings)
  const canApprove = isArmed && !isSent.value && !(isEdit && Object.keys(errors).length > 0)

  const approve = () => {
    if (canApprove) decide(() => session.approve(request.id, isEdit ? { args } : undefined))
  }
  const reject = () => decide(() => session.reject(request.id, comment.trim() || undefined))
  // Enter must never be what sets off something that cannot be undone.
  const onEnter = isReject ? reject : request.destructive ? undefined : approve
  const button = (words: string, onClick: () => void) => (
    <button class="button" type="button" onClick={onClick}>
      {words}
    </button>
  )

  return (
    <RequestForm
      title={requestTitle(request, session, strings)}
      hint={strings.approvalHint}
      refusal={refusal.value}
      onSubmit={onEnter}
      buttons={
        <>
          {view === 'look' && button(strings.approvalDont, () => change({ view: 'reject' }))}
          {view === 'look' && request.parameters && button(strings.approvalEdit, () => change({ view: 'edit' }))}
          {view !== 'look' && button(strings.back, () => change({ view: 'look' }))}
          <button
            class={`button primary ${request.destructive && !isReject ? 'danger' : ''}`}
            type={onEnter ? 'submit' : 'button'}
            disabled={isReject ? isSent.value : !canApprove}
            onClick={onEnter ? undefined : approve}
          >
            {isReject ? strings.approvalReject : requestLabel(request, session).split(' ', 1)}
          </button>
        </>
      }
    >
      {request.prompt && <p>{request.prompt}</p>}
      {isEdit ? (
        <ArgumentForm given={request} texts={texts} errors={errors} onChange={(next) => change({ texts: next })} />
      ) : (
        <ValueList value={request.args} />
      )}
      {request.reason && (
        <figure class="reason">
          <figcaption class="meta">{strings.approvalReason}</figcaption>
          {/* Plain, but without the marks of emphasis and code, which a person would read as noise. */}
          <blockquote>“{visibleText(request.reason.replace(/[*`]+/g, ''))}”</blockquote>
        </figure>
      )}
      {isReject && (
        <label class="field">
          <span class="meta">{strings.approvalComment}</span>
          <textarea rows={2} value={comment} onInput={(event) => change({ comment: event.currentTarget.value })} />
        </label>
      )}
    </RequestForm>
  )
}
