/** "Book a room?": what would happen, from the real arguments, and the person's decision about it. */

import { useSignal } from '@preact/signals'
import type { Request } from '@dogear/core'
import { useWidget } from '../context.ts'
import { record } from '../form/json-schema.ts'
import { hasChanges, readTexts, SchemaForm, toTexts, type Texts } from '../form/schema-form.tsx'
import { Icon } from '../icon.tsx'
import { RequestForm } from '../requests/request-form.tsx'
import { requestLabel, requestTitle, verbOf } from '../requests/request-title.ts'
import { useConsent } from '../requests/use-consent.ts'
import { useDecision, useDraft } from '../requests/use-decision.ts'
import { ValueList } from '../value-list.tsx'
import { isJson } from '../value-parts.ts'
import { visibleText } from '../visible-text.ts'
import { Always, type AlwaysChoice } from './always.tsx'
import { ApproveButton } from './approve-button.tsx'
import { Batch, likeFirst } from './batch.tsx'
import { Purpose } from './purpose.tsx'

interface ApprovalDraft {
  readonly view: 'look' | 'edit' | 'reject'
  readonly comment: string
  readonly texts: Texts
  readonly always?: AlwaysChoice
}

export interface ApprovalProps {
  /** What waits; the first is asked, and with it what could be decided together with it. */
  readonly requests: readonly Request[]
  /** Shows it over everything else on the page. */
  readonly onTop?: () => void
}

export function Approval({ requests, onTop }: ApprovalProps) {
  const alike = likeFirst(requests)
  const isTogether = useSignal(false)
  if (isTogether.value && alike.length > 1) {
    return <Batch requests={alike} onTop={onTop} onLeave={() => (isTogether.value = false)} />
  }
  return (
    <Single
      request={requests[0]!}
      total={requests.length}
      alike={alike.length}
      onTop={onTop}
      onTogether={() => (isTogether.value = true)}
    />
  )
}

interface SingleProps {
  readonly request: Request
  /** How many requests wait. */
  readonly total: number
  /** How many there are that could be decided together. */
  readonly alike: number
  readonly onTogether: () => void
  readonly onTop?: () => void
}

function Single({ request, total, alike, onTogether, onTop }: SingleProps) {
  const { session, strings } = useWidget()
  const proposed = { ...record(request.defaults), ...record(request.args) }
  // The form would send back something else than what it could not show.
  const canEdit = request.parameters !== undefined && isJson([proposed, request.args], strings)
  const { draft, write } = useDraft<ApprovalDraft>(request.id, {
    view: 'look',
    comment: '',
    texts: canEdit ? toTexts({ ...request, args: proposed }) : {},
  })
  const { isSent, refusal, decide } = useDecision(request.id)
  const consent = useConsent()
  const { view, comment, texts, always = 'never' } = draft.value
  const change = (next: Partial<ApprovalDraft>) => write({ ...draft.value, ...next })
  const isEdit = view === 'edit'
  const isReject = view === 'reject'
  const { args, errors } = readTexts(texts, request, strings)
  const isChanged = isEdit && hasChanges(texts, request)
  // The rule that is shown is made of what was proposed: it is not for anything else.
  const rule = isChanged ? undefined : request.always?.rule
  const approve = () => {
    const chosen = rule !== undefined && always !== 'never' ? { always } : {}
    decide(() => session.approve(request.id, isChanged ? { args } : chosen))
  }
  const reject = () => decide(() => session.reject(request.id, comment.trim() || undefined))
  const button = (words: string, onClick: () => void) => (
    <button class="button" type="button" onClick={onClick}>
      {words}
    </button>
  )

  return (
    <RequestForm
      form={consent.form}
      title={requestTitle(request, session, strings)}
      hint={strings.approvalHint}
      facts={
        total > 1 && (
          <>
            {strings.count(1, total)}
            {alike > 1 && (
              <button class="link end" type="button" onClick={onTogether}>
                {strings.approvalTogether(alike)}
              </button>
            )}
          </>
        )
      }
      refusal={refusal.value}
      onSubmit={isReject ? reject : undefined}
      buttons={
        <>
          {view === 'look' && button(strings.approvalDont, () => change({ view: 'reject' }))}
          {view === 'look' && canEdit && button(strings.approvalEdit, () => change({ view: 'edit' }))}
          {view !== 'look' && button(strings.back, () => change({ view: 'look' }))}
          {isReject ? (
            <button class="button primary" disabled={isSent.value}>
              {strings.approvalReject}
            </button>
          ) : (
            <ApproveButton
              consent={consent}
              words={verbOf(requestLabel(request, session))}
              isDestructive={request.destructive}
              isDisabled={isSent.value || (isEdit && Object.keys(errors).length > 0)}
              onTop={onTop}
              onApprove={approve}
            />
          )}
        </>
      }
    >
      <Purpose {...request} />
      {isEdit ? (
        <SchemaForm given={request} texts={texts} errors={errors} onChange={(next) => change({ texts: next })} />
      ) : (
        <ValueList value={request.args} schema={request.parameters ?? {}} />
      )}
      {rule !== undefined && !isReject && (
        <Always rule={rule} choice={always} onChange={(next) => change({ always: next })} />
      )}
      {request.reason && (
        <details class="aside reason">
          <summary>
            {strings.approvalReason}
            <Icon name="chevron" />
          </summary>
          {/* Plain, but without the marks of emphasis and code, which a person would read as noise. */}
          <blockquote>“{visibleText(request.reason.replace(/[*`]+/g, ''))}”</blockquote>
        </details>
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
