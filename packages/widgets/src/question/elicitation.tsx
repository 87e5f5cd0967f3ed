/** What a tool asks of the person itself: a form by its schema, or a page of its own to go to. */

import type { Request } from '@dogear/core'
import { useRef } from 'preact/hooks'
import { useWidget } from '../context.ts'
import { fieldsOf, record } from '../form/json-schema.ts'
import { readTexts, SchemaForm, toTexts, type Given, type Texts } from '../form/schema-form.tsx'
import { Icon } from '../icon.tsx'
import { RequestForm } from '../requests/request-form.tsx'
import { requestTitle } from '../requests/request-title.ts'
import { useArmed, useDecision, useDraft } from '../requests/use-decision.ts'
import { LongText } from '../value-list.tsx'
import { OwnPage, webAddress } from './own-page.tsx'

interface ElicitationDraft {
  readonly texts: Texts
  /** Sent with something missing: from then on it is said what. */
  readonly isTried?: boolean
  /** The person has been to the tool's page. */
  readonly isOpened?: boolean
}

export function Elicitation({ request }: { request: Request }) {
  const { id, message, url, parameters } = request
  const { session, strings } = useWidget()
  const { draft, write } = useDraft<ElicitationDraft>(id, {
    texts: toTexts({ args: defaultsOf(parameters), parameters }),
  })
  const { isSent, refusal, decide } = useDecision(id)
  const isArmed = useArmed()
  const form = useRef<HTMLFormElement>(null)
  const { texts, isTried, isOpened } = draft.value
  const change = (next: Partial<ElicitationDraft>) => write({ ...draft.value, ...next })
  const given: Given = { parameters }
  const { args: content, errors } = readTexts(texts, given, strings)
  const isPage = url !== undefined
  const answer = (type: 'reject' | 'cancel') => () => decide(() => session.resolve(id, { type }))
  const send = () => {
    if (!isArmed || (isPage && !isOpened)) return
    const wrong = Object.keys(texts).findIndex((name) => errors[name])
    if (wrong < 0) return decide(() => session.resolve(id, { type: 'fill', content }))
    change({ isTried: true })
    form.current!.querySelector<HTMLElement>(`#field-${wrong}`)!.focus()
  }

  return (
    <RequestForm
      form={form}
      title={requestTitle(request, session, strings)}
      refusal={refusal.value}
      onSubmit={send}
      close={
        <button class="quiet close" type="button" aria-label={strings.close} onClick={answer('cancel')}>
          <Icon name="cross" />
        </button>
      }
      buttons={
        <>
          <button class="button" type="button" disabled={isSent.value} onClick={answer('reject')}>
            {strings.elicitDecline}
          </button>
          {(!isPage || webAddress(url)) && (
            <button class="button primary" disabled={isSent.value || !isArmed || (isPage && !isOpened)}>
              {isPage ? strings.elicitDone : strings.send}
            </button>
          )}
        </>
      }
    >
      {message && (
        <blockquote class="says">
          <LongText text={message} isExact />
        </blockquote>
      )}
      {isPage ? (
        <OwnPage url={url} onOpen={() => change({ isOpened: true })} />
      ) : (
        <SchemaForm
          given={given}
          texts={texts}
          errors={isTried ? errors : {}}
          onChange={(next) => change({ texts: next })}
        />
      )}
    </RequestForm>
  )
}

function defaultsOf(parameters: unknown): unknown {
  const fields = Object.entries(fieldsOf(parameters))
  return Object.fromEntries(fields.map(([name, field]) => [name, record(field).default]))
}
