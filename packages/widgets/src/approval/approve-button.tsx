/** The button that lets it happen, and what still stands between a person and it. */

import { useWidget } from '../context.ts'
import type { Consent } from '../requests/use-consent.ts'

interface ApproveButtonProps {
  readonly consent: Consent
  readonly words: string
  /** Not the answer that is expected. */
  readonly isPlain?: boolean
  readonly isDestructive?: boolean
  readonly isDisabled: boolean
  /** Shows the request over everything else. */
  readonly onTop?: () => void
  readonly onApprove: () => void
}

export function ApproveButton({ consent, words, onTop, onApprove, ...props }: ApproveButtonProps) {
  const { strings, isRefused } = useWidget()
  const { isPlain, isDestructive, isDisabled } = props
  const { unseen, isCovered, canApprove, showNext, whenMeant } = consent
  return (
    <>
      <div class="between" role="status">
        {isRefused ? (
          <span class="warn">
            {strings.approvalFramed}{' '}
            <a class="link" href={location.href} target="_blank" rel="noopener">
              {strings.approvalOwnTab}
            </a>
          </span>
        ) : isCovered ? (
          <span class="warn">
            {strings.approvalCovered}{' '}
            {onTop && (
              <button class="link" type="button" onClick={onTop}>
                {strings.approvalOnTop}
              </button>
            )}
          </span>
        ) : (
          unseen > 0 && (
            <button class="link more" type="button" onClick={showNext}>
              {strings.approvalMore(unseen)} ↓
            </button>
          )
        )}
      </div>
      <button
        class={`button ${isPlain ? '' : 'primary'} ${isDestructive ? 'danger' : ''}`}
        // Enter in a field presses the form's submit button: never one that sets off what cannot be undone.
        type={isDestructive ? 'button' : 'submit'}
        disabled={isDisabled || isRefused || !canApprove}
        onKeyDown={(event) => isDestructive && event.key === 'Enter' && event.preventDefault()}
        onClick={whenMeant(onApprove)}
      >
        {words}
      </button>
    </>
  )
}
