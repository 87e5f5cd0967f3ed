/** Several calls of one tool, decided together: each with its own arguments, and each can be left out. */

import { useSignal } from '@preact/signals'
import type { Request } from '@dogear/core'
import { useWidget } from '../context.ts'
import { RequestForm } from '../requests/request-form.tsx'
import { requestLabel, verbOf } from '../requests/request-title.ts'
import { useConsent } from '../requests/use-consent.ts'
import { useDecision } from '../requests/use-decision.ts'
import { ValueList } from '../value-list.tsx'
import { ApproveButton } from './approve-button.tsx'
import { Purpose } from './purpose.tsx'

/** The requests that ask the same as the first one, about other arguments. One click cannot stand for several. */
export function likeFirst(requests: readonly Request[]): readonly Request[] {
  const asked = whatIsAsked(requests[0]!)
  return requests.filter((each) => {
    const isAlone = each.kind !== 'approval' || each.gesture || each.entered
    return !isAlone && whatIsAsked(each) === asked
  })
}

/** All that is said once for all of them, and who asks. */
function whatIsAsked({ kind, path, tool, label, description, prompt, destructive, gesture }: Request): string {
  return JSON.stringify([kind, path, tool, label, description, prompt, destructive, gesture])
}

/** However many wait, a page can draw only so much in one go. */
const drawnAtOnce = 20

interface BatchProps {
  readonly requests: readonly Request[]
  readonly onLeave: () => void
  readonly onTop?: () => void
}

export function Batch({ requests, onLeave, onTop }: BatchProps) {
  const { session, strings } = useWidget()
  const [first] = requests as readonly [Request]
  const consent = useConsent()
  const { isSent, refusal, decide } = useDecision(first.id)
  const limit = useSignal(drawnAtOnce)
  const rest = requests.length - limit.value
  const leftOut = useSignal<ReadonlySet<string>>(new Set())
  const chosen = requests.filter(({ id }) => !leftOut.value.has(id))
  const label = requestLabel(first, session)
  const toggle = (id: string) => {
    const next = new Set(leftOut.value)
    if (!next.delete(id)) next.add(id)
    leftOut.value = next
  }
  return (
    <RequestForm
      form={consent.form}
      title={strings.approvalTimes(label, requests.length)}
      hint={strings.approvalHint}
      refusal={refusal.value}
      buttons={
        <>
          <button class="button" type="button" onClick={onLeave}>
            {strings.approvalOneByOne}
          </button>
          <ApproveButton
            consent={consent}
            words={strings.approvalAll(verbOf(label), chosen.length)}
            isDestructive={first.destructive}
            isDisabled={isSent.value || chosen.length === 0}
            onTop={onTop}
            // Together: one of them alone would be a decision nobody took.
            onApprove={() =>
              decide(() =>
                session.resolveAll(
                  chosen.map(({ id }) => id),
                  { type: 'approve' },
                ),
              )
            }
          />
        </>
      }
    >
      <Purpose {...first} />
      {requests.slice(0, limit.value).map(({ id, args, parameters = {} }, index) => (
        <fieldset key={id} class="item">
          <legend>
            <label>
              <input type="checkbox" checked={!leftOut.value.has(id)} onChange={() => toggle(id)} />{' '}
              {strings.count(index + 1, requests.length)}
            </label>
          </legend>
          <ValueList value={args} schema={parameters} />
        </fieldset>
      ))}
      {rest > 0 && (
        <button class="link" type="button" data-more={rest} onClick={() => (limit.value += drawnAtOnce)}>
          {strings.moreRows(rest)}
        </button>
      )}
    </RequestForm>
  )
}
